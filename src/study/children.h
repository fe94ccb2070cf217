// SPDX-License-Identifier: Apache-2.0
// Programs started beside this one: the cases of a sweep.
#pragma once

#include "io/files.h"

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace talus::study {

/// Starts a program in a process group of its own, so that Ctrl-C reaches this process alone; what it says goes to `log`. It gets SIGTERM when
/// this process is gone. Exit code 127: it could not be started.
pid_t startChild(const io::Path& program, const std::vector<std::string>& arguments, const io::Path& log);

struct Child {
    pid_t process = 0;
    std::int64_t number = 0;                                    // of its case
    std::optional<std::filesystem::file_time_type> recordBefore = {};   // when its run.json was last written, before it began
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

/// One of them that has ended, with its exit code (negative: the signal that ended it); waits up to a tenth of a second.
struct Ended {
    pid_t process = 0;                                          // 0: none
    int code = 0;
};
Ended waitForAny();

}  // namespace talus::study
