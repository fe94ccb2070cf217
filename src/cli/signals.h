// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/problems.h"

#include <atomic>
#include <optional>
#include <thread>

namespace talus::cli {

/// Takes SIGINT and SIGTERM on a thread of its own: the first is remembered, the second ends the process at once.
/// Make it before any other thread, which inherits that the signals are blocked.
class Signals {
public:
    Signals();
    ~Signals();
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

    std::optional<ExitCode> stopRequested() const;

private:
    void watch(const std::stop_token&);
    std::atomic<int> first_{0};
    std::jthread thread_;
};

}  // namespace talus::cli
