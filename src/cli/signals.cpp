// SPDX-License-Identifier: Apache-2.0
#include "cli/signals.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

namespace talus::cli {

namespace {

sigset_t stopSignals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

int exitCodeOf(int signal) { return 128 + signal; }

}  // namespace

Signals::Signals() {
    const sigset_t set = stopSignals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

Signals::~Signals() {
    thread_ = {};   // joined, so that no signal is taken any more
    const sigset_t set = stopSignals();
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void Signals::watch(const std::stop_token& stop) {
    const sigset_t set = stopSignals();
    constexpr timespec kLookAround{0, 50'000'000};   // [ns] after which to see whether the run is over
    while (!stop.stop_requested()) {
        const int signal = sigtimedwait(&set, nullptr, &kLookAround);
        if (signal < 0) continue;
        // A second one that waits already counts as well, before the run hears of the first.
        constexpr timespec kNow{0, 0};
        const int another = first_ != 0 ? signal : sigtimedwait(&set, nullptr, &kNow);
        if (another > 0) _exit(exitCodeOf(another));
        first_ = signal;
    }
}

std::optional<ExitCode> Signals::stopRequested() const {
    const int signal = first_;
    return signal == 0 ? std::nullopt : std::optional(static_cast<ExitCode>(exitCodeOf(signal)));
}

}  // namespace talus::cli
