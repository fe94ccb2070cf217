// SPDX-License-Identifier: Apache-2.0
#include "run/run_directory.h"

#include "run/stage_tables.h"

#include "core/problems.h"
#include "io/body_vtp.h"
#include "io/vtp.h"
#include "scene/scene.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>

namespace talus::run {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kFrames = "frames", kCheckpoint = "checkpoint", kProbes = "probes";

std::string movingName(std::int64_t number) { return fmt::format("bodies_{:06}.vtp", number); }

std::string secondName(std::string_view output, std::int64_t number) { return fmt::format("{}_{:06}.vtp", output, number); }
std::string secondSeries(std::string_view output) { return fmt::format("{}.vtp.series", output); }

/// Of the second outputs that there are.
std::vector<std::string_view> secondOutputs() {
    std::vector<std::string_view> names;
    for (const world::MethodInfo* method : scene::builtInMethods())
        for (const world::SecondOutput& output : method->secondOutputs) names.push_back(output.name);
    return names;
}

/// The number in "grains_000012.vtp", "bodies_000012.vtp" or that of a second output.
std::optional<std::int64_t> frameNumber(const Path& path) {
    const std::string name = path.filename().string();
    std::int64_t number = 0;
    const std::size_t prefix = name.find('_') + 1;   // 0 where there is none
    if (prefix == 0 || !name.ends_with(".vtp")) return {};
    std::from_chars(name.data() + prefix, name.data() + name.size(), number);
    const bool second = std::ranges::any_of(secondOutputs(), [&](std::string_view output) { return secondName(output, number) == name; });
    return second || io::frameName(number) == name || movingName(number) == name ? std::optional(number) : std::nullopt;
}

/// Files that a scene brought along, as run.json lists them; names alone, so that nothing outside can be meant.
void removeAssets(const Path& path) {
    std::vector<std::string> assets;
    try {
        assets = readRecord(path).assets;
    } catch (const Error&) {   // a damaged run.json: they stay
    }
    for (const std::string& name : assets) fs::remove(path / kAssetFolder / Path(name).filename());
}

/// Meshes of bodies: body_NAME.vtp.
void removeBodyMeshes(const Path& frames) {
    if (!fs::is_directory(frames)) return;
    std::vector<Path> meshes;
    for (const auto& entry : fs::directory_iterator(frames)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with("body_") && name.ends_with(".vtp")) meshes.push_back(entry.path());
    }
    for (const Path& mesh : meshes) fs::remove(mesh);
}

bool isEmpty(const Path& folder) {
    return std::ranges::all_of(fs::directory_iterator(folder), [](const auto& entry) { return io::isTemporary(entry.path()); });
}

void removeTemporaries(const Path& path) {
    for (const Path& folder : {path, path / kFrames, path / kCheckpoint, path / kAssetFolder}) io::removeTemporaries(folder);
}

/// Tables of probes begin with a time; what else stands in the folder is not ours.
void removeProbeTables(const Path& folder) {
    if (!fs::is_directory(folder)) return;
    std::vector<Path> tables;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (!entry.is_regular_file() || entry.path().extension() != ".csv") continue;
        std::ifstream file(entry.path(), std::ios::binary);
        std::string begin;
        std::getline(file, begin, ',');
        if (begin.empty() || begin == "time_s") tables.push_back(entry.path());
    }
    for (const Path& table : tables) fs::remove(table);
}

/// run.json stays until the new run replaces it, so that a kill in between leaves a folder that can be overwritten.
void removeRun(const RunDirectory& directory) {
    const Path& path = directory.path();
    directory.removeFramesFrom(0);
    removeBodyMeshes(path / kFrames);
    removeAssets(path);
    removeProbeTables(directory.probes());
    for (const std::string_view name : {"scene.toml", "look.json", "results.json", "series.csv", "flows.csv", "preview.png", "poster.png", "plots.png", "frames/bodies.csv", "frames/grains.vtp.series", "frames/bodies.vtp.series", "frames/bodies_fixed.vtp", "frames/templates.json", "checkpoint/a.h5", "checkpoint/b.h5"})
        fs::remove(path / name);
    for (const std::string_view output : secondOutputs()) fs::remove(path / kFrames / secondSeries(output));
    try {
        for (const StageRecord& stage : readRecord(path).stages) {
            if (stage.name.find('/') != std::string::npos) continue;
            for (const std::string_view table : {"series.csv", "flows.csv"}) fs::remove(closedTable(path / table, stage.name));
        }
    } catch (const Error&) {   // a damaged run.json names no stages
    }
    for (const std::string_view folder : {kFrames, kCheckpoint, kProbes, kAssetFolder}) {
        std::error_code stays;   // where the user keeps files in it
        fs::remove(path / folder, stays);
    }
}

}  // namespace

FolderLock::FolderLock(const Path& path) : file_(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (file_ < 0) throw Error(ExitCode::io, fmt::format("cannot open folder '{}': {}", path.string(), std::strerror(errno)));
    while (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
        const int error = errno;
        if (error == EINTR) continue;
        if (error == ENOLCK || error == ENOTSUP || error == EOPNOTSUPP || error == ENOSYS) {   // network file systems
            held_ = false;
            return;
        }
        ::close(file_);
        if (error == EWOULDBLOCK) throw Error(ExitCode::usage, fmt::format("another run is writing to '{}'", path.string()));
        throw Error(ExitCode::io, fmt::format("cannot lock folder '{}': {}", path.string(), std::strerror(error)));
    }
}

