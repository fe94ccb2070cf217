// SPDX-License-Identifier: Apache-2.0
#include "world/emitter.h"

#include "core/rng.h"
#include "geometry/operators.h"
#include "geometry/sampling.h"
#include "world/emitter_turn.h"
#include "world/method.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace talus::world {
namespace {

/// A region whose grains neither move nor fall has its turn this often [s].
constexpr double kStillInterval = 0.01;

/// What decides on one turn of an emitter, in the order in which it is drawn.
std::uint64_t drawIndex(const EmitterState& state, std::size_t item) { return (static_cast<std::uint64_t>(state.draws) << 24) + item; }

Pose poseOf(const World& world, const Emitter& e) {
    return e.body < 0 ? Pose{} : world.bodies[static_cast<std::size_t>(e.body)].pose(world.time);
}

struct Basis {
    Vec3 u, v;   // unit, with the normal a right-handed frame
};
Basis basisAcross(const Vec3& normal) {
    const Vec3 other = std::abs(normal.x) < 0.5 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    const Vec3 u = normalized(cross(normal, other));
    return {u, cross(normal, u)};
}

/// Places of a square lattice in the disc, shifted at random so that layers do not make strings; `ahead` is how far the
/// layer has moved on along the normal.
std::vector<Vec3> discSites(const Outlet& disc, double spacing, const Vec3& velocity, double ahead, Rng& rng) {
    const Basis across = basisAcross(disc.normal);
    const double shiftU = rng.uniform(), shiftV = rng.uniform();
    const Vec3 centre = disc.centre + velocity * (ahead / dot(velocity, disc.normal));
    const auto most = static_cast<int>(disc.radius / spacing) + 1;
    std::vector<Vec3> sites;
    for (int j = -most; j <= most; ++j)
        for (int i = -most; i <= most; ++i) {
            const double a = (i + shiftU) * spacing, b = (j + shiftV) * spacing;
            if (a * a + b * b <= disc.radius * disc.radius) sites.push_back(centre + a * across.u + b * across.v);
        }
    return sites;
}

std::vector<Vec3> regionSites(const geometry::Shape& region, double spacing, Rng& rng) {
    const Vec3 shift{rng.uniform(), rng.uniform(), rng.uniform()};
    return geometry::lattice(region, {spacing, spacing, spacing}, region.bounds().min + spacing * shift);
}

void shuffle(std::vector<Vec3>& sites, Rng& rng) {
    for (std::size_t i = sites.size(); i > 1; --i) std::swap(sites[i - 1], sites[std::min(i - 1, static_cast<std::size_t>(rng.uniform() * static_cast<double>(i)))]);
}

/// The velocity turned into a direction of the cone about it, uniformly over the sphere, and lengthened or shortened.
Vec3 spreadVelocity(const Emitter& e, const Vec3& mean, Rng& rng) {
    const double speed = norm(mean) * (1 + e.speedSpread * rng.uniform(-1, 1));
    const double cosine = 1 - rng.uniform() * (1 - std::cos(e.spread)), sine = std::sqrt(std::max(0.0, 1 - cosine * cosine));
    const double angle = rng.uniform(0, 2 * std::numbers::pi);
    if (speed == 0) return {};
    const Vec3 axis = normalized(mean);
    const Basis across = basisAcross(axis);
    return speed * (cosine * axis + sine * std::cos(angle) * across.u + sine * std::sin(angle) * across.v);
}

/// Shares of the volume: grains of a mixture are told apart by mass, and their places by volume.
std::vector<double> volumeFractions(const World& world, const Emitter& e) {
    std::vector<double> shares;
    for (const EmitterPart& part : e.parts) shares.push_back(part.massFraction / world.materials[static_cast<std::size_t>(part.material)].bulkDensity());
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share /= sum;
    return shares;
}

/// The part that lags most behind its share.
std::size_t mostWanting(const std::vector<double>& shares, const std::vector<std::int64_t>& counts) {
    const auto next = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{1}));
    std::size_t most = 0;
    for (std::size_t p = 1; p < shares.size(); ++p)
        if (shares[p] * next - static_cast<double>(counts[p]) > shares[most] * next - static_cast<double>(counts[most])) most = p;
    return most;
}

