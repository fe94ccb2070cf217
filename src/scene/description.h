// SPDX-License-Identifier: Apache-2.0
// A scene as plain structs: what the TOML file says after variants, overrides, parameters, expressions and units, with
// every default filled in. Each struct declares its keys beside its members (core/keys.h).
#pragma once

#include "core/keys.h"
#include "geometry/shape_description.h"
#include "scene/bodies.h"
#include "scene/flows.h"
#include "scene/look.h"
#include "scene/parameters.h"
#include "scene/probe_description.h"
#include "scene/scene.h"
#include "scene/stages.h"
#include "world/method.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace talus::scene {

struct TimeDescription {
    double end = 1;                // [s]
    double framesPerSecond = 24;   // [1/s]
    void keys(KeyVisitor&);
};

struct FaceDescription {
    bool given = false;
    std::string_view key;   // that gave it: "x" or "x_min"
    world::FaceType type = world::FaceType::wall;
    std::optional<std::string> material;
    world::ContactMode contact = world::ContactMode::separate;
    void keys(KeyVisitor&, std::span<const std::string_view> types);
};

enum class Slab { none, x, y, z };

struct DomainDescription {
    Vec3 min{0, 0, 0}, max{1, 1, 1};        // [m]
    Slab slab = Slab::none;                 // axis across a two-dimensional case
    std::array<FaceDescription, 3> axes;    // x, y, z: both faces at once; after resolve() only where periodic
    std::array<FaceDescription, 6> faces;   // x_min … z_max
    void keys(KeyVisitor&);
    void resolve();

    int slabAxis() const { return static_cast<int>(slab) - 1; }   // -1: none
    bool widthIsOpen() const { return slab != Slab::none && min[slabAxis()] == max[slabAxis()]; }

private:
    void slabRule(KeyVisitor&, std::string_view key) const;
};

struct ResolutionDescription {
    std::optional<std::int64_t> grains;   // one of the two; default 100000 grains
    std::optional<double> size;           // [m]
    void keys(KeyVisitor&);
    void resolve();
};

struct MaterialDescription {
    std::string name;
    std::optional<std::string> preset;
    std::optional<double> density, bulkDensity, packingFraction;   // any two; default 2600 kg/m³ and 0.6
    std::optional<double> frictionAngleDeg, muHat;                 // one of them; default 30°
    world::FrictionMatch match = world::FrictionMatch::tan;
    double grainDiameter = 5e-4;   // [m]
    double cohesion = 0;           // [Pa]
    MaterialLookDescription look;
    void keys(KeyVisitor&);
    void resolve();         // leaves density and packing fraction, and one friction
    double slope() const;   // μ̂ of the cone, after resolve()
};

struct ContactDescription {
    std::vector<std::string> between;   // two material names
    double friction = world::Contact{}.friction;
    std::optional<double> restitution;
    void keys(KeyVisitor&);
};

struct FixedDescription {
    static constexpr std::string_view kType = "fixed";
    void keys(KeyVisitor&) {}
};
struct VelocityDescription {
    static constexpr std::string_view kType = "velocity";
    Schedule<Vec3> velocity;   // [m/s]
    void keys(KeyVisitor&);
};
struct SpinDescription {
    static constexpr std::string_view kType = "spin";
    Vec3 axis{0, 0, 1};
    Schedule<double> rate;   // [rad/s]
    void keys(KeyVisitor&);
};
struct OscillationDescription {
    static constexpr std::string_view kType = "oscillation";
    std::optional<Vec3> amplitude, amplitudeDeg;   // [m], or [°] about its direction; one of them
    double frequency = 1;                          // [Hz]
    double phaseDeg = 0;
    void keys(KeyVisitor&);
};
struct KeyframesDescription {
    static constexpr std::string_view kType = "keyframes";
    world::Interpolation interpolation = world::Interpolation::smooth;
    std::vector<double> times;           // [s]
    std::vector<double> displacements;   // x, y, z, x, … [m]; empty: none
    std::vector<double> rotationsDeg;    // rotation vectors; empty: none
    void keys(KeyVisitor&);
};
struct MotionDescription {
    std::variant<FixedDescription, VelocityDescription, SpinDescription, OscillationDescription, KeyframesDescription, PathDescription, FreeDescription> kind;
    void keys(KeyVisitor&);
};

