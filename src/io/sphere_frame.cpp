// SPDX-License-Identifier: Apache-2.0
#include "io/sphere_frame.h"

#include "core/problems.h"
#include "core/vec.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>

namespace talus::io {
namespace {

constexpr std::string_view kOwn[] = {"id", "position", "velocity", "radius"};

const FrameColumn& column(const Frame& frame, std::string_view name) {
    const FrameColumn* found = frame.find(name);
    if (found == nullptr)
        throw Error(ExitCode::usage, fmt::format("the frames have no field '{}', which the spheres of clumps need; run the scene again with output.fields = [\"{}\"]", name, name));
    return *found;
}
Vec3 vector(const FrameColumn& from, std::size_t i) { return {from.reals[3 * i], from.reals[3 * i + 1], from.reals[3 * i + 2]}; }
void put(FrameColumn& to, const Vec3& v) { to.reals.insert(to.reals.end(), {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)}); }

/// Radius about the origin of the sphere that holds a template: that of a grain is its field `radius`.
double boundingRadius(const world::GrainTemplate& shape) {
    double most = 0;
    for (const auto& [x, y, z, r] : shape.spheres) most = std::max(most, norm(Vec3{x, y, z}) + r);
    return most;
}

/// How one grain lies and turns.
struct Turning {
    const FrameColumn &kind, &orientation, &orientationW, &rate;
    explicit Turning(const Frame& f) : kind(column(f, "template")), orientation(column(f, "orientation")), orientationW(column(f, "orientation_w")), rate(column(f, "angular_velocity")) {}
    Quat pose(std::size_t i) const {
        const Vec3 v = vector(orientation, i);
        return Quat{orientationW.reals[i], v.x, v.y, v.z}.normalizedQuat();
    }
};

/// Fields of the grain, each as often as it has spheres.
FrameColumn repeated(const FrameColumn& from, std::span<const std::size_t> grainOf) {
    FrameColumn to{from.name, from.type, from.components, {}, {}};
    for (const std::size_t i : grainOf)
        for (std::size_t at = i * from.components; at < (i + 1) * from.components; ++at)
            if (from.type == world::FieldType::real) to.reals.push_back(from.reals[at]);
            else to.integers.push_back(from.integers[at]);
    return to;
}

}  // namespace

std::vector<world::GrainTemplate> readTemplates(const Path& path) {
    std::vector<world::GrainTemplate> templates;
    if (!std::filesystem::exists(path)) return templates;
    try {
        const auto json = nlohmann::json::parse(readFile(path));
        for (const auto& item : json.at("templates")) {
            world::GrainTemplate& shape = templates.emplace_back();
            shape.name = item.value("name", "");
            for (const auto& sphere : item.at("spheres")) shape.spheres.push_back(sphere.get<std::array<double, 4>>());
            if (!(boundingRadius(shape) > 0)) throw Error(ExitCode::io, fmt::format("'{}': template '{}' has no spheres", path.string(), shape.name));
        }
    } catch (const nlohmann::json::exception& error) {
        const std::string_view what = error.what();
        throw Error(ExitCode::io, fmt::format("'{}' is damaged: {}", path.string(), what.substr(what.find("] ") + 2)));
    }
    return templates;
}

Frame spheresOf(const Frame& grains, std::span<const world::GrainTemplate> templates) {
    const FrameColumn &id = column(grains, "id"), &position = column(grains, "position"), &velocity = column(grains, "velocity"), &radius = column(grains, "radius");
    Frame spheres{.time = grains.time, .count = 0, .columns = {}};
    FrameColumn number{"sphere", world::FieldType::integer, 1, {}, {}}, at{"position", world::FieldType::real, 3, {}, {}}, moves{"velocity", world::FieldType::real, 3, {}, {}},
        size{"radius", world::FieldType::real, 1, {}, {}};
    std::vector<std::size_t> grainOf;
    std::optional<Turning> turning;
    if (!templates.empty() && grains.count > 0) turning.emplace(grains);
    for (std::size_t i = 0; i < grains.count; ++i) {
        if (!turning) {
            grainOf.push_back(i);
            number.integers.push_back(0);
            put(at, vector(position, i));
            put(moves, vector(velocity, i));
            size.reals.push_back(radius.reals[i]);
            continue;
        }
        const std::int64_t kind = turning->kind.integers[i];
        if (kind < 0 || static_cast<std::size_t>(kind) >= templates.size()) throw Error(ExitCode::io, fmt::format("grain {} is of template {}, which templates.json does not have", id.integers[i], kind));
        const world::GrainTemplate& shape = templates[static_cast<std::size_t>(kind)];
        const double scale = radius.reals[i] / boundingRadius(shape);
        const Quat pose = turning->pose(i);
        for (std::size_t s = 0; s < shape.spheres.size(); ++s) {
            const auto& [x, y, z, r] = shape.spheres[s];
            const Vec3 arm = scale * pose.rotate({x, y, z});
            grainOf.push_back(i);
            number.integers.push_back(static_cast<std::int64_t>(s));
            put(at, vector(position, i) + arm);
            put(moves, vector(velocity, i) + cross(vector(turning->rate, i), arm));
            size.reals.push_back(static_cast<float>(scale * r));
        }
    }
    spheres.count = grainOf.size();
    spheres.columns = {repeated(id, grainOf), std::move(number), std::move(at), std::move(moves), std::move(size)};
    for (const FrameColumn& other : grains.columns)
        if (std::ranges::find(kOwn, other.name) == std::end(kOwn)) spheres.columns.push_back(repeated(other, grainOf));
    return spheres;
}

}  // namespace talus::io
