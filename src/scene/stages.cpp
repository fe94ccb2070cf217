// SPDX-License-Identifier: Apache-2.0
#include "scene/stages.h"

#include "scene/build.h"
#include "scene/description.h"
#include "scene/key_path.h"
#include "scene/suggestion.h"
#include "scene/writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace talus::scene {

void MassDescription::keys(KeyVisitor& v) {
    region.keys(v, {.name = "region", .help = "where to weigh the grains", .required = true});
    v.number({"above", "mass that must be exceeded", Dimension::mass, nonNegative()}, above);
    v.number({"below", "mass that it must fall below", Dimension::mass, positive()}, below);
    if (above.has_value() == below.has_value()) v.problem("above", "give either 'above' or 'below'");
}

void ProbeConditionDescription::keys(KeyVisitor& v) {
    v.text({.name = "name", .help = "name of the probe", .required = true}, name);
    v.text({.name = "column", .help = "column of its table, with the unit", .required = true}, column);
    v.number({"above", "value that must be exceeded, in the unit of the column"}, above);
    v.number({"below", "value that it must fall below, in the unit of the column"}, below);
    if (above.has_value() == below.has_value()) v.problem("above", "give either 'above' or 'below'");
}

void UntilDescription::keys(KeyVisitor& v) {
    v.number({"time", "how long the stage lasts", Dimension::time, Range{.min = kShortestTime}}, time);
    v.number({"speed_below", "mean speed of the grains, weighted by mass, that it must fall below", Dimension::velocity, positive()}, speedBelow);
    v.table({"mass", "mass of the grains in a region"}, massGiven, [&](KeyVisitor& inside) { mass.keys(inside); });
    v.table({"probe", "latest value of a probe"}, probeGiven, [&](KeyVisitor& inside) { probe.keys(inside); });
    v.number({"for", "how long the condition must hold", Dimension::time, nonNegative()}, hold);
    v.number({"every", "simulated time between two looks at the condition", Dimension::time, Range{.min = kShortestTime}}, every);
    v.number({"at_most", "how long the stage may last; required for all conditions but time", Dimension::time, Range{.min = kShortestTime}}, atMost);
    v.flag({"required", "whether a stage that reaches at_most is a failure (exit code 4) and not a warning"}, required);

    const int given = (time ? 1 : 0) + (speedBelow ? 1 : 0) + (massGiven ? 1 : 0) + (probeGiven ? 1 : 0);
    if (given != 1) {
        v.problem("", fmt::format("'{}' needs one of time, speed_below, mass and probe, and has {}", v.path(), given));
    } else if (time) {
        if (atMost) v.problem("at_most", "a stage that lasts a given time needs no at_most");
    } else if (!atMost) {
        v.problem("", fmt::format("'{}' needs at_most: how long to wait if the condition is never met", v.path()));
    } else if (hold >= *atMost) {
        v.problem("for", fmt::format("the condition cannot hold for {} s within at_most = {} s", hold, *atMost));
    } else if (every > *atMost) {
        v.problem("every", fmt::format("the condition would never be looked at: every = {} s is longer than at_most = {} s", every, *atMost));
    }
}

void StageDescription::keys(KeyVisitor& v) {
    v.text({.name = "name", .help = "name of the stage in files and messages", .required = true}, name);
    v.table({"until", "when the stage is over; only the last one may do without, and ends with time.end"}, untilGiven,
            [&](KeyVisitor& inside) { until.keys(inside); });
    v.flag({"reset_time", "whether the clock and series.csv begin anew with this stage"}, resetTime);
    v.changes({"set", "changes that hold from this stage on, by the paths of keys as --set has them"}, set);
}

// ---- what a stage may change ---------------------------------------------------------------------------------------

