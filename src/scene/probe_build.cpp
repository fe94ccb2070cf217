// SPDX-License-Identifier: Apache-2.0
// From [[probes]] to probes.
#include "geometry/operators.h"
#include "scene/build.h"
#include "scene/description.h"
#include "scene/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::scene {

namespace {

int axisOf(const Vec3& unit) { return std::abs(unit.x) > 0.5 ? 0 : std::abs(unit.y) > 0.5 ? 1 : 2; }

struct Builder {
    const SceneDescription& scene;
    const world::World& world;
    world::ProbeSetup setup;

    world::ProbePtr operator()(const RegionProbeDescription& d) const {
        const geometry::ShapePtr region = regionOf(d.region);
        const Vec3 size = world.domain.size();
        return world::makeProbe(setup, world::RegionProbe{region, region ? region->volume() : size.x * size.y * size.z, densities(), has(world::field::rotationalEnergy.name)});
    }
    world::ProbePtr operator()(const StatisticProbeDescription& d) const {
        const world::FieldInfo field = fieldOf(d.field);
        const std::string component = d.component.value_or(field.components == 3 ? "magnitude" : field.components == 6 ? "pressure" : "");
        world::FieldComponent of{field, 0, component.empty() || component == "magnitude" ? d.field : d.field + "_" + component};
        if (component == "magnitude") of.component = world::FieldComponent::kMagnitude;
        else if (component == "pressure") of.component = world::FieldComponent::kPressure;
        else if (field.components == 3) of.component = component == "x" ? 0 : component == "y" ? 1 : 2;
        else if (field.components == 6) of.component = static_cast<int>(std::ranges::find(kTensorComponents, component) - kTensorComponents.begin());
        return world::makeProbe(setup, world::StatisticProbe{regionOf(d.region), of, d.statistic, d.weight, d.percentiles, d.from.value_or(0), d.to.value_or(1),
                                                             static_cast<int>(d.bins)});
    }
    world::ProbePtr operator()(const ForceProbeDescription& d) const { return world::makeProbe(setup, world::ForceProbe{bodyOf(d.body), d.point}); }
    world::ProbePtr operator()(const MotionProbeDescription& d) const { return world::makeProbe(setup, world::MotionProbe{bodyOf(d.body)}); }
    world::ProbePtr operator()(const FluxProbeDescription& d) const {
        return world::makeProbe(setup, world::FluxProbe{d.point, normalized(d.normal), d.radius, world.domain});
    }
    world::ProbePtr operator()(const ResidenceProbeDescription& d) const {
        return world::makeProbe(setup, world::ResidenceProbe{d.region.given ? acrossFaces(geometry::build(d.region.shape), scene.domain) : nullptr});
    }
    world::ProbePtr operator()(const TrackProbeDescription& d) const {
        world::TrackProbe track{{}, {}, static_cast<int>(d.count), {}, world.domain};
        for (const double id : d.ids) track.ids.push_back(static_cast<std::int64_t>(id));
        for (std::size_t i = 0; i + 2 < d.near.size(); i += 3) track.near.push_back({d.near[i], d.near[i + 1], d.near[i + 2]});
        for (const std::string& name : d.fields) track.fields.push_back(fieldOf(name));
        return world::makeProbe(setup, track);
    }
    world::ProbePtr operator()(const HeightProbeDescription& d) const {
        world::Footprint f;
        f.up = upwards(d.up, world.gravity);
        const Vec3 way = d.to - d.from - dot(d.to - d.from, f.up) * f.up;
        f.along = normalized(way);
        f.across = cross(f.up, f.along);
        f.length = norm(way);
        f.rows = static_cast<int>(d.bins);
        f.width = d.width.value_or(f.length / f.rows);
        f.corner = d.from - 0.5 * f.width * f.across;
        f.measure = d.measure;
        f.gap = d.gap;
        f.domain = world.domain;
        return world::makeProbe(setup, world::HeightProbe{f});
    }
    world::ProbePtr operator()(const HeightMapProbeDescription& d) const { return world::makeProbe(setup, world::HeightProbe{ground(d)}); }
    world::ProbePtr operator()(const SlopeProbeDescription& d) const { return world::makeProbe(setup, world::SlopeProbe{ground(d)}); }
    world::ProbePtr operator()(const FrontProbeDescription& d) const { return world::makeProbe(setup, world::FrontProbe{flank(d), d.fraction, d.thickness}); }
    world::ProbePtr operator()(const ReposeProbeDescription& d) const {
        const auto sectors = static_cast<int>(d.direction ? std::min<std::int64_t>(d.sectors, 2) : d.sectors);
        return world::makeProbe(setup, world::ReposeProbe{flank(d), sectors, d.low, d.high});
    }
    world::ProbePtr operator()(const ProfileProbeDescription& d) const {
        return world::makeProbe(setup, world::LatticeProbe{bar(d), densities(), has(world::field::stress.name), true, world.domain});
    }
    world::ProbePtr operator()(const LatticeProbeDescription& d) const {
        return world::makeProbe(setup, world::LatticeProbe{box(d.min, d.max, d.cells), densities(), has(world::field::stress.name), false, world.domain});
    }
    world::ProbePtr operator()(const MixingProbeDescription& d) const {
        world::MixingProbe mixing{box(d.min, d.max, d.cells), d.by == MixBy::source, 0, 1, static_cast<int>(d.leastGrains)};
        const auto material = [&](std::size_t i) { return materialOf(d.materials[i]); };
        mixing.a = mixing.bySource ? static_cast<int>(d.sources[0]) : material(0);
        mixing.b = mixing.bySource ? static_cast<int>(d.sources[1]) : material(1);
        return world::makeProbe(setup, mixing);
    }

