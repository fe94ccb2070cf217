// SPDX-License-Identifier: Apache-2.0
// From grid to points: velocities, positions, strains and stresses. The numbers of sections and equations are those of [Klar2016].
#include "elastoplastic/method.h"
#include "elastoplastic/point_state.h"
#include "elastoplastic/sand.h"
#include "elastoplastic/solid.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::elastoplastic {
namespace {

/// A point's move may be rounded up, in float too.
constexpr double kRounding = 1.0001;

template <class Real>
[[gnu::always_inline]] inline WideSym3<Real> select(const WideMask<Real>& m, const WideSym3<Real>& yes, const WideSym3<Real>& no) {
    return {select(m, yes.xx, no.xx), select(m, yes.yy, no.yy), select(m, yes.zz, no.zz), select(m, yes.xy, no.xy), select(m, yes.yz, no.yz), select(m, yes.xz, no.xz)};
}

/// |1 + Δt ∇v|.
template <class Real>
[[gnu::always_inline]] inline Wide<Real> determinantOfStretch(const std::array<Wide<Real>, 9>& s) {
    return determinant(WideMat3<Real>{{s[0] + Real(1), s[1], s[2], s[3], s[4] + Real(1), s[5], s[6], s[7], s[8] + Real(1)}});
}

// Velocity and affine matrix keep a part of what they had beyond the grid (mpm/transfer.h). Positions and strain move with the grid alone.
template <class Real, mpm::Memory kMemory>
struct GridMotion {
    std::array<Real, 3> toCells;                         // Δt/h
    Wide<Real> step;                                     // Δt
    mpm::Keeping<Real, kMemory> keep;
    bool keepsAffine;
    Wide<Real> fastest{Real(0)}, steepest{Real(0)};      // cells moved and |∇v| so far, of each lane

    /// (16)–(18) of a group: returns Δt ∇v, adds the positions to `finite`.
    [[gnu::always_inline]] std::array<Wide<Real>, 9> move(const mpm::GatheredVelocities<Real>& grid, Real* position, Real* velocity, Real* affine, Wide<Real>& finite) {
        using W = Wide<Real>;
        const auto kept = keep.of(grid, velocity, affine);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            kept.velocity(axis).store(velocity + 8 * axis);
            const W moved = grid.after.velocity[axis] * toCells[axis];
            fastest = max(fastest, abs(moved));
            const W p = W::load(position + 8 * axis) + moved;
            p.store(position + 8 * axis);
            finite += p;
        }
        std::array<W, 9> stretch;
        for (std::size_t i = 0; i < 9; ++i) {
            const W gradient = grid.after.moment[i] * keep.toGradient[i % 3];
            if (keepsAffine) kept.gradient(i).store(affine + 8 * i);
            steepest = max(steepest, abs(gradient));
            stretch[i] = gradient * step;
        }
        return stretch;
    }
};

}  // namespace

template <class Real>
void ElastoplasticMethod<Real>::BlockReport::note(std::uint32_t group, int points, const Wide<Real>& finite, const Wide<Real>& stretched, const WideMask<Real>& beyondSense) {
    const std::array<Real, 8> sums = finite.lanes(), determinants = stretched.lanes(), isCrushed = select(beyondSense, Wide<Real>(Real(1)), Wide<Real>(Real(0))).lanes();
    for (int p = 0; p < points; ++p) {
        const auto lane = static_cast<std::size_t>(p);
        if (!std::isfinite(sums[lane]) && badRow < 0) badRow = 8 * static_cast<std::int64_t>(group) + p;
        if (!(determinants[lane] > Real(0))) ++inverted;
        if (isCrushed[lane] != Real(0)) ++crushed;
    }
}