namespace {

/// A key at the top of the scene, or keys of the items of a list.
struct Changeable {
    std::string_view top;
    std::vector<std::string_view> keys;
};
const std::array<Changeable, 8> kChangeable{{{"gravity", {}},
                                             {"air", {}},
                                             {"materials", {"friction_angle_deg", "mu_hat", "match"}},
                                             {"contacts", {"friction", "restitution"}},
                                             {"bodies", {"active", "contact", "material", "motion", "surface_velocity"}},
                                             {"emitters", {"rate", "rate_per_metre", "grains_per_second", "speed", "velocity", "begin", "end"}},
                                             {"sinks", {"begin", "end"}},
                                             {"forces", {"velocity", "circulation", "scale", "begin", "end"}}}};

std::string changeableText() {
    std::string text;
    for (const Changeable& c : kChangeable)
        text += c.keys.empty() ? fmt::format("{}{}", text.empty() ? "" : ", ", c.top) : fmt::format("; of {}: {}", c.top, fmt::join(c.keys, ", "));
    return text;
}

/// Items by their index: "bodies.gate.motion" is "bodies[2].motion".
KeyPath byIndex(const Value& root, KeyPath path) {
    const Value* list = path.empty() ? nullptr : root.as<Table>()->find(path[0].key);
    const Array* items = list ? list->as<Array>() : nullptr;
    if (!items || path.size() < 2 || path[1].index) return path;
    for (std::size_t i = 0; i < items->size(); ++i) {
        const Table* item = (*items)[i].as<Table>();
        const Value* name = item ? item->find("name") : nullptr;
        if (name && name->as<std::string>() && *name->as<std::string>() == path[1].key) {
            path[1] = {{}, i};
            break;
        }
    }
    return path;
}

std::string whyNot(const Value& root, const KeyPath& path, const std::string& text) {
    const Value* parameters = root.as<Table>()->find("parameters");
    const Table* names = parameters ? parameters->as<Table>() : nullptr;
    if (path[0].key == "parameters" || (path.size() == 1 && names && names->find(path[0].key)))
        return fmt::format("a stage cannot change the parameter '{}': expressions are evaluated before the run; set the keys that it stands in", text);
    const auto found = std::ranges::find(kChangeable, path[0].key, &Changeable::top);
    const bool allowed = found != kChangeable.end() && (found->keys.empty() ? true : path.size() > 2 && std::ranges::find(found->keys, path[2].key) != found->keys.end());
    if (allowed) return {};
    return fmt::format("a stage cannot change '{}'; it may change {}", text, changeableText());
}

bool startsWith(const KeyPath& path, const KeyPath& beginning) {
    if (beginning.size() > path.size()) return false;
    for (std::size_t i = 0; i < beginning.size(); ++i)
        if (path[i].key != beginning[i].key || path[i].index != beginning[i].index) return false;
    return true;
}

const Table* setOf(const Value& root, std::size_t stage) {
    const Value* stages = root.as<Table>()->find("stages");
    const Array* items = stages ? stages->as<Array>() : nullptr;
    const Table* table = items && stage < items->size() ? (*items)[stage].as<Table>() : nullptr;
    const Value* set = table ? table->find("set") : nullptr;
    return set ? set->as<Table>() : nullptr;
}

}  // namespace

namespace {

/// The names under which a change begins with its stage (world::Stage::given), and the bodies that are given a motion.
void noteGiven(const SceneDescription& scene, const KeyPath& path, StageChanges& changes) {
    const std::string& list = path[0].key;
    if (list == "gravity") changes.given.insert(list);
    if (path.size() < 3 || !path[1].index) return;
    const std::size_t i = *path[1].index;
    const std::string& key = path[2].key;
    const bool window = key == "begin" || key == "end";
    if (list == "bodies" && i < scene.bodies.size()) {
        const BodyDescription& body = scene.bodies[i];
        const bool load = path.size() > 3 && key == "motion" && (path[3].key == "force" || path[3].key == "torque");
        if (key == "motion" && !load) changes.motions.push_back(i);
        for (std::size_t copy = 0; copy < body.copies.size(); ++copy) changes.given.insert(fmt::format("bodies.{}.{}", nameOfCopy(body.name, body.copies, copy), load ? path[3].key : key));
    }
    if (list == "emitters" && i < scene.emitters.size())
        changes.given.insert(fmt::format("emitters.{}.{}", scene.emitters[i].name, window ? "window" : key == "speed" ? "velocity" : key == "grains_per_second" || key == "rate_per_metre" ? "rate" : key));
    if (list == "sinks" && i < scene.sinks.size()) changes.given.insert(fmt::format("sinks.{}.window", scene.sinks[i].name));
    if (list == "forces") changes.given.insert(fmt::format("forces[{}].{}", i, window ? "window" : "field"));
}

}  // namespace

