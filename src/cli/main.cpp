// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"
#include "core/wide.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>

int main(int argc, char** argv) {
    using talus::ExitCode;
    if (!talus::cpuSupportsBuild()) {
        std::fputs("this Talus was built for a newer processor; build it with -DTALUS_SIMD=baseline or native\n", stderr);
        return static_cast<int>(ExitCode::usage);
    }
    try {
        const talus::cli::Command command = talus::cli::parse(argc, argv);
        return static_cast<int>(std::visit([](const auto& c) { return talus::cli::execute(c); }, command));
    } catch (const talus::Error& error) {
        talus::cli::tell(fmt::format("{}\n", error.what()));
        return static_cast<int>(error.code());
    } catch (const std::filesystem::filesystem_error& error) {
        talus::cli::tell(fmt::format("cannot use '{}': {}\n", error.path1().string(), error.code().message()));
        return static_cast<int>(ExitCode::io);
    } catch (const std::bad_alloc&) {
        talus::cli::tell("out of memory: lower resolution.grains or raise resolution.size\n");
        return static_cast<int>(ExitCode::usage);
    } catch (const std::exception& error) {
        talus::cli::tell(fmt::format("{}\nthis is a bug in Talus; please report it with the scene\n", error.what()));
    }
    return static_cast<int>(ExitCode::bug);
}
