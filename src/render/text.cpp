// SPDX-License-Identifier: Apache-2.0
#include "render/text.h"

#include "core/problems.h"

#include <fmt/format.h>
#include <ft2build.h>
#include FT_FREETYPE_H

#include <algorithm>
#include <cmath>
#include <vector>

namespace talus::render {

namespace {

void blend(std::uint8_t* pixel, const Vec3f& srgb, float opacity) {
    for (int k = 0; k < 3; ++k)
        pixel[k] = static_cast<std::uint8_t>(std::lround(std::clamp((1 - opacity) * static_cast<float>(pixel[k]) + opacity * 255 * srgb[k], 0.0f, 255.0f)));
    pixel[3] = static_cast<std::uint8_t>(std::max<long>(pixel[3], std::lround(255 * opacity)));
}

std::vector<unsigned long> codePoints(std::string_view text) {
    std::vector<unsigned long> points;
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
        unsigned long point = length == 1 ? lead : lead & (0xffu >> (length + 1));
        for (std::size_t k = 1; k < length && i + k < text.size(); ++k) point = point << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3fu);
        points.push_back(point);
        i += length;
    }
    return points;
}

}  // namespace

struct TextPainter::Face {
    FT_Library library = nullptr;
    FT_Face face = nullptr;

    Face() {
        if (FT_Init_FreeType(&library) != 0) throw Error(ExitCode::io, "FreeType cannot start");
        if (FT_New_Face(library, TALUS_FONT, 0, &face) != 0) {
            FT_Done_FreeType(library);
            throw Error(ExitCode::io, fmt::format("cannot open the font '{}' for the letters in pictures; install fonts-dejavu-core", TALUS_FONT));
        }
    }
    ~Face() {
        FT_Done_Face(face);
        FT_Done_FreeType(library);
    }
    Face(const Face&) = delete;
    Face& operator=(const Face&) = delete;

    /// visit(glyph, x of its origin) for each letter; returns the width.
    template <class Visit>
    int each(std::string_view text, int size, int flags, const Visit& visit) {
        FT_Set_Pixel_Sizes(face, 0, static_cast<FT_UInt>(size));
        int x = 0;
        for (const unsigned long point : codePoints(text)) {
            if (FT_Load_Char(face, point, flags) != 0) continue;
            visit(face->glyph, x);
            x += static_cast<int>(face->glyph->advance.x >> 6);
        }
        return x;
    }
};

TextPainter::TextPainter() : face_(std::make_unique<Face>()) {}
TextPainter::~TextPainter() = default;

int TextPainter::width(std::string_view text, int size) { return face_->each(text, size, FT_LOAD_DEFAULT, [](FT_GlyphSlot, int) {}); }

void TextPainter::draw(ScreenImage& image, std::string_view text, int x, int y, int size, const Vec3f& srgb, Align align) {
    const int wide = align == Align::left ? 0 : width(text, size);
    x -= align == Align::centre ? wide / 2 : align == Align::right ? wide : 0;
    face_->each(text, size, FT_LOAD_RENDER, [&](FT_GlyphSlot glyph, int at) {
        const FT_Bitmap& bitmap = glyph->bitmap;
        for (int row = 0; row < static_cast<int>(bitmap.rows); ++row)
            for (int column = 0; column < static_cast<int>(bitmap.width); ++column) {
                const int u = x + at + glyph->bitmap_left + column, v = y - glyph->bitmap_top + row;
                if (u < 0 || v < 0 || u >= image.width || v >= image.height) continue;
                blend(image.pixel(u, v), srgb, static_cast<float>(bitmap.buffer[row * bitmap.pitch + column]) / 255);
            }
    });
}

void paste(const ScreenImage& from, ScreenImage& to, int x, int y) {
    for (int row = 0; row < from.height; ++row) std::copy_n(from.pixel(0, row), 4 * static_cast<std::size_t>(from.width), to.pixel(x, y + row));
}

void fillRectangle(ScreenImage& image, int x0, int y0, int x1, int y1, const Vec3f& srgb, float opacity) {
    for (int y = std::max(0, y0); y < std::min(image.height, y1); ++y)
        for (int x = std::max(0, x0); x < std::min(image.width, x1); ++x) blend(image.pixel(x, y), srgb, opacity);
}

}  // namespace talus::render
