// SPDX-License-Identifier: Apache-2.0
// What points say in the implicit update: the impulse of the stress that a step with given node velocities would end with, and how it changes
// with them. The law is that of the explicit update, so that gridToPoints ends with the stress that was solved for.
#include "elastoplastic/method.h"
#include "elastoplastic/point_state.h"
#include "elastoplastic/tangent.h"
#include "mpm/quadratic_vector.h"

namespace talus::elastoplastic {
namespace {

template <class Real>
using Nine = std::array<Wide<Real>, 9>;

/// A symmetric tensor times a factor for each column.
template <class Real>
[[gnu::always_inline]] inline Nine<Real> columnsTimes(const WideSym3<Real>& a, const std::array<Wide<Real>, 3>& factor) {
    return {a.xx * factor[0], a.xy * factor[1], a.xz * factor[2], a.xy * factor[0], a.yy * factor[1], a.yz * factor[2], a.xz * factor[0], a.yz * factor[1], a.zz * factor[2]};
}

template <class Real>
[[gnu::always_inline]] inline Nine<Real> stretchOf(Nine<Real> moments, const std::array<Real, 3>& toStretch) {
    for (std::size_t i = 0; i < 9; ++i) moments[i] *= toStretch[i % 3];
    return moments;
}

}  // namespace

// Calls group(g, Δt ∇v of x) for all groups of all blocks and scatters the stress it returns: forces = Δt Σ V⁰ τ ∇w.
template <class Real>
template <class Group>
void ElastoplasticMethod<Real>::stressForces(const Exec& exec, double dt, const mpm::NodeValues<Real>& x, mpm::NodeValues<Real>& forces, const Group& group) {
    constexpr int kReals = mpm::kVectorReals;
    workerTiles_.resize(static_cast<std::size_t>(exec.threads()));
    for (auto& tile : workerTiles_) tile.resize(mpm::kTileNodes * mpm::kNodeReals);
    const std::array<Real, 3> toStretch = perAxis(4 * dt);
    mpm::scatterBlocks<kReals>(exec, blocks_, forces, [&](std::size_t b) { return reaches_[b]; }, [&](std::size_t b, int worker, Real* to) {
        const mpm::PointBlock& block = blocks_.points[b];
        Real* from = workerTiles_[static_cast<std::size_t>(worker)].data();
        mpm::loadTile<kReals>(block, reaches_[b], x.data(), from);
        for (std::uint32_t g = block.firstGroup; g < block.firstGroup + block.groups; ++g) {
            const int points = mpm::pointsInGroup(block, g);
            const mpm::QuadraticStencil<Real> stencil(points_.position.group(g));
            const WideSym3<Real> stress = group(g, stretchOf(mpm::gatherMoments(stencil, points, from), toStretch));
            const Wide<Real> volume = Wide<Real>::load(points_.volume.group(g));
            mpm::scatterMoments(stencil, columnsTimes<Real>(stress, {volume * toStretch[0], volume * toStretch[1], volume * toStretch[2]}), points, to);
        }
    });
}

template <class Real>
void ElastoplasticMethod<Real>::endStress(const Exec& exec, double dt, mpm::NodeValues<Real>& forces) {
    using W = Wide<Real>;
    const StepMatter matters = stepMatter(dt);
    stressForces(exec, dt, system_.velocity, forces, [&](std::uint32_t g, const Nine<Real>& stretch) {
        const GroupMatter matter = groupMatter(matters, g);
        SandState<Real> state;
        state.strain = advanceStrain(loadSym(points_.strain.group(g)), stretch);
        state.expansion = W::load(points_.expansion.group(g));
        state.plasticStrain = W::load(points_.plasticStrain.group(g));
        Cone<Real> cone = cones(g, state.plasticStrain);
        cone.kappa *= W::load(points_.frictionRatio.group(g));
        W unused(Real(0));
        if (several_) {
            answer(matter, cone, stretch, state, unused);
        } else {
            projectToCone(matter.lame, cone, state);
            dampSound(matter.viscosity, stretch, state);
        }
        return state.stress;
    });
}

template <class Real>
void ElastoplasticMethod<Real>::tangentStress(const Exec& exec, double dt, const mpm::NodeValues<Real>& x, mpm::NodeValues<Real>& forces) {
    stressForces(exec, dt, x, forces, [&](std::uint32_t g, const Nine<Real>& stretch) {
        return Tangent<Real>::load(system_.tangents.data() + std::size_t{g} * 8 * Tangent<Real>::kPacks).apply(stretch);
    });
}

// Tangents of all points at the iterate; and the diagonal that isotropic points with the same moduli would have,
// Σ V⁰ Δt² (μ |∇w|² 1 + (K + μ/3) ∇w ∇wᵀ).
template <class Real>
void ElastoplasticMethod<Real>::buildTangents(const Exec& exec, double dt) {
    using W = Wide<Real>;
    const StepMatter matters = stepMatter(dt);
    const std::array<Real, 3> toStretch = perAxis(4 * dt);
    mpm::makeRoom(system_.tangents, blocks_.groups() * 8 * Tangent<Real>::kPacks);
    mpm::scatterBlocks(exec, blocks_, system_.diagonal, [&](std::size_t b) { return reaches_[b]; }, [&](std::size_t b, int worker, Real* to) {
        const mpm::PointBlock& block = blocks_.points[b];
        Real* from = workerTiles_[static_cast<std::size_t>(worker)].data();
        mpm::loadTile<mpm::kVectorReals>(block, reaches_[b], system_.velocity.data(), from);
        for (std::uint32_t g = block.firstGroup; g < block.firstGroup + block.groups; ++g) {
            const int points = mpm::pointsInGroup(block, g);
            const mpm::QuadraticStencil<Real> stencil(points_.position.group(g));
            const Nine<Real> stretch = stretchOf(mpm::gatherMoments(stencil, points, from), toStretch);
            const WideSym3<Real> before = loadSym(points_.strain.group(g));
            const PrincipalTrial<Real> trial(advanceStrain(before, stretch));
            const GroupMatter matter = groupMatter(matters, g);
            const PrincipalTangent<Real> law = lawTangent(g, matter, stretch, trial);
            const Tangent<Real> tangent = wholeTangent(before, stretch, trial, law, matter.viscosity);
            tangent.store(system_.tangents.data() + std::size_t{g} * 8 * Tangent<Real>::kPacks);

            const W volume = W::load(points_.volume.group(g)), shear = volume * law.shear, along = volume * (law.bulk + tangent.ofSound + Real(1) / Real(3) * law.shear);
            alignas(64) Real node[64];
            mpm::forWeightSlopes(stencil, [&](int offset, const WideVec3<Real>& slope) {
                const WideVec3<Real> d{slope.x * toStretch[0], slope.y * toStretch[1], slope.z * toStretch[2]};
                const W all = shear * dot(d, d), ax = along * d.x, ay = along * d.y, az = along * d.z;
                storeTransposed<Real>({mulAdd(ax, d.x, all), mulAdd(ay, d.y, all), mulAdd(az, d.z, all), ax * d.y, ay * d.z, ax * d.z, W(Real(0)), W(Real(0))}, node);
                for (int p = 0; p < points; ++p) {
                    Real* at = to + mpm::kNodeReals * (stencil.corner[p] + offset);
                    (W::load(at) + W::load(node + 8 * p)).store(at);
                }
            });
        }
    });
}

template <class Real>
PrincipalTangent<Real> ElastoplasticMethod<Real>::lawTangent(std::uint32_t g, const GroupMatter& matter, const std::array<Wide<Real>, 9>& stretch, const PrincipalTrial<Real>& trial) const {
    using W = Wide<Real>;
    Cone<Real> cone = cones(g, W::load(points_.plasticStrain.group(g)));
    cone.kappa *= W::load(points_.frictionRatio.group(g));
    const W expansion = W::load(points_.expansion.group(g));
    PrincipalTangent<Real> law = settings_.fastMuHat ? sandTangent(matter.lame, FlowCone<Real>{cone.kappa, matter.kappaFast, cone.tip, shearOf(stretch) * matter.inertia}, trial, expansion)
                                                     : sandTangent(matter.lame, cone, trial, expansion);
    if (!several_) return law;
    for (const Law solid : {Law::hencky, Law::fixedCorotated}) {
        const WideMask<Real> these = matter.law == W(static_cast<Real>(solid));
        if (!any(these)) continue;
        const PrincipalTangent<Real> own = solidTangent(solid, matter.lame, trial);
        for (std::size_t i = 0; i < 9; ++i) law.ofStrains[i] = select(these, own.ofStrains[i], law.ofStrains[i]);
        for (std::size_t i = 0; i < 3; ++i) law.ofShear[i] = select(these, own.ofShear[i], law.ofShear[i]);
        law.bulk = select(these, own.bulk, law.bulk);
        law.shear = select(these, own.shear, law.shear);
        law.touching = law.touching & !these;
    }
    return law;
}

template void ElastoplasticMethod<float>::endStress(const Exec&, double, mpm::NodeValues<float>&);
template void ElastoplasticMethod<double>::endStress(const Exec&, double, mpm::NodeValues<double>&);
template void ElastoplasticMethod<float>::tangentStress(const Exec&, double, const mpm::NodeValues<float>&, mpm::NodeValues<float>&);
template void ElastoplasticMethod<double>::tangentStress(const Exec&, double, const mpm::NodeValues<double>&, mpm::NodeValues<double>&);
template void ElastoplasticMethod<float>::buildTangents(const Exec&, double);
template void ElastoplasticMethod<double>::buildTangents(const Exec&, double);

}  // namespace talus::elastoplastic