/// What each part may let out now.
struct Allowance {
    std::vector<double> masses;
    std::vector<std::int64_t> counts;
};
Allowance allowance(const World& world, const Emitter& e) {
    Allowance most{std::vector<double>(e.parts.size(), std::numeric_limits<double>::infinity()),
                   std::vector<std::int64_t>(e.parts.size(), std::numeric_limits<std::int64_t>::max())};
    const double due = e.due(world.time);
    if (!e.byCount) {
        for (std::size_t p = 0; p < e.parts.size(); ++p) most.masses[p] = e.parts[p].massFraction * due - e.state.masses[p];
        return most;
    }
    std::vector<std::int64_t> planned = e.state.counts;
    const std::vector<double> shares = volumeFractions(world, e);
    for (auto left = static_cast<std::int64_t>(std::floor(e.owed(world.time) + 1e-9)); left > 0; --left) ++planned[mostWanting(shares, planned)];
    for (std::size_t p = 0; p < e.parts.size(); ++p) most.counts[p] = planned[p] - e.state.counts[p];
    for (std::size_t p = 0; p < e.parts.size(); ++p) most.masses[p] = e.mostMass == std::numeric_limits<double>::infinity() ? e.mostMass : e.parts[p].massFraction * e.mostMass - e.state.masses[p];
    return most;
}

// What lies beyond a slab is left out, not folded back into it.
bool inDomain(const Domain& domain, const Vec3& x) {
    for (int axis = 0; axis < 3; ++axis)
        if ((!domain.periodic(axis) || axis == domain.slab) && !(x[axis] >= domain.min[axis] && x[axis] <= domain.max[axis])) return false;
    return true;
}

/// One turn: places in world coordinates, shared out among the parts.
struct Turn {
    std::vector<std::shared_ptr<ListedGrains>> parts;
    std::size_t sites = 0;
};
Turn share(const World& world, const Emitter& e, std::vector<Vec3> sites, Rng& rng) {
    const Pose pose = poseOf(world, e);
    const Vec3 velocity = e.velocity.at(world.time);
    const Allowance most = allowance(world, e);
    const std::vector<double> shares = volumeFractions(world, e);
    Turn turn;
    for (std::size_t p = 0; p < e.parts.size(); ++p) {
        auto& part = turn.parts.emplace_back(std::make_shared<ListedGrains>());
        part->onlyWhereRoom = true;
        part->mostMass = most.masses[p];
        part->mostCount = most.counts[p];
    }
    shuffle(sites, rng);
    const auto all = std::make_shared<std::vector<Vec3>>();
    if (std::holds_alternative<std::shared_ptr<const geometry::Shape>>(e.from))
        for (auto& part : turn.parts) part->packedPlaces = all;
    std::vector<std::int64_t> given(e.parts.size(), 0);
    for (std::size_t i = 0; i < sites.size(); ++i) {
        const Vec3 x = pose.position + pose.rotation.rotate(sites[i]);
        if (!inDomain(world.domain, x)) continue;
        Rng own(world.seed, static_cast<std::uint32_t>(e.source), drawIndex(e.state, i + 1));
        const std::size_t p = mostWanting(shares, given);
        ++given[p];
        ++turn.sites;
        all->push_back(world.domain.wrap(x));
        turn.parts[p]->positions.push_back(all->back());
        turn.parts[p]->velocities.push_back(pose.rotation.rotate(spreadVelocity(e, velocity, own)) + pose.velocityAt(x));
    }
    return turn;
}

