// SPDX-License-Identifier: Apache-2.0
// The files of a run: who may write where, and what a killed run left behind. docs/commands.md describes the layout.
#pragma once

#include "io/checkpoint.h"
#include "io/files.h"
#include "io/frame.h"
#include "run/record.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace talus::run {

using io::Path;

inline constexpr std::string_view kAssetFolder = "assets";   // files that the scene names

/// Lengths of the files that only grow, as a checkpoint remembers them.
struct AppendedLengths {
    std::uint64_t series = 0, bodies = 0, flows = 0;   // [bytes]
};

/// Only one run at a time may write to a folder; the lock ends with the process, however it ends. Exit code 2 where another has it.
class FolderLock {
public:
    explicit FolderLock(const Path&);
    ~FolderLock();
    FolderLock(FolderLock&& other) noexcept : file_(std::exchange(other.file_, -1)), held_(other.held_) {}
    bool held() const { return held_; }

private:
    int file_;
    bool held_ = true;
};

class RunDirectory {
public:
    /// Takes a new or empty folder. One with something in it is refused (exit code 2), unless `overwrite` is set and it
    /// holds a run: then what a run writes is removed, and nothing else.
    static RunDirectory create(const Path&, bool overwrite);
    /// Takes the folder of an earlier run (exit code 3 if there is none) and removes leftover temporary files.
    static RunDirectory open(const Path&);

    const Path& path() const { return path_; }
    /// False on a file system without locks, where nothing keeps a second run away.
    bool locked() const { return lock_.held(); }
    Path scene() const { return path_ / "scene.toml"; }
    Path record() const { return path_ / "run.json"; }
    Path look() const { return path_ / "look.json"; }
    Path results() const { return path_ / "results.json"; }
    Path probes() const { return path_ / "probes"; }   // folder of their tables
    Path frame(std::int64_t number) const;
    Path asset(const std::string& name) const { return path_ / kAssetFolder / name; }
    Path bodyMesh(const std::string& body) const { return frames() / ("body_" + body + ".vtp"); }
    Path fixedBodies() const { return frames() / "bodies_fixed.vtp"; }
    Path movingBodies(std::int64_t number) const;
    Path second(std::string_view output, std::int64_t number) const;   // of a method, by its name
    Path templates() const { return frames() / "templates.json"; }

    io::CheckpointPair& checkpoints() { return checkpoints_; }

    /// series.csv and flows.csv so far become series.STAGE.csv and flows.STAGE.csv, and empty ones are begun.
    void closeTables(const std::string& stage);
    /// Takes that back for a checkpoint from before it; `later` as in run/stage_tables.h.
    void reopenTables(const std::vector<std::string>& later) const;

    /// ArchiveError where a growing file is shorter than a checkpoint remembers it.
    void requireAppended(const AppendedLengths&, const std::vector<std::string>& later = {}) const;
    /// Cuts the growing files back to these lengths.
    void openAppended(const AppendedLengths&);
    AppendedLengths appendedLengths() const { return {series_->length(), bodies_->length(), flows_->length()}; }
    io::AppendFile& series() { return *series_; }
    io::AppendFile& bodies() { return *bodies_; }
    io::AppendFile& flows() { return *flows_; }

    /// grains.vtp.series for frames of these times, the file of frame 0 numbered `first`.
    void listFrames(std::int64_t first, const std::vector<double>& times) const;
    void listMovingBodies(std::int64_t first, const std::vector<double>& times) const;   // the same in bodies.vtp.series
    /// And in NAME.vtp.series, of a second output; frames from before it was asked for have none.
    void listSecond(std::string_view output, std::int64_t first, const std::vector<double>& times) const;
    /// Removes frame files with this number or a higher one.
    void removeFramesFrom(std::int64_t number) const;

private:
    explicit RunDirectory(const Path&);

    Path frames() const { return path_ / "frames"; }
    Path seriesFile() const { return path_ / "series.csv"; }
    Path flowsFile() const { return path_ / "flows.csv"; }
    Path bodiesFile() const { return path_ / "frames" / "bodies.csv"; }

    Path path_;
    FolderLock lock_;
    io::CheckpointPair checkpoints_;
    std::unique_ptr<io::AppendFile> series_, bodies_, flows_;
};

/// Whether a folder is that of a run.
bool holdsRun(const Path&);

/// run.json of a run directory; exit code 3 where there is none.
Record readRecord(const Path& directory);

}  // namespace talus::run
