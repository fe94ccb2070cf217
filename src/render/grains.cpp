// SPDX-License-Identifier: Apache-2.0
#include "render/grains.h"

#include "core/problems.h"
#include "world/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus::render {

namespace {

constexpr std::size_t kBlock = 8192;
constexpr std::uint32_t kDistinct[] = {0xe1a95f, 0x2f6fb0, 0xc0392b, 0x3f9e56, 0x8e5ea2, 0xe67e22, 0x17a2b8, 0x6b541e, 0xd4709b, 0x7f8c8d};
constexpr std::uint32_t kCases[] = {0x2fa84f, 0xd0342c, 0x2b63c9};   // I, II, III
const Vec3f kUnknown{0.35f, 0.35f, 0.35f};

struct FieldName {
    std::string_view name, component;
};
FieldName splitName(std::string_view by) {
    const std::size_t dot = by.find('.');
    return dot == std::string_view::npos ? FieldName{by, {}} : FieldName{by.substr(0, dot), by.substr(dot + 1)};
}

std::vector<ColourShare> mixOf(const io::MaterialLook& look) {
    if (look.colours.empty()) return sandMix();
    std::vector<ColourShare> mix;
    for (std::size_t i = 0; i < look.colours.size(); ++i)
        mix.push_back({linearColour(io::parseColour(look.colours[i]).value_or(0xe1a95f)), i < look.shares.size() ? look.shares[i] : 1.0});
    return mix;
}

double roundedOutwards(double value, double step, bool up) { return step * (up ? std::ceil(value / step - 1e-9) : std::floor(value / step + 1e-9)); }

/// About a twentieth of the span: 1, 2 or 5 times a power of ten.
double niceStep(double span) {
    const double rough = span / 20, power = std::pow(10, std::floor(std::log10(rough)));
    for (const double part : {1.0, 2.0, 5.0})
        if (part * power >= rough) return part * power;
    return 10 * power;
}

std::vector<std::uint32_t> colourByIndex(const io::Frame& frame, const std::string& by, std::span<const std::uint32_t> palette, std::int64_t first) {
    const io::FrameColumn& column = requireField(frame, by, "asked for by --colour-by");
    if (column.type != world::FieldType::integer) throw Error(ExitCode::usage, fmt::format("field '{}' is not a whole number", by));
    std::vector<std::uint32_t> colours(frame.count), packed;
    for (const std::uint32_t rgb : palette) packed.push_back(packColour(linearColour(rgb)));
    const auto n = static_cast<std::int64_t>(packed.size());
    for (std::size_t i = 0; i < frame.count; ++i) colours[i] = packed[static_cast<std::size_t>(((column.integers[i] - first) % n + n) % n)];
    return colours;
}

/// Of each material the first colour that it has in the scene, else one that tells it from the others.
std::vector<std::uint32_t> palette(const RunFiles& run) {
    std::vector<std::uint32_t> colours;
    for (const io::MaterialLook& look : run.look().materials)
        colours.push_back(look.colours.empty() ? kDistinct[colours.size() % std::size(kDistinct)] : io::parseColour(look.colours.front()).value_or(kDistinct[0]));
    return colours;
}

std::vector<std::uint32_t> colourByMix(const Exec& exec, const RunFiles& run, const io::Frame& frame) {
    const io::FrameColumn *id = frame.find("id"), *material = frame.find("material");
    std::vector<std::vector<ColourShare>> mixes;
    for (const io::MaterialLook& look : run.look().materials) mixes.push_back(mixOf(look));
    if (mixes.empty()) mixes.push_back(sandMix());
    std::vector<std::uint32_t> colours(frame.count);
    exec.forBlocks(frame.count, kBlock, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::size_t m = material != nullptr && material->integers[i] >= 0 ? static_cast<std::size_t>(material->integers[i]) : 0;
            colours[i] = packColour(mixedColour(mixes[m < mixes.size() ? m : 0], id != nullptr ? id->integers[i] : static_cast<std::int64_t>(i)));
        }
    });
    return colours;
}

}  // namespace

std::vector<float> fieldValues(const io::Frame& frame, std::string_view by) {
    const auto [name, component] = splitName(by);
    const io::FrameColumn& column = requireField(frame, name, "asked for by --colour-by");
    const auto names = io::componentNames(column.components);
    std::size_t which = 0;
    if (!component.empty()) {
        which = static_cast<std::size_t>(std::ranges::find(names, component) - names.begin());
        if (which == names.size() || column.components == 1)
            throw Error(ExitCode::usage, column.components == 1 ? fmt::format("field '{}' has no components", name)
                                                                : fmt::format("field '{}' has no component '{}'; it has {}", name, component, fmt::join(names, ", ")));
    } else if (column.components == 6) {
        throw Error(ExitCode::usage, fmt::format("field '{}' is a tensor: name a component, as in '{}.xx'", name, name));
    }
    const std::size_t n = column.components;
    std::vector<float> values(frame.count);
    for (std::size_t i = 0; i < frame.count; ++i) {
        if (column.type == world::FieldType::integer) values[i] = static_cast<float>(column.integers[n * i + which]);
        else if (n == 3 && component.empty()) values[i] = norm(Vec3f{column.reals[3 * i], column.reals[3 * i + 1], column.reals[3 * i + 2]});
        else values[i] = column.reals[n * i + which];
    }
    return values;
}

