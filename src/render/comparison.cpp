// SPDX-License-Identifier: Apache-2.0
#include "render/comparison.h"

#include "core/problems.h"
#include "render/comparison_parts.h"
#include "render/image_files.h"
#include "render/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>

namespace talus::render {

namespace {

constexpr std::size_t kMostRuns = 16, kMostMoments = 24;

/// The last part of each folder's name where these differ, else as much as was written.
std::vector<std::string> namesOf(const std::vector<ComparedRun>& runs) {
    const auto plain = [](const io::Path& path) {
        io::Path whole = path.lexically_normal();
        if (whole.filename().empty()) whole = whole.parent_path();
        return whole;
    };
    std::vector<std::string> names;
    for (const ComparedRun& run : runs) names.push_back(plain(run.directory).filename().string());
    if (std::set<std::string>(names.begin(), names.end()).size() == names.size()) return names;
    for (std::size_t i = 0; i < runs.size(); ++i) names[i] = plain(runs[i].directory).string();
    for (std::size_t i = 0; i < runs.size(); ++i)   // the same run twice
        if (const auto before = std::ranges::count(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]); before > 0) names[i] += fmt::format(" ({})", before + 1);
    return names;
}

void checkOptions(const ComparisonOptions& options) {
    if (options.runs.size() < 2) throw Error(ExitCode::usage, "a comparison needs at least two runs; name their folders one after the other");
    if (options.runs.size() > kMostRuns) throw Error(ExitCode::usage, fmt::format("{} runs are too many for one picture; compare at most {}", options.runs.size(), kMostRuns));
    if (options.out.extension() != ".png") throw Error(ExitCode::usage, fmt::format("--out '{}' must end in .png; the other files are named after it", options.out.string()));
    if (std::filesystem::is_directory(options.out)) throw Error(ExitCode::usage, fmt::format("--out '{}' is a folder; give the name of a picture", options.out.string()));
    for (const std::string& name : options.fields)
        if (std::ranges::find(kComparedFieldNames, name) == kComparedFieldNames.end())
            throw Error(ExitCode::usage, fmt::format("--fields: '{}' is not one of {}", name, fmt::join(kComparedFieldNames, ", ")));
}

std::vector<Moment> chosenMoments(const std::vector<NamedRun>& runs, const ComparisonOptions& options) {
    std::vector<double> times = options.times;
    const std::vector<io::FrameTime>& own = runs.front().files->frames();
    for (const std::int64_t number : options.times.empty() ? options.frames : std::vector<std::int64_t>{}) {
        const auto found = std::ranges::find(own, number, &io::FrameTime::number);
        if (found == own.end())
            throw Error(ExitCode::usage, fmt::format("--frames: run '{}' has no frame {}; it has {} to {}", runs.front().name, number, own.front().number, own.back().number));
        times.push_back(found->time);
    }
    const std::size_t count = times.empty() ? static_cast<std::size_t>(options.moments) : times.size();
    if (count > kMostMoments) throw Error(ExitCode::usage, fmt::format("{} moments are too many for one picture; choose at most {}", count, kMostMoments));
    return times.empty() ? commonMoments(runs, count) : momentsAt(runs, times);
}

/// A frame without grains says nothing of the fields that a run writes.
io::Frame firstWithGrains(const Comparison& c, std::size_t run) {
    io::Frame frame;
    for (const Moment& moment : c.moments) {
        frame = c.runs[run].files->frame(moment.frames[run].number);
        if (frame.count > 0) break;
    }
    return frame;
}

/// The fields asked for, or those that all frames have. What is left out is remarked.
std::vector<ComparedField> chosenFields(const Comparison& c, const ComparisonOptions& options, std::vector<std::string>& remarks) {
    std::vector<ComparedField> fields;
    for (std::size_t f = 0; f < kComparedFieldNames.size(); ++f) {
        const bool asked = std::ranges::find(options.fields, kComparedFieldNames[f]) != options.fields.end();
        if (!asked && !options.fields.empty()) continue;
        const auto field = static_cast<ComparedField>(f);
        std::string without;
        for (std::size_t r = 0; r < c.runs.size() && without.empty(); ++r)
            if (!hasField(firstWithGrains(c, r), field)) without = c.runs[r].name;
        const std::string what = fmt::format("{}: the frames of run '{}' have neither stress nor pressure; a run writes them with output.fields = [\"stress\"]", kComparedFieldNames[f], without);
        if (without.empty()) fields.push_back(field);
        else if (asked) throw Error(ExitCode::usage, "--fields " + what);
        else remarks.push_back("left out " + what);
    }
    return fields;
}

ComparedMoment compared(const Comparison& c, const Moment& moment) {
    ComparedMoment result{moment, std::vector<std::vector<SliceValues>>(c.fields.size()), std::vector<std::vector<FieldDifference>>(c.fields.size()), {}, {}};
    CellFields first;
    for (std::size_t r = 0; r < c.runs.size(); ++r) {
        CellFields own = averaged(c.runs[r], c.runs[r].files->frame(moment.frames[r].number), c.lattice.ofRun[r]);
        if (r == 0) first = own;
        for (std::size_t f = 0; f < c.fields.size(); ++f) {
            if (!own.has(c.fields[f])) throw Error(ExitCode::usage, fmt::format("a frame of run '{}' has neither stress nor pressure, but others have", c.runs[r].name));
            result.differences[f].push_back(difference(c.fields[f], own, first));
            SliceValues& values = result.values[f].emplace_back();
            const world::Lattice& l = c.lattice.cells();
            for (std::size_t row = 0; row < c.slice.rows(l); ++row)
                for (std::size_t column = 0; column < c.slice.columns(l); ++column) values.push_back(own.shown(c.fields[f], c.slice.cell(l, column, row)));
        }
        result.mass.push_back(own.mass);
        result.massOutside.push_back(own.massOutside);
    }
    return result;
}

void remarkOutside(const Comparison& c, std::vector<std::string>& remarks) {
    if (c.lattice.domainsDiffer) remarks.push_back("the domains differ; fields are compared where they overlap");
    for (std::size_t r = 0; r < c.runs.size(); ++r) {
        const auto most = std::ranges::max_element(c.results, {}, [&](const ComparedMoment& m) { return m.massOutside[r]; });
        if (most->massOutside[r] > 0)
            remarks.push_back(fmt::format("run '{}' has up to {:.4g} kg of {:.4g} kg beyond the cells that are compared", c.runs[r].name, most->massOutside[r], most->massOutside[r] + most->mass[r]));
    }
}

}  // namespace

