// SPDX-License-Identifier: Apache-2.0
// What is wrong with an input, all of it at once. A problem is tied to the path of a key ("bodies[2].shape.radius");
// whoever read the file knows its line and column.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace talus {

struct Problem {
    std::string path;      // of the key at fault; empty: the input as a whole
    std::string message;   // what is wrong and what would be right
};

class Problems {
public:
    void error(std::string_view path, std::string message) { errors_.push_back({std::string(path), std::move(message)}); }
    void warn(std::string_view path, std::string message) { warnings_.push_back({std::string(path), std::move(message)}); }

    bool ok() const { return errors_.empty(); }
    const std::vector<Problem>& errors() const { return errors_; }
    const std::vector<Problem>& warnings() const { return warnings_; }

private:
    std::vector<Problem> errors_, warnings_;
};

/// An error with the exit code that the command line gives it (DESIGN of the run directory: docs/commands.md).
enum class ExitCode : int { done = 0, bug = 1, usage = 2, missing = 3, diverged = 4, io = 5, timeUp = 6, interrupted = 130, terminated = 143 };

class Error : public std::runtime_error {
public:
    Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
    ExitCode code() const { return code_; }

private:
    ExitCode code_;
};

}  // namespace talus
