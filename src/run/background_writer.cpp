// SPDX-License-Identifier: Apache-2.0
#include "run/background_writer.h"

#include <system_error>
#include <utility>

namespace talus::run {

BackgroundWriter::~BackgroundWriter() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void BackgroundWriter::post(std::function<void()> task) {
    if (!thread_.joinable()) {
        try {
            thread_ = std::thread([this] { work(); });
        } catch (const std::system_error&) {   // no more threads: do it here
            task();
            return;
        }
    }
    {
        const std::lock_guard lock(mutex_);
        if (failed_) return;
        tasks_.push_back(std::move(task));
    }
    changed_.notify_all();
}

void BackgroundWriter::wait() {
    settle();
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void BackgroundWriter::settle() noexcept {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return tasks_.empty(); });
}

void BackgroundWriter::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return over_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        std::exception_ptr failure;
        if (!failed_) {
            const std::function<void()>& task = tasks_.front();   // stays where it is while others are added behind it
            lock.unlock();
            try {
                task();
            } catch (...) {
                failure = std::current_exception();
            }
            lock.lock();
        }
        if (failure) failure_ = failure, failed_ = true;
        std::function<void()> done = std::move(tasks_.front());   // and what it holds goes before anyone hears of it
        done = nullptr;
        tasks_.pop_front();
        changed_.notify_all();
    }
}

}  // namespace talus::run
