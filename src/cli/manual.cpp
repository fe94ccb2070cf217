// SPDX-License-Identifier: Apache-2.0
// docs/commands.md, from the same description of the commands that parses them.
#include "cli/commands.h"

#include <fmt/format.h>

#include <algorithm>

namespace talus::cli {

namespace {

constexpr std::string_view kIntroduction = R"(# Commands

Written by `talus manual`; a test compares this page with the program.

Data goes to stdout (`run` prints the run directory), everything else to stderr. `NO_COLOR` is honoured.
)";

constexpr std::string_view kContract = R"(
## Exit codes

| code | meaning |
| --- | --- |
| 0 | done, or nothing left to do |
| 1 | a bug in Talus |
| 2 | bad usage, a bad scene (all its errors at once, with file:line:column), or more than the memory holds |
| 3 | missing scene or folder, or no usable checkpoint to resume from |
| 4 | diverged: says step, time, grain id, position and field; or a stage did not end as required |
| 5 | a file could not be read or written |
| 6 | time is up (`--max-time`); a checkpoint was written |
| 130, 143 | interrupted by SIGINT, SIGTERM; a checkpoint was written. A second signal stops at once |

## The run directory

| file | contents |
| --- | --- |
| `scene.toml` | the scene as resolved, every default written out; itself runnable |
| `run.json` | rewritten every frame: status (running, done, interrupted, failed), what was run, how long it took and where the time went |
| `results.json` | the results of each probe with their units: last, mean, slope and others over a window of time ([measurements.md](measurements.md)) |
| `look.json` | what pictures need to know of the scene: camera, finish of bodies, colours of grains, units of fields |
| `preview.png`, `poster.png`, `plots.png` | six moments, the last frame, and what was measured over time; not with `--no-preview` |
| `series.csv` | a row per frame: time, steps, grains, mass, energies, centre of mass, greatest speed, then the method's own columns; an unknown cell is empty |
| `probes/NAME.csv` | the table of a probe: time, then columns with their unit in the name; an unknown cell is empty |
| `flows.csv` | a row per frame: what each emitter let out and owes, what each sink and the open faces took, with its momentum |
| `series.STAGE.csv`, `flows.STAGE.csv`, `probes/NAME.STAGE.csv` | the rows up to the end of a stage after which the clock was set to zero |
| `frames/grains_000000.vtp` … | the grains at each frame in id order: Int64 `id`, float32 fields by name |
| `frames/grains.vtp.series` | times of the frames; open this in ParaView |
| `frames/bodies.csv` | position and quaternion of each body that is there, per frame |
| `frames/body_NAME.vtp` | the surface of each body, once, in its own coordinates |
| `frames/bodies_fixed.vtp` | the bodies that stand still, once; open this in ParaView |
| `frames/bodies.vtp.series` | the bodies that move, `bodies_000000.vtp` …; open this in ParaView |
| `frames/contacts.vtp.series`, `nodes`, `sites` | with `output.contacts`, `output.nodes`, `output.sites`: forces between grains (dem), the grid and where its stress lives (nonsmooth), a file with every frame; open this in ParaView |
| `assets/` | the meshes and tables that the scene names |
| `checkpoint/a.h5`, `b.h5` | two alternating checkpoints (HDF5 behind a header with a checksum over the whole file) |

`frames/`, `probes/`, `series.csv` and `flows.csv` are the same to the byte for the same run, whatever the number of threads and however often it
was interrupted. Tables only grow and are cut back to the checkpoint on resume; every other file is written under a
temporary name, synced and renamed when whole. So a run can be killed at any moment.

`--resume` reads `scene.toml` of the run: `talus run --resume DIR`, or `--resume --out DIR`, need nothing else. A name of a built-in scene stays one, so of a folder with such a name
write `./NAME`. A SCENE or `--set` that changes anything but the end time, the frames and the
output is refused; a later end time extends the run as if it had never ended. A run of another version, instruction set
or precision is refused unless `--force` is given. `--overwrite` removes what a run writes and leaves other files alone.
)";

std::string cell(std::string text) {
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
    return text;
}

}  // namespace

ExitCode execute(const ManualCommand&) {
    std::string page(kIntroduction);
    for (const CommandDescription& command : describeCommands()) {
        std::string positional;
        for (const OptionDescription& option : command.options)
            if (option.names.empty()) positional += " " + option.value;
        page += fmt::format("\n## talus {}{}\n\n{}.\n\n| option | meaning |\n| --- | --- |\n", command.name, positional, command.summary);
        for (const OptionDescription& option : command.options) {
            const std::string name = option.names.empty() ? option.value : fmt::format("{}{}{}", fmt::join(option.names, ", "), option.value.empty() ? "" : " ", option.value);
            page += fmt::format("| `{}` | {} |\n", cell(name), cell(option.help));
        }
        if (const std::size_t line = command.example.find('\n'); line != std::string::npos) page += fmt::format("\n```\n{}\n```\n", command.example.substr(line + 1));
    }
    print(page + std::string(kContract));
    return ExitCode::done;
}

}  // namespace talus::cli