ComparisonFiles comparisonFiles(const io::Path& out) {
    const auto beside = [&](const char* ending) {
        io::Path path = out;
        return path.replace_filename(out.stem().string() + ending);
    };
    return {out, beside("-plot.png"), beside("-fields.png"), beside(".csv"), {}};
}

ComparisonFiles compareRuns(const ComparisonOptions& options, FunctionRef<bool(const ComparisonProgress&)> progress) {
    checkOptions(options);
    const auto gnuplot = findProgram("gnuplot");
    if (!gnuplot) throw Error(ExitCode::missing, "a comparison needs the program gnuplot, and PATH has none; install it (Debian: apt install gnuplot-nox)");
    std::deque<RunFiles> files;
    Comparison c;
    const std::vector<std::string> names = namesOf(options.runs);
    for (std::size_t r = 0; r < options.runs.size(); ++r) c.runs.push_back({&files.emplace_back(options.runs[r].directory), names[r]});
    c.moments = chosenMoments(c.runs, options);

    ComparisonProgress state{0, 3 + c.moments.size() * (1 + c.runs.size()), "fields"};
    const auto next = [&](std::string_view doing) {
        state.doing = doing;
        if (!progress(state)) throw Error(ExitCode::interrupted, fmt::format("stopped after {} of {} steps of the comparison", state.done, state.all));
        ++state.done;
    };
    ComparisonFiles made = comparisonFiles(options.out);
    made.remarks = timesThatDiffer(c.runs, c.moments);
    next("lattice");
    const Exec exec(options.threads);
    const PictureStyle style = sharedStyle(exec, c, options);
    c.fields = chosenFields(c, options, made.remarks);
    c.lattice = commonLattice(c.runs, c.moments, options.spacing);
    c.slice = sliceOf(c.lattice.cells(), options.slice);
    for (const Moment& moment : c.moments) {
        next("fields");
        c.results.push_back(compared(c, moment));
    }
    remarkOutside(c, made.remarks);
    if (options.out.has_parent_path()) io::createDirectories(options.out.parent_path());
    io::writeFile(made.table, differenceTable(c, options));
    next("slices");
    drawSlices(*gnuplot, c, made.fields);
    next("curves");
    for (std::string& remark : drawCurves(*gnuplot, c.runs, made.plot)) made.remarks.push_back(std::move(remark));
    writePng(made.picture, drawSheet(exec, c, options, style, [&] { next("pictures"); }));
    state.doing = "done";
    progress(state);
    return made;
}

}  // namespace talus::render
