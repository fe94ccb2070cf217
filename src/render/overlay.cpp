// SPDX-License-Identifier: Apache-2.0
#include "render/overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus::render {

namespace {

const Vec3f kInk{0.13f, 0.13f, 0.14f}, kPaper{1, 1, 1};
constexpr float kPaperOpacity = 0.72f;

int letterSize(const ScreenImage& image) { return std::clamp(image.height / 34, 9, 60); }

double niceNumber(double least) {
    const double power = std::pow(10, std::floor(std::log10(least)));
    for (const double part : {1.0, 2.0, 5.0})
        if (part * power >= least * (1 - 1e-9)) return part * power;
    return 10 * power;
}

}  // namespace

std::vector<double> ticks(const ValueRange& range, int count) {
    const double step = niceNumber((range.high - range.low) / count);
    std::vector<double> values;
    for (double k = std::ceil(range.low / step - 1e-6); k * step <= range.high + 1e-6 * step; ++k) values.push_back(k * step == 0 ? 0 : k * step);
    return values;
}

std::string readableLength(double metres) {
    struct Unit {
        double size;
        const char* name;
    };
    for (const Unit unit : {Unit{1000, "km"}, Unit{1, "m"}, Unit{0.01, "cm"}, Unit{0.001, "mm"}, Unit{1e-6, "µm"}})
        if (metres >= unit.size * (1 - 1e-9)) return fmt::format("{:.3g} {}", metres / unit.size, unit.name);
    return fmt::format("{:.3g} m", metres);
}

void drawScale(ScreenImage& image, TextPainter& text, const std::string& title, std::string_view map, const ValueRange& range) {
    const int size = letterSize(image), bar = size, height = image.height / 2, top = (image.height - height) / 2 + size;
    int widest = text.width(title, size);
    const std::vector<double> values = ticks(range, 5);
    for (const double value : values) widest = std::max(widest, bar + size + text.width(fmt::format("{:.6g}", value), size));
    const int left = image.width - widest - 2 * size;
    fillRectangle(image, left - size, top - 3 * size, image.width - size / 2, top + height + size, kPaper, kPaperOpacity);
    text.draw(image, title, left, top - size - size / 3, size, kInk);
    for (int y = 0; y < height; ++y) {
        const float t = 1 - (static_cast<float>(y) + 0.5f) / static_cast<float>(height);
        fillRectangle(image, left, top + y, left + bar, top + y + 1, colourMapSrgb(map, t), 1);
    }
    for (const double value : values) {
        const int y = top + static_cast<int>(std::lround(height * (1 - (value - range.low) / (range.high - range.low))));
        fillRectangle(image, left + bar, y, left + bar + size / 3, y + std::max(1, size / 12), kInk, 1);
        text.draw(image, fmt::format("{:.6g}", value), left + bar + size / 2 + 2, y + size / 3, size, kInk);
    }
}

void drawShades(ScreenImage& image, TextPainter& text, const std::vector<NamedShade>& shades) {
    if (shades.empty()) return;
    const int size = letterSize(image), step = size * 3 / 2, count = static_cast<int>(shades.size());
    int widest = 0;
    for (const NamedShade& shade : shades) widest = std::max(widest, step + text.width(shade.name, size));
    const int left = image.width - widest - 2 * size, top = (image.height - count * step) / 2;
    fillRectangle(image, left - size, top - size / 2, image.width - size / 2, top + count * step + size / 2, kPaper, kPaperOpacity);
    for (int i = 0; i < count; ++i) {
        const NamedShade& shade = shades[static_cast<std::size_t>(i)];
        const int y = top + i * step + size / 4;
        fillRectangle(image, left, y, left + size, y + size, {toSrgb(shade.colour.x), toSrgb(shade.colour.y), toSrgb(shade.colour.z)}, 1);
        text.draw(image, shade.name, left + step, y + size * 5 / 6, size, kInk);
    }
}

void drawTimeStamp(ScreenImage& image, TextPainter& text, double time) {
    const int size = letterSize(image);
    const std::string stamp = fmt::format("t = {:.3f} s", time);
    fillRectangle(image, size / 2, size / 2, size * 3 / 2 + text.width(stamp, size), size * 2 + size / 2, kPaper, kPaperOpacity);
    text.draw(image, stamp, size, size * 2 - size / 8, size, kInk);
}

void drawScaleBar(ScreenImage& image, TextPainter& text, const Camera& camera) {
    const int size = letterSize(image);
    const double metresPerPixel = camera.heightAtTarget() / image.height;
    double length = niceNumber(0.12 * image.width * metresPerPixel);
    const int pixels = static_cast<int>(std::lround(length / metresPerPixel)), bottom = image.height - size;
    const std::string label = readableLength(length);
    const int wide = std::max(pixels, text.width(label, size));
    fillRectangle(image, size / 2, bottom - size * 2, size * 3 / 2 + wide, bottom + size / 2, kPaper, kPaperOpacity);
    text.draw(image, label, size + wide / 2, bottom - size / 2 - size / 4, size, kInk, TextPainter::Align::centre);
    fillRectangle(image, size + (wide - pixels) / 2, bottom - size / 4, size + (wide - pixels) / 2 + pixels, bottom, kInk, 1);
}

}  // namespace talus::render
