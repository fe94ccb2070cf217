// SPDX-License-Identifier: Apache-2.0
#include "scene/bodies.h"

#include "io/files.h"
#include "io/path_csv.h"
#include "scene/description.h"
#include "scene/suggestion.h"

#include <fmt/format.h>

#include <algorithm>

namespace talus::scene {

void FreeDescription::keys(KeyVisitor& v) {
    v.number({"density", "of the solid; that of the body's material unless given", Dimension::density, positive()}, density);
    v.number({"mass", "instead of a density", Dimension::mass, positive()}, mass);
    v.vector({"inertia", "moments of inertia [kg m2] about the centre of mass along the axes of the body; those of the shape unless given", Dimension::none, positive()}, inertia);
    v.vector({"centre_of_mass", "in coordinates of the body; that of the shape unless given", Dimension::length}, centreOfMass);
    v.vector({"velocity", "of the position of the body, at the start", Dimension::velocity}, velocity);
    v.vector({"angular_velocity", "at the start, by the right-hand rule", Dimension::angularVelocity}, angularVelocity);
    v.schedule({"force", "applied, in world axes", Dimension::force}, force);
    v.schedule({"torque", "applied, in world axes", Dimension::torque}, torque);
    v.vector({"at", "where the force acts, in coordinates of the body; the centre of mass unless given", Dimension::length}, at);
    v.texts({"locked", "what cannot move, in world axes: x, y, z hold the position of the body, rx, ry, rz its rotation"}, locked);

    if (density && mass) v.problem("mass", "density and mass are both given; keep one of them");
    if (inertia && !mass) v.problem("inertia", "a given inertia needs a given mass");
    if (inertia && 2 * maxComponent(*inertia) > inertia->x + inertia->y + inertia->z)
        v.problem("inertia", "no solid has these moments of inertia: none can be greater than the sum of the other two");
    for (std::size_t i = 0; i < locked.size(); ++i) {
        if (std::ranges::find(world::kLockNames, locked[i]) == world::kLockNames.end())
            return v.problem("locked", fmt::format("\"{}\" cannot be locked; what can is x, y, z, rx, ry and rz", locked[i]));
        if (std::find(locked.begin(), locked.begin() + static_cast<std::ptrdiff_t>(i), locked[i]) != locked.begin() + static_cast<std::ptrdiff_t>(i))
            return v.problem("locked", fmt::format("\"{}\" is locked twice", locked[i]));
    }
    if (locked.size() == 6) v.problem("locked", "a body that is locked along all six axes does not move; write motion = \"fixed\"");
    const world::Locks lock = locks();
    for (int axis = 0; axis < 3; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        if (lock[a] && velocity[axis] != 0) v.problem("velocity", fmt::format("the body is locked along {} and cannot start with a velocity along it", world::kLockNames[a]));
        if (lock[3 + a] && angularVelocity[axis] != 0)
            v.problem("angular_velocity", fmt::format("the rotation {} is locked and cannot start with a velocity", world::kLockNames[3 + a]));
    }
}

world::Locks FreeDescription::locks() const {
    world::Locks lock{};
    for (std::size_t i = 0; i < lock.size(); ++i) lock[i] = std::ranges::find(locked, world::kLockNames[i]) != locked.end();
    return lock;
}

void PathDescription::keys(KeyVisitor& v) {
    v.text({.name = "file",
            .help = "CSV with columns time, x, y, z (from the position of the body) and, if it turns, rx_deg, ry_deg, rz_deg (rotation vector) or qw, qx, qy, qz; "
                    "relative to the scene",
            .required = true},
           file);
    v.choice({"interpolation", "between the rows: straight lines, or a curve with continuous velocity that does not overshoot"}, world::kInterpolationNames, interpolation);
}

void BeltAlongDescription::keys(KeyVisitor& v) {
    v.schedule({.name = "velocity", .help = "in the axes of the body; turned into the plane of each face, with its speed", .dimension = Dimension::velocity, .required = true}, velocity);
}

void BeltAboutDescription::keys(KeyVisitor& v) {
    v.vector({"axis", "direction of the axis, in the axes of the body"}, axis);
    v.vector({"centre", "a point of the axis, in coordinates of the body", Dimension::length}, centre);
    v.schedule({.name = "rate", .help = "turns about the axis by the right-hand rule", .dimension = Dimension::angularVelocity, .required = true}, rate);
    if (!(norm(axis) > 0)) v.problem("axis", "the axis of a surface velocity must not be zero; write for example [0, 0, 1]");
}

void BeltDescription::keys(KeyVisitor& v) {
    v.oneOf({"", ""}, kind, [](auto& belt, KeyVisitor& inside) { belt.keys(inside); });
}

void CopiesDescription::keys(KeyVisitor& v) {
    v.integer({"count", "number of bodies in all, named NAME-1, NAME-2 and so on", Dimension::none, between(1, 10000)}, count);
    v.vector({"step", "from one to the next", Dimension::length}, step);
    v.vector({"rotation_step_deg", "each is turned by this against the one before, about the fixed axes x, then y, then z, through its position", Dimension::angle}, rotationStepDeg);
    v.rows({"path", "[x, y, z] of each copy, added to the position, instead of count and step", Dimension::length}, 3, path);
    if (!path.empty() && (count != 1 || norm(step) > 0)) v.problem("path", "path is given together with count or step; keep the path alone");
    if (path.empty() && count > 1 && norm(step) == 0) v.problem("step", fmt::format("{} copies in the same place; give a step, or a path", count));
}

Vec3 CopiesDescription::displacement(std::size_t copy) const {
    if (!path.empty()) return {path[3 * copy], path[3 * copy + 1], path[3 * copy + 2]};
    return static_cast<double>(copy) * step;
}

std::string nameOfCopy(const std::string& name, const CopiesDescription& copies, std::size_t copy) {
    return copies.given ? fmt::format("{}-{}", name, copy + 1) : name;
}

void checkFreeBody(const BodyDescription& body, const std::string& path, Problems& problems) {
    const FreeDescription& free = *body.free();
    const geometry::ShapePtr shape = geometry::build(body.shape);
    if (!shape->bounded()) return problems.error(path + ".shape", fmt::format("body '{}' is free and its shape has no end; give it a bounded shape, or another motion", body.name));
    if (!(shape->massProperties().volume > 0)) return problems.error(path + ".shape", fmt::format("body '{}' is free and its shape has no volume", body.name));
    if (!body.material && !free.density && !free.mass)
        problems.error(path + ".motion", fmt::format("body '{}' is free and has no mass; give it a material, a density or a mass", body.name));
    if (!free.inertia && free.centreOfMass && norm(*free.centreOfMass - shape->massProperties().centre) > 0.5 * norm(shape->bounds().size()))
        problems.warn(path + ".motion.centre_of_mass", "the centre of mass lies far outside the shape; give an inertia that fits");
}

std::size_t resolvePaths(SceneDescription& scene, const std::string& folder, FunctionRef<bool(std::string_view path)> wellRead, Problems& problems) {
    std::size_t missing = 0;
    for (std::size_t b = 0; b < scene.bodies.size(); ++b)
        for (std::size_t m = 0; m < scene.bodies[b].motion.size(); ++m) {
            auto* path = std::get_if<PathDescription>(&scene.bodies[b].motion[m].kind);
            const std::string list = fmt::format("bodies[{}].motion", b), key = scene.bodies[b].motion.size() == 1 ? list + ".file" : fmt::format("{}[{}].file", list, m);
            if (!path || !wellRead(list)) continue;
            std::string text;
            try {
                text = io::readFile(io::Path(folder) / path->file);
            } catch (const Error& error) {
                const std::string_view what = error.what();
                problems.error(key, fmt::format("cannot read '{}': {}; names of files are relative to the folder of the scene", path->file, what.substr(what.rfind(": ") + 2)));
                ++missing;
                continue;
            }
            try {
                const io::PathTable table = io::parsePath(text);
                scene.bodies[b].motion[m].kind = KeyframesDescription{path->interpolation, table.times, table.displacements, table.rotationsDeg};
            } catch (const std::runtime_error& fault) {
                problems.error(key, fmt::format("cannot read '{}': {}", path->file, fault.what()));
            }
        }
    return missing;
}

}  // namespace talus::scene