Emitted release(const Exec& exec, World& world, Method& method, Emitter& e, std::vector<Vec3> sites, Rng& rng) {
    const Turn turn = share(world, e, std::move(sites), rng);
    Emitted emitted;
    for (std::size_t p = 0; p < e.parts.size(); ++p) {
        if (turn.parts[p]->positions.empty() || turn.parts[p]->mostMass <= 0 || turn.parts[p]->mostCount <= 0) continue;
        const Inserted in = method.insert(exec, world, {.region = {}, .material = e.parts[p].material, .source = e.source, .velocity = {}, .listed = turn.parts[p]});
        e.state.counts[p] += in.count;
        e.state.masses[p] += in.mass;
        emitted.count += in.count;
        emitted.mass += in.mass;
    }
    ++e.state.draws;
    return emitted;
}

/// What the outlet passes at most where grains leave it packed [kg/s].
double capacity(const World& world, const Emitter& e, const Outlet& disc) {
    double volumePerMass = 0;
    for (const EmitterPart& part : e.parts) volumePerMass += part.massFraction / world.materials[static_cast<std::size_t>(part.material)].bulkDensity();
    return openArea(world, e, disc) * dot(e.velocity.at(world.time), disc.normal) / volumePerMass;
}

/// Says once that more is owed than a layer, or the whole region, holds.
std::string cannotKeepUp(const World& world, Emitter& e, double spacing) {
    const auto* disc = std::get_if<Outlet>(&e.from);
    double volumePerMass = 0;
    for (const EmitterPart& part : e.parts) volumePerMass += part.massFraction / world.materials[static_cast<std::size_t>(part.material)].bulkDensity();
    const double held = (disc ? openArea(world, e, *disc) * spacing : std::get<1>(e.from)->volume());   // [m³]
    const double owed = e.owed(world.time), most = e.byCount ? held / (spacing * spacing * spacing) : held / volumePerMass;
    if (e.state.warned || owed <= std::max(most, e.byCount ? 1.0 : spacing * spacing * spacing / volumePerMass)) return {};
    e.state.warned = true;
    const std::string_view unit = e.byCount ? "grains" : "kg";
    std::string text = fmt::format("emitter '{}' cannot keep up: at {:.4g} s it owes {:.4g} {}", e.name, world.time, owed, unit);
    const double rate = e.rate.at(world.time);
    if (disc && !e.byCount && rate > capacity(world, e, *disc))
        return text + fmt::format("; its rate of {:.4g} kg/s is more than its outlet passes, area x bulk density x velocity = {:.4g} kg/s", rate, capacity(world, e, *disc));
    return text + "; there is no room where its grains come out";
}

}  // namespace

// The strip between two chords: the integral of 2 √(r² − s²).
double openArea(const World& world, const Emitter& e, const Outlet& disc) {
    const double r = disc.radius, whole = std::numbers::pi * r * r;
    const int axis = world.domain.slab;
    const Pose pose = poseOf(world, e);
    if (axis < 0 || std::abs(pose.rotation.rotate(disc.normal)[axis]) > 1e-9) return whole;
    const double centre = (pose.position + pose.rotation.rotate(disc.centre))[axis];
    const auto below = [r](double s) {
        s = std::clamp(s, -r, r);
        return s * std::sqrt(r * r - s * s) + r * r * std::asin(s / r);
    };
    return below(world.domain.max[axis] - centre) - below(world.domain.min[axis] - centre);
}

std::int64_t EmitterState::count() const { return std::accumulate(counts.begin(), counts.end(), std::int64_t{0}); }
double EmitterState::mass() const { return std::accumulate(masses.begin(), masses.end(), 0.0); }

double Emitter::due(double time) const {
    const double all = dueBefore + (std::min(time, end) > begin ? rate.integral(begin, std::min(time, end)) : 0);
    return byCount ? all : std::min(all, mostMass);
}

double Emitter::owed(double time) const {
    if (!byCount) return due(time) - state.mass();
    const std::int64_t count = state.count();
    const bool atLimit = count > 0 && state.mass() * (1 + 1 / static_cast<double>(count)) > mostMass;   // one more grain would pass it
    return atLimit ? 0 : due(time) - static_cast<double>(count);
}

double Emitter::travel(double time) const { return travelBefore + (time > begin ? dot(velocity.integral(begin, time), std::get<Outlet>(from).normal) : 0); }

