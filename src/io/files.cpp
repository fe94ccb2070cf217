// SPDX-License-Identifier: Apache-2.0
#include "io/files.h"

#include "core/problems.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace talus::io {

namespace {

constexpr std::string_view kTemporaryMark = ".tmp-";
constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

[[noreturn]] void fail(std::string_view action, const Path& path, int error) {
    throw Error(ExitCode::io, fmt::format("cannot {} '{}': {}", action, path.string(), std::strerror(error)));
}

void writeAll(int file, const char* data, std::size_t size, const Path& path) {
    while (size > 0) {
        const ssize_t written = ::write(file, data, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail("write", path, errno);
        data += written;
        size -= static_cast<std::size_t>(written);
    }
}

// A new name is on disk only once its folder is.
void syncFolderOf(const Path& path) {
    const Path folder = path.has_parent_path() ? path.parent_path() : Path(".");
    const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) fail("open", folder, errno);
    const int result = ::fsync(file);
    const int error = errno;
    ::close(file);
    if (result != 0 && error != EINVAL) fail("sync", folder, error);   // EINVAL: a file system without folder sync
}

}  // namespace

// All memory first: nobody would remove the file of a constructor that finds none later.
AtomicFile::AtomicFile(Path path)
    : path_(std::move(path)), temporary_((path_.parent_path() / fmt::format(".{}{}XXXXXX", path_.filename().string(), kTemporaryMark)).string()) {
    buffer_.reserve(kBufferBytes);
    file_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
    if (file_ < 0) fail("create", path_, errno);
    ::fchmod(file_, 0644);   // mkostemp gives 0600
}

AtomicFile::~AtomicFile() {
    if (file_ < 0) return;
    ::close(file_);
    ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }

void AtomicFile::write(std::span<const std::byte> bytes) {
    const char* data = reinterpret_cast<const char*>(bytes.data());
    if (buffer_.size() + bytes.size() > kBufferBytes) flush();
    if (bytes.size() > kBufferBytes) return writeAll(file_, data, bytes.size(), path_);
    buffer_.insert(buffer_.end(), data, data + bytes.size());
}

void AtomicFile::flush() {
    writeAll(file_, buffer_.data(), buffer_.size(), path_);
    buffer_.clear();
}

void AtomicFile::commit() {
    flush();
    if (::fsync(file_) != 0) fail("sync", path_, errno);
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("name", path_, errno);
    ::close(file_);
    file_ = -1;
    syncFolderOf(path_);
}

void writeFile(const Path& path, std::string_view text) {
    AtomicFile file(path);
    file.write(text);
    file.commit();
}

std::string readFile(const Path& path) {
    if (std::filesystem::is_directory(path)) fail("read", path, EISDIR);
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) fail("read", path, errno);
    std::string text(static_cast<std::size_t>(file.tellg()), '\0');
    file.seekg(0);
    if (!file.read(text.data(), static_cast<std::streamsize>(text.size()))) fail("read", path, EIO);
    return text;
}

void createDirectories(const Path& path) {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) fail("create", path, error.value());
}

void removeFile(const Path& path) {
    std::error_code error;
    std::filesystem::remove(path, error);
    if (error) fail("remove", path, error.value());
}

bool isTemporary(const Path& path) {
    const std::string name = path.filename().string();
    return name.starts_with('.') && name.find(kTemporaryMark) != std::string::npos;
}

void removeTemporaries(const Path& folder) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        if (isTemporary(entry.path()) && entry.is_regular_file(error)) std::filesystem::remove(entry.path(), error);
}

AppendFile::AppendFile(Path path, std::uint64_t length) : path_(std::move(path)), length_(length) {
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (file_ < 0) fail("open", path_, errno);
    const auto close = [this] { ::close(file_); };
    const off_t size = ::lseek(file_, 0, SEEK_END);
    if (size < 0 || static_cast<std::uint64_t>(size) < length) {
        close();
        throw Error(ExitCode::io, fmt::format("'{}' holds {} bytes, and should hold at least {}", path_.string(), size, length));
    }
    const auto end = static_cast<off_t>(length);
    if (::ftruncate(file_, end) != 0 || ::lseek(file_, end, SEEK_SET) != end || ::fsync(file_) != 0) {
        const int error = errno;
        close();
        fail("cut back", path_, error);
    }
}

AppendFile::~AppendFile() { ::close(file_); }

void AppendFile::append(std::string_view rows) {
    writeAll(file_, rows.data(), rows.size(), path_);
    if (::fdatasync(file_) != 0) fail("sync", path_, errno);
    length_ += rows.size();
}

}  // namespace talus::io
