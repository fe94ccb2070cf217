// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/signals.h"

#include <fmt/format.h>

#include <cstdio>

namespace talus::cli {

namespace {

ExitCode dryRun(const RunCommand& command) {
    const scene::Scene scene = scene::read(run::requestOf(command.options, scene::builtInMethods()), scene::builtInMethods());
    for (const std::string& warning : scene.warnings()) warn(warning);
    const run::Forecast forecast = run::forecast(scene, command.options);
    const std::int64_t inAll = forecast.estimate.grains;
    const bool mostComeLater = inAll > 2 * forecast.grains;   // from emitters
    print(fmt::format("method   {}\ngrains   {} of {:.4g} m{}\nmemory   about {}; this machine has {}\nframes   {}\nstep     {:.4g} s, taken in {:.3g} s\n", scene.method().name, forecast.grains, forecast.estimate.size,
                      mostComeLater ? fmt::format(" at the start, about {} in all", inAll) : "", run::readableBytes(forecast.estimate.bytes), run::readableBytes(run::physicalMemory()), forecast.frames, forecast.dt,
                      forecast.stepSeconds));
    if (mostComeLater) print("time     not known: most grains come later, and steps get slower, or shorter, with them\n");
    else print(fmt::format("time     about {:.3g} s for {:.0f} steps, without output\n", forecast.seconds, forecast.steps));
    return ExitCode::done;
}

std::string ending(const run::Outcome& outcome) {
    if (outcome.nothingLeft) return "nothing left to do: the run has reached its end";
    switch (outcome.code) {
        case ExitCode::done: return "done";
        case ExitCode::timeUp: return "time is up; go on by: " + run::resumeCommand(outcome.directory);
        default: return "interrupted; go on by: " + run::resumeCommand(outcome.directory);
    }
}

}  // namespace

void report(const run::Outcome& outcome, const Reporting& how) {
    if (!how.quiet || outcome.code != ExitCode::done) tell(fmt::format("{}\n", ending(outcome)));
    if (!how.quiet && !outcome.nothingLeft) tell(timeTable(outcome.record));
    if (how.preview && outcome.code == ExitCode::done && !outcome.nothingLeft)
        for (const std::string& fault : makePreviews(outcome.directory, how.threads)) warn(fault);
    print(how.json ? outcome.record.json() : outcome.directory.string() + "\n");
}

ExitCode execute(const RunCommand& command) {
    if (command.dryRun) return dryRun(command);
    const Signals signals;
    ProgressDisplay display(command.quiet ? Verbosity::quiet : command.verbose ? Verbosity::verbose : Verbosity::normal);
    const auto outcome = [&] {
        try {
            return run::run(command.options, scene::builtInMethods(), display, [&] { return signals.stopRequested(); });
        } catch (...) {
            display.finish();
            throw;
        }
    }();
    display.finish();
    report(outcome, {.quiet = command.quiet, .json = command.json, .preview = command.preview, .threads = command.options.threads});
    return outcome.code;
}

}  // namespace talus::cli
