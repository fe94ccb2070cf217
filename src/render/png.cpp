// SPDX-License-Identifier: Apache-2.0
#include "core/problems.h"
#include "render/image_files.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <string>
#include <vector>

namespace talus::render {

// png_image is the simplified interface of libpng 1.6: no setjmp.
void writePng(const io::Path& path, const ScreenImage& image) {
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
    io::writeFile(path, file);
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

}  // namespace talus::render