    static constexpr std::array<std::string_view, 6> kTensorComponents{"xx", "yy", "zz", "xy", "yz", "xz"};

    geometry::ShapePtr regionOf(const OptionalRegion& d) const { return d.given ? insideDomain(acrossFaces(geometry::build(d.shape), scene.domain), scene.domain) : nullptr; }
    std::vector<double> densities() const {
        std::vector<double> densities;
        for (const world::Material& material : world.materials) densities.push_back(material.density);
        return densities;
    }
    world::FieldInfo fieldOf(std::string_view name) const {
        if (const world::FieldInfo* field = world::findField(scene.methodInfo().fields, name)) return *field;
        return *world::findField(world::kPromisedFields, name);
    }
    bool has(std::string_view field) const { return world::findField(scene.methodInfo().fields, field) != nullptr; }
    std::size_t bodyOf(const std::string& name) const {
        return static_cast<std::size_t>(std::ranges::find(world.bodies, name, &world::Body::name) - world.bodies.begin());
    }
    int materialOf(const std::string& name) const {
        return static_cast<int>(std::ranges::find(scene.materials, name, &MaterialDescription::name) - scene.materials.begin());
    }

    /// The rectangle of the ground and, as its height, the lower end of the box.
    world::Footprint ground(const GroundDescription& d) const {
        world::Footprint f;
        f.up = upwards(d.up, world.gravity);
        const int vertical = axisOf(f.up), first = vertical == 0 ? 1 : 0, second = vertical == 2 ? 1 : 2;
        const Vec3 low = d.min.value_or(world.domain.min), high = d.max.value_or(world.domain.max);
        f.along = f.across = {};
        f.along[first] = 1;
        f.across[second] = 1;
        f.length = high[first] - low[first];
        f.width = high[second] - low[second];
        f.rows = static_cast<int>(d.cells[0]);
        f.columns = static_cast<int>(d.cells[1]);
        f.corner = low;
        if (f.up[vertical] < 0) f.corner[vertical] = high[vertical];
        f.measure = d.measure;
        f.gap = d.gap;
        f.domain = world.domain;
        return f;
    }

    world::Flank flank(const FlankDescription& d) const {
        world::Flank f;
        f.origin = d.origin;
        f.up = upwards(d.up, world.gravity);
        if (d.direction) f.direction = normalized(*d.direction - dot(*d.direction, f.up) * f.up);
        double farthest = 0, left = 0, right = 0;   // of the corners of the domain
        for (int corner = 0; corner < 8; ++corner) {
            const Vec3& a = world.domain.min, &b = world.domain.max;
            const Vec3 d3 = Vec3{corner & 1 ? b.x : a.x, corner & 2 ? b.y : a.y, corner & 4 ? b.z : a.z} - f.origin;
            const Vec3 flat = d3 - dot(d3, f.up) * f.up;
            farthest = std::max(farthest, f.direction ? std::abs(dot(flat, *f.direction)) : norm(flat));
            if (!f.direction) continue;
            left = std::min(left, dot(flat, cross(f.up, *f.direction)));
            right = std::max(right, dot(flat, cross(f.up, *f.direction)));
        }
        f.reach = d.reach.value_or(farthest);
        f.bins = static_cast<int>(d.bins);
        f.width = d.width.value_or(right - left);
        if (f.direction && !d.width) f.origin += 0.5 * (left + right) * cross(f.up, *f.direction);   // the strip lies in the middle
        return f;
    }

