// SPDX-License-Identifier: Apache-2.0
// Checkpoint files: HDF5 behind a header of kHeaderBytes (HDF5 calls it the user block, so h5dump and h5py open the file
// as it is). The header holds a checksum over the whole file, checked before the HDF5 library sees a byte of it.
#pragma once

#include "core/archive.h"
#include "io/files.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace talus::io {

inline constexpr int kCheckpointFormat = 1;

/// A checkpoint in memory, as it was when it was made, to be written later: write() may be called by another thread, all else belongs to one
/// thread with all that uses HDF5.
class CheckpointImage {
public:
    CheckpointImage(Path, std::uint64_t serial, FunctionRef<void(Archive&)> fill);
    ~CheckpointImage();
    CheckpointImage(const CheckpointImage&) = delete;
    CheckpointImage& operator=(const CheckpointImage&) = delete;

    /// The file is whole or it is not there.
    void write() const;

private:
    struct Content;
    Path path_;
    std::unique_ptr<Content> content_;
};

/// Writes a checkpoint: `fill` puts the state into the archive. `serial` orders the checkpoints of a run.
void writeCheckpoint(const Path&, std::uint64_t serial, FunctionRef<void(Archive&)> fill);

/// A checkpoint whose checksum was right when it was opened. Missing entries are ArchiveErrors.
class Checkpoint {
public:
    /// Throws Error (exit code 3) that says what is wrong with the file.
    explicit Checkpoint(Path);

    const Path& path() const { return path_; }
    std::uint64_t serial() const { return serial_; }
    const Archive& archive() const { return *archive_; }

private:
    Path path_;
    std::uint64_t serial_ = 0;
    std::unique_ptr<Archive> archive_;
};

/// The two alternating checkpoint files of a run. A provisional checkpoint is one that a changed end of the run would
/// make useless; provisional ones replace each other and never the last one that is not.
class CheckpointPair {
public:
    explicit CheckpointPair(Path folder) : folder_(std::move(folder)) {}

    /// Usable checkpoints, newest first. What is wrong with the others is appended to `warnings`; files that are not
    /// there are passed over.
    std::vector<Checkpoint> usable(std::vector<std::string>& warnings);
    /// The run goes on from this one: write() will spare what it must. Removes the other if it is newer or unusable, since
    /// the run that it belongs to is no more.
    void continueFrom(const Checkpoint&, bool provisional);

    void write(bool provisional, FunctionRef<void(Archive&)> fill) { prepare(provisional, fill)->write(); }
    /// The same with the writing left to the caller, which must be done before the next one is prepared.
    std::unique_ptr<CheckpointImage> prepare(bool provisional, FunctionRef<void(Archive&)> fill);

private:
    Path file(std::size_t slot) const { return folder_ / (slot == 0 ? "a.h5" : "b.h5"); }

    Path folder_;
    std::size_t kept_ = 1;                      // the slot that the next write spares
    std::array<std::uint64_t, 2> serials_{};    // of the usable files; 0: none
    std::uint64_t serial_ = 0;                  // the highest so far
};

}  // namespace talus::io
