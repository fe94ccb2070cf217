// SPDX-License-Identifier: Apache-2.0
// Worlds of a few grains for the verification of dem.
#pragma once

#include "dem/dem.h"
#include "geometry/primitives.h"
#include "verification/bed.h"

#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

namespace talus::test {

constexpr double kGravity = 9.81;

/// A large domain with open sides, no gravity, one material of grains (0) and one of floors (1).
inline world::World emptyWorld(double density, double diameter) {
    world::World world;
    world.domain.min = {-100, -100, -100};
    world.domain.max = {100, 100, 100};
    world.domain.faces.fill(world::FaceType::open);
    world.gravity = {};
    world.resolution.size = diameter;
    world.materials = {world::Material{.name = "ball", .density = density, .packingFraction = 1}, world::Material{.name = "floor"}};
    return world;
}
inline double sphereVolume(double diameter) { return std::numbers::pi / 6 * diameter * diameter * diameter; }

/// Grains one by one; ids in the order of the calls.
inline void addGrain(world::World& world, const Vec3& x, const Vec3& v, double diameter, const std::optional<Quat>& lies = {}) {
    auto list = std::make_shared<world::ListedGrains>();
    list->positions = {x};
    list->velocities = {v};
    list->volumes = {sphereVolume(diameter)};
    if (lies) list->orientations = {*lies};
    if (lies) list->spins = {{}};
    world.fills.push_back({.region = {}, .material = 0, .source = static_cast<int>(world.fills.size()), .velocity = {}, .listed = list});
}
inline void addFloor(world::World& world) {
    world::Body floor;
    floor.name = "floor";
    floor.material = 1;
    floor.shape = std::make_shared<geometry::Plane>(Vec3{0, 0, 1}, Vec3{});
    floor.motion = world::Motion({}, Quat{}, {});
    world.bodies.push_back(std::move(floor));
}
inline world::Simulation startDem(world::World world, const dem::Settings& settings, const Exec& exec = Exec(1), world::Precision precision = world::Precision::float64) {
    auto method = dem::info.create(settings, world, precision);
    world::Simulation simulation(std::move(world), std::move(method));
    simulation.fill(exec);
    return simulation;
}

/// Grains as soft as those of the built-in scenes, so that steps are long, and ten steps to half a period of a contact.
inline dem::Settings softGrains() {
    dem::Settings settings;
    settings.youngsModulus = 1e6;
    settings.stepFraction = 0.1;
    return settings;
}

/// Fields of all grains by id.
class GrainTable {
public:
    explicit GrainTable(const world::Method& method) {
        std::vector<std::string_view> names;
        for (const world::FieldInfo& info : method.fields()) names.push_back(info.name);
        method.read(Exec(1), names, table_);
        rows_.resize(table_.count());
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (const std::int64_t id : table_.integers("id")) least = std::min(least, id);
        for (std::size_t i = 0; i < table_.count(); ++i) rows_[static_cast<std::size_t>(table_.integers("id")[i] - least)] = i;
    }
    std::size_t count() const { return rows_.size(); }
    Vec3 vector(std::string_view name, std::size_t grain) const {
        const auto values = table_.reals(name);
        return {values[3 * rows_[grain]], values[3 * rows_[grain] + 1], values[3 * rows_[grain] + 2]};
    }
    double number(std::string_view name, std::size_t grain) const { return table_.reals(name)[rows_[grain]]; }
    double stressZZ(std::size_t grain) const { return table_.reals("stress")[6 * rows_[grain] + 2]; }

private:
    world::FieldTable table_;
    std::vector<std::size_t> rows_;
};

}  // namespace talus::test
