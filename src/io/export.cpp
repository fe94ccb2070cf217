// SPDX-License-Identifier: Apache-2.0
#include "io/export.h"

#include "core/problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

namespace talus::io {

namespace {

/// The bytes of a number, as they are in a little-endian file.
template <class T>
void appendBytes(std::string& to, T value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    to.append(bytes, sizeof value);
}

std::string propertyName(const FrameColumn& column, std::size_t component) {
    const std::string_view part = componentNames(column.components)[component];
    if (column.name == world::field::position.name || part.empty()) return part.empty() ? column.name : std::string(part);
    return fmt::format("{}_{}", column.name, part);
}

void writeCsv(AtomicFile& file, const Frame& frame) {
    std::string row;
    const auto finishRow = [&] {
        row.back() = '\n';
        file.write(row);
        row.clear();
    };
    for (const FrameColumn& column : frame.columns)
        for (std::size_t c = 0; c < column.components; ++c) row += propertyName(column, c) + ",";
    finishRow();
    for (std::size_t i = 0; i < frame.count; ++i) {
        for (const FrameColumn& column : frame.columns)
            for (std::size_t c = 0; c < column.components; ++c) {
                const std::size_t at = i * column.components + c;
                if (column.type == world::FieldType::real) fmt::format_to(std::back_inserter(row), "{},", column.reals[at]);
                else fmt::format_to(std::back_inserter(row), "{},", column.integers[at]);
            }
        finishRow();
    }
}

// PLY has no 64-bit integers: `int` where all values fit, else `double`, which is exact to 2^53.
std::string_view plyType(const FrameColumn& column) {
    if (column.type == world::FieldType::real) return "float";
    const auto fits = [](std::int64_t v) { return v >= std::numeric_limits<std::int32_t>::min() && v <= std::numeric_limits<std::int32_t>::max(); };
    return std::ranges::all_of(column.integers, fits) ? "int" : "double";
}

void writePly(AtomicFile& file, const Frame& frame) {
    std::string header = fmt::format("ply\nformat binary_little_endian 1.0\ncomment time_s {}\nelement vertex {}\n", frame.time, frame.count);
    std::vector<std::string_view> types;
    for (const FrameColumn& column : frame.columns) {
        types.push_back(plyType(column));
        for (std::size_t c = 0; c < column.components; ++c) header += fmt::format("property {} {}\n", types.back(), propertyName(column, c));
    }
    file.write(header + "end_header\n");
    std::string row;
    for (std::size_t i = 0; i < frame.count; ++i) {
        row.clear();
        for (std::size_t k = 0; k < frame.columns.size(); ++k) {
            const FrameColumn& column = frame.columns[k];
            for (std::size_t at = i * column.components; at < (i + 1) * column.components; ++at)
                if (types[k] == "float") appendBytes(row, column.reals[at]);
                else if (types[k] == "int") appendBytes(row, static_cast<std::int32_t>(column.integers[at]));
                else appendBytes(row, static_cast<double>(column.integers[at]));
        }
        file.write(row);
    }
}

/// CRC-32 of zip files, reflected polynomial 0xEDB88320, four bits at a time.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) {
    static constexpr std::array<std::uint32_t, 16> kTable{0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
                                                          0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C};
    std::uint32_t crc = ~before;
    for (const std::byte byte : bytes) {
        crc ^= static_cast<std::uint32_t>(byte);
        crc = (crc >> 4) ^ kTable[crc & 15];
        crc = (crc >> 4) ^ kTable[crc & 15];
    }
    return ~crc;
}

/// A zip file of stored (uncompressed) entries, without dates.
class ZipWriter {
public:
    explicit ZipWriter(AtomicFile& file) : file_(file) {}

    void add(const std::string& name, std::string_view head, std::span<const std::byte> body) {
        const std::uint64_t size = head.size() + body.size();
        if (offset_ + size > kMostBytes) throw Error(ExitCode::usage, "an npz file holds at most 4 GiB; choose fewer fields with --fields");
        std::string entry;   // what the local header and the directory share
        appendBytes(entry, std::uint16_t{20});                 // zip version 2.0
        appendBytes(entry, std::uint32_t{0});                  // flags, stored
        appendBytes(entry, std::uint32_t{(1 << 5 | 1) << 16}); // time and date: 1980-01-01 00:00
        appendBytes(entry, crc32(body, crc32(std::as_bytes(std::span(head)), 0)));
        appendBytes(entry, static_cast<std::uint32_t>(size));
        appendBytes(entry, static_cast<std::uint32_t>(size));
        appendBytes(entry, static_cast<std::uint16_t>(name.size()));
        appendBytes(entry, std::uint16_t{0});                  // no extra field

        directory_.append("PK\1\2\x14\0", 6).append(entry);
        appendBytes(directory_, std::uint16_t{0});             // no comment
        appendBytes(directory_, std::uint64_t{0});             // disk 0, attributes
        appendBytes(directory_, static_cast<std::uint32_t>(offset_));
        directory_ += name;
        ++entries_;

        const std::string local = "PK\3\4" + entry + name;
        file_.write(local);
        file_.write(head);
        file_.write(body);
        offset_ += local.size() + size;
    }
    void finish() {
        std::string end("PK\5\6\0\0\0\0", 8);
        appendBytes(end, entries_);
        appendBytes(end, entries_);
        appendBytes(end, static_cast<std::uint32_t>(directory_.size()));
        appendBytes(end, static_cast<std::uint32_t>(offset_));
        appendBytes(end, std::uint16_t{0});
        file_.write(directory_);
        file_.write(end);
    }

private:
    static constexpr std::uint64_t kMostBytes = 0xFFFF0000;
    AtomicFile& file_;
    std::string directory_;
    std::uint64_t offset_ = 0;
    std::uint16_t entries_ = 0;
};

/// The head of an npy file, version 1.0, padded so that the data begins at a multiple of 64 bytes.
std::string npyHeader(std::string_view type, std::string_view shape) {
    std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, shape);
    constexpr std::size_t kFixed = 10;
    text.resize((kFixed + text.size() + 1 + 63) / 64 * 64 - kFixed - 1, ' ');
    text += '\n';
    std::string header("\x93NUMPY\1\0", 8);
    appendBytes(header, static_cast<std::uint16_t>(text.size()));
    return header + text;
}

void writeNpz(AtomicFile& file, const Frame& frame) {
    ZipWriter zip(file);
    zip.add("time.npy", npyHeader("<f8", ""), std::as_bytes(std::span(&frame.time, 1)));
    for (const FrameColumn& column : frame.columns) {
        const std::string shape = column.components == 1 ? fmt::format("{},", frame.count) : fmt::format("{}, {}", frame.count, column.components);
        if (column.type == world::FieldType::real) zip.add(column.name + ".npy", npyHeader("<f4", shape), std::as_bytes(std::span(column.reals)));
        else zip.add(column.name + ".npy", npyHeader("<i8", shape), std::as_bytes(std::span(column.integers)));
    }
    zip.finish();
}

}  // namespace

void exportFrame(const Path& path, const Frame& frame, ExportFormat format) {
    AtomicFile file(path);
    switch (format) {
        case ExportFormat::csv: writeCsv(file, frame); break;
        case ExportFormat::ply: writePly(file, frame); break;
        case ExportFormat::npz: writeNpz(file, frame); break;
    }
    file.commit();
}

}  // namespace talus::io
