// SPDX-License-Identifier: Apache-2.0
// What a scene may say of a body beyond its shape and place: free motion, belts, copies, paths.
#pragma once

#include "core/function_ref.h"
#include "core/keys.h"
#include "core/problems.h"
#include "world/free_body.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace talus::scene {

struct FreeDescription {
    static constexpr std::string_view kType = "free";
    std::optional<double> density;         // [kg/m³]; that of its material unless given
    std::optional<double> mass;            // [kg], instead
    std::optional<Vec3> inertia;           // principal, about the centre of mass along the body's axes [kg m²]; that of the shape unless given
    std::optional<Vec3> centreOfMass;      // in coordinates of the body [m]; that of the shape unless given
    Vec3 velocity, angularVelocity;        // at the start [m/s], [rad/s]
    Schedule<Vec3> force, torque;          // [N], [N m]
    std::optional<Vec3> at;                // where the force acts, in coordinates of the body [m]; the centre of mass unless given
    std::vector<std::string> locked;
    void keys(KeyVisitor&);
    world::Locks locks() const;
};

/// Becomes keyframes when the file is read (resolvePaths).
struct PathDescription {
    static constexpr std::string_view kType = "path";
    std::string file;
    world::Interpolation interpolation = world::Interpolation::smooth;
    void keys(KeyVisitor&);
};

struct BeltAlongDescription {
    static constexpr std::string_view kType = "along";
    Schedule<Vec3> velocity;   // [m/s]
    void keys(KeyVisitor&);
};
struct BeltAboutDescription {
    static constexpr std::string_view kType = "about";
    Vec3 axis{0, 0, 1}, centre;
    Schedule<double> rate;     // [rad/s]
    void keys(KeyVisitor&);
};
struct BeltDescription {
    std::variant<BeltAlongDescription, BeltAboutDescription> kind;
    void keys(KeyVisitor&);
};

struct CopiesDescription {
    bool given = false;
    std::int64_t count = 1;
    Vec3 step, rotationStepDeg;
    std::vector<double> path;   // x, y, z, x, … [m]; empty: by count and step
    void keys(KeyVisitor&);

    std::size_t size() const { return !given ? 1 : path.empty() ? static_cast<std::size_t>(count) : path.size() / 3; }
    Vec3 displacement(std::size_t copy) const;
};

/// Of a copy: "box-3"; without copies the name itself.
std::string nameOfCopy(const std::string& name, const CopiesDescription&, std::size_t copy);

struct SceneDescription;
struct BodyDescription;

/// Whether a body at `path` whose motion is free, and whose shape is right, has a mass.
void checkFreeBody(const BodyDescription&, const std::string& path, Problems&);

/// Reads the files of paths, named relative to `folder`, and puts keyframes in their place. Returns how many files were missing.
std::size_t resolvePaths(SceneDescription&, const std::string& folder, FunctionRef<bool(std::string_view path)> wellRead, Problems&);

}  // namespace talus::scene
