// SPDX-License-Identifier: Apache-2.0
#include "core/exec.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <stdexcept>
#include <thread>

#ifdef TALUS_THREADS_STD
#include <exception>
#include <mutex>
#else
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

namespace talus {

#ifdef TALUS_THREADS_STD

// Plain threads that TSan understands: each call starts them, which is slow and only for tests.
struct Exec::Pool {
    explicit Pool(int) {}

    static void run(int threads, std::size_t tasks, FunctionRef<void(std::size_t, int)> body) {
        std::atomic<std::size_t> next{0};
        std::exception_ptr error;
        std::mutex errorMutex;
        const auto work = [&](int worker) {
            try {
                for (std::size_t task = next++; task < tasks; task = next++) body(task, worker);
            } catch (...) {
                next = tasks;
                const std::lock_guard lock(errorMutex);
                if (!error) error = std::current_exception();
            }
        };
        std::vector<std::thread> others;
        for (int worker = 1; worker < threads; ++worker) others.emplace_back(work, worker);
        work(0);
        for (std::thread& thread : others) thread.join();
        if (error) std::rethrow_exception(error);
    }
};

#else

// An arena of n alone runs at most as many threads as the machine has cores; the global limit of this object raises that,
// so that "3 threads" are three threads on two cores too.
struct Exec::Pool {
    explicit Pool(int threads) : arena(threads) {}

    void run(int, std::size_t tasks, FunctionRef<void(std::size_t, int)> body) {
        // Isolated: a thread that waits inside a task must not start another one of the same loop with the same worker.
        arena.execute([&] {
            tbb::this_task_arena::isolate([&] {
                tbb::parallel_for(
                    std::size_t{0}, tasks, [&](std::size_t task) { body(task, tbb::this_task_arena::current_thread_index()); },
                    tbb::simple_partitioner{});
            });
        });
    }

    static constexpr std::size_t kMostThreads = 256;
    tbb::global_control control{tbb::global_control::max_allowed_parallelism, kMostThreads};
    tbb::task_arena arena;
};

#endif

Exec::Exec(int threads) : threads_(threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))), pool_(std::make_unique<Pool>(threads_)) {}

Exec::~Exec() = default;

void Exec::forTasks(std::size_t tasks, FunctionRef<void(std::size_t, int)> body) const {
    if (threads_ == 1 || tasks <= 1) {
        for (std::size_t task = 0; task < tasks; ++task) body(task, 0);
        return;
    }
    pool_->run(threads_, tasks, body);
}

// Tasks are begun in their order, too, none so early that its slot is not free yet. Whoever has done the first part of one does the last part of all
// whose turn has come, unless another worker is about it: nobody waits for a neighbour that is a little slower.
void Exec::forTasksInOrder(std::size_t tasks, FunctionRef<void(std::size_t, int, std::size_t)> first, FunctionRef<void(std::size_t, std::size_t)> last) const {
    if (threads_ == 1 || tasks <= 1) {
        for (std::size_t task = 0; task < tasks; ++task) {
            first(task, 0, 0);
            last(task, 0);
        }
        return;
    }
    std::vector<std::atomic<std::size_t>> ready(slots());   // one more than the task in the slot whose first part is done
    std::atomic<std::size_t> next = 0, done = 0;
    std::atomic<bool> finishing = false, failed = false;
    const auto waits = [&](std::size_t task) { return task < tasks && ready[task % slots()] == task + 1; };
    const auto finish = [&] {
        while (waits(done) && !finishing.exchange(true)) {
            for (std::size_t task = done; waits(task); done = ++task) last(task, task % slots());
            finishing = false;   // what has come since then is seen above
        }
    };
    forTasks(static_cast<std::size_t>(threads_), [&](std::size_t, int worker) {
        try {
            for (std::size_t task = next++; task < tasks; task = next++) {
                while (task >= done + slots() && !failed) std::this_thread::yield();
                if (failed) return;
                first(task, worker, task % slots());
                ready[task % slots()] = task + 1;
                finish();
            }
        } catch (...) {
            failed = true;
            throw;
        }
    });
}

// Least-significant-digit radix sort, 11 bits a pass, counting per fixed block so that the scatter is stable and
// parallel; passes over digits that all keys share are skipped.
void Exec::sortByKey(std::span<std::uint64_t> keys, std::span<std::uint32_t> values) const {
    if (keys.size() != values.size()) throw std::logic_error("sortByKey: keys and values differ in length");
    constexpr int kDigitBits = 11;
    constexpr std::size_t kBuckets = std::size_t{1} << kDigitBits;
    constexpr std::size_t kBlock = 16384;
    const std::size_t n = keys.size();
    const std::size_t blockCount = blocks(n, kBlock);

    struct Range { std::uint64_t all = ~std::uint64_t{0}, any = 0; };
    const Range bits = reduce(
        n, kBlock, Range{},
        [&](std::size_t begin, std::size_t end) {
            Range r;
            for (std::size_t i = begin; i < end; ++i) { r.all &= keys[i]; r.any |= keys[i]; }
            return r;
        },
        [](Range a, const Range& b) { return Range{a.all & b.all, a.any | b.any}; });
    const std::uint64_t varying = bits.all ^ bits.any;

    std::vector<std::uint64_t> keysOut(n);
    std::vector<std::uint32_t> valuesOut(n);
    std::vector<std::size_t> offset(blockCount * kBuckets);
    std::span<std::uint64_t> fromKeys = keys, toKeys = keysOut;
    std::span<std::uint32_t> fromValues = values, toValues = valuesOut;
    for (int shift = 0; shift < 64; shift += kDigitBits) {
        if (n == 0 || ((varying >> shift) & (kBuckets - 1)) == 0) continue;
        const auto digit = [shift](std::uint64_t key) { return static_cast<std::size_t>((key >> shift) & (kBuckets - 1)); };
        std::fill(offset.begin(), offset.end(), 0);
        forTasks(blockCount, [&](std::size_t b, int) {
            std::size_t* count = &offset[b * kBuckets];
            for (std::size_t i = b * kBlock; i < std::min(n, (b + 1) * kBlock); ++i) ++count[digit(fromKeys[i])];
        });
        std::size_t sum = 0;
        for (std::size_t d = 0; d < kBuckets; ++d)
            for (std::size_t b = 0; b < blockCount; ++b) {
                const std::size_t count = offset[b * kBuckets + d];
                offset[b * kBuckets + d] = sum;
                sum += count;
            }
        forTasks(blockCount, [&](std::size_t b, int) {
            std::size_t* place = &offset[b * kBuckets];
            for (std::size_t i = b * kBlock; i < std::min(n, (b + 1) * kBlock); ++i) {
                const std::size_t to = place[digit(fromKeys[i])]++;
                toKeys[to] = fromKeys[i];
                toValues[to] = fromValues[i];
            }
        });
        std::swap(fromKeys, toKeys);
        std::swap(fromValues, toValues);
    }
    if (fromKeys.data() != keys.data()) {
        std::copy(fromKeys.begin(), fromKeys.end(), keys.begin());
        std::copy(fromValues.begin(), fromValues.end(), values.begin());
    }
}

Exec::Phase::Phase(const Exec& exec, std::string_view name)
    : seconds_(exec.phaseSeconds_.try_emplace(std::string(name), 0.0).first->second), start_(std::chrono::steady_clock::now()) {}

Exec::Phase::~Phase() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

}  // namespace talus
