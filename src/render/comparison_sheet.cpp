// SPDX-License-Identifier: Apache-2.0
#include "core/problems.h"
#include "render/comparison_parts.h"

#include <fmt/format.h>

#include <algorithm>

namespace talus::render {

namespace {

constexpr int kGap = 6;
constexpr long long kMostPixels = 200'000'000, kLongestSide = 65000;
const Vec3f kInk{0.13f, 0.13f, 0.14f}, kFaint{0.38f, 0.38f, 0.40f};

/// Cut with "…" where it is wider.
std::string fitted(TextPainter& painter, std::string text, int size, int width) {
    if (painter.width(text, size) <= width) return text;
    while (!text.empty() && painter.width(text + "…", size) > width) {
        while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0u) == 0x80u) text.pop_back();   // the rest of a UTF-8 letter
        if (!text.empty()) text.pop_back();
    }
    return text + "…";
}

constexpr int lettersOf(const PictureStyle& style) { return std::clamp(style.height / 18, 12, 40); }
constexpr int captionOf(const PictureStyle& style) { return 3 * lettersOf(style) + kGap; }

}  // namespace

PictureStyle sharedStyle(const Exec& exec, const Comparison& c, const ComparisonOptions& options) {
    PictureStyle style = options.style;
    style.timeStamp = true;
    style.camera = c.runs.front().files->look().camera;
    Aabb box;
    for (const NamedRun& run : c.runs) {
        box.extend(run.files->extent().min);
        box.extend(run.files->extent().max);
    }
    style.extent = box;
    if (style.colours.isField() && !style.colours.range) {
        ValueRange all{1e300, -1e300};
        for (const NamedRun& run : c.runs) {
            const ValueRange own = rangeOf(*run.files, style.colours.by);
            all = {std::min(all.low, own.low), std::max(all.high, own.high)};
        }
        style.colours.range = all;
    }
    const auto columns = static_cast<long long>(c.moments.size()), rows = static_cast<long long>(c.runs.size());
    const long long width = columns * (style.width + kGap) + kGap, height = rows * (style.height + captionOf(style) + kGap) + kGap;
    if (width * height > kMostPixels || std::max(width, height) > kLongestSide)
        throw Error(ExitCode::usage, fmt::format("{} runs at {} moments in {}x{} pixels make a picture of {}x{}; lower --size or take fewer moments", rows, columns, style.width, style.height, width, height));
    for (const NamedRun& run : c.runs) Studio(exec, *run.files, style);   // refuses what does not suit the run
    return style;
}

ScreenImage drawSheet(const Exec& exec, const Comparison& c, const ComparisonOptions& options, const PictureStyle& style, FunctionRef<void()> before) {
    const int letters = lettersOf(style), caption = captionOf(style);
    ScreenImage sheet(static_cast<int>(c.moments.size()) * (style.width + kGap) + kGap, static_cast<int>(c.runs.size()) * (style.height + caption + kGap) + kGap);
    TextPainter painter;
    for (std::size_t r = 0; r < c.runs.size(); ++r) {
        const int top = kGap + static_cast<int>(r) * (style.height + caption + kGap), room = sheet.width - 4 * kGap;
        const std::string &name = c.runs[r].name, &method = options.runs[r].method;
        const std::string title = name.ends_with(method) ? name : fmt::format("{}: {}", name, method);   // run directories are called after their method unless told otherwise
        painter.draw(sheet, fitted(painter, title, letters, room), 2 * kGap, top + letters + letters / 4, letters, kInk);
        const std::string settings = fmt::format("{}", fmt::join(options.runs[r].settings, ",  "));
        painter.draw(sheet, fitted(painter, settings, letters * 4 / 5, room), 2 * kGap, top + 2 * letters + letters / 2, letters * 4 / 5, kFaint);
        PictureStyle own = style;
        for (std::size_t m = 0; m < c.moments.size(); ++m) {
            before();
            own.legend = style.legend && m + 1 == c.moments.size();
            const ScreenImage picture = Studio(exec, *c.runs[r].files, own).take(c.moments[m].frames[r]).screen;
            paste(picture, sheet, kGap + static_cast<int>(m) * (style.width + kGap), top + caption);
        }
    }
    return sheet;
}

}  // namespace talus::render
