// SPDX-License-Identifier: Apache-2.0
#include "io/checkpoint.h"

#include "core/problems.h"
#include "io/checksum.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>

namespace talus::io {

namespace {

constexpr std::size_t kHeaderBytes = 512;   // the smallest user block
constexpr std::string_view kMagic = "talus checkpoint";

/// An HDF5 identifier and how to let go of it.
class Handle {
public:
    Handle(hid_t id, herr_t (*closer)(hid_t), std::string_view what) : id_(id), close_(closer) {
        if (id < 0) throw ArchiveError("HDF5 cannot " + std::string(what));
    }
    ~Handle() { if (id_ >= 0) close_(id_); }
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
    Handle& operator=(Handle&&) = delete;
    operator hid_t() const { return id_; }   // NOLINT(google-explicit-constructor): a handle is its identifier

    static void require(herr_t result, std::string_view what) {
        if (result < 0) throw ArchiveError("HDF5 cannot " + std::string(what));
    }

private:
    hid_t id_;
    herr_t (*close_)(hid_t);
};

hid_t fileType(ElementType type) {
    switch (type) {
        case ElementType::int8: return H5T_STD_I8LE;
        case ElementType::int32: return H5T_STD_I32LE;
        case ElementType::int64: return H5T_STD_I64LE;
        case ElementType::uint32: return H5T_STD_U32LE;
        case ElementType::uint64: return H5T_STD_U64LE;
        case ElementType::float32: return H5T_IEEE_F32LE;
        case ElementType::float64: return H5T_IEEE_F64LE;
    }
    throw std::logic_error("an element type without an HDF5 type");
}

/// An HDF5 file in memory. HDF5 must not write to the disk itself: once a write has failed, for the lack of room, its exit
/// handler crashes.
class WritingArchive final : public Archive {
public:
    WritingArchive()
        : file_(create()), linkRules_(H5Pcreate(H5P_LINK_CREATE), H5Pclose, "prepare links"),
          setRules_(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "prepare data sets") {
        Handle::require(H5Pset_create_intermediate_group(linkRules_, 1), "prepare groups");
        Handle::require(H5Pset_obj_track_times(setRules_, false), "leave out dates");
    }
    bool contains(std::string_view name) const override { return names_.contains(path(name)); }

    /// What the file would hold; ends with the next put().
    std::span<const std::byte> image() const {
        Handle::require(H5Fflush(file_, H5F_SCOPE_LOCAL), "finish the file");
        const ssize_t size = H5Fget_file_image(file_, nullptr, 0);
        void* memory = nullptr;   // the address of the driver's own pointer, which spares a copy of the whole state
        if (size < 0 || H5Fget_vfd_handle(file_, H5P_DEFAULT, &memory) < 0) throw ArchiveError("HDF5 cannot show the file");
        return {*static_cast<const std::byte**>(memory), static_cast<std::size_t>(size)};
    }

protected:
    void putBytes(const std::string& path, ElementType type, std::span<const std::byte> bytes) override {
        const hsize_t size = bytes.size() / elementSize(type);
        const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose, "describe '" + path + "'");
        const Handle set(H5Dcreate2(file_, path.c_str(), fileType(type), space, linkRules_, setRules_, H5P_DEFAULT), H5Dclose, "create '" + path + "'");
        if (size > 0) Handle::require(H5Dwrite(set, fileType(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), "write '" + path + "'");
        names_.insert(path);
    }
    void getBytes(const std::string&, ElementType, Room) const override { throw std::logic_error("an archive is read after it was written"); }

private:
    static Handle create() {
        constexpr std::size_t kGrowth = std::size_t{1} << 16;   // [bytes]
        const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "prepare a file");
        Handle::require(H5Pset_fapl_core(access, kGrowth, false), "keep a file in memory");
        return Handle(H5Fcreate("checkpoint", H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose, "create the file");
    }
    Handle file_, linkRules_, setRules_;
    std::set<std::string, std::less<>> names_;
};

class ReadingArchive final : public Archive {
public:
    explicit ReadingArchive(const Path& path) : file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "open the file") {}