void Emitter::settle(double time) {
    const double last = std::min(time, end);
    if (last > begin) dueBefore += rate.integral(begin, last);
    if (std::holds_alternative<Outlet>(from)) travelBefore = travel(time);
    begin = std::max(begin, time);
}

void Emitter::setClockBack(double by) {
    settle(by);
    begin -= by;
    end -= by;
    rate = rate.later(-by);
    velocity = velocity.later(-by);
    state.last -= by;
}

namespace {

/// From turn to turn, for grains of that spacing [s].
double turnInterval(const World& world, const Emitter& e, double spacing) {
    const Vec3 velocity = e.velocity.at(world.time);
    if (const auto* disc = std::get_if<Outlet>(&e.from)) {
        const double speed = dot(velocity, disc->normal);
        return speed > 0 ? spacing / speed : std::numeric_limits<double>::infinity();
    }
    const double speed = norm(velocity), fall = norm(world.gravity);
    return speed > 0 ? spacing / speed : fall > 0 ? std::sqrt(2 * spacing / fall) : kStillInterval;
}

}  // namespace

double emitterStep(const World& world, const Method& method) {
    double step = std::numeric_limits<double>::infinity();
    const double spacing = method.grainSpacing();
    for (const Emitter& e : world.emitters)
        if (spacing > 0 && (world.time < e.end || e.owed(world.time) > 0)) step = std::min(step, turnInterval(world, e, spacing));
    return step;
}

// A disc lets out one layer of places each time that its grains have moved on by their spacing, so that a full stream leaves
// without gaps: layer k when the travel reaches (k + 1/2) spacings. What is owed after the end still comes out.
Emitted emit(const Exec& exec, World& world, Method& method, std::size_t index) {
    Emitter& e = world.emitters[index];
    const double spacing = method.grainSpacing();
    Emitted sum;
    if (world.time < e.begin || !(spacing > 0)) return sum;
    const auto turn = [&](const auto& sites) {
        Rng rng(world.seed, static_cast<std::uint32_t>(e.source), drawIndex(e.state, 0));
        const Emitted part = release(exec, world, method, e, sites(rng), rng);
        sum.count += part.count;
        sum.mass += part.mass;
    };
    const Vec3 velocity = e.velocity.at(world.time);
    if (const auto* disc = std::get_if<Outlet>(&e.from)) {
        const double speed = dot(velocity, disc->normal);
        if (!(speed > 0)) return sum;
        for (double ahead = e.travel(world.time) - (static_cast<double>(e.state.layers) + 0.5) * spacing; ahead >= 0; ahead -= spacing) {
            ++e.state.layers;
            if (e.owed(world.time) > 0) turn([&](Rng& rng) { return discSites(*disc, spacing, velocity, ahead, rng); });
        }
    } else {
        if (world.time < std::max(e.state.last, e.begin) + turnInterval(world, e, spacing)) return sum;
        e.state.last = world.time;
        if (e.owed(world.time) > 0) turn([&](Rng& rng) { return regionSites(*std::get<1>(e.from), spacing, rng); });
    }
    sum.warning = cannotKeepUp(world, e, spacing);
    return sum;
}

void Emitter::save(Archive& archive) const {
    archive.put("counts", state.counts);
    archive.put("masses", state.masses);
    archive.put("layers", state.layers);
    archive.put("draws", state.draws);
    archive.put("last", state.last);
    archive.put("warned", static_cast<std::int32_t>(state.warned));
}

void Emitter::load(const Archive& archive) {
    state.counts = archive.get<std::int64_t>("counts");
    state.masses = archive.get<double>("masses");
    if (state.counts.size() != parts.size() || state.masses.size() != parts.size()) throw ArchiveError("the archive has another mixture of emitter '" + name + "' than the scene");
    state.layers = archive.value<std::int64_t>("layers");
    state.draws = archive.value<std::int64_t>("draws");
    state.last = archive.value<double>("last");
    state.warned = archive.value<std::int32_t>("warned") != 0;
}

}  // namespace talus::world
