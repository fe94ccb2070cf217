// SPDX-License-Identifier: Apache-2.0
#include "scene/probe_check.h"

#include "scene/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

namespace talus::scene {

namespace {

constexpr double kMostSamples = 1e7;

struct KindChecker {
    const SceneDescription& scene;
    WellRead wellRead;
    Problems& problems;
    std::string path;

    void operator()(const RegionProbeDescription& d) const { region(d.region); }
    void operator()(const StatisticProbeDescription& d) const {
        region(d.region);
        if (const world::FieldInfo* info = field("field", d.field)) component(d, *info);
    }
    void operator()(const ForceProbeDescription& d) const { body(d.body); }
    void operator()(const MotionProbeDescription& d) const { body(d.body); }
    void operator()(const FluxProbeDescription& d) const { inside("point", d.point, "the plane"); }
    void operator()(const ResidenceProbeDescription& d) const {
        if (d.region.given && wellRead(path + ".region")) geometry::check(d.region.shape, path + ".region", problems);
        const auto& faces = scene.domain.faces;
        if (scene.sinks.empty() && std::ranges::none_of(faces, [](const FaceDescription& f) { return f.given && f.type == world::FaceType::open; }))
            problems.warn(path, "no grain can leave: the scene has no sink and the domain no open face, so the table stays empty");
    }
    void operator()(const TrackProbeDescription& d) const {
        for (std::size_t i = 0; i < d.fields.size(); ++i) field(fmt::format("fields[{}]", i), d.fields[i]);
        for (std::size_t i = 0; i + 2 < d.near.size(); i += 3) inside(fmt::format("near[{}]", i / 3), {d.near[i], d.near[i + 1], d.near[i + 2]}, "the point");
    }
    void operator()(const HeightProbeDescription& d) const {
        line(d.from, d.to);
        const Vec3 up = upwards(d.up, scene.gravity.at(0)), way = d.to - d.from;
        if (norm(way) > 0 && !(norm(cross(way, up)) > 1e-6 * norm(way))) error("to", "the line runs straight up; heights need one along the ground");
    }
    void operator()(const HeightMapProbeDescription& d) const { box(d.min, d.max); }
    void operator()(const SlopeProbeDescription& d) const { box(d.min, d.max); }
    void operator()(const FrontProbeDescription& d) const { flank(d); }
    void operator()(const ReposeProbeDescription& d) const {
        flank(d);
        if (d.direction && d.sectors != 8 && d.sectors > 2) error("sectors", fmt::format("a direction has 1 flank, or 2 with the opposite one, not {}", d.sectors));
    }
    void operator()(const ProfileProbeDescription& d) const {
        line(d.from, d.to);
        const Vec3 way = d.to - d.from;
        const bool alongAxis = std::max({std::abs(way.x), std::abs(way.y), std::abs(way.z)}) >= (1 - 1e-9) * norm(way);
        if (!d.width && !alongAxis) error("width", "a line that is not along an axis of the domain needs the width of the bar that counts");
    }
    void operator()(const LatticeProbeDescription& d) const { box(d.min, d.max); }
    void operator()(const MixingProbeDescription& d) const {
        box(d.min, d.max);
        if (d.by == MixBy::material)
            for (std::size_t i = 0; i < d.materials.size(); ++i) material(fmt::format("materials[{}]", i), d.materials[i]);
        else
            for (std::size_t i = 0; i < d.sources.size(); ++i) source(fmt::format("sources[{}]", i), d.sources[i]);
    }

