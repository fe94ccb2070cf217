// SPDX-License-Identifier: Apache-2.0
#include "study/children.h"

#include "core/problems.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

namespace talus::study {

namespace {

constexpr int kCannotStart = 127;

/// Between fork and exec, where only async-signal-safe calls are allowed.
[[noreturn]] void becomeChild(char* const* argv, const char* log, pid_t parent) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(kCannotStart);   // gone before the line above
    const int in = open("/dev/null", O_RDONLY), out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (in < 0 || out < 0 || dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0) _exit(kCannotStart);
    execv(argv[0], argv);
    _exit(kCannotStart);
}

}  // namespace

pid_t startChild(const io::Path& program, const std::vector<std::string>& arguments, const io::Path& log) {
    std::vector<std::string> words{program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const std::string logName = log.string();
    const pid_t parent = getpid(), child = fork();
    if (child < 0) throw Error(ExitCode::io, fmt::format("cannot start '{}': {}", program.string(), std::strerror(errno)));
    if (child == 0) becomeChild(argv.data(), logName.c_str(), parent);
    return child;
}

Ended waitForAny() {
    constexpr auto kLookAround = std::chrono::milliseconds(20);
    for (int look = 0; look < 5; ++look) {
        int status = 0;
        if (const pid_t process = waitpid(-1, &status, WNOHANG); process > 0) return {process, WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status)};
        std::this_thread::sleep_for(kLookAround);
    }
    return {};
}

}  // namespace talus::study
