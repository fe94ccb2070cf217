// SPDX-License-Identifier: Apache-2.0
#include "render/program.h"

#include "core/problems.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

extern char** environ;

namespace talus::render {

namespace fs = std::filesystem;

std::optional<io::Path> findProgram(const std::string& name) {
    const char* path = std::getenv("PATH");
    std::string_view rest = path != nullptr ? path : "/usr/bin:/bin";
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(':'), rest.size());
        const io::Path candidate = io::Path(rest.substr(0, end)) / name;
        if (end > 0 && ::access(candidate.c_str(), X_OK) == 0 && !fs::is_directory(candidate)) return candidate;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return {};
}

ScratchFolder::ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "talus-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw Error(ExitCode::io, fmt::format("cannot make a folder '{}': {}", name, std::strerror(errno)));
    path_ = name;
}
ScratchFolder::~ScratchFolder() {
    std::error_code stays;
    fs::remove_all(path_, stays);
}

ProgramResult runProgram(const io::Path& program, const std::vector<std::string>& arguments) {
    constexpr std::size_t kKept = 2000;
    const ScratchFolder scratch;
    const io::Path log = scratch.path() / "log";
    std::vector<std::string> words{program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    sigset_t none;   // of the signals that this thread may have blocked
    ::sigemptyset(&none);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    pid_t child = 0;
    const int error = ::posix_spawn(&child, program.c_str(), &actions, &attributes, argv.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw Error(ExitCode::io, fmt::format("cannot start '{}': {}", program.string(), std::strerror(error)));
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    ProgramResult result;
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    if (fs::exists(log)) result.messages = io::readFile(log);
    if (result.messages.size() > kKept) result.messages = result.messages.substr(result.messages.size() - kKept);
    while (!result.messages.empty() && result.messages.back() == '\n') result.messages.pop_back();
    return result;
}

}  // namespace talus::render
