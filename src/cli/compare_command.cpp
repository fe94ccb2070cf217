// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"
#include "cli/signals.h"
#include "io/files.h"
#include "scene/differences.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace talus::cli {

#ifdef TALUS_HAS_RENDER

namespace {

/// In what the scenes differ; nothing where one of them cannot be read, which does not keep the frames from being compared.
std::vector<std::vector<std::string>> settingsOf(const std::vector<run::Path>& directories) {
    std::vector<std::string> scenes;
    try {
        for (const run::Path& directory : directories) scenes.push_back(io::readFile(directory / "scene.toml"));
        return scene::settingsThatDiffer(scenes);
    } catch (const Error& error) {
        warn(fmt::format("captions go without settings: {}", error.what()));
        return std::vector<std::vector<std::string>>(directories.size());
    }
}

std::vector<render::ComparedRun> runsOf(const std::vector<run::Path>& directories) {
    std::vector<render::ComparedRun> runs;
    for (const run::Path& directory : directories) {
        const run::Record record = run::readRecord(directory);
        runs.push_back({directory, record.method, {}});
        if (record.status != "done")
            warn(fmt::format("run '{}' is not finished ({} at {:.6g} of {:.6g} s); it is compared as far as it goes", directory.string(), record.status, record.time, record.endTime));
    }
    const std::vector<std::vector<std::string>> settings = settingsOf(directories);
    for (std::size_t r = 0; r < runs.size(); ++r) runs[r].settings = settings[r];
    return runs;
}

}  // namespace

ExitCode execute(const CompareCommand& command) {
    render::ComparisonOptions options = command.options;
    for (const std::string& clip : command.clips) options.style.clips.push_back(render::parseClip(clip));
    if (command.directories.size() < 2) throw Error(ExitCode::usage, "a comparison needs at least two runs; name their folders one after the other");
    options.runs = runsOf(command.directories);
    const Signals signals;
    const bool bar = ::isatty(STDERR_FILENO) == 1 && !command.quiet;
    const auto endBar = [&] {
        if (bar) tell("\r\033[K");
    };
    std::string_view shown;
    render::ComparisonFiles made;
    try {
        made = render::compareRuns(options, [&](const render::ComparisonProgress& p) {
            if (bar) tell(fmt::format("\r\033[K{} {}/{}", p.doing, p.done, p.all));
            else if (!command.quiet && p.doing != shown) tell(fmt::format("{} {}/{}\n", p.doing, p.done, p.all));
            shown = p.doing;
            return !signals.stopRequested();
        });
    } catch (...) {
        endBar();
        throw;
    }
    endBar();
    for (const std::string& remark : made.remarks) warn(remark);
    print(fmt::format("{}\n{}\n{}\n{}\n", made.picture.string(), made.plot.string(), made.fields.string(), made.table.string()));
    return ExitCode::done;
}

#else

ExitCode execute(const CompareCommand&) {
    throw Error(ExitCode::usage, "this Talus makes no pictures: " TALUS_WITHOUT_PICTURES "; install the packages of tools/install-deps.sh and build it again");
}

#endif

}  // namespace talus::cli
