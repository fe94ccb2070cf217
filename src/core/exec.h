// SPDX-License-Identifier: Apache-2.0
// Where and how loops run: a number of threads, passed as an argument. Nothing here lets a result depend on that number:
// work is cut into blocks by the size of the problem, and sums are joined in block order.
#pragma once

#include "core/function_ref.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace talus {

class Exec {   // several threads may run loops on one at a time
public:
    /// 0 threads: as many as the machine has.
    explicit Exec(int threads = 0);
    ~Exec();
    Exec(const Exec&) = delete;
    Exec& operator=(const Exec&) = delete;

    int threads() const { return threads_; }

    /// body(task, worker) for every task in [0, tasks), in any order, worker in [0, threads()): two tasks that run at
    /// the same time have different workers, so scratch memory may be kept per worker. The first exception is rethrown.
    void forTasks(std::size_t tasks, FunctionRef<void(std::size_t task, int worker)> body) const;

    /// first(task, worker, slot) for every task, in any order, then last(task, slot): one at a time, in the order of the tasks, by any worker. What first
    /// leaves for last lies in the slot, in [0, slots()). For sums whose order is to be the same for any number of threads.
    void forTasksInOrder(std::size_t tasks, FunctionRef<void(std::size_t task, int worker, std::size_t slot)> first, FunctionRef<void(std::size_t task, std::size_t slot)> last) const;
    std::size_t slots() const { return threads_ == 1 ? 1 : 8 * static_cast<std::size_t>(threads_); }

    /// body(begin, end) over [0, n) in blocks of fixed size.
    template <class Body>
    void forBlocks(std::size_t n, std::size_t block, const Body& body) const {
        forTasks(blocks(n, block), [&](std::size_t b, int) { body(b * block, std::min(n, (b + 1) * block)); });
    }

    /// join(…join(join(zero, map(block 0)), map(block 1))…): the same bits for any number of threads.
    template <class T, class Map, class Join>
    T reduce(std::size_t n, std::size_t block, T zero, const Map& map, const Join& join) const {
        static_assert(!std::is_same_v<T, bool>, "neighbours in a vector of bool share a byte");
        std::vector<T> parts(blocks(n, block), zero);
        forTasks(parts.size(), [&](std::size_t b, int) { parts[b] = map(b * block, std::min(n, (b + 1) * block)); });
        for (const T& part : parts) zero = join(zero, part);
        return zero;
    }

    /// Sorts keys ascending and applies the same permutation to values; equal keys keep their order.
    void sortByKey(std::span<std::uint64_t> keys, std::span<std::uint32_t> values) const;

    /// Wall time of the enclosing scope is added to the named phase (for run.json). From the calling thread only.
    class Phase {
    public:
        Phase(const Exec& exec, std::string_view name);
        ~Phase();
        Phase(const Phase&) = delete;
        Phase& operator=(const Phase&) = delete;

    private:
        double& seconds_;
        std::chrono::steady_clock::time_point start_;
    };
    [[nodiscard]] Phase phase(std::string_view name) const { return Phase(*this, name); }
    const std::map<std::string, double, std::less<>>& phaseSeconds() const { return phaseSeconds_; }

private:
    static std::size_t blocks(std::size_t n, std::size_t block) { return (n + block - 1) / block; }

    struct Pool;
    int threads_;
    std::unique_ptr<Pool> pool_;
    mutable std::map<std::string, double, std::less<>> phaseSeconds_;
};

}  // namespace talus
