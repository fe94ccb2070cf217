// SPDX-License-Identifier: Apache-2.0
// What a scene says of grains that come and go and of air that blows: [[emitters]], [[sinks]], [[forces]], [air].
#pragma once

#include "core/keys.h"
#include "geometry/shape_description.h"
#include "world/forces.h"
#include "world/world.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace talus::scene {

/// As where nothing was given.
template <class T>
bool isZero(const Schedule<T>& schedule) {
    return schedule.constant() && schedule.at(0) == T{};
}

struct TimeWindow {
    double begin = 0;            // [s]
    std::optional<double> end;   // [s]
    void keys(KeyVisitor&, std::string_view what);
};

struct DiscDescription {
    Vec3 centre;                 // [m]
    Vec3 normal{0, 0, -1};
    double radius = 0;           // [m]
    void keys(KeyVisitor&);
};

struct MixturePart {
    std::string material;
    double fraction = 1;         // of the mass
    void keys(KeyVisitor&);
};

struct EmitterDescription {
    std::string name;
    std::optional<std::string> material;
    std::vector<MixturePart> mixture;      // instead of a material
    bool hasDisc = false, hasRegion = false;
    DiscDescription disc;
    geometry::ShapeDescription region;
    Schedule<double> rate, grainsPerSecond;   // one of them [kg/s], [1/s]
    Schedule<double> ratePerMetre;            // or this, of the width of a slab [kg/(s m)]
    Schedule<double> speed;                   // along the normal of the disc [m/s]
    Schedule<Vec3> velocity;                  // instead [m/s]
    double spreadDeg = 0, speedSpread = 0;
    TimeWindow window;
    std::optional<double> massLimit;          // [kg]
    std::optional<std::string> body;
    void keys(KeyVisitor&);
};

struct SinkDescription {
    std::string name;
    geometry::ShapeDescription region;
    TimeWindow window;
    void keys(KeyVisitor&);
};

struct WindDescription {
    static constexpr std::string_view kType = "wind";
    Schedule<Vec3> velocity;     // [m/s]
    void keys(KeyVisitor&);
};
struct VortexDescription {
    static constexpr std::string_view kType = "vortex";
    Vec3 centre, axis{0, 0, 1};
    Schedule<double> circulation;
    double coreRadius = 0.1;     // [m]
    void keys(KeyVisitor&);
};
struct FieldDescription {
    static constexpr std::string_view kType = "field";
    std::string file;
    Schedule<double> scale{1.0};
    world::LatticeField lattice;   // what loadTables() read
    void keys(KeyVisitor&);
};
struct ForceDescription {
    std::variant<WindDescription, VortexDescription, FieldDescription> kind;
    bool hasRegion = false;
    geometry::ShapeDescription region;
    TimeWindow window;
    void keys(KeyVisitor&);
};

struct AirDescription {
    world::Air air;
    void keys(KeyVisitor&);
};

}  // namespace talus::scene
