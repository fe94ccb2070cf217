// SPDX-License-Identifier: Apache-2.0
#include "core/exec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>

namespace talus {
namespace {

TEST(Exec, nThreadsAreNThreads) {
    for (const int threads : {1, 2, 3, 5}) {
        const Exec exec(threads);
        EXPECT_EQ(exec.threads(), threads);
        std::set<std::thread::id> ids;
        std::set<int> workers;
        std::mutex mutex;
        std::atomic<int> arrived{0};
        // Every task waits until all threads are inside one, which only `threads` different threads can achieve.
        exec.forTasks(static_cast<std::size_t>(threads), [&](std::size_t, int worker) {
            {
                const std::lock_guard lock(mutex);
                ids.insert(std::this_thread::get_id());
                workers.insert(worker);
            }
            ++arrived;
            const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
            while (arrived < threads && std::chrono::steady_clock::now() < end) std::this_thread::yield();
        });
        EXPECT_EQ(ids.size(), static_cast<std::size_t>(threads));
        EXPECT_EQ(workers.size(), static_cast<std::size_t>(threads));
        EXPECT_GE(*workers.begin(), 0);
        EXPECT_LT(*workers.rbegin(), threads);
    }
}

TEST(Exec, blocksCoverEachIndexOnce) {
    const Exec exec(3);
    std::vector<int> hits(10007, 0);
    exec.forBlocks(hits.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) ++hits[i];
    });
    EXPECT_EQ(std::count(hits.begin(), hits.end(), 1), static_cast<std::ptrdiff_t>(hits.size()));
    exec.forBlocks(0, 64, [&](std::size_t, std::size_t) { FAIL() << "no work, no call"; });
}

// As a frame is sorted while the next steps go on.
TEST(Exec, twoThreadsShareIt) {
    for (const int threads : {1, 2, 3}) {
        const Exec exec(threads);
        const auto shuffled = [&exec] {
            for (int round = 0; round < 20; ++round) {
                std::vector<std::uint64_t> keys(50000);
                std::vector<std::uint32_t> values(keys.size());
                exec.forBlocks(keys.size(), 512, [&](std::size_t begin, std::size_t end) {
                    for (std::size_t i = begin; i < end; ++i) {
                        keys[i] = i * 7919 % 50021;
                        values[i] = static_cast<std::uint32_t>(i);
                    }
                });
                exec.sortByKey(keys, values);
                if (!std::ranges::is_sorted(keys)) return false;
                for (std::size_t i = 0; i < keys.size(); ++i)
                    if (values[i] * std::uint64_t{7919} % 50021 != keys[i]) return false;
            }
            return true;
        };
        bool elsewhere = false;
        std::thread other([&] { elsewhere = shuffled(); });
        EXPECT_TRUE(shuffled());
        other.join();
        EXPECT_TRUE(elsewhere);
    }
}

TEST(Exec, reduceGivesTheSameBitsForAnyNumberOfThreads) {
    std::vector<double> values(100003);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i)) * std::pow(10.0, static_cast<double>(i % 17));
    const auto sum = [&](const Exec& exec) {
        return exec.reduce(
            values.size(), 1000, 0.0,
            [&](std::size_t begin, std::size_t end) { return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(begin), values.begin() + static_cast<std::ptrdiff_t>(end), 0.0); },
            std::plus<>{});
    };
    const double one = sum(Exec(1));
    for (const int threads : {2, 3, 4})
        for (int repeat = 0; repeat < 20; ++repeat) EXPECT_EQ(one, sum(Exec(threads)));
}

TEST(Exec, sortIsStableAndAgreesWithStdSort) {
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{200000}}) {
        std::vector<std::uint64_t> keys(n);
        std::vector<std::uint32_t> values(n);
        for (std::size_t i = 0; i < n; ++i) {
            keys[i] = (i * 2654435761u) % 977 * (std::uint64_t{1} << 40) + (i * 40503u) % 31;
            values[i] = static_cast<std::uint32_t>(i);
        }
        std::vector<std::uint32_t> expected(values);
        std::stable_sort(expected.begin(), expected.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
        Exec(3).sortByKey(keys, values);
        EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
        EXPECT_EQ(values, expected);
    }
}

TEST(Exec, tasksInOrderEndInTheirOrder) {
    for (const int threads : {1, 2, 3, 8}) {
        const Exec exec(threads);
        std::vector<std::size_t> ended;
        std::vector<std::size_t> inSlot(exec.slots());
        exec.forTasksInOrder(
            500, [&](std::size_t task, int, std::size_t slot) { inSlot[slot] = task; },
            [&](std::size_t task, std::size_t slot) {
                EXPECT_EQ(inSlot[slot], task);
                ended.push_back(task);   // no lock: one at a time
            });
        ASSERT_EQ(ended.size(), 500u);
        for (std::size_t task = 0; task < ended.size(); ++task) EXPECT_EQ(ended[task], task);
        for (const bool inFirst : {true, false}) {
            const auto fail = [](std::size_t task, bool here) {
                if (here && task == 37) throw std::runtime_error("task");
            };
            EXPECT_THROW(exec.forTasksInOrder(100, [&](std::size_t task, int, std::size_t) { fail(task, inFirst); }, [&](std::size_t task, std::size_t) { fail(task, !inFirst); }), std::runtime_error);
        }
    }
}

TEST(Exec, exceptionsReachTheCaller) {
    for (const int threads : {1, 3})
        EXPECT_THROW(Exec(threads).forTasks(100, [](std::size_t task, int) { if (task == 37) throw std::runtime_error("task"); }), std::runtime_error);
}

TEST(Exec, twoLiveInOneProcess) {
    const Exec a(2), b(3);
    std::atomic<int> sum{0};
    a.forTasks(10, [&](std::size_t, int) { b.forTasks(10, [&](std::size_t, int) { ++sum; }); });
    EXPECT_EQ(sum, 100);
}

TEST(Exec, phasesAddUp) {
    const Exec exec(1);
    for (int i = 0; i < 3; ++i) {
        const auto phase = exec.phase("wait");
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    EXPECT_GE(exec.phaseSeconds().at("wait"), 0.006);
}

}  // namespace
}  // namespace talus
