// SPDX-License-Identifier: Apache-2.0
#include "run/run_directory.h"

#include "core/problems.h"
#include "io/vtp.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

namespace talus::run {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kFrames = "frames", kCheckpoint = "checkpoint";

/// The number in "grains_000012.vtp".
std::optional<std::int64_t> frameNumber(const Path& path) {
    const std::string name = path.filename().string();
    std::int64_t number = 0;
    if (!name.starts_with("grains_") || !name.ends_with(".vtp")) return {};
    std::from_chars(name.data() + 7, name.data() + name.size(), number);
    return io::frameName(number) == name ? std::optional(number) : std::nullopt;
}

bool isEmpty(const Path& folder) {
    return std::ranges::all_of(fs::directory_iterator(folder), [](const auto& entry) { return io::isTemporary(entry.path()); });
}

void removeTemporaries(const Path& path) {
    for (const Path& folder : {path, path / kFrames, path / kCheckpoint}) io::removeTemporaries(folder);
}

/// run.json stays until the new run replaces it, so that a kill in between leaves a folder that can be overwritten.
void removeRun(const RunDirectory& directory) {
    const Path& path = directory.path();
    directory.removeFramesFrom(0);
    for (const std::string_view name : {"scene.toml", "results.json", "series.csv", "frames/bodies.csv", "frames/grains.vtp.series",
                                        "checkpoint/a.h5", "checkpoint/b.h5"})
        fs::remove(path / name);
    try {
        for (const StageRecord& stage : readRecord(path).stages)
            if (stage.name.find('/') == std::string::npos) fs::remove(path / ("series." + stage.name + ".csv"));
    } catch (const Error&) {   // a damaged run.json names no stages
    }
    for (const std::string_view folder : {kFrames, kCheckpoint}) {
        std::error_code stays;   // where the user keeps files in it
        fs::remove(path / folder, stays);
    }
}

}  // namespace

RunDirectory::Lock::Lock(const Path& path) : file_(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
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

RunDirectory::Lock::~Lock() {
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

void RunDirectory::closeSeries(const std::string& stage) {
    series_.reset();
    std::error_code failed;
    fs::rename(seriesFile(), closedSeriesFile(stage), failed);
    if (failed) throw Error(ExitCode::io, fmt::format("cannot close '{}': {}", seriesFile().string(), failed.message()));
    series_ = std::make_unique<io::AppendFile>(seriesFile(), 0);
}

void RunDirectory::reopenSeries(const std::vector<std::string>& later) const {
    for (std::size_t k = later.size(); k-- > 0;) {
        std::error_code absent;   // it was not closed yet
        if (fs::exists(closedSeriesFile(later[k]), absent)) fs::rename(closedSeriesFile(later[k]), seriesFile());
    }
}

void RunDirectory::requireAppended(const AppendedLengths& lengths, const std::vector<std::string>& later) const {
    Path series = seriesFile();
    if (!later.empty() && fs::exists(closedSeriesFile(later.front()))) series = closedSeriesFile(later.front());
    for (const auto& [file, length] : {std::pair{series, lengths.series}, {bodiesFile(), lengths.bodies}}) {
        std::error_code absent;
        const std::uintmax_t size = fs::file_size(file, absent);
        if (absent) throw ArchiveError(fmt::format("'{}' is missing", file.string()));
        if (size < length) throw ArchiveError(fmt::format("'{}' holds {} bytes of {}", file.string(), size, length));
    }
}

void RunDirectory::openAppended(const AppendedLengths& lengths) {
    for (const std::string_view folder : {kFrames, kCheckpoint}) io::createDirectories(path_ / folder);
    series_ = std::make_unique<io::AppendFile>(seriesFile(), lengths.series);
    bodies_ = std::make_unique<io::AppendFile>(bodiesFile(), lengths.bodies);
}

void RunDirectory::listFrames(std::int64_t first, const std::vector<double>& times) const {
    std::vector<io::FrameTime> frames;
    for (const double time : times) frames.push_back({first + static_cast<std::int64_t>(frames.size()), time});
    io::writeVtpSeries(path_ / kFrames / "grains.vtp.series", frames);
}

void RunDirectory::removeFramesFrom(std::int64_t number) const {
    if (!fs::is_directory(path_ / kFrames)) return;
    std::vector<Path> later;
    for (const auto& entry : fs::directory_iterator(path_ / kFrames))
        if (const auto found = frameNumber(entry.path()); found && *found >= number) later.push_back(entry.path());
    for (const Path& path : later) fs::remove(path);
}

Record readRecord(const Path& directory) {
    const Path path = directory / "run.json";
    if (!fs::exists(path)) throw Error(ExitCode::missing, fmt::format("there is no run in '{}': it has no run.json", directory.string()));
    return Record::parse(io::readFile(path), path.string());
}

}  // namespace talus::run
