// SPDX-License-Identifier: Apache-2.0
// Files that are written while the simulation goes on.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace talus::run {

/// Does what it is given on a thread of its own, one after the other in that order. After a failure nothing more is done: what
/// would have followed must not stand on the disk without it. Given to and asked by one thread.
class BackgroundWriter {
public:
    BackgroundWriter() = default;
    ~BackgroundWriter();   // when all is done
    BackgroundWriter(const BackgroundWriter&) = delete;
    BackgroundWriter& operator=(const BackgroundWriter&) = delete;

    void post(std::function<void()> task);
    bool failed() const { return failed_; }
    /// Until all is done; throws what failed, once.
    void wait();
    /// The same without a word of what failed.
    void settle() noexcept;

private:
    void work();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> tasks_;   // the first is being done
    std::exception_ptr failure_;
    std::atomic<bool> failed_ = false;
    bool over_ = false;
    std::thread thread_;
};

}  // namespace talus::run