std::string unitOf(const io::Look& look, std::string_view by) {
    const std::string_view name = splitName(by).name;
    for (const io::FieldLook& field : look.fields)
        if (field.name == name) return field.unit;
    const world::FieldInfo* promised = world::findField(world::kPromisedFields, name);
    return promised != nullptr ? std::string(promised->unit) : name == "stress" || name == "pressure" ? "Pa" : "";
}

ValueRange rangeOf(const RunFiles& run, std::string_view by) {
    constexpr std::size_t kFrames = 5;
    const auto& frames = run.frames();
    ValueRange range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    const std::size_t count = std::min(kFrames, frames.size());
    bool length = false;
    for (std::size_t k = 0; k < count; ++k) {
        const io::Frame frame = run.frame(frames[count == 1 ? 0 : k * (frames.size() - 1) / (count - 1)].number);
        std::vector<float> values = fieldValues(frame, by);
        length = frame.find(splitName(by).name)->components == 3 && splitName(by).component.empty();
        std::erase_if(values, [](float v) { return !std::isfinite(v); });
        if (values.empty()) continue;
        const auto nth = [&](std::size_t n) {
            std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n), values.end());
            return static_cast<double>(values[n]);
        };
        range.low = std::min(range.low, nth(values.size() / 100));
        range.high = std::max(range.high, nth(values.size() - 1 - values.size() / 100));
    }
    if (!(range.low <= range.high)) return {0, 1};
    if (length) range.low = 0;
    if (!(range.high > range.low)) return {range.low - std::max(0.5 * std::abs(range.low), 1e-12), range.high + std::max(0.5 * std::abs(range.high), 1e-12)};
    const double step = niceStep(range.high - range.low);
    return {roundedOutwards(range.low, step, false), roundedOutwards(range.high, step, true)};
}

std::vector<NamedShade> shadesOf(const RunFiles& run, const GrainColours& colours) {
    std::vector<NamedShade> shades;
    constexpr std::size_t kMost = std::size(kDistinct);
    if (colours.by == "plastic_case") {
        constexpr std::string_view kNames[] = {"elastic", "separating", "sheared"};
        for (std::size_t i = 0; i < 3; ++i) shades.push_back({std::string(kNames[i]), linearColour(kCases[i])});
    } else if (colours.by == "material") {
        for (std::size_t i = 0; i < run.look().materials.size(); ++i) shades.push_back({run.look().materials[i].name, linearColour(palette(run)[i])});
    } else if (colours.by == "source") {
        for (std::size_t i = 0; i < run.look().sources.size(); ++i) shades.push_back({run.look().sources[i], linearColour(kDistinct[i % kMost])});
    }
    return shades;
}

std::vector<std::uint32_t> colourGrains(const Exec& exec, const RunFiles& run, const io::Frame& frame, const GrainColours& style) {
    if (style.by == "mix") return colourByMix(exec, run, frame);
    if (style.by == "material" && !run.look().materials.empty()) return colourByIndex(frame, style.by, palette(run), 0);
    if (style.by == "material" || style.by == "source") return colourByIndex(frame, style.by, kDistinct, 0);
    if (style.by == "plastic_case") return colourByIndex(frame, style.by, kCases, 1);
    const std::vector<float> values = fieldValues(frame, style.by);
    const ValueRange range = style.range.value_or(ValueRange{});
    constexpr std::size_t kSteps = 1024;
    std::vector<std::uint32_t> table(kSteps + 1), colours(frame.count);
    for (std::size_t k = 0; k <= kSteps; ++k) {
        const Vec3f c = colourMapSrgb(style.map, static_cast<float>(k) / kSteps);
        table[k] = packColour({toLinear(c.x), toLinear(c.y), toLinear(c.z)});
    }
    for (std::size_t i = 0; i < frame.count; ++i) {
        const double t = (values[i] - range.low) / (range.high - range.low);
        colours[i] = std::isfinite(t) ? table[static_cast<std::size_t>(std::lround(kSteps * std::clamp(t, 0.0, 1.0)))] : packColour(kUnknown);
    }
    return colours;
}

}  // namespace talus::render
