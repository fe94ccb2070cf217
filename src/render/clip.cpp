// SPDX-License-Identifier: Apache-2.0
#include "render/clip.h"

#include "core/problems.h"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <vector>

namespace talus::render {

namespace {

[[noreturn]] void refuse(std::string_view text) {
    throw Error(ExitCode::usage, fmt::format("--clip: '{}' is not a cut; write what to keep, in metres: 'x<0.1', 'y>0' or '0<z<0.2'", text));
}

double number(std::string_view part, std::string_view whole) {
    double value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc{} || end != part.data() + part.size()) refuse(whole);
    return value;
}

/// Sutherland and Hodgman: the polygon's part where side * (p[axis] - at) > 0.
std::vector<Vec3f> cut(const std::vector<Vec3f>& polygon, int axis, float at, float side) {
    std::vector<Vec3f> kept;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
        const Vec3f &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
        const float da = side * (a[axis] - at), db = side * (b[axis] - at);
        if (da > 0) kept.push_back(a);
        if ((da > 0) != (db > 0)) kept.push_back(a + (b - a) * (da / (da - db)));
    }
    return kept;
}

}  // namespace

Clip parseClip(std::string_view given) {
    std::string text;
    for (const char c : given)
        if (c != ' ') text += c;
    const std::size_t axisAt = text.find_first_of("xyz");
    if (axisAt == std::string::npos) refuse(given);
    Clip clip;
    clip.axis = text[axisAt] - 'x';
    const std::string_view before = std::string_view(text).substr(0, axisAt), after = std::string_view(text).substr(axisAt + 1);
    if (before.empty() && after.empty()) refuse(given);
    if (!before.empty()) {
        if (before.back() != '<' && before.back() != '>') refuse(given);
        (before.back() == '<' ? clip.low : clip.high) = number(before.substr(0, before.size() - 1), given);
    }
    if (!after.empty()) {
        if (after.front() != '<' && after.front() != '>') refuse(given);
        if (!before.empty() && before.back() != after.front()) refuse(given);
        (after.front() == '<' ? clip.high : clip.low) = number(after.substr(1), given);
    }
    if (!(clip.low < clip.high)) refuse(given);
    return clip;
}

TriangleMesh clipped(const TriangleMesh& mesh, const RigidTransform& pose, std::span<const Clip> clips) {
    TriangleMesh result;
    std::vector<Vec3f> world;
    for (const Vec3f& v : mesh.vertices) {
        const Vec3 w = pose.apply({v.x, v.y, v.z});
        world.push_back({static_cast<float>(w.x), static_cast<float>(w.y), static_cast<float>(w.z)});
    }
    for (const auto& [a, b, c] : mesh.triangles) {
        std::vector<Vec3f> polygon{world[a], world[b], world[c]};
        for (const Clip& clip : clips) {
            polygon = cut(polygon, clip.axis, static_cast<float>(clip.low), 1);
            polygon = cut(polygon, clip.axis, static_cast<float>(clip.high), -1);
        }
        const std::uint32_t first = static_cast<std::uint32_t>(result.vertices.size());
        for (std::uint32_t k = 2; k < polygon.size(); ++k) result.triangles.push_back({first, first + k - 1, first + k});
        if (polygon.size() >= 3) result.vertices.insert(result.vertices.end(), polygon.begin(), polygon.end());
    }
    return result;
}

}  // namespace talus::render