StageChanges changesOf(const Value& root, const SceneDescription& scene, std::size_t stage, Diagnostics& diagnostics) {
    StageChanges changes;
    const Table* set = setOf(root, stage);
    if (!set) return changes;
    const std::string at = fmt::format("stages[{}].set", stage);
    std::vector<std::pair<KeyPath, std::string>> seen;
    for (Override& change : overridesIn(*set)) {
        const std::optional<KeyPath> parsed = parsePath(change.path);
        const std::string problem = parsed ? whyNot(root, *parsed, change.path) : fmt::format("'{}' is not the path of a key; write for example bodies.gate.motion", change.path);
        if (!problem.empty()) {
            diagnostics.error(change.place, at, problem);
            continue;
        }
        const KeyPath path = byIndex(root, *parsed);
        const auto clash = std::ranges::find_if(seen, [&](const auto& other) { return startsWith(path, other.first) || startsWith(other.first, path); });
        if (clash != seen.end()) {
            diagnostics.error(change.place, at, fmt::format("'{}' and '{}' of this stage set the same key; keep one of them", clash->second, change.path));
            continue;
        }
        seen.emplace_back(path, change.path);
        noteGiven(scene, path, changes);
        changes.overrides.push_back(std::move(change));
    }
    return changes;
}

// ---- rules between stages ------------------------------------------------------------------------------------------

namespace {

class StageChecker {
public:
    StageChecker(const SceneDescription& scene, FunctionRef<bool(std::string_view)> wellRead, Problems& problems)
        : scene_(scene), wellRead_(wellRead), problems_(problems) {}

    void run() {
        const std::vector<StageDescription>& stages = scene_.stages;
        for (std::size_t i = 0; i < stages.size(); ++i) {
            const std::string path = fmt::format("stages[{}]", i);
            if (!stages[i].untilGiven && i + 1 < stages.size())
                error(path, fmt::format("stage \"{}\" needs 'until': only the last stage may go on to the end of the run", stages[i].name));
            if (i == 0 && stages[i].resetTime) error(path + ".reset_time", "the first stage begins at time 0 as it is; reset_time is for a later one");
            if (stages[i].untilGiven && stages[i].until.massGiven) region(path + ".until.mass", stages[i].until.mass);
        }
        if (!stages.empty() && wellRead_("stages") && wellRead_("time")) clock();
    }

private:
    void error(const std::string& path, std::string message) {
        if (wellRead_(path)) problems_.error(path, std::move(message));
    }

    // Every stage but the last has a longest duration, so the latest moments are known before the run.
    void clock() {
        const std::vector<StageDescription>& stages = scene_.stages;
        double begin = 0, total = 0;
        for (std::size_t i = 0; i < stages.size(); ++i) {
            if (stages[i].resetTime) begin = 0;
            if (i + 1 == stages.size()) break;
            begin += stages[i].until.longest();
            total += stages[i].until.longest();
        }
        const std::string last = fmt::format("stages[{}]", stages.size() - 1);
        const double end = scene_.time.end, rate = scene_.time.framesPerSecond;
        if (begin >= end)
            error(last, fmt::format("stage \"{}\" may begin as late as {:.6g} s, but the run ends at time.end = {:.6g} s; raise time.end, shorten the stages before it, or give it reset_time = true",
                                    stages.back().name, begin, end));
        constexpr double kLongestRun = 1e6, kMostFrames = 1e7;   // as for time.end
        total += end - begin;
        if (total > kLongestRun || total * rate > kMostFrames)
            error(last, fmt::format("the stages may last {:.3g} s together, {:.3g} frames; at most {:.0g} s and {:.0g} frames are possible", total, total * rate, kLongestRun, kMostFrames));
    }

    void region(const std::string& path, const MassDescription& mass) {
        if (!wellRead_(path)) return;
        const std::size_t before = problems_.errors().size();
        geometry::check(mass.region, path + ".region", problems_);
        if (problems_.errors().size() > before || !wellRead_("domain")) return;
        const Aabb box = geometry::build(mass.region)->bounds();
        for (int axis = 0; axis < 3; ++axis)
            if (box.max[axis] <= scene_.domain.min[axis] || box.min[axis] >= scene_.domain.max[axis])
                return error(path + ".region", fmt::format("the region lies outside the domain along {}: no grain is ever in it", "xyz"[axis]));
    }