FolderLock::~FolderLock() {
    if (file_ >= 0) ::close(file_);
}

RunDirectory::RunDirectory(const Path& path) : path_(path), lock_(path), checkpoints_(path / kCheckpoint) {}

RunDirectory RunDirectory::create(const Path& path, bool overwrite) {
    if (fs::exists(path) && !fs::is_directory(path)) throw Error(ExitCode::usage, fmt::format("'{}' is a file, not a folder", path.string()));
    io::createDirectories(path);
    RunDirectory directory(path);
    if (!isEmpty(path)) {
        if (!overwrite)
            throw Error(ExitCode::usage, fmt::format("'{}' is not empty; use --resume to go on with it, --overwrite to replace it, or --out for another folder", path.string()));
        if (!fs::exists(directory.record()))
            throw Error(ExitCode::usage, fmt::format("'{}' holds no run.json, so --overwrite leaves it alone; remove it yourself or use --out for another folder", path.string()));
        removeRun(directory);
    }
    removeTemporaries(path);
    return directory;
}

RunDirectory RunDirectory::open(const Path& path) {
    if (!fs::is_directory(path)) throw Error(ExitCode::missing, fmt::format("there is no run in '{}' to resume", path.string()));
    RunDirectory directory(path);
    removeTemporaries(path);
    if (!fs::exists(directory.scene())) throw Error(ExitCode::missing, fmt::format("there is no run in '{}' to resume: it has no scene.toml", path.string()));
    return directory;
}

Path RunDirectory::frame(std::int64_t number) const { return path_ / kFrames / io::frameName(number); }

Path RunDirectory::movingBodies(std::int64_t number) const { return frames() / movingName(number); }
Path RunDirectory::second(std::string_view output, std::int64_t number) const { return frames() / secondName(output, number); }

void RunDirectory::closeTables(const std::string& stage) {
    series_.reset();
    flows_.reset();
    closeTable(seriesFile(), stage);
    closeTable(flowsFile(), stage);
    series_ = std::make_unique<io::AppendFile>(seriesFile(), 0);
    flows_ = std::make_unique<io::AppendFile>(flowsFile(), 0);
}

void RunDirectory::reopenTables(const std::vector<std::string>& later) const {
    reopenTable(seriesFile(), later);
    reopenTable(flowsFile(), later);
}

void RunDirectory::requireAppended(const AppendedLengths& lengths, const std::vector<std::string>& later) const {
    requireLength(tableBefore(seriesFile(), later), lengths.series);
    requireLength(tableBefore(flowsFile(), later), lengths.flows);
    requireLength(bodiesFile(), lengths.bodies);
}

void RunDirectory::openAppended(const AppendedLengths& lengths) {
    for (const std::string_view folder : {kFrames, kCheckpoint}) io::createDirectories(path_ / folder);
    series_ = std::make_unique<io::AppendFile>(seriesFile(), lengths.series);
    bodies_ = std::make_unique<io::AppendFile>(bodiesFile(), lengths.bodies);
    flows_ = std::make_unique<io::AppendFile>(flowsFile(), lengths.flows);
}

void RunDirectory::listFrames(std::int64_t first, const std::vector<double>& times) const {
    std::vector<io::FrameTime> frames;
    for (const double time : times) frames.push_back({first + static_cast<std::int64_t>(frames.size()), time});
    io::writeVtpSeries(path_ / kFrames / "grains.vtp.series", frames);
}

void RunDirectory::listMovingBodies(std::int64_t first, const std::vector<double>& times) const {
    std::vector<io::NamedTime> files;
    for (const double time : times) files.push_back({movingName(first + static_cast<std::int64_t>(files.size())), time});
    io::writeSeries(frames() / "bodies.vtp.series", files);
}

void RunDirectory::listSecond(std::string_view output, std::int64_t first, const std::vector<double>& times) const {
    std::vector<io::NamedTime> files;
    for (std::size_t n = 0; n < times.size(); ++n)
        if (std::string name = secondName(output, first + static_cast<std::int64_t>(n)); fs::exists(frames() / name)) files.push_back({std::move(name), times[n]});
    io::writeSeries(frames() / secondSeries(output), files);
}

void RunDirectory::removeFramesFrom(std::int64_t number) const {
    if (!fs::is_directory(path_ / kFrames)) return;
    std::vector<Path> later;
    for (const auto& entry : fs::directory_iterator(path_ / kFrames))
        if (const auto found = frameNumber(entry.path()); found && *found >= number) later.push_back(entry.path());
    for (const Path& path : later) fs::remove(path);
}

bool holdsRun(const Path& directory) {
    std::error_code ignored;
    return fs::is_regular_file(directory / "run.json", ignored) && fs::is_regular_file(directory / "scene.toml", ignored);
}

Record readRecord(const Path& directory) {
    const Path path = directory / "run.json";
    if (!fs::exists(path)) throw Error(ExitCode::missing, fmt::format("there is no run in '{}': it has no run.json", directory.string()));
    return Record::parse(io::readFile(path), path.string());
}

}  // namespace talus::run
