// SPDX-License-Identifier: Apache-2.0
// Colours: the sRGB curve, colour maps, random mixes.
#pragma once

#include "core/vec.h"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace talus::render {

float toLinear(float srgb);     // IEC 61966-2-1, both in [0, 1]
float toSrgb(float linear);
Vec3f linearColour(std::uint32_t rgb);   // 0xRRGGBB of a screen

/// Linear RGB packed into 32 bits, 10 bits a channel with a square-root scale: what a grain keeps of its colour.
constexpr float kPackedMost = 1023.0f;
inline std::uint32_t packColour(const Vec3f& c) {
    const auto part = [](float v) { return static_cast<std::uint32_t>(std::lround(kPackedMost * std::sqrt(std::clamp(v, 0.0f, 1.0f)))); };
    return part(c.x) | part(c.y) << 10 | part(c.z) << 20;
}
inline Vec3f unpackColour(std::uint32_t packed) {
    const auto part = [packed](int shift) {
        const float v = static_cast<float>((packed >> shift) & 1023u) * (1 / kPackedMost);
        return v * v;
    };
    return {part(0), part(10), part(20)};
}

/// viridis, magma, inferno, plasma, cividis, turbo, coolwarm, grey.
std::span<const std::string_view> colourMapNames();
/// Screen colours (sRGB in [0, 1]) along a map; t is clamped to [0, 1].
Vec3f colourMapSrgb(std::string_view map, float t);

struct ColourShare {
    Vec3f colour;         // linear
    double share = 1;     // of the grains, relative to the others
};
/// Yellow, brown and white grains as 85 : 10 : 5 [Klar2016, §9].
std::vector<ColourShare> sandMix();
/// The colour of grain `id`: the same in every frame and whatever the other grains.
Vec3f mixedColour(std::span<const ColourShare>, std::int64_t id);

}  // namespace talus::render
