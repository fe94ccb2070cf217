// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/signals.h"

#include <fmt/format.h>

#include <cstdio>

namespace talus::cli {

ExitCode execute(const RefineCommand& command) {
    const Signals signals;
    ProgressDisplay display(command.quiet ? Verbosity::quiet : command.verbose ? Verbosity::verbose : Verbosity::normal);
    const auto outcome = [&] {
        try {
            return run::refine(command.options, scene::builtInMethods(), display, [&] { return signals.stopRequested(); });
        } catch (...) {
            display.finish();
            throw;
        }
    }();
    display.finish();
    report(outcome, {.quiet = command.quiet, .json = command.json, .preview = command.preview, .threads = command.options.run.threads});
    return outcome.code;
}

}  // namespace talus::cli