template <class Real>
std::int64_t ElastoplasticMethod<Real>::gridToPoints(const Exec& exec, const world::World& world, double dt, double cells) {
    const auto phase = exec.phase("grid to points");
    workerTiles_.resize(static_cast<std::size_t>(exec.threads()));
    for (auto& tile : workerTiles_) tile.resize(mpm::kTileNodes * mpm::kNodeReals);
    std::vector<BlockReport> reports(blocks_.points.size());
    const StepMatter matter = stepMatter(dt);
    const double furthest = kRounding * cells * norm(frame_.spacing) + bodyShift_;   // points move with their nodes, none further than one
    exec.forTasks(blocks_.points.size(), [&](std::size_t task, int worker) {
        const std::size_t b = blocks_.points.size() - 1 - task;   // last to first: what pointsToGrid read last is still in the cache
        const mpm::PointBlock& block = blocks_.points[b];
        Real* tile = workerTiles_[static_cast<std::size_t>(worker)].data();
        mpm::loadTile(block, reaches_[b], nodes_.data(), tile);
        const Real* positions = points_.position.group(block.firstGroup);
        const std::vector<Real> before(positions, positions + (!movedBodies_.empty() && mayMeetBodies(block, furthest) ? 24 * std::size_t{block.groups} : 0));
        const std::optional<int> material = several_ ? oneSand(block) : std::optional(0);
        reports[b] = withKernels([&]<template <class> class Stencil, mpm::Memory kMemory>() {
            return material ? updateBlock<Stencil, kMemory, false>(block, tile, dt, matter, *material) : updateBlock<Stencil, kMemory, true>(block, tile, dt, matter, 0);
        });
        if (!movedBodies_.empty()) leaveBodies(world, block, before, dt, reports[b]);
    });
    pace_ = {};
    met_.clear();
    std::int64_t bad = -1;
    for (const BlockReport& report : reports) {
        pace_.cellRate = std::max(pace_.cellRate, report.pace.cellRate);
        pace_.gradient = std::max(pace_.gradient, report.pace.gradient);
        pace_.cellsOut = std::max(pace_.cellsOut, report.pace.cellsOut);
        pace_.soundSpeed = std::max(pace_.soundSpeed, report.pace.soundSpeed);
        inverted_ += report.inverted;
        crushed_ += report.crushed;
        if (bad < 0) bad = report.badRow;
        met_.insert(met_.end(), report.met.begin(), report.met.end());
    }
    return bad;
}

// (11)–(13), (16)–(18) for the points of one block. Departure from §5.4: positions and strain move with the velocity after friction, as
// velocities do; with the velocity before it, a bed that friction holds on a slope creeps.
template <class Real>
template <template <class> class Stencil, mpm::Memory kMemory, bool Several>
typename ElastoplasticMethod<Real>::BlockReport ElastoplasticMethod<Real>::updateBlock(const mpm::PointBlock& block, const Real* tile, double dt, const StepMatter& matters, int material) {
    using W = Wide<Real>;
    GridMotion<Real, kMemory> motion{.toCells = perAxis(dt), .step = W(static_cast<Real>(dt)), .keep = {frame_.spacing, Stencil<Real>::kPerMoment, matters.memory}, .keepsAffine = settings_.affine()};
    GroupMatter matter = matters.of(material);
    W soundSquared(Real(0));
    BlockReport report;
    for (std::uint32_t g = block.firstGroup; g < block.firstGroup + block.groups; ++g) {
        // Stores of packs may alias anything: pointers are taken before the first one.
        Real *const position = points_.position.group(g), *const velocity = points_.velocity.group(g), *const affine = points_.gradient.group(g);
        Real *const strain = points_.strain.group(g), *const expansion = points_.expansion.group(g), *const stress = points_.stress.group(g);
        Real* const plasticStrain = points_.plasticStrain.group(g);
        Cone<Real> cone = cones(g, W::load(plasticStrain));
        if constexpr (Several) {
            matter = matters.of(WideInt::load(points_.material.group(g)));
            cone.kappa *= W::load(points_.frictionRatio.group(g));
        }
        const int points = mpm::pointsInGroup(block, g);
        W finite(Real(0));
        const std::array<W, 9> stretch = motion.move(mpm::gather<kMemory>(Stencil<Real>(position), points, tile), position, velocity, affine, finite);   // Δt ∇v
        SandState<Real> state;   // not braces: those would write zeros first
        state.strain = advanceStrain(loadSym(strain), stretch);
        state.expansion = W::load(expansion);
        state.plasticStrain = W::load(plasticStrain);
        WideMask<Real> crushed;
        if constexpr (Several) {
            crushed = answer(matter, cone, stretch, state, soundSquared);
        } else {
            crushed = projectToCone(matter.lame, cone, state);
            dampSound(matter.viscosity, stretch, state);
        }
        storeSym(state.strain, strain);
        state.expansion.store(expansion);
        state.plasticStrain.store(plasticStrain);
        storeSym(state.stress, stress);

        finite += state.stress.xx + state.stress.yy + state.stress.zz + state.stress.xy + state.stress.yz + state.stress.xz;
        const W stretched = determinantOfStretch(stretch);
        if (!all((abs(finite) < W(std::numeric_limits<Real>::max())) & (stretched > W(Real(0))) & !crushed)) report.note(g, points, finite, stretched, crushed);
    }
    report.pace = {.cellRate = static_cast<double>(maxLane(motion.fastest)) / dt, .gradient = static_cast<double>(maxLane(motion.steepest)), .soundSpeed = std::sqrt(static_cast<double>(maxLane(soundSquared)))};
    return report;
}

