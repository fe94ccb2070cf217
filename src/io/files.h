// SPDX-License-Identifier: Apache-2.0
// Files that are either whole or absent, and tables that only grow: what lets a run be killed at any moment.
// Every failure is an Error with exit code 5 that names the path and the reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talus::io {

using Path = std::filesystem::path;

/// A file written under a temporary name beside its own; commit() syncs it and gives it its name. Without commit()
/// nothing remains of it.
class AtomicFile {
public:
    explicit AtomicFile(Path path);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(std::string_view text);
    void write(std::span<const std::byte> bytes);
    void commit();

private:
    Path path_;
    std::string temporary_;
    int file_ = -1;
    std::vector<char> buffer_;
    void flush();
};

void writeFile(const Path&, std::string_view text);
std::string readFile(const Path&);

void createDirectories(const Path&);
void removeFile(const Path&);                // absent: fine
/// True for the temporary names that AtomicFile makes.
bool isTemporary(const Path&);
/// Removes what killed writers left in this folder (not below it).
void removeTemporaries(const Path& folder);

/// A file that only grows. Rows reach the disk before append() returns.
class AppendFile {
public:
    /// Opens or creates the file and cuts it to `length` bytes; an Error if it is shorter.
    AppendFile(Path path, std::uint64_t length);
    ~AppendFile();
    AppendFile(const AppendFile&) = delete;
    AppendFile& operator=(const AppendFile&) = delete;

    void append(std::string_view rows);
    std::uint64_t length() const { return length_; }

private:
    Path path_;
    int file_ = -1;
    std::uint64_t length_;
};

}  // namespace talus::io
