// SPDX-License-Identifier: Apache-2.0
#include "render/studio.h"

#include <fmt/format.h>

namespace talus::render {

namespace {

std::string text(const Vec3& v) { return fmt::format("{:.9g},{:.9g},{:.9g}", v.x, v.y, v.z); }

template <class T>
std::string optional(const std::optional<T>& value) {
    if constexpr (std::is_same_v<T, Vec3>) return value ? text(*value) : "none";
    else return value ? fmt::format("{}", *value) : "none";
}

}  // namespace

std::string optionLines(const PictureStyle& s) {
    std::string lines = fmt::format("--size {}x{}\n--samples {}\n--bounces {}\ndenoising {}\n--exposure {}\n", s.width, s.height, s.samples, s.bounces, s.denoise ? "on" : "off", s.exposure);
    lines += fmt::format("--colour-by {}\n--map {}\n", s.colours.by, s.colours.map);
    lines += s.colours.range ? fmt::format("--range {:.9g}:{:.9g}\n", s.colours.range->low, s.colours.range->high) : "no --range\n";
    lines += fmt::format("--grains {}\n--grain-scale {}\n--chains {}\n", s.grains, s.grainScale, s.chains ? "on" : "off");
    std::string cuts;
    for (const Clip& clip : s.clips) cuts += fmt::format(" {}:{:.9g}:{:.9g}", clip.axis, clip.low, clip.high);
    lines += fmt::format("--clip{}\n", cuts.empty() ? " none" : cuts);
    lines += fmt::format("--view {}\n--camera {}\n--target {}\n--fov {}\n--aperture {}\n--focus {}\n--orthographic {}\n--orbit {}\n", optional(s.view), optional(s.position), optional(s.target),
                         optional(s.fovDegrees), optional(s.aperture), optional(s.focus), s.orthographic ? "on" : "off", s.orbitDegrees);
    lines += fmt::format("--ground {}\n--ground-finish {}\n--background {}\n--motion-blur {}\n--area-light {}\n--sun {}\n", optional(s.ground), s.groundFinish, s.background, s.shutter,
                         s.areaLight ? "on" : "off", text({s.sunDirection.x, s.sunDirection.y, s.sunDirection.z}));
    lines += fmt::format("--time {}\n--scale-bar {}\nlegend {}\n", s.timeStamp ? "on" : "off", s.scaleBar ? "on" : "off", s.legend ? "on" : "off");
    if (s.extent) lines += fmt::format("grains from {} to {}", text(s.extent->min), text(s.extent->max));   // what cameras are fitted to
    return lines;
}

}  // namespace talus::render
