// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"
#include "core/wide.h"

#include <cstdio>
#include <exception>
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
        std::fprintf(stderr, "%s\n", error.what());
        return static_cast<int>(error.code());
    } catch (const std::bad_alloc&) {
        std::fputs("out of memory: lower resolution.grains or raise resolution.size\n", stderr);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\nthis is a bug in Talus; please report it with the scene\n", error.what());
    }
    return static_cast<int>(ExitCode::bug);
}
