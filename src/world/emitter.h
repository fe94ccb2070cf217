// SPDX-License-Identifier: Apache-2.0
// Where grains come from while a run goes on. What has left an emitter is ∫ rate dt to within one grain; what there was no
// room for is owed and follows later.
#pragma once

#include "core/archive.h"
#include "core/exec.h"
#include "core/problems.h"
#include "core/schedule.h"
#include "world/fill.h"
#include "world/motion.h"

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

namespace talus::world {

struct Outlet {            // a disc that grains pass along its normal
    Vec3 centre;           // [m]
    Vec3 normal{0, 0, -1}; // unit
    double radius = 0;     // [m]

};

struct EmitterPart {       // of a mixture
    int material = 0;
    double massFraction = 1;
};

/// What an emitter has let out.
struct EmitterState {
    std::vector<std::int64_t> counts;   // per part
    std::vector<double> masses;         // per part [kg]
    std::int64_t layers = 0;            // of a disc that had their turn
    std::int64_t draws = 0;             // times that it let grains out
    double last = 0;                    // when a region last had its turn [s]
    bool warned = false;                // that it cannot keep up

    std::int64_t count() const;
    double mass() const;
};

struct Emitter {
    std::string name;
    int source = 0;
    std::variant<Outlet, std::shared_ptr<const geometry::Shape>> from;   // in coordinates of the body, or of the world
    int body = -1;                          // that it is fixed to; −1: to none
    bool byCount = false;                   // the rate is in grains/s, otherwise in kg/s
    Schedule<double> rate;
    Schedule<Vec3> velocity;                // against the outlet, in the same coordinates [m/s]
    double spread = 0;                      // half angle of the cone of directions [rad]
    double speedSpread = 0;                 // largest part by which a speed departs from the mean
    double begin = 0, end = std::numeric_limits<double>::infinity();   // [s]
    double mostMass = std::numeric_limits<double>::infinity();         // [kg]
    std::vector<EmitterPart> parts;
    double dueBefore = 0, travelBefore = 0; // until `begin`, under earlier rates and velocities: kg or grains, [m]
    EmitterState state;

    /// From `time` on it goes by other rates, velocities or times: what was due until then stays so.
    void settle(double time);
    /// The clock is set back.
    void setClockBack(double by);
    /// What should have left it by then: kg, or grains.
    double due(double time) const;
    /// What has not left it though it was due: kg, or grains.
    double owed(double time) const;
    /// How far grains have gone along the normal of a disc since it began [m].
    double travel(double time) const;

    void save(Archive&) const;
    void load(const Archive&);
};

struct World;
class Method;

/// Area of an outlet that lets grains out: all of the disc, or in a two-dimensional case the strip of it inside the slab [m²].
double openArea(const World&, const Emitter&, const Outlet&);

/// Refuses emitters from which no grain could come.
void checkEmitters(const World&, Problems&);

/// Lets out what is due at the world's time; nothing until a layer of grains has moved on. The warning is empty or says that
/// the emitter cannot keep up, once.
struct Emitted {
    std::int64_t count = 0;
    double mass = 0;   // [kg]
    std::string warning;
};
Emitted emit(const Exec&, World&, Method&, std::size_t emitter);

}  // namespace talus::world