    void error(const std::string& key, std::string message) const {
        if (wellRead(path + "." + key)) problems.error(path + "." + key, std::move(message));
    }
    void material(const std::string& key, const std::string& name) const {
        std::vector<std::string_view> names;
        for (const MaterialDescription& m : scene.materials) names.push_back(m.name);
        if (std::ranges::find(names, name) == names.end() && std::ranges::find(names, "") == names.end())
            error(key, fmt::format("there is no material \"{}\"{}", name, suggestion(name, names, "materials", '"')));
    }
    void source(const std::string& key, double index) const {
        if (index != std::floor(index)) return error(key, fmt::format("{} is not a whole number", index));
        const std::size_t fills = scene.grains.size(), emitters = scene.emitters.size();
        if (index < static_cast<double>(fills + emitters)) return;
        error(key, emitters == 0 ? fmt::format("there is no source {}; the scene has {} [[grains]], counted from 0", index, fills)
                                 : fmt::format("there is no source {}; the scene has {} [[grains]] and then {} [[emitters]], counted from 0", index, fills, emitters));
    }
    const world::FieldInfo* field(const std::string& key, const std::string& name) const {
        std::vector<std::string_view> known;
        for (const world::FieldInfo& f : scene.methodInfo().fields) known.push_back(f.name);
        for (const world::FieldInfo& f : world::kPromisedFields)
            if (std::ranges::find(known, f.name) == known.end()) known.push_back(f.name);
        if (std::ranges::find(known, name) == known.end()) {
            error(key, fmt::format("{} has no field \"{}\"{}", scene.methodInfo().name, name, suggestion(name, known, "fields", '"')));
            return nullptr;
        }
        const world::FieldInfo* info = world::findField(scene.methodInfo().fields, name);
        return info ? info : world::findField(world::kPromisedFields, name);
    }
    void component(const StatisticProbeDescription& d, const world::FieldInfo& info) const {
        static constexpr std::array<std::string_view, 4> kVector{"x", "y", "z", "magnitude"};
        static constexpr std::array<std::string_view, 7> kTensor{"xx", "yy", "zz", "xy", "yz", "xz", "pressure"};
        if (!d.component) return;
        if (info.components == 1) return error("component", fmt::format("the field \"{}\" is a single number and has no components", info.name));
        const auto options = info.components == 3 ? std::span<const std::string_view>(kVector) : std::span<const std::string_view>(kTensor);
        if (std::ranges::find(options, *d.component) == options.end())
            error("component", fmt::format("\"{}\" is no component of {}; components are {}", *d.component, info.name, quotedList(options, '"')));
    }
    void body(const std::string& name) const {
        std::vector<std::string> owned;
        std::string note;
        for (std::size_t face = 0; face < 6; ++face) {
            const std::string wall = "domain." + std::string(world::kFaceNames[face]);
            const bool closed = !scene.domain.axes[face / 2].given && scene.domain.faces[face].type == world::FaceType::wall;
            if (closed) owned.push_back(wall);
            else if (wall == name) note = "; that face of the domain is not a wall";
        }
        std::ranges::copy(bodyNames(scene), std::back_inserter(owned));
        const std::vector<std::string_view> names(owned.begin(), owned.end());
        if (std::ranges::find(names, name) == names.end())
            error("body", fmt::format("there is no body \"{}\"{}", name, note.empty() ? suggestion(name, names, "bodies", '"') : note));
    }
    void region(const OptionalRegion& d) const {
        if (!d.given || !wellRead(path + ".region")) return;
        const std::size_t before = problems.errors().size();
        geometry::check(d.shape, path + ".region", problems);
        if (problems.errors().size() > before || !wellRead("domain")) return;
        const Aabb bounds = geometry::build(d.shape)->bounds();
        overlap("region", bounds.min, bounds.max, "the region");
    }
    void overlap(const std::string& key, const Vec3& min, const Vec3& max, std::string_view what) const {
        const DomainDescription& domain = scene.domain;
        for (int axis = 0; axis < 3; ++axis)
            if (max[axis] < domain.min[axis] || min[axis] > domain.max[axis])
                return error(key, fmt::format("{} lies outside the domain: along {} it reaches from {:.4g} to {:.4g} m, the domain from {:.4g} to {:.4g} m", what,
                                              "xyz"[axis], min[axis], max[axis], domain.min[axis], domain.max[axis]));
    }
    void inside(const std::string& key, const Vec3& x, std::string_view what) const {
        const DomainDescription& domain = scene.domain;
        if (!wellRead("domain")) return;
        for (int axis = 0; axis < 3; ++axis)
            if (x[axis] < domain.min[axis] || x[axis] > domain.max[axis])
                return error(key, fmt::format("{} lies outside the domain: its {} is {:.4g} m, the domain reaches from {:.4g} to {:.4g} m", what, "xyz"[axis], x[axis],
                                              domain.min[axis], domain.max[axis]));
    }
    void line(const Vec3& from, const Vec3& to) const {
        if (wellRead("domain")) overlap("to", talus::min(from, to), talus::max(from, to), "the line");
    }
    void box(const std::optional<Vec3>& min, const std::optional<Vec3>& max) const {
        if (!wellRead("domain")) return;
        const Vec3 low = min.value_or(scene.domain.min), high = max.value_or(scene.domain.max);
        const std::string key = max ? "max" : "min";
        if (!(minComponent(high - low) > 0)) return error(key, "the box is empty: with the corner of the domain, max is not greater than min along every axis");
        overlap(key, low, high, "the box");
    }
    void flank(const FlankDescription& d) const {
        inside("origin", d.origin, "the origin");
        const Vec3 up = upwards(d.up, scene.gravity.at(0));
        if (d.direction && norm(*d.direction) > 0 && !(norm(cross(*d.direction, up)) > 1e-6 * norm(*d.direction)))
            error("direction", "the direction points straight up or down; distances are counted along the ground");
    }
};

void results(const ProbeDescription& probe, const std::string& path, double end, WellRead wellRead, Problems& problems) {
    std::set<std::string_view> seen;
    for (std::size_t r = 0; r < probe.results.size(); ++r) {
        const ReductionDescription& result = probe.results[r];
        const std::string own = fmt::format("{}.results[{}]", path, r);
        if (result.name.empty() && wellRead(own + ".name")) problems.error(own + ".name", "a result needs a name");
        else if (!seen.insert(result.name).second && wellRead(own + ".name"))
            problems.error(own + ".name", fmt::format("the name \"{}\" is taken by an earlier result of this probe", result.name));
        if (result.from && *result.from > end && wellRead(own) && wellRead("time"))
            problems.warn(own + ".from", fmt::format("the window begins at {} s, after the end of the run at {} s: the result stays empty", *result.from, end));
    }
}

}  // namespace

void checkProbes(const SceneDescription& scene, WellRead wellRead, Problems& problems) {
    for (std::size_t i = 0; i < scene.probes.size(); ++i) {
        const ProbeDescription& probe = scene.probes[i];
        const std::string path = fmt::format("probes[{}]", i);
        const KindChecker checker{scene, wellRead, problems, path};
        std::visit(checker, probe.kind);
        if (probe.filter.material) checker.material("filter.material", *probe.filter.material);
        if (probe.filter.source) checker.source("filter.source", static_cast<double>(*probe.filter.source));
        results(probe, path, scene.time.end, wellRead, problems);
        if (probe.rate && *probe.rate * scene.time.end > kMostSamples && wellRead("time"))
            checker.error("rate", fmt::format("'rate' times 'time.end' makes {:.3g} samples; at most {:.0e} are possible", *probe.rate * scene.time.end, kMostSamples));
    }
}

}  // namespace talus::scene
