// SPDX-License-Identifier: Apache-2.0
#include "contract/memory_count.h"

#include <malloc.h>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::int64_t> inUse{0}, peak{0};

void* counted(void* p) {
    if (!p) throw std::bad_alloc();
    const std::int64_t now = inUse += static_cast<std::int64_t>(malloc_usable_size(p));
    std::int64_t most = peak;
    while (now > most && !peak.compare_exchange_weak(most, now)) {
    }
    return p;
}
void release(void* p) {
    inUse -= static_cast<std::int64_t>(malloc_usable_size(p));
    std::free(p);
}

}  // namespace

// The array forms of the standard library call these, and the non-throwing ones too; but sanitizers bring their own of the latter.
void* operator new(std::size_t bytes) { return counted(std::malloc(bytes > 0 ? bytes : 1)); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    void* p = std::malloc(bytes > 0 ? bytes : 1);
    return p ? counted(p) : nullptr;
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    const auto a = static_cast<std::size_t>(alignment);
    return counted(std::aligned_alloc(a, (bytes + a - 1) / a * a));
}
void operator delete(void* p) noexcept { release(p); }
void operator delete(void* p, std::size_t) noexcept { release(p); }
void operator delete(void* p, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { release(p); }

namespace talus::contract {

MemoryPeak::MemoryPeak() : before_(inUse) { peak = before_; }
std::int64_t MemoryPeak::bytes() const { return peak - before_; }

}  // namespace talus::contract