    bool contains(std::string_view name) const override {
        const std::string whole = path(name);
        for (std::size_t end = whole.find('/'); end != std::string::npos; end = whole.find('/', end + 1))
            if (H5Lexists(file_, whole.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
        return H5Lexists(file_, whole.c_str(), H5P_DEFAULT) > 0;
    }

protected:
    void putBytes(const std::string&, ElementType, std::span<const std::byte>) override { throw std::logic_error("this archive is only read"); }
    void getBytes(const std::string& path, ElementType type, Room room) const override {
        const Handle set(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose, "find '" + path + "'");
        const Handle stored(H5Dget_type(set), H5Tclose, "read the type of '" + path + "'");
        if (H5Tequal(stored, fileType(type)) <= 0) throw ArchiveError("'" + path + "' has another type than expected");
        const Handle space(H5Dget_space(set), H5Sclose, "read the size of '" + path + "'");
        const hssize_t size = H5Sget_simple_extent_npoints(space);
        if (size < 0) throw ArchiveError("'" + path + "' has no size");
        const std::span<std::byte> to = room(static_cast<std::size_t>(size) * elementSize(type));
        if (size > 0) Handle::require(H5Dread(set, fileType(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, to.data()), "read '" + path + "'");
    }

private:
    Handle file_;
};

struct Header {
    std::uint64_t serial = 0, bytes = 0, checksum = 0;   // bytes: of the whole file

    // The text without its last line is what the checksum covers of it.
    std::string covered() const { return fmt::format("{} {}\nserial {}\nbytes {}\n", kMagic, kCheckpointFormat, serial, bytes); }
    std::string block() const {
        std::string text = covered() + fmt::format("checksum {:016x}\n", checksum);
        text.resize(kHeaderBytes, '\n');
        return text;
    }
};

Checksum checksumOf(const Header& header) {
    Checksum sum;
    const std::string covered = header.covered();
    sum.add(std::as_bytes(std::span(covered)));
    return sum;
}

std::uint64_t checksumOf(std::istream& file, const Header& header) {
    Checksum sum = checksumOf(header);
    std::vector<char> buffer(std::size_t{1} << 20);
    file.clear();
    file.seekg(kHeaderBytes);
    while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())), file.gcount() > 0)
        sum.add(std::as_bytes(std::span(buffer.data(), static_cast<std::size_t>(file.gcount()))));
    return sum.value();
}

std::uint64_t checkedSerial(const Path& path) {
    const auto refuse = [&](std::string_view reason) { throw Error(ExitCode::missing, fmt::format("checkpoint '{}' {}", path.string(), reason)); };
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) refuse(std::strerror(errno));
    Header header;
    const auto size = static_cast<std::uint64_t>(file.tellg());
    std::string block(kHeaderBytes, '\0');
    file.seekg(0);
    file.read(block.data(), kHeaderBytes);
    int format = 0;
    if (!file || !block.starts_with(kMagic) || std::sscanf(block.c_str() + kMagic.size(), " %d", &format) != 1) refuse("is damaged: it has no header");
    if (format != kCheckpointFormat) refuse(fmt::format("has format {}; this Talus reads format {}", format, kCheckpointFormat));
    if (std::sscanf(block.c_str() + kMagic.size(), " %*d serial %lu bytes %lu checksum %lx", &header.serial, &header.bytes, &header.checksum) != 3 ||
        header.block() != block)
        refuse("is damaged: its header is not whole");
    if (header.bytes != size) refuse(fmt::format("is damaged: it holds {} bytes of {}", size, header.bytes));
    if (checksumOf(file, header) != header.checksum) refuse("is damaged: its checksum is wrong");
    return header.serial;
}

// HDF5 prints errors by itself unless told not to; the setting belongs to the calling thread's error stack. It keeps lists of memory that it no
// longer uses, and clears them when it finds no more: seen to damage what it still does use, so it is to keep none.
void quietHdf5() {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    H5set_free_list_limits(0, 0, 0, 0, 0, 0);
}

}  // namespace

struct CheckpointImage::Content {
    WritingArchive archive;
    std::span<const std::byte> image;
    Header header;
};

CheckpointImage::CheckpointImage(Path path, std::uint64_t serial, FunctionRef<void(Archive&)> fill) : path_(std::move(path)) {
    quietHdf5();
    try {
        content_ = std::make_unique<Content>();
        fill(content_->archive);
        content_->image = content_->archive.image();
        content_->header = {serial, kHeaderBytes + content_->image.size(), 0};
    } catch (const ArchiveError& error) {
        throw Error(ExitCode::io, fmt::format("cannot write '{}': {}", path_.string(), error.what()));
    }
}

CheckpointImage::~CheckpointImage() = default;

void CheckpointImage::write() const {
    Header header = content_->header;
    Checksum sum = checksumOf(header);
    sum.add(content_->image);
    header.checksum = sum.value();
    AtomicFile file(path_);
    file.write(header.block());
    file.write(content_->image);
    file.commit();
}

void writeCheckpoint(const Path& path, std::uint64_t serial, FunctionRef<void(Archive&)> fill) { CheckpointImage(path, serial, fill).write(); }

Checkpoint::Checkpoint(Path path) : path_(std::move(path)), serial_(checkedSerial(path_)) {
    quietHdf5();
    try {
        archive_ = std::make_unique<ReadingArchive>(path_);
    } catch (const ArchiveError& error) {
        throw Error(ExitCode::missing, fmt::format("checkpoint '{}' is damaged: {}", path_.string(), error.what()));
    }
}

std::vector<Checkpoint> CheckpointPair::usable(std::vector<std::string>& warnings) {
    std::vector<Checkpoint> found;
    for (const std::size_t slot : {0u, 1u}) {
        serials_[slot] = 0;
        if (!std::filesystem::exists(file(slot))) continue;
        try {
            serials_[slot] = found.emplace_back(file(slot)).serial();
            serial_ = std::max(serial_, serials_[slot]);
        } catch (const Error& error) {
            warnings.emplace_back(error.what());
        }
    }
    std::ranges::sort(found, std::greater{}, &Checkpoint::serial);
    return found;
}

void CheckpointPair::continueFrom(const Checkpoint& checkpoint, bool provisional) {
    const std::size_t slot = checkpoint.path() == file(0) ? 0 : 1, other = 1 - slot;
    kept_ = provisional ? other : slot;
    if (serials_[other] != 0 && serials_[other] < checkpoint.serial()) return;
    serials_[other] = 0;
    removeFile(file(other));
}

std::unique_ptr<CheckpointImage> CheckpointPair::prepare(bool provisional, FunctionRef<void(Archive&)> fill) {
    const std::size_t slot = 1 - kept_;
    auto image = std::make_unique<CheckpointImage>(file(slot), ++serial_, fill);
    serials_[slot] = serial_;
    if (!provisional) kept_ = slot;
    return image;
}

}  // namespace talus::io