/// A group whose points may be of any law: each law that occurs answers for all eight, and its own are kept.
template <class Real>
WideMask<Real> ElastoplasticMethod<Real>::answer(const GroupMatter& matter, const Cone<Real>& cone, const std::array<Wide<Real>, 9>& stretch, SandState<Real>& state, Wide<Real>& soundSquared) const {
    using W = Wide<Real>;
    const auto ofLaw = [&](Law law) { return matter.law == W(static_cast<Real>(law)); };
    const SandState<Real> trial = state;
    WideMask<Real> crushed = ofLaw(Law::sand);
    if (any(crushed)) {
        if (settings_.fastMuHat) crushed = crushed & projectToCone(matter.lame, FlowCone<Real>{cone.kappa, matter.kappaFast, cone.tip, shearOf(stretch) * matter.inertia}, state);
        else crushed = crushed & projectToCone(matter.lame, cone, state);
        dampSound(matter.viscosity, stretch, state);
    }
    for (const Law law : {Law::hencky, Law::fixedCorotated}) {
        const WideMask<Real> these = ofLaw(law);
        if (!any(these)) continue;
        const SolidAnswer<Real> solid = law == Law::hencky ? henckySolid(matter.lame, trial.strain) : fixedCorotated(matter.lame, trial.strain);
        state.strain = select(these, trial.strain, state.strain);
        state.stress = select(these, solid.stress, state.stress);
        state.expansion = select(these, trial.expansion, state.expansion);
        state.plasticStrain = select(these, trial.plasticStrain, state.plasticStrain);
        crushed = crushed | (these & solid.beyondSense);
        soundSquared = max(soundSquared, select(these, matter.soundSquared * solid.stiffening, W(Real(0))));
    }
    return crushed;
}

/// The material of a block whose points are all of one, and that sand with one friction at any speed.
template <class Real>
std::optional<int> ElastoplasticMethod<Real>::oneSand(const mpm::PointBlock& block) const {
    const std::int32_t* materials = points_.material.group(block.firstGroup);
    const std::int32_t first = *materials;
    if (settings_.fastMuHat || frictionByPoint() || matter_[static_cast<std::size_t>(first)].solid()) return std::nullopt;
    for (std::uint32_t p = 1; p < block.points; ++p)
        if (materials[p] != first) return std::nullopt;
    return first;
}

// Where all is sand of one stiffness, the fastest sound counts for all densities.
template <class Real>
typename ElastoplasticMethod<Real>::StepMatter ElastoplasticMethod<Real>::stepMatter(double dt) const {
    const double h = frame_.smallestSpacing();
    StepMatter step{.memory = memory(dt).atRest, .law = {}, .lambda = {}, .twoMu = {}, .viscosity = {}, .soundSquared = {}, .kappaFast = {}, .inertia = {}};
    for (const Matter& matter : matter_) {
        const Elasticity& e = matter.elasticity;
        const double soundSpeed = several_ ? matter.soundSpeed : waveSpeed_;
        step.law.push_back(static_cast<Real>(matter.law));
        step.lambda.push_back(static_cast<Real>(e.lambda));
        step.twoMu.push_back(static_cast<Real>(2 * e.mu));
        // ζ = β ρ c h, with ρ c = (λ + 2μ)/c; divided by Δt because it meets Δt ∇v.
        step.viscosity.push_back(static_cast<Real>(settings_.bulkViscosity * h * (e.lambda + 2 * e.mu) / (soundSpeed * dt)));
        step.soundSquared.push_back(static_cast<Real>(soundSpeed * soundSpeed));
        step.kappaFast.push_back(static_cast<Real>(e.kappa(settings_.fastMuHat.value_or(0))));
        step.inertia.push_back(static_cast<Real>(matter.grainInertia / (settings_.inertialScale * dt)));
    }
    return step;
}

template WideMask<float> ElastoplasticMethod<float>::answer(const GroupMatter&, const Cone<float>&, const std::array<Wide<float>, 9>&, SandState<float>&, Wide<float>&) const;
template WideMask<double> ElastoplasticMethod<double>::answer(const GroupMatter&, const Cone<double>&, const std::array<Wide<double>, 9>&, SandState<double>&, Wide<double>&) const;
template ElastoplasticMethod<float>::StepMatter ElastoplasticMethod<float>::stepMatter(double) const;
template ElastoplasticMethod<double>::StepMatter ElastoplasticMethod<double>::stepMatter(double) const;
template std::int64_t ElastoplasticMethod<float>::gridToPoints(const Exec&, const world::World&, double, double);
template std::int64_t ElastoplasticMethod<double>::gridToPoints(const Exec&, const world::World&, double, double);

}  // namespace talus::elastoplastic
