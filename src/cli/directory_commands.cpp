// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"
#include "cli/frame_range.h"
#include "cli/progress.h"
#include "io/sphere_frame.h"
#include "io/vtp.h"
#include "run/playback.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

namespace talus::cli {

namespace {

void keepFields(io::Frame& frame, const std::vector<std::string>& names) {
    if (names.empty()) return;
    std::vector<io::FrameColumn> kept;
    for (const std::string& name : names) {
        if (std::ranges::find(kept, name, &io::FrameColumn::name) != kept.end()) throw Error(ExitCode::usage, fmt::format("--fields: '{}' is given twice", name));
        const io::FrameColumn* column = frame.find(name);
        if (column == nullptr) {
            std::vector<std::string> known;
            for (const io::FrameColumn& c : frame.columns) known.push_back(c.name);
            throw Error(ExitCode::usage, fmt::format("--fields: there is no field '{}'; the frames have {}", name, fmt::join(known, ", ")));
        }
        kept.push_back(*column);
    }
    frame.columns = std::move(kept);
}

/// Others, such as the mass, are those of the whole grain: whoever wants them with each sphere asks for them.
const std::vector<std::string> kFieldsOfSpheres{"id", "sphere", "position", "velocity", "radius", "material", "source"};

}  // namespace

ExitCode execute(const InfoCommand& command) {
    const run::Record record = run::readRecord(command.directory);
    if (command.json) {
        print(record.json());
        return ExitCode::done;
    }
    std::string text = fmt::format("status     {}{}\nscene      {}\nmethod     {}, {}, {}, {} threads, seed {}\ngrains     {}\nframes     {}\ntime       {:.6g} of {:.6g} s in {} steps\nmemory     {} at the peak\n",
                                   record.status, record.failure.empty() ? "" : ": " + record.failure, record.scene, record.method, record.precision,
                                   record.simd, record.threads, record.seed, record.grains, record.frames, record.time, record.endTime, record.steps,
                                   run::readableBytes(static_cast<double>(record.peakMemoryBytes)));
    if (!record.startedFrom.empty()) text += fmt::format("from       {}\n", record.startedFrom);
    if (!record.refinedFrom.empty()) text += fmt::format("refined    from {}\n", record.refinedFrom);
    if (const auto frames = run::framesOf(command.directory); !frames.empty()) {
        const io::Frame last = io::readVtp(command.directory / "frames" / io::frameName(frames.back().number));
        std::vector<std::string> fields;
        for (const io::FrameColumn& column : last.columns) fields.push_back(column.name);
        text += fmt::format("fields     {}\n", fmt::join(fields, ", "));
    }
    for (const run::StageRecord& stage : record.stages)
        text += fmt::format("stage      {} from {:.6g} s, step {}{}\n", stage.name, stage.begin, stage.step,
                            stage.ended.empty() ? "" : fmt::format("; ended by its {}", stage.ended));
    for (const run::Result& result : run::readResults(command.directory)) {
        if (result.name.ends_with(".mean")) continue;   // beside the last value of each column
        text += fmt::format("result     {}: {} = {}\n", result.probe, result.name, std::isfinite(result.value) ? fmt::format("{:.6g}{}", result.value, result.unit == "1" ? "" : " " + result.unit) : "none yet");
    }
    for (const auto& [name, count] : record.fallbacks) text += fmt::format("fallback   {}: {}\n", name, count);
    for (const std::string& warning : record.warnings) text += fmt::format("warning    {}\n", warning);
    print(text + timeTable(record));
    return ExitCode::done;
}

ExitCode execute(const ExportCommand& command) {
    run::readRecord(command.directory);
    const std::vector<io::FrameTime> frames = run::framesOf(command.directory);
    if (frames.empty()) throw Error(ExitCode::missing, fmt::format("'{}' has no frames yet", command.directory.string()));
    const run::Path out = command.out.value_or(command.directory / "export");
    const std::vector<io::FrameTime> chosen = chosenFrames(frames, command.frames);
    std::vector<world::GrainTemplate> templates;
    if (command.spheres) templates = io::readTemplates(command.directory / "frames" / "templates.json");
    for (const io::FrameTime& time : chosen) {
        io::Frame frame = io::readVtp(command.directory / "frames" / io::frameName(time.number));
        if (command.spheres) frame = io::spheresOf(frame, templates);
        keepFields(frame, command.spheres && command.fields.empty() ? kFieldsOfSpheres : command.fields);
        io::createDirectories(out);
        run::Path name = io::frameName(time.number);
        name.replace_extension(io::kExportFormatNames[static_cast<std::size_t>(command.format)]);
        io::exportFrame(out / name, frame, command.format);
    }
    print(out.string() + "\n");
    return ExitCode::done;
}

void print(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) throw Error(ExitCode::io, "cannot write to stdout");
}

void tell(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

void warn(std::string_view text) { tell(fmt::format("warning: {}\n", text)); }

ExitCode execute(const TextCommand& command) {
    print(command.text);
    return ExitCode::done;
}

}  // namespace talus::cli
