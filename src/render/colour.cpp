// SPDX-License-Identifier: Apache-2.0
#include "render/colour.h"

#include "core/rng.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace talus::render {

namespace {

// Every sixteenth of each map. viridis, magma, inferno, plasma: Smith and van der Walt 2015, CC0; cividis: [Nunez2018];
// turbo: Mikhailov 2019; coolwarm: [Moreland2009].
struct Map {
    std::string_view name;
    std::array<std::uint32_t, 17> rgb;
};
constexpr auto kMaps = std::to_array<Map>({
    {"viridis", {0x440154, 0x48186a, 0x472d7b, 0x424086, 0x3b528b, 0x33638d, 0x2c728e, 0x26818e, 0x21908c, 0x1f9f88, 0x28ae80, 0x3ebc74, 0x5dc963, 0x82d34c, 0xabdc32, 0xd5e21a, 0xfde725}},
    {"magma", {0x000004, 0x0a0822, 0x1d1146, 0x36106a, 0x50127c, 0x691c81, 0x822681, 0x9c2e7f, 0xb63779, 0xcf4170, 0xe65163, 0xf5695c, 0xfb8761, 0xfea571, 0xfec387, 0xfde0a2, 0xfcfdbf}},
    {"inferno", {0x000004, 0x0b0724, 0x210c4a, 0x3c0965, 0x57106d, 0x70196e, 0x89226a, 0xa32b61, 0xbb3755, 0xd14644, 0xe35932, 0xf1711e, 0xf98d0a, 0xfcab0f, 0xf9ca32, 0xf2e865, 0xfcffa4}},
    {"plasma", {0x0d0887, 0x310596, 0x4c02a1, 0x6600a7, 0x7e03a8, 0x9511a2, 0xa92396, 0xbb3587, 0xcb4778, 0xd9596a, 0xe66c5c, 0xf07f4f, 0xf89441, 0xfdab33, 0xfdc328, 0xf9dd25, 0xf0f921}},
    {"cividis", {0x00224e, 0x002e6a, 0x1a386f, 0x32436d, 0x434e6c, 0x52596d, 0x61656f, 0x6f7073, 0x7c7b78, 0x8b8778, 0x9b9376, 0xaba072, 0xbbad6c, 0xccba64, 0xddc958, 0xefd748, 0xfee838}},
    {"turbo", {0x30123b, 0x4040a1, 0x466be3, 0x4293ff, 0x29bbec, 0x18dcc3, 0x31f299, 0x6bfd64, 0xa3fd3c, 0xcced34, 0xedd03a, 0xfdae35, 0xfb8022, 0xec520f, 0xd23105, 0xac1701, 0x7a0403}},
    {"coolwarm", {0x3b4cc0, 0x4d68d7, 0x6282ea, 0x779af7, 0x8db0fe, 0xa3c2ff, 0xb8d0f9, 0xccd9ee, 0xdddddd, 0xecd3c5, 0xf5c4ad, 0xf7b194, 0xf49a7b, 0xec7f63, 0xde604d, 0xcb3e38, 0xb40426}},
    {"grey", {0x000000, 0x101010, 0x202020, 0x303030, 0x404040, 0x505050, 0x606060, 0x707070, 0x808080, 0x8f8f8f, 0x9f9f9f, 0xafafaf, 0xbfbfbf, 0xcfcfcf, 0xdfdfdf, 0xefefef, 0xffffff}},
});
constexpr auto kMapNames = [] {
    std::array<std::string_view, kMaps.size()> names{};
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = kMaps[i].name;
    return names;
}();

Vec3f screenColour(std::uint32_t rgb) {
    return Vec3f{static_cast<float>(rgb >> 16 & 255u), static_cast<float>(rgb >> 8 & 255u), static_cast<float>(rgb & 255u)} / 255.0f;
}

}  // namespace

float toLinear(float srgb) { return srgb <= 0.04045f ? srgb / 12.92f : std::pow((srgb + 0.055f) / 1.055f, 2.4f); }
float toSrgb(float linear) { return linear <= 0.0031308f ? 12.92f * linear : 1.055f * std::pow(linear, 1 / 2.4f) - 0.055f; }
Vec3f linearColour(std::uint32_t rgb) {
    const Vec3f c = screenColour(rgb);
    return {toLinear(c.x), toLinear(c.y), toLinear(c.z)};
}

std::span<const std::string_view> colourMapNames() { return kMapNames; }

Vec3f colourMapSrgb(std::string_view name, float t) {
    const auto map = std::ranges::find(kMaps, name, &Map::name);
    if (map == kMaps.end()) throw std::out_of_range("no colour map of that name");
    const float x = std::clamp(t, 0.0f, 1.0f) * 16;
    const auto low = std::min<std::size_t>(static_cast<std::size_t>(x), 15);
    const float part = x - static_cast<float>(low);
    return screenColour(map->rgb[low]) * (1 - part) + screenColour(map->rgb[low + 1]) * part;
}

std::vector<ColourShare> sandMix() { return {{linearColour(0xe1a95f), 0.85}, {linearColour(0x6b541e), 0.10}, {linearColour(0xffffff), 0.05}}; }

Vec3f mixedColour(std::span<const ColourShare> mix, std::int64_t id) {
    constexpr std::uint64_t kSeed = 0x73616e64;
    double all = 0;
    for (const ColourShare& share : mix) all += share.share;
    double at = Rng(kSeed, 0, static_cast<std::uint64_t>(id)).uniform() * all;
    for (const ColourShare& share : mix)
        if ((at -= share.share) < 0) return share.colour;
    return mix.back().colour;
}

}  // namespace talus::render
