// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"
#include "cli/signals.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace talus::cli {

ExitCode execute(const CalibrateCommand& command) {
    study::CalibrationOptions options = command.options;
    options.program = std::filesystem::read_symlink("/proc/self/exe");
    const Signals signals;
    int number = 0;
    const auto show = [&](const study::CalibrationRow& row) {
        ++number;
        if (command.quiet) return;
        const study::Friction friction = study::frictionAt(options.shape, row.place);
        tell(fmt::format("{} {}: contact friction {:.3g}, rolling friction {:.3g}: {:.1f} degrees, in {:.0f} s\n", options.experiment, number, friction.contact, friction.rolling, row.angle, row.wallSeconds));
    };
    const study::CalibrationOutcome outcome = study::calibrate(options, show, [&] { return signals.stopRequested(); });
    if (outcome.code != ExitCode::done) {
        tell("interrupted; go on with --resume\n");
        return outcome.code;
    }
    print(study::calibratedTables(options, outcome));
    if (outcome.met) return ExitCode::done;
    const auto [least, most] = std::ranges::minmax(outcome.rows, {}, &study::CalibrationRow::angle);
    tell(fmt::format("no {} of '{}' came within {:g} degrees of {:g}: {} of them stood at {:.1f} to {:.1f}; above is the nearest\n", options.experiment, options.shape, options.tolerance, options.angle, outcome.rows.size(),
               least.angle, most.angle));
    return ExitCode::diverged;
}

}  // namespace talus::cli
