// SPDX-License-Identifier: Apache-2.0
#include "render/develop.h"

#include "render/colour.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace talus::render {

namespace {

constexpr float kKnee = 0.7f;   // linear below; above, 1 is approached exponentially with the same slope

float shoulder(float x) { return x <= kKnee ? x : 1 - (1 - kKnee) * std::exp(-(x - kKnee) / (1 - kKnee)); }

/// sRGB codes of 4096 equal steps of √x: steps fine enough for 8 bits everywhere.
std::array<std::uint8_t, 4097> screenCodes() {
    std::array<std::uint8_t, 4097> codes{};
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const float root = static_cast<float>(i) / 4096;
        codes[i] = static_cast<std::uint8_t>(std::lround(255 * std::clamp(toSrgb(root * root), 0.0f, 1.0f)));
    }
    return codes;
}

}  // namespace

ScreenImage develop(const Image& image, float exposure) {
    static const auto kCodes = screenCodes();
    ScreenImage screen(image.width, image.height);
    for (std::size_t i = 0; i < image.pixels(); ++i) {
        const float alpha = std::clamp(image.alpha[i], 0.0f, 1.0f), gain = alpha > 0 ? exposure / alpha : 0;
        for (int k = 0; k < 3; ++k) {
            const float light = std::max(0.0f, image.colour[i][k] * gain);
            screen.rgba[4 * i + static_cast<std::size_t>(k)] = kCodes[static_cast<std::size_t>(4096 * std::sqrt(std::min(1.0f, shoulder(light))))];
        }
        screen.rgba[4 * i + 3] = static_cast<std::uint8_t>(std::lround(255 * alpha));
    }
    return screen;
}

}  // namespace talus::render
