// SPDX-License-Identifier: Apache-2.0
// What the methods meet in: everything about a scene that does not depend on how grains are simulated.
#pragma once

#include "core/archive.h"
#include "core/problems.h"
#include "core/schedule.h"
#include "core/vec.h"
#include "world/body.h"
#include "world/domain.h"
#include "world/materials.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace talus::world {

/// Grains to be put into the world.
struct Fill {
    std::shared_ptr<const geometry::Shape> region;   // in world coordinates
    int material = 0;
    int source = 0;          // index of the fill in the scene
    Vec3 velocity;           // [m/s]
};

/// Grains to be taken out of it.
struct Region {
    std::shared_ptr<const geometry::Shape> shape;
    bool inside = true;      // false: what lies outside the shape

    bool contains(const Vec3& x) const { return (shape->distance(x) <= 0) == inside; }
};

/// How fine to simulate: a total number of grains, or their size (dem: diameter, MPM: grid spacing).
struct Resolution {
    std::optional<std::int64_t> grains;
    std::optional<double> size;   // [m]
};

struct World {
    Domain domain;
    Vec3 gravity{0, 0, -9.81};       // over the present step [m/s²]
    std::optional<Schedule<Vec3>> gravityOverTime;   // what it follows; else it stays
    Resolution resolution;
    std::uint64_t seed = 1;
    std::vector<Material> materials;
    ContactTable contacts;
    std::vector<Body> bodies;        // closed domain faces first, named domain.z_min and so on
    std::vector<Fill> fills;

    double time = 0;                 // [s]
    std::int64_t nextId = 0;         // ids are never reused
    std::int64_t revision = 0;       // grows when materials, contacts or bodies are exchanged: what a method keeps of them is then out of date

    /// Bulk volume of all fills [m³].
    double fillVolume() const;
    /// The bodies at time t, in the order of `bodies`.
    std::vector<BodySnapshot> bodiesAt(double t) const;

    /// What changes during a run: time, ids, body loads.
    void save(Archive&) const;
    void load(const Archive&);
};

/// Refuses what no method could do: a region that bodies cover, a body that crosses a periodic face and is not the same all
/// along that axis.
void check(const World&, Problems&);

/// A wall for every face that is closed, named "domain.x_min" ...
std::vector<Body> domainFaces(const Domain&);

}  // namespace talus::world
