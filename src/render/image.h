// SPDX-License-Identifier: Apache-2.0
// Pictures in memory: rows from the top, linear light unless said otherwise.
#pragma once

#include "core/vec.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace talus::render {

struct Image {
    int width = 0, height = 0;
    std::vector<Vec3f> colour;    // linear RGB, multiplied by alpha
    std::vector<float> alpha;     // 1: opaque

    Image() = default;
    Image(int w, int h) : width(w), height(h), colour(pixels()), alpha(pixels(), 1.0f) {}

    std::size_t pixels() const { return static_cast<std::size_t>(width) * static_cast<std::size_t>(height); }
    std::size_t at(int x, int y) const { return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x); }
};

/// What a screen shows: 8 bits a channel, sRGB, red first.
struct ScreenImage {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgba;

    ScreenImage() = default;
    ScreenImage(int w, int h) : width(w), height(h), rgba(static_cast<std::size_t>(w) * static_cast<std::size_t>(h) * 4, 255) {}

    std::uint8_t* pixel(int x, int y) { return &rgba[(static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)) * 4]; }
    const std::uint8_t* pixel(int x, int y) const { return &rgba[(static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)) * 4]; }
};

}  // namespace talus::render
