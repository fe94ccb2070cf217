// SPDX-License-Identifier: Apache-2.0
// A scene as plain structs: what the TOML file says after variants, overrides, parameters, expressions and units, with
// every default filled in. Each struct declares its keys beside its members (core/keys.h).
#pragma once

#include "core/keys.h"
#include "geometry/shape_description.h"
#include "world/method.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace talus::scene {

struct TimeDescription {
    double end = 1;                       // [s]
    double framesPerSecond = 24;          // [1/s]
    void keys(KeyVisitor&);
};

struct FaceDescription {
    world::FaceType type = world::FaceType::wall;
    std::string material;
    world::ContactMode contact = world::ContactMode::separate;
    void keys(KeyVisitor&);
};

struct DomainDescription {
    Vec3 min{0, 0, 0}, max{1, 1, 1};      // [m]
    std::array<FaceDescription, 6> faces; // x_min … z_max; the keys x, y, z set both faces of an axis
    void keys(KeyVisitor&);
};

struct ResolutionDescription {
    std::optional<std::int64_t> grains;
    std::optional<double> size;           // [m]
    void keys(KeyVisitor&);
};

struct MaterialDescription {
    std::string name;
    std::optional<double> density, bulkDensity, packingFraction;   // any two; default 2600 kg/m³ and 0.6
    std::optional<double> frictionAngleDeg, muHat;                 // one of them; default 30°
    world::FrictionMatch match = world::FrictionMatch::tan;
    double grainDiameter = 5e-4;          // [m]
    void keys(KeyVisitor&);
};

struct ContactDescription {
    std::vector<std::string> between;     // two material names
    double friction = 0.5, restitution = 0;
    void keys(KeyVisitor&);
};

struct FillDescription {
    std::string material;
    geometry::ShapeDescription region;
    Vec3 velocity{0, 0, 0};               // [m/s]
    void keys(KeyVisitor&);
};

struct MotionDescription;                 // see motion keys in the scene reference

struct OutputDescription {
    std::vector<std::string> fields;      // beyond the promised ones; "all" for every field
    std::int64_t firstFrame = 0;          // number of the first frame file
    double checkpointInterval = 0;        // [s] of simulated time; 0: with every frame
    void keys(KeyVisitor&);
};

}  // namespace talus::scene
