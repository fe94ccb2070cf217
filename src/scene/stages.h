// SPDX-License-Identifier: Apache-2.0
// [[stages]]: parts of a run, each with changes of the scene and a condition for its end.
#pragma once

#include "core/keys.h"
#include "geometry/shape_description.h"
#include "scene/diagnostics.h"
#include "scene/overrides.h"
#include "world/stage.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace talus::scene {

struct DomainDescription;

/// Of runs and stages; steps much shorter have no finite rates in float [s].
inline constexpr double kShortestTime = 1e-9;

struct MassDescription {
    geometry::ShapeDescription region;      // in world coordinates
    std::optional<double> above, below;     // [kg]; one of them
    void keys(KeyVisitor&);
};

struct ProbeConditionDescription {
    std::string name, column;
    std::optional<double> above, below;     // in the unit of the column; one of them
    void keys(KeyVisitor&);
};

struct UntilDescription {
    std::optional<double> time;             // [s]; one of time, speed_below, mass and probe
    std::optional<double> speedBelow;       // [m/s]
    bool massGiven = false;
    MassDescription mass;
    bool probeGiven = false;
    ProbeConditionDescription probe;
    double hold = world::Until{}.hold;      // [s]
    double every = world::Until{}.every;    // [s]
    std::optional<double> atMost;           // [s]
    bool required = false;
    void keys(KeyVisitor&);
    double longest() const { return time ? *time : atMost.value_or(0); }
};

struct StageDescription {
    std::string name;
    bool untilGiven = false;
    UntilDescription until;
    bool resetTime = false;
    std::vector<KeyChange> set;
    void keys(KeyVisitor&);
};

struct SceneDescription;

/// Rules between stages, and between them and the scene.
void checkStages(const SceneDescription&, FunctionRef<bool(std::string_view path)> wellRead, Problems&);

/// The changes of one stage, those left out that no stage may make: they are reported.
struct StageChanges {
    std::vector<Override> overrides;
    std::set<std::string> given;            // as world::Stage has it
    std::vector<std::size_t> motions;       // bodies that are given a motion
};
StageChanges changesOf(const Value& root, const SceneDescription&, std::size_t stage, Diagnostics&);

/// A body that becomes free needs a mass and keeps its velocity; a rate keeps its kind.
void checkGivenMotions(const SceneDescription&, const SceneDescription& changed, const StageChanges&, Problems&);
/// Paths from files that a stage gives become keyframes in `changed`, and in what the stage of the scene sets, which then needs no
/// file. Returns how many files were missing.
std::size_t resolveGivenPaths(const Value& root, const std::string& folder, std::size_t stage, const StageChanges&, SceneDescription&, SceneDescription& changed,
                              FunctionRef<bool(std::string_view path)> wellRead, Problems&);
/// Probes and columns that conditions name.
void checkProbeConditions(const SceneDescription&, const world::World&, Problems&);

/// Of a description that passed its checks.
std::optional<world::Until> buildUntil(const StageDescription&, const DomainDescription&);

}  // namespace talus::scene
