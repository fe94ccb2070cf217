// SPDX-License-Identifier: Apache-2.0
// What the methods meet in: everything about a scene that does not depend on how grains are simulated.
#pragma once

#include "core/archive.h"
#include "core/problems.h"
#include "core/schedule.h"
#include "core/vec.h"
#include "world/body.h"
#include "world/body_contact.h"
#include "world/domain.h"
#include "world/emitter.h"
#include "world/fill.h"
#include "world/forces.h"
#include "world/materials.h"
#include "world/sink.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace talus::world {

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
    std::vector<BodyContact> bodyContacts;   // of bodies with each other, in the last step; by key
    std::vector<Emitter> emitters;
    std::vector<Sink> sinks;
    SinkAccount openFaces;           // what left through open faces of the domain
    Forces forces;
    double end = 0;                  // when the run is to end, for what emitters will bring [s]
    std::optional<double> emitted;   // packed volume that emitters will bring, where stages change them [m³]

    double time = 0;                 // [s]
    std::int64_t nextId = 0;         // ids are never reused
    std::int64_t revision = 0;       // grows when materials, contacts or bodies are exchanged: what a method keeps of them is then out of date

    /// Bulk volume of all fills [m³].
    double fillVolume() const;
    /// Packed volume that emitters will have let out by the end [m³].
    double emittedVolume() const;
    /// What the grains of a filled region press on what is below them when they stand there [Pa]; 0 of listed grains.
    double pressureBelow(const Fill&) const;
    /// Whether the region of a fill before this one holds x: what is filled once is not filled again.
    bool filledBefore(const Fill&, const Vec3& x) const;
    /// Materials that grains are or will be of, each once.
    std::vector<int> grainMaterials() const;
    /// The bodies at time t, in the order of `bodies`.
    std::vector<BodySnapshot> bodiesAt(double t) const;

    /// What changes during a run: time, ids, body loads, free bodies and their contacts.
    void save(Archive&) const;
    void load(const Archive&);
};

/// Refuses what no method could do: a region that bodies cover, a body that at some time until `end` [s] crosses a periodic face
/// and is not the same all along that axis, a free body that could. `reach`: how near grains feel bodies, along each axis [m]; a body nearer than
/// that to a periodic face counts as one that crosses it.
void check(const World&, double end, const Vec3& reach, Problems&);

/// The part of it about periodic faces, from the world's time on.
void checkPeriodic(const World&, double end, const Vec3& reach, Problems&);

/// A wall for every face that is closed, named "domain.x_min" ...
std::vector<Body> domainFaces(const Domain&);

}  // namespace talus::world