    /// A face of the box at or beyond a closed side of the domain takes what is found beyond it.
    world::Lattice box(const std::optional<Vec3>& min, const std::optional<Vec3>& max, const std::vector<double>& cells) const {
        world::Lattice lattice;
        lattice.origin = min.value_or(world.domain.min);
        lattice.size = max.value_or(world.domain.max) - lattice.origin;
        for (std::size_t a = 0; a < 3; ++a) {
            lattice.cells[a] = static_cast<int>(cells[a]);
            close(lattice, a, static_cast<int>(a));
        }
        return lattice;
    }
    void close(world::Lattice& lattice, std::size_t a, int axis) const {
        const world::Domain& domain = world.domain;
        const double slack = 1e-9 * (domain.max[axis] - domain.min[axis]);
        const double end = lattice.origin[axis] + lattice.size[static_cast<int>(a)];
        const bool low = lattice.origin[axis] <= domain.min[axis] + slack, high = end >= domain.max[axis] - slack;
        lattice.periodic[a] = domain.periodic(axis) && std::abs(lattice.size[static_cast<int>(a)] - (domain.max[axis] - domain.min[axis])) <= slack;
        lattice.closed[2 * a] = low && !domain.periodic(axis);
        lattice.closed[2 * a + 1] = high && !domain.periodic(axis);
    }

    /// Cells along the line, one across. Along an axis of the domain without a width the bar fills the domain.
    world::Lattice bar(const ProfileProbeDescription& d) const {
        const Vec3 way = d.to - d.from;
        const Vec3 along = normalized(way);
        Vec3 flattest{1, 0, 0};
        for (const Vec3& axis : {Vec3{0, 1, 0}, Vec3{0, 0, 1}})
            if (std::abs(dot(axis, along)) < std::abs(dot(flattest, along))) flattest = axis;
        world::Lattice lattice;
        lattice.cells = {static_cast<int>(d.bins), 1, 1};
        if (d.width) {
            lattice.axes = {along, normalized(cross(along, flattest)), {}};
            lattice.axes[2] = cross(along, lattice.axes[1]);
            lattice.size = {norm(way), *d.width, *d.width};
            lattice.origin = d.from - 0.5 * *d.width * (lattice.axes[1] + lattice.axes[2]);
            return lattice;
        }
        const int axis = axisOf(along), second = (axis + 1) % 3, third = (axis + 2) % 3;
        Vec3 b, c;
        b[second] = 1;
        c[third] = 1;
        lattice.axes = {along, b, c};
        const Vec3 size = world.domain.size();
        lattice.size = {norm(way), size[second], size[third]};
        lattice.origin = world.domain.min;
        lattice.origin[axis] = d.from[axis];
        lattice.closed = {false, false, true, true, true, true};
        lattice.periodic = {false, world.domain.periodic(second), world.domain.periodic(third)};
        closeEnds(lattice, axis, along[axis] > 0);
        return lattice;
    }
    void closeEnds(world::Lattice& lattice, int axis, bool forward) const {
        const world::Domain& domain = world.domain;
        const double slack = 1e-9 * (domain.max[axis] - domain.min[axis]), length = lattice.size.x;
        const double begin = lattice.origin[axis], end = begin + (forward ? length : -length);
        const bool low = std::min(begin, end) <= domain.min[axis] + slack, high = std::max(begin, end) >= domain.max[axis] - slack;
        lattice.periodic[0] = domain.periodic(axis) && low && high;
        lattice.closed[0] = !domain.periodic(axis) && (forward ? low : high);
        lattice.closed[1] = !domain.periodic(axis) && (forward ? high : low);
    }
};

world::GrainFilter filterOf(const SceneDescription& scene, const FilterDescription& d) {
    world::GrainFilter filter;
    if (d.material) filter.material = static_cast<int>(std::ranges::find(scene.materials, *d.material, &MaterialDescription::name) - scene.materials.begin());
    if (d.source) filter.source = static_cast<int>(*d.source);
    if (d.size.size() == 2) {
        filter.smallest = d.size[0];
        filter.largest = d.size[1];
    }
    return filter;
}

/// Totals of a slab are per metre of its width; what belongs to grains, points and surfaces is not.
bool isTotal(const ProbeDescription::Kind& kind) {
    return std::holds_alternative<RegionProbeDescription>(kind) || std::holds_alternative<ForceProbeDescription>(kind) || std::holds_alternative<FluxProbeDescription>(kind) ||
           std::holds_alternative<ResidenceProbeDescription>(kind);
}

world::ProbePtr buildProbe(const SceneDescription& scene, const world::World& world, const ProbeDescription& d) {
    world::ProbePtr probe = std::visit(Builder{scene, world, {d.name, filterOf(scene, d.filter)}}, d.kind);
    return world.domain.slab >= 0 && isTotal(d.kind) ? world::perMetre(std::move(probe), world.domain.slabWidth()) : std::move(probe);
}

}  // namespace

