// SPDX-License-Identifier: Apache-2.0
// What the user typed, as plain structs; and what could be typed, for the manual page and for completion by shells.
#pragma once

#include "io/export.h"
#include "render/comparison.h"
#include "render/sequence.h"
#include "run/refine.h"
#include "run/run.h"
#include "study/calibration.h"
#include "study/sweep_run.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace talus::cli {

struct RunCommand {
    run::Options options;
    bool dryRun = false, json = false, quiet = false, verbose = false, preview = true;
};
struct RefineCommand {
    run::RefineOptions options;
    bool json = false, quiet = false, verbose = false, preview = true;
};
struct SweepCommand {
    study::SweepOptions options;              // without plan and program
    scene::Request request;                   // without what varies; its sets may have several values each
    std::vector<std::string> methods;
    bool quiet = false;
};
struct CalibrateCommand {
    study::CalibrationOptions options;        // without program
    bool quiet = false;
};
struct CheckCommand {
    scene::Request request;
    bool resolved = false;
};
struct ScenesCommand {};
struct MaterialsCommand {};
struct NewCommand {
    std::string name;
};
struct SchemaCommand {};
struct InfoCommand {
    run::Path directory;
    bool json = false;
};
struct ExportCommand {
    run::Path directory;
    io::ExportFormat format = io::ExportFormat::csv;
    std::optional<run::Path> out;
    std::string frames;                       // "A:B", either may be missing; "A"
    std::vector<std::string> fields;          // empty: all
    bool spheres = false;                     // a row for each sphere of a clump
};
struct RenderCommand {
    render::SequenceOptions options;
    std::string frames;                       // as of export; empty: all, or the last where --out is one picture
    std::vector<std::string> clips;
    bool quiet = false;
};
struct CompareCommand {
    render::ComparisonOptions options;        // without methods and settings of the runs
    std::vector<run::Path> directories;
    std::vector<std::string> clips;
    bool quiet = false;
};
struct CompletionCommand {
    std::string shell;
};
struct ManualCommand {};
/// --help, --version: what to print.
struct TextCommand {
    std::string text;
};
using Command = std::variant<RunCommand, RefineCommand, SweepCommand, CalibrateCommand, CheckCommand, ScenesCommand, MaterialsCommand, NewCommand, SchemaCommand, InfoCommand, ExportCommand, RenderCommand, CompareCommand, CompletionCommand,
                             ManualCommand, TextCommand>;

/// Throws Error with exit code 2 and, where one is near, the name that may have been meant.
Command parse(int argc, const char* const* argv);

struct OptionDescription {
    std::vector<std::string> names;           // "--out", "-q"; empty: positional
    std::string value, help;                  // value: "DIR" or "csv|ply"; empty for a flag
};
struct CommandDescription {
    std::string name, summary, example;
    std::vector<OptionDescription> options;
};
std::vector<CommandDescription> describeCommands();

}  // namespace talus::cli
