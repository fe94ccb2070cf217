// SPDX-License-Identifier: Apache-2.0
// Letters and plain shapes drawn over a finished picture. FreeType with one font of Debian (fonts-dejavu-core): the same
// pixels everywhere, no font configuration, no drawing library beside it.
#pragma once

#include "render/image.h"

#include <memory>
#include <string_view>

namespace talus::render {

class TextPainter {
public:
    /// An Error with exit code 5 where the font is missing.
    TextPainter();
    ~TextPainter();
    TextPainter(const TextPainter&) = delete;
    TextPainter& operator=(const TextPainter&) = delete;

    enum class Align { left, centre, right };
    /// Baseline at y; `size` is the height of a line in pixels. UTF-8.
    void draw(ScreenImage&, std::string_view text, int x, int y, int size, const Vec3f& srgb, Align = Align::left);
    int width(std::string_view text, int size);

private:
    struct Face;
    std::unique_ptr<Face> face_;
};

/// Puts a picture into a larger one.
void paste(const ScreenImage& from, ScreenImage& to, int x, int y);

/// A rectangle of one colour, mixed over what is there.
void fillRectangle(ScreenImage&, int x0, int y0, int x1, int y1, const Vec3f& srgb, float opacity);

}  // namespace talus::render