std::vector<world::ProbePlan> buildProbes(const SceneDescription& scene, const world::World& world) {
    std::vector<world::ProbePlan> plans;
    for (const ProbeDescription& d : scene.probes) {
        world::ProbePlan plan{buildProbe(scene, world, d), d.rate, {}};
        for (const ReductionDescription& r : d.results)
            plan.results.push_back({r.name, r.column.value_or(plan.probe->columns().front().csvName()), r.reduce, r.percentile, r.from, r.to});
        plans.push_back(std::move(plan));
    }
    return plans;
}

void checkResults(const SceneDescription& scene, const world::World& world, Problems& problems) {
    for (std::size_t i = 0; i < scene.probes.size(); ++i) {
        if (scene.probes[i].results.empty()) continue;
        const world::ProbePtr probe = buildProbe(scene, world, scene.probes[i]);
        std::vector<std::string> owned;
        for (const world::ProbeColumn& column : probe->columns()) owned.push_back(column.csvName());
        const std::vector<std::string_view> names(owned.begin(), owned.end());
        for (std::size_t r = 0; r < scene.probes[i].results.size(); ++r) {
            const std::optional<std::string>& column = scene.probes[i].results[r].column;
            const std::string path = fmt::format("probes[{}].results[{}].column", i, r);
            if (!column && names.size() > 1) problems.error(path, fmt::format("the table has {} columns, so name one: {}", names.size(), quotedList(names, '"')));
            else if (column && std::ranges::find(names, *column) == names.end())
                problems.error(path, fmt::format("the table has no column \"{}\"{}", *column, suggestion(*column, names, "columns", '"')));
        }
    }
}

void checkProbeConditions(const SceneDescription& scene, const world::World& world, Problems& problems) {
    for (std::size_t i = 0; i < scene.stages.size(); ++i) {
        const UntilDescription& until = scene.stages[i].until;
        if (!scene.stages[i].untilGiven || !until.probeGiven) continue;
        const std::string path = fmt::format("stages[{}].until.probe", i);
        const auto found = std::ranges::find(scene.probes, until.probe.name, &ProbeDescription::name);
        if (found == scene.probes.end()) {
            std::vector<std::string_view> names;
            for (const ProbeDescription& probe : scene.probes) names.push_back(probe.name);
            problems.error(path + ".name", fmt::format("there is no probe \"{}\"{}", until.probe.name, suggestion(until.probe.name, names, "probes", '"')));
            continue;
        }
        std::vector<std::string> owned;
        for (const world::ProbeColumn& column : buildProbe(scene, world, *found)->columns()) owned.push_back(column.csvName());
        const std::vector<std::string_view> names(owned.begin(), owned.end());
        if (std::ranges::find(names, until.probe.column) == names.end())
            problems.error(path + ".column", fmt::format("the table has no column \"{}\"{}", until.probe.column, suggestion(until.probe.column, names, "columns", '"')));
    }
}

}  // namespace talus::scene
