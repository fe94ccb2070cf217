// SPDX-License-Identifier: Apache-2.0
// Grains get their state and velocity from the guides [Alduan2009, §4.3.1].
#include "upsampling/guided_method.h"

#include <algorithm>

namespace talus::upsampling {
namespace {

/// Grains are sorted again when some may have gone this far [spacings], or when this part of the rows is new or dead.
constexpr double kMostDrift = 0.5, kMostUnsorted = 0.125;
/// Cells of the curve that grains are sorted along [spacings].
constexpr double kCurveCell = 0.5;
/// A part of a chunk wider than this [reaches of guides] is halved before its guides are looked for.
constexpr double kWidePart = 2;

}  // namespace

// Velocities at the end of the guides' step carry the grains through it, so guides stand where they were at its beginning, like the grains.
template <class Real>
void GuidedMethod<Real>::placeGuides(const Exec& exec, world::World& world, double dt) {
    world::FieldTable table;
    std::vector<std::string_view> names{world::field::id.name, world::field::position.name, world::field::velocity.name};
    if (offersLags(*guides_)) names.push_back(kLagField);
    guides_->read(exec, names, table);
    lags_.clear();
    std::vector<GuideState> states(table.count());
    std::vector<std::int64_t> ids;
    if (!states.empty()) {
        const std::span<const double> x = table.reals("position"), v = table.reals("velocity");
        ids.assign(table.integers("id").begin(), table.integers("id").end());
        for (std::size_t i = 0; i < states.size(); ++i) {
            const Vec3 velocity{v[3 * i], v[3 * i + 1], v[3 * i + 2]};
            Vec3 way = dt * velocity;
            if (names.size() > 3) {
                const std::span<const double> lag = table.reals(kLagField).subspan(3 * i, 3);
                way += lags_.emplace_back(Vec3{lag[0], lag[1], lag[2]});
            }
            states[i] = {domain_.wrap(Vec3{x[3 * i], x[3 * i + 1], x[3 * i + 2]} - way), velocity, static_cast<std::uint32_t>(i)};
        }
    }
    std::ranges::sort(ids);
    if (ids != guideIds_) followGuides(exec, world, std::move(ids), dt);
    field_.place(states, kReach * influenceRadius());
}

// Guides of a recorded run come and go in its steps, with their grains. Those of a method come by `insert` and go by `erase` alone: in its steps they split and merge,
// and the grains are those they had.
template <class Real>
void GuidedMethod<Real>::followGuides(const Exec& exec, world::World& world, std::vector<std::int64_t> ids, double dt) {
    if (!offersLags(*guides_)) {
        guideIds_ = std::move(ids);
        return;
    }
    meetGuides(exec, world, world.nextId, dt);
    if (settings_.removal == Removal::withGuide) removeRows(rowsWithoutGuide(), nullptr);
}

template <class Real>
std::int64_t GuidedMethod<Real>::interpolate(const Exec& exec, world::World& world, double dt) {
    const auto phase = exec.phase("interpolation");
    placeGuides(exec, world, dt);
    if (drift_ > kMostDrift * spacing_ || static_cast<double>(grains_.unsorted()) > kMostUnsorted * static_cast<double>(grains_.columns.rows())) {
        grains_.sort(exec, domain_, kCurveCell * spacing_);
        forgetOrigins();
        drift_ = 0;
    }
    // Grains were held at the velocity v₀ over n steps in which it went to v₁, about linearly: they lag by (n − 1)/(2n) τ (v₁ − v₀).
    const auto steps = static_cast<double>(sinceInterpolation_);
    catchUp_ = sinceInterpolation_ > 1 ? (steps - 1) / (2 * steps) * heldTime_ : 0;
    if (!lags_.empty()) catchUp_ *= (steps - 1) / std::max(steps, 1.0);   // their velocity v₀ was that at the end of the first step already
    sinceInterpolation_ = 0;
    heldTime_ = 0;
    carriedTravel_ = 0;
    due_ = false;
    ++interpolations_;
    return exec.reduce(
        grains_.chunks.size(), kTaskChunks, std::int64_t{-1},
        [&](std::size_t begin, std::size_t end) {
            Scratch scratch;
            std::int64_t bad = -1;
            for (std::size_t c = begin; c < end; ++c) bad = firstBad(bad, interpolatePart(c, 0, kChunkGroups, scratch));
            return bad;
        },
        firstBad);
}

// Guides are gathered once for a part of a chunk that lies together. Grains that are far apart, as in a splash, get their own.
template <class Real>
std::int64_t GuidedMethod<Real>::interpolatePart(std::size_t chunk, std::size_t begin, std::size_t end, Scratch& scratch) {
    const Aabb box = grains_.bounds(chunk, begin, end);
    if (box.empty()) return -1;
    const Vec3& anchor = grains_.chunks[chunk].anchor;
    const bool wide = maxComponent(box.size()) > kWidePart * kReach * influenceRadius();
    if (wide && end - begin > 1) {
        const std::size_t middle = (begin + end) / 2;
        const std::int64_t bad = interpolatePart(chunk, begin, middle, scratch);
        return firstBad(bad, interpolatePart(chunk, middle, end, scratch));
    }
    std::int64_t bad = -1;
    if (wide) {
        for (std::uint64_t lane = 0; lane < 8; ++lane) {
            if ((grains_.chunks[chunk].alive >> (8 * begin + lane) & 1) == 0) continue;
            const Vec3 x = grains_.position(chunk * kChunkRows + 8 * begin + lane);
            gatherGuides({x, x}, anchor, scratch);
            bad = firstBad(bad, interpolateGroup(chunk, begin, std::uint64_t{1} << lane, scratch));
        }
        return bad;
    }
    gatherGuides(box, anchor, scratch);
    for (std::size_t g = begin; g < end; ++g) bad = firstBad(bad, interpolateGroup(chunk, g, grains_.chunks[chunk].alive >> (8 * g) & 0xff, scratch));
    return bad;
}

template <class Real>
void GuidedMethod<Real>::gatherGuides(const Aabb& box, const Vec3& anchor, Scratch& scratch) const {
    scratch.found.clear();
    field_.near(box, kReach * influenceRadius(), scratch.found);
    scratch.common = scratch.found.empty() ? Vec3{} : scratch.found.front().velocity;
    scratch.guides.clear();
    for (const GuideState& guide : scratch.found) {
        const Vec3 x = guide.position - anchor, v = guide.velocity - scratch.common;
        scratch.guides.push_back({{static_cast<Real>(x.x), static_cast<Real>(x.y), static_cast<Real>(x.z)}, {static_cast<Real>(v.x), static_cast<Real>(v.y), static_cast<Real>(v.z)}});
    }
    if (lags_.empty()) return;
    scratch.lags = scratch.guides;
    for (std::size_t k = 0; k < scratch.lags.size(); ++k)
        for (int axis = 0; axis < 3; ++axis) scratch.lags[k].velocity[static_cast<std::size_t>(axis)] = static_cast<Real>(lags_[scratch.found[k].number][axis]);
}

// Fewer guides than leastGuides within r: the medium is sparse, the grain keeps its velocity and flies.
template <class Real>
std::int64_t GuidedMethod<Real>::interpolateGroup(std::size_t chunk, std::size_t group, std::uint64_t lanes, const Scratch& scratch) {
    if (lanes == 0) return -1;
    const std::size_t first = chunk * kChunkRows + 8 * group;
    const Real* position = grains_.columns.position.group(first / 8);
    const std::array<Wide<Real>, 3> x{Wide<Real>::load(position), Wide<Real>::load(position + 8), Wide<Real>::load(position + 16)};
    const auto at = [&](const std::vector<NearGuide<Real>>& guides) {
        return settings_.interpolation == Interpolation::affine ? interpolateAffine<Real>(guides, x, influenceRadius()) : interpolateWeighted<Real>(guides, x, influenceRadius());
    };
    const Carried<Real> carried = at(scratch.guides);
    std::array<std::array<Real, 8>, 3> lag{};
    if (!lags_.empty()) {
        const Carried<Real> lags = at(scratch.lags);
        lag = {lags.velocity[0].lanes(), lags.velocity[1].lanes(), lags.velocity[2].lanes()};
    }
    const std::array<Real, 8> within = carried.within.lanes();
    const std::array<std::array<Real, 8>, 3> velocity{carried.velocity[0].lanes(), carried.velocity[1].lanes(), carried.velocity[2].lanes()};
    FineChunk& own = grains_.chunks[chunk];
    const auto least = static_cast<Real>(settings_.confined ? 1 : settings_.leastGuides);
    std::int64_t bad = -1;
    double moved = 0;
    for (std::size_t p = 0; p < 8; ++p) {
        if ((lanes >> p & 1) == 0) continue;
        const std::size_t row = first + p;
        const Vec3 held = grains_.velocity(row);
        if (!isFinite(held)) bad = firstBad(bad, static_cast<std::int64_t>(row));
        const std::uint64_t bit = std::uint64_t{1} << row % kChunkRows;
        if (within[p] < least) {
            own.free |= bit;
            continue;
        }
        const Vec3 now = scratch.common + Vec3{static_cast<double>(velocity[0][p]), static_cast<double>(velocity[1][p]), static_cast<double>(velocity[2][p])};
        grains_.setVelocity(row, now);
        Vec3 way{static_cast<double>(lag[0][p]), static_cast<double>(lag[1][p]), static_cast<double>(lag[2][p])};
        if (catchUp_ > 0 && (own.free & bit) == 0) way += catchUp_ * (grains_.velocity(row) - held);
        if (!(way == Vec3{})) {
            for (int axis = 0; axis < 3; ++axis) grains_.columns.position(row, axis) += static_cast<Real>(way[axis]);
            moved = std::max(moved, norm(way));
        }
        own.free &= ~bit;
    }
    own.clearance[group] = static_cast<float>(static_cast<double>(own.clearance[group]) - 1.001 * moved);
    return bad;
}

template std::int64_t GuidedMethod<float>::interpolate(const Exec&, world::World&, double);
template std::int64_t GuidedMethod<double>::interpolate(const Exec&, world::World&, double);

}  // namespace talus::upsampling
