// SPDX-License-Identifier: Apache-2.0
#include "core/problems.h"
#include "render/image_files.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace talus::render {

namespace {

constexpr std::size_t kAfterHeader = 33;          // signature of 8 bytes, IHDR of 25
constexpr std::string_view kNoteKey("Talus\0", 6);

std::string bigEndian(std::uint32_t value) {
    std::string bytes;
    for (const unsigned shift : {24u, 16u, 8u, 0u}) bytes += static_cast<char>(value >> shift & 255u);
    return bytes;
}
std::uint32_t bigEndianAt(std::string_view file, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t k = 0; k < 4; ++k) value = value << 8 | static_cast<std::uint8_t>(file[at + k]);
    return value;
}
/// As of ISO 3309, which PNG asks for.
std::uint32_t crc(std::string_view bytes) {
    std::uint32_t rest = ~0u;
    for (const char c : bytes) {
        rest ^= static_cast<std::uint8_t>(c);
        for (int bit = 0; bit < 8; ++bit) rest = rest & 1u ? rest >> 1 ^ 0xedb88320u : rest >> 1;
    }
    return ~rest;
}

/// The simplified interface writes no text, so its chunk is put in behind the header.
std::string pngWithNote(std::string file, std::string_view note) {
    if (note.empty()) return file;
    const std::string chunk = "tEXt" + std::string(kNoteKey) + std::string(note);
    return file.insert(kAfterHeader, bigEndian(static_cast<std::uint32_t>(chunk.size() - 4)) + chunk + bigEndian(crc(chunk)));
}

std::string noteOfPng(std::string_view file) {
    constexpr std::size_t kTag = kAfterHeader + 4, kText = kTag + 4 + kNoteKey.size();
    if (file.size() < kText || file.substr(kTag, 4) != "tEXt" || file.substr(kTag + 4, kNoteKey.size()) != kNoteKey) return {};
    const std::size_t length = bigEndianAt(file, kAfterHeader);
    return length < kNoteKey.size() || kTag + 4 + length > file.size() ? std::string() : std::string(file.substr(kText, length - kNoteKey.size()));
}

}  // namespace

// png_image is the simplified interface of libpng 1.6: no setjmp.
void writePng(const io::Path& path, const ScreenImage& image, std::string_view note) {
    bool opaque = true;
    for (std::size_t i = 3; i < image.rgba.size(); i += 4) opaque = opaque && image.rgba[i] == 255;
    std::vector<std::uint8_t> bytes;
    if (opaque) {
        bytes.reserve(image.rgba.size() / 4 * 3);
        for (std::size_t i = 0; i < image.rgba.size(); i += 4) bytes.insert(bytes.end(), {image.rgba[i], image.rgba[i + 1], image.rgba[i + 2]});
    }
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    png.width = static_cast<png_uint_32>(image.width);
    png.height = static_cast<png_uint_32>(image.height);
    png.format = opaque ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
    png.flags = PNG_IMAGE_FLAG_FAST;
    const std::uint8_t* rows = opaque ? bytes.data() : image.rgba.data();
    png_alloc_size_t size = 0;
    std::string file;
    const bool measured = png_image_write_get_memory_size(png, size, 0, rows, 0, nullptr) != 0;
    if (measured) file.resize(size);
    if (!measured || png_image_write_to_memory(&png, file.data(), &size, 0, rows, 0, nullptr) == 0)
        throw Error(ExitCode::io, fmt::format("cannot write '{}': {}", path.string(), png.message));
    file.resize(size);
    io::writeFile(path, pngWithNote(std::move(file), note));
}

ScreenImage readPng(const io::Path& path) {
    const std::string file = io::readFile(path);
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_memory(&png, file.data(), file.size()) == 0)
        throw Error(ExitCode::io, fmt::format("'{}' is not a PNG picture: {}", path.string(), png.message));
    png.format = PNG_FORMAT_RGBA;
    ScreenImage image(static_cast<int>(png.width), static_cast<int>(png.height));
    if (png_image_finish_read(&png, nullptr, image.rgba.data(), 0, nullptr) == 0)
        throw Error(ExitCode::io, fmt::format("'{}' is damaged: {}", path.string(), png.message));
    return image;
}

std::string noteOf(const io::Path& path) { return path.extension() == ".exr" ? noteOfExr(path) : noteOfPng(io::readFile(path)); }

}  // namespace talus::render