struct BodyDescription {
    std::string name;
    std::optional<std::string> material;
    world::ContactMode contact = world::ContactMode::separate;
    Vec3 position;   // [m]
    Vec3 rotationDeg;
    std::vector<MotionDescription> motion;
    std::vector<double> active;                  // from, until [s]; empty: always
    std::vector<BeltDescription> surfaceVelocity;   // none or one
    CopiesDescription copies;
    geometry::ShapeDescription shape;   // in coordinates of the body
    BodyLookDescription look;
    void keys(KeyVisitor&);
    const FreeDescription* free() const;   // null unless its motion is free
};

struct FillDescription {
    std::string material;     // empty: by the column of a table
    bool hasRegion = false;
    geometry::ShapeDescription region;
    std::optional<std::string> table;   // a file, instead of a region
    double scale = 1;
    Vec3 position, rotationDeg;         // of the table
    Vec3 velocity{0, 0, 0};   // [m/s]
    std::shared_ptr<const world::ListedGrains> listed;   // what loadTables() read
    void keys(KeyVisitor&);
};

struct OutputDescription {
    struct Second {
        const world::MethodInfo* of;
        world::SecondOutput output;
        bool wanted = false;
    };
    std::vector<std::string> fields;   // beyond the promised ones; "all" for every field
    std::vector<Second> seconds;
    io::FrameStyle positions = io::FrameStyle::exact;
    std::int64_t firstFrame = 0;       // number of the first frame file
    double checkpointInterval = 0;     // [s] of simulated time; 0: with every frame
    void keys(KeyVisitor&);
};

struct SceneDescription {
    explicit SceneDescription(Methods);

    std::vector<const world::MethodInfo*> methods;
    int method = 0;   // index into methods
    std::int64_t seed = 1;
    Schedule<Vec3> gravity{Vec3{0, 0, -9.81}};   // [m/s²]
    world::Precision precision = world::Precision::float32;
    TimeDescription time;
    DomainDescription domain;
    ResolutionDescription resolution;
    std::vector<Parameter> parameters;
    std::vector<MaterialDescription> materials;
    std::vector<ContactDescription> contacts;
    std::vector<BodyDescription> bodies;
    std::vector<FillDescription> grains;
    std::vector<EmitterDescription> emitters;
    std::vector<SinkDescription> sinks;
    std::vector<ForceDescription> forces;
    AirDescription air;
    std::vector<ProbeDescription> probes;
    std::vector<StageDescription> stages;
    OutputDescription output;
    CameraDescription camera;
    std::vector<std::unique_ptr<world::MethodSettings>> settings;   // of every method

    /// All but [parameters] and [variant], which have names of the user's.
    void keys(KeyVisitor&);
    /// Those that a resumed run may not change.
    void identityKeys(KeyVisitor&);
    void parameterKeys(KeyVisitor&);   // for writing
    /// Writes out what follows from other keys. Afterwards keys() shows everything that the run depends on.
    void resolve();

    const world::MethodInfo& methodInfo() const { return *methods[static_cast<std::size_t>(method)]; }
    const world::MethodSettings& methodSettings() const { return *settings[static_cast<std::size_t>(method)]; }

private:
    void generalKeys(KeyVisitor&);
    void contentKeys(KeyVisitor&);
};

/// Calls visit(shape, path of its table) for the shape of every body and for every region, given or not.
void eachShape(SceneDescription&, FunctionRef<void(geometry::ShapeDescription&, const std::string& path)> visit);
/// As the world has them: the copies of a body instead of the body.
std::vector<std::string> bodyNames(const SceneDescription&);

/// Whether the key at a path and all inside it were read without an error.
using WellRead = FunctionRef<bool(std::string_view path)>;

/// What no range of a single key can say: names, geometry, rules between tables. Keys that were not well read are left out.
void check(const SceneDescription&, WellRead, Problems&);
void checkFlows(const SceneDescription&, WellRead, Problems&);   // the part of it about emitters, sinks and forces
/// The part of it that the changes of a stage may break.
void checkChanged(const SceneDescription&, WellRead, Problems&);

}  // namespace talus::scene
