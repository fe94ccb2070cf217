// SPDX-License-Identifier: Apache-2.0
// One way of simulating grains. All methods stand behind this interface; see docs/architecture.md.
#pragma once

#include "core/archive.h"
#include "core/exec.h"
#include "core/keys.h"
#include "core/problems.h"
#include "world/fields.h"
#include "world/world.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace talus::world {

struct Inserted {
    std::int64_t count = 0;
    double mass = 0;             // [kg]
};
struct Removed {
    std::int64_t count = 0;
    double mass = 0;             // [kg]
    Vec3 momentum;               // [kg m/s]
};

struct Done {};
/// The step was too long; grains, bodies, loads and random counters are as before it.
struct Rejected {
    double dt;                   // [s], to try instead
};
struct Failed {
    std::string what;
    std::int64_t grain = -1;     // id
    Vec3 position{};             // [m]
    std::string field{};
};
using StepReport = std::variant<Done, Rejected, Failed>;

/// A number about the last step or the run: a column of series.csv (name with unit) or a count in run.json.
struct Metric {
    std::string name;
    double value = 0;
};

/// Grains that are not spheres, for pictures: the spheres x, y, z, r of their common shape. A grain is that shape times its radius
/// over the shape's.
struct GrainTemplate {
    std::string name;
    std::vector<std::array<double, 4>> spheres;
};

/// What a method can write with each frame besides its grains, at places of its own: forces between grains, its grid.
struct SecondOutput {
    std::string_view name;               // files NAME_000012.vtp, and the key of [output] that asks for them
    std::string_view help;               // of that key
    std::span<const FieldInfo> fields;   // `position` first; of lines `from` and `to`
    bool lines = false;                  // a row is a line between two places
};

class Method {
public:
    virtual ~Method() = default;

    /// Puts grains of the fill into the world, less where there is no room; ids come from world.nextId.
    virtual Inserted insert(const Exec&, World&, const Fill&) = 0;
    /// Takes out the grains in the region; `taken` gets their promised fields (kPromisedFields, in that order) as they leave.
    virtual Removed erase(const Exec&, const Region&, ChunkSink* taken = nullptr) = 0;
    virtual std::int64_t count() const = 0;
    /// Distance of neighbours among packed grains of the method's own size, by which emitters space them [m]; 0: it has none, and
    /// nothing can be emitted.
    virtual double grainSpacing() const { return 0; }
    /// The clock is set back by this many seconds: birth times are from now on that much smaller.
    virtual void setClockBack(double by) = 0;

    /// Longest step that is stable now [s]; constant time.
    virtual double stableStep(const World&) const = 0;
    /// Advances grains from world.time by exactly dt (the caller then sets world.time); reports loads to world.bodies.
    virtual StepReport step(const Exec&, World&, double dt) = 0;

    virtual std::span<const FieldInfo> fields() const = 0;
    /// Copies out the named fields (all must be in fields()), chunk by chunk, in an order that depends on the state alone.
    virtual void read(const Exec&, FieldNames, ChunkSink&) const = 0;

    /// By the field `template`; none where all grains are spheres.
    virtual std::vector<GrainTemplate> templates() const { return {}; }
    /// Copies out the fields of one of MethodInfo::secondOutputs, in an order that depends on the state alone. What belongs to a step is that
    /// of the last one since this object was made or loaded; before it there is none.
    virtual void readSecond(const SecondOutput&, ChunkSink&) const {}

    virtual std::vector<Metric> metrics() const { return {}; }     // of the last step
    virtual std::vector<Metric> fallbacks() const { return {}; }   // numerical emergencies, counted since the start

    /// What went on in steps that a user should know of, since the last call.
    virtual std::vector<std::string> takeWarnings() { return {}; }

    virtual void save(Archive&) const = 0;
    virtual void load(const Exec&, const Archive&) = 0;
};

enum class Precision { float32, float64 };

struct MethodInfo;
struct MethodSettings;

/// A method of the scene with the settings that it would run with.
struct KnownMethod {
    const MethodInfo* info = nullptr;
    const MethodSettings* settings = nullptr;
};

/// Settings of one method: the scene's table of its name.
struct MethodSettings {
    virtual ~MethodSettings() = default;
    virtual void keys(KeyVisitor&) = 0;
    /// For a method that owns another one: all methods of the scene, before keys() is first called. Their settings live as
    /// long as these do, and get their values from the scene later.
    virtual void meet(std::span<const KnownMethod>) {}
};

struct Estimate {
    std::int64_t grains = 0;
    double bytes = 0;            // at the peak
    double size = 0;             // simulated grain size: spacing or diameter [m]
    double carrierSize = 0;      // the same of what the forces act on where that is not the grains: of guides [m]

    /// By what openings and layers are to be judged [m].
    double resolved() const { return carrierSize > 0 ? carrierSize : size; }
};

/// What is known of a method before it runs.
struct MethodInfo {
    std::string_view name;
    std::string_view summary;    // one line
    std::string_view citation;   // key in docs/references.bib
    std::span<const FieldInfo> fields;
    std::unique_ptr<MethodSettings> (*settings)();                                  // with their defaults
    void (*check)(const MethodSettings&, const World&, Problems&);                  // what it cannot do, it refuses here
    Estimate (*estimate)(const MethodSettings&, const World&, Precision);           // allocates nothing
    std::unique_ptr<Method> (*create)(const MethodSettings&, const World&, Precision);
    bool continuum = false;      // its grains are material points, which leave no pores between them
    /// Width along `axis` that it gives a two-dimensional case at the resolution of this world [m]; 0 where that is not known.
    double (*slabWidth)(const MethodSettings&, const World&, int axis) = nullptr;
    /// How near to the surface of a body its grains may feel it, along each axis [m].
    Vec3 (*bodyReach)(const MethodSettings&, const World&) = nullptr;
    /// Whether grains of a table may have a friction of their own, rather than that of their material; without it none have.
    bool (*frictionByGrain)(const MethodSettings&) = nullptr;
    bool startsFromFrames = true;   // a frame holds what another run needs to go on from it
    /// Fields beyond the promised ones that pictures of the grains need; every frame has them.
    std::vector<std::string_view> (*drawnFields)(const MethodSettings&) = nullptr;
    std::span<const SecondOutput> secondOutputs = {};
};

}  // namespace talus::world
