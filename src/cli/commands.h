// SPDX-License-Identifier: Apache-2.0
// What each command does. Data goes to stdout, everything else to stderr.
#pragma once

#include "cli/command_line.h"

#include <string>
#include <string_view>
#include <vector>

namespace talus::cli {

ExitCode execute(const RunCommand&);
ExitCode execute(const RefineCommand&);
ExitCode execute(const SweepCommand&);
ExitCode execute(const CalibrateCommand&);
ExitCode execute(const CheckCommand&);
ExitCode execute(const ScenesCommand&);
ExitCode execute(const MaterialsCommand&);
ExitCode execute(const NewCommand&);
ExitCode execute(const SchemaCommand&);
ExitCode execute(const InfoCommand&);
ExitCode execute(const ExportCommand&);
ExitCode execute(const RenderCommand&);
ExitCode execute(const CompareCommand&);
ExitCode execute(const CompletionCommand&);
ExitCode execute(const ManualCommand&);
ExitCode execute(const TextCommand&);

/// The pictures that a finished run leaves; returns what could not be made and why.
std::vector<std::string> makePreviews(const run::Path& directory, int threads);

/// What a run that has ended says: how and where, and its pictures.
struct Reporting {
    bool quiet = false, json = false, preview = true;
    int threads = 0;
};
void report(const run::Outcome&, const Reporting&);

/// To stdout; exit code 5 if that fails.
void print(const std::string&);
/// To stderr, at once. Where nobody can read it, as when a log fills its disk, a run goes on.
void tell(std::string_view);
/// A line to stderr that begins with "warning: ".
void warn(std::string_view);

}  // namespace talus::cli