    const SceneDescription& scene_;
    FunctionRef<bool(std::string_view)> wellRead_;
    Problems& problems_;
};

}  // namespace

void checkStages(const SceneDescription& scene, FunctionRef<bool(std::string_view path)> wellRead, Problems& problems) {
    StageChecker(scene, wellRead, problems).run();
}

void checkGivenMotions(const SceneDescription& scene, const SceneDescription& changed, const StageChanges& changes, Problems& problems) {
    for (const std::size_t i : changes.motions) {
        const std::string path = fmt::format("bodies[{}]", i), &name = scene.bodies[i].name;
        const FreeDescription *before = scene.bodies[i].free(), *free = changed.bodies[i].free();
        if (!free) continue;
        const bool own = before && before->velocity == free->velocity && before->angularVelocity == free->angularVelocity;   // of its start
        if (!own && (norm(free->velocity) > 0 || norm(free->angularVelocity) > 0))
            problems.error(path + ".motion", fmt::format("body '{}' becomes free with the velocity that it has then; leave out velocity and angular_velocity", name));
        checkFreeBody(changed.bodies[i], path, problems);
    }
    for (std::size_t i = 0; i < std::min(scene.emitters.size(), changed.emitters.size()); ++i)
        if (const auto byCount = [](const EmitterDescription& e) { return !(e.grainsPerSecond.constant() && e.grainsPerSecond.at(0) == 0); };
            byCount(scene.emitters[i]) != byCount(changed.emitters[i]))
            problems.error(fmt::format("emitters[{}]", i), fmt::format("emitter '{}' keeps its account in {}; a stage cannot change that", scene.emitters[i].name,
                                                                       byCount(scene.emitters[i]) ? "grains: give grains_per_second" : "kg: give rate"));
}

std::size_t resolveGivenPaths(const Value& root, const std::string& folder, std::size_t stage, const StageChanges& changes, SceneDescription& scene, SceneDescription& changed,
                              FunctionRef<bool(std::string_view path)> wellRead, Problems& problems) {
    std::set<std::size_t> given;
    for (const std::size_t i : changes.motions)
        if (std::ranges::any_of(changed.bodies[i].motion, [](const MotionDescription& m) { return std::holds_alternative<PathDescription>(m.kind); })) given.insert(i);
    const std::size_t missing = resolvePaths(changed, folder, wellRead, problems);
    std::vector<KeyChange>& set = scene.stages[stage].set;
    for (const std::size_t i : given) {
        const KeyPath motion{{"bodies", {}}, {{}, i}, {"motion", {}}};
        std::erase_if(set, [&](const KeyChange& change) { return startsWith(byIndex(root, *parsePath(change.path)), motion); });
        TomlWriter writer(TomlWriter::Layout::inlineTable);
        writer.list({"motion", ""}, changed.bodies[i].motion);
        const Value written = parseToml(writer.text(), "");   // as a change reads back
        set.push_back({fmt::format("bodies.{}.motion", scene.bodies[i].name), valueText(*written.as<Table>()->find("motion"))});
    }
    return missing;
}

std::optional<world::Until> buildUntil(const StageDescription& stage, const DomainDescription& domain) {
    if (!stage.untilGiven) return {};
    const UntilDescription& d = stage.until;
    world::Until until{.condition = world::AfterTime{d.time.value_or(0)}, .hold = d.hold, .every = d.every, .atMost = d.longest(), .required = d.required};
    if (d.speedBelow) until.condition = world::WhenSlow{*d.speedBelow};
    if (d.probeGiven) until.condition = world::WhenProbe{d.probe.name, d.probe.column, d.probe.above ? *d.probe.above : *d.probe.below, d.probe.above.has_value()};
    if (d.massGiven) until.condition = world::WhenMass{acrossFaces(geometry::build(d.mass.region), domain), d.mass.above ? *d.mass.above : *d.mass.below, d.mass.above.has_value()};
    return until;
}

}  // namespace talus::scene
