// SPDX-License-Identifier: Apache-2.0
// Raw-appended arrays of VTK XML files: a 64-bit count of bytes and the bytes.
#pragma once

#include "io/files.h"

#include <cstdint>
#include <span>
#include <vector>

namespace talus::io {

template <class T>
std::uint64_t appendedSize(const std::vector<T>& values) { return sizeof(std::uint64_t) + values.size() * sizeof(T); }

template <class T>
void append(AtomicFile& file, const std::vector<T>& values) {
    const std::uint64_t size = values.size() * sizeof(T);
    file.write(std::as_bytes(std::span(&size, 1)));
    file.write(std::as_bytes(std::span(values)));
}

}  // namespace talus::io
