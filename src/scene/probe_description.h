// SPDX-License-Identifier: Apache-2.0
// [[probes]] as plain structs. docs/measurements.md explains each kind.
#pragma once

#include "core/keys.h"
#include "core/problems.h"
#include "geometry/shape_description.h"
#include "world/probes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace talus::scene {

struct SceneDescription;

/// Which way is up, as heights are counted.
enum class Up { againstGravity, x, y, z, minusX, minusY, minusZ };
enum class MixBy { material, source };

struct FilterDescription {
    bool given = false;
    std::optional<std::string> material;
    std::optional<std::int64_t> source;
    std::vector<double> size;   // smallest and largest diameter [m]
    void keys(KeyVisitor&);
};

struct ReductionDescription {
    std::string name;
    std::optional<std::string> column;
    world::Reduce reduce = world::Reduce::last;
    double percentile = 50;     // [%]
    std::optional<double> from, to;   // [s]
    void keys(KeyVisitor&);
};

struct OptionalRegion {
    bool given = false;
    geometry::ShapeDescription shape;
    void keys(KeyVisitor&, std::string_view help);
};

struct RegionProbeDescription {
    static constexpr std::string_view kType = "region";
    OptionalRegion region;
    void keys(KeyVisitor&);
};
struct StatisticProbeDescription {
    static constexpr std::string_view kType = "statistic";
    OptionalRegion region;
    std::string field;
    std::optional<std::string> component;
    world::Statistic statistic = world::Statistic::mean;
    world::Weight weight = world::Weight::number;
    std::vector<double> percentiles{10, 50, 90};   // [%]
    std::optional<double> from, to;                // of the histogram
    std::int64_t bins = 20;
    void keys(KeyVisitor&);
};
struct ForceProbeDescription {
    static constexpr std::string_view kType = "force";
    std::string body;
    std::optional<Vec3> point;   // [m]
    void keys(KeyVisitor&);
};
struct MotionProbeDescription {
    static constexpr std::string_view kType = "motion";
    std::string body;
    void keys(KeyVisitor&);
};
struct FluxProbeDescription {
    static constexpr std::string_view kType = "flux";
    Vec3 point, normal{0, 0, 1};
    std::optional<double> radius;   // [m]
    void keys(KeyVisitor&);
};
struct ResidenceProbeDescription {
    static constexpr std::string_view kType = "residence";
    OptionalRegion region;
    void keys(KeyVisitor&);
};
struct TrackProbeDescription {
    static constexpr std::string_view kType = "track";
    std::vector<double> ids;
    std::vector<double> near;       // points, row by row [m]
    std::int64_t count = 1;
    std::vector<std::string> fields;
    void keys(KeyVisitor&);
};
struct HeightProbeDescription {
    static constexpr std::string_view kType = "height";
    Vec3 from, to;                  // [m]
    std::optional<double> width;    // [m]
    std::int64_t bins = 50;
    world::HeightMeasure measure = world::HeightMeasure::filled;
    std::optional<double> gap;      // [m]
    Up up = Up::againstGravity;
    void keys(KeyVisitor&);
};
/// A rectangle of the ground: height_map and slope.
struct GroundDescription {
    std::optional<Vec3> min, max;   // [m]; default: the domain
    std::vector<double> cells{32, 32};
    world::HeightMeasure measure = world::HeightMeasure::filled;
    std::optional<double> gap;      // [m]
    Up up = Up::againstGravity;
    void keys(KeyVisitor&);
};
struct HeightMapProbeDescription : GroundDescription {
    static constexpr std::string_view kType = "height_map";
};
struct SlopeProbeDescription : GroundDescription {
    static constexpr std::string_view kType = "slope";
    SlopeProbeDescription() { measure = world::HeightMeasure::surface; }
};
/// Distances from an origin: front and repose.
struct FlankDescription {
    Vec3 origin;                    // [m]
    std::optional<Vec3> direction;
    std::optional<double> reach, width;   // [m]
    std::int64_t bins = 50;
    Up up = Up::againstGravity;
    void keys(KeyVisitor&);
};
struct FrontProbeDescription : FlankDescription {
    static constexpr std::string_view kType = "front";
    double fraction = 0.99;
    double thickness = 0.01;        // [m]
    void keys(KeyVisitor&);
};
struct ReposeProbeDescription : FlankDescription {
    static constexpr std::string_view kType = "repose";
    std::int64_t sectors = 8;
    double low = 0.15, high = 0.85;
    void keys(KeyVisitor&);
};
struct ProfileProbeDescription {
    static constexpr std::string_view kType = "profile";
    Vec3 from, to;                  // [m]
    std::optional<double> width;    // [m]
    std::int64_t bins = 50;
    void keys(KeyVisitor&);
};
struct LatticeProbeDescription {
    static constexpr std::string_view kType = "lattice";
    std::optional<Vec3> min, max;   // [m]; default: the domain
    std::vector<double> cells{16, 16, 16};
    void keys(KeyVisitor&);
};
struct MixingProbeDescription {
    static constexpr std::string_view kType = "mixing";
    MixBy by = MixBy::material;
    std::vector<std::string> materials;   // two
    std::vector<double> sources;          // two
    std::optional<Vec3> min, max;         // [m]; default: the domain
    std::vector<double> cells{8, 8, 8};
    std::int64_t leastGrains = 5;
    void keys(KeyVisitor&);
};

struct ProbeDescription {
    using Kind = std::variant<RegionProbeDescription, StatisticProbeDescription, ForceProbeDescription, MotionProbeDescription, FluxProbeDescription,
                              HeightProbeDescription, HeightMapProbeDescription, FrontProbeDescription, ReposeProbeDescription, SlopeProbeDescription,
                              ProfileProbeDescription, LatticeProbeDescription, MixingProbeDescription, ResidenceProbeDescription, TrackProbeDescription>;
    std::string name;
    Kind kind;
    std::optional<double> rate;     // samples per second; at frames unless given
    FilterDescription filter;
    std::vector<ReductionDescription> results;
    void keys(KeyVisitor&);
};

/// Unit vector against gravity or as chosen; along an axis, so that columns of a grid stand upright.
Vec3 upwards(Up, const Vec3& gravity);

/// Of a scene that passed check().
std::vector<world::ProbePlan> buildProbes(const SceneDescription&, const world::World&);

/// Results that name columns which their probes do not have: asked of a scene that is otherwise right.
void checkResults(const SceneDescription&, const world::World&, Problems&);

}  // namespace talus::scene
