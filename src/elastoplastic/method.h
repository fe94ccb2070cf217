// SPDX-License-Identifier: Apache-2.0
// The cycle of [Klar2016, §4] in its moving-least-squares form [Hu2018]. It is explicit, unless the settings ask for node velocities that
// are solved for (implicit_step.cpp): all else is the same.
#pragma once

#include "elastoplastic/elasticity.h"
#include "elastoplastic/elastoplastic.h"
#include "elastoplastic/flow_memory.h"
#include "elastoplastic/node_system.h"
#include "elastoplastic/points.h"
#include "elastoplastic/sand.h"
#include "mpm/blocks.h"
#include "mpm/node_contact.h"
#include "mpm/points_in_bodies.h"
#include "mpm/room.h"
#include "mpm/tile.h"
#include "mpm/transfer.h"

#include <optional>
#include <vector>

namespace talus::elastoplastic {

template <class Real>
struct PrincipalTangent;
template <class Real>
struct PrincipalTrial;

template <class Real>
class ElastoplasticMethod final : public world::Method {
public:
    ElastoplasticMethod(const Settings&, const world::World&);

    world::Inserted insert(const Exec&, world::World&, const world::Fill&) override;
    world::Removed erase(const Exec&, const world::Region&, world::ChunkSink* taken) override;
    std::int64_t count() const override { return count_; }
    double grainSpacing() const override;
    void setClockBack(double by) override;
    double stableStep(const world::World&) const override;
    world::StepReport step(const Exec&, world::World&, double dt) override;
    std::span<const world::FieldInfo> fields() const override { return info.fields; }
    void read(const Exec&, world::FieldNames, world::ChunkSink&) const override;
    std::vector<world::Metric> metrics() const override;
    std::vector<world::Metric> fallbacks() const override;
    void save(Archive&) const override;
    void load(const Exec&, const Archive&) override;

private:
    /// Extremes of the last step, from which the next step's length follows.
    struct Pace {
        double cellRate = 0;      // max |v_a|/h_a over points and axes [1/s]
        double gradient = 0;      // max |∇v| entry [1/s]
        double cellsOut = 0;      // by how many cells a point was put out of a body
        double soundSpeed = 0;    // fastest in solids as they are strained [m/s]
    };
    /// What a block of points reports from a step.
    struct BlockReport {
        Pace pace;
        std::int64_t inverted = 0, crushed = 0;
        std::int64_t badRow = -1;  // first row that is not finite
        std::vector<mpm::PointLoad> met;
        /// Looks at a group in which something is wrong.
        void note(std::uint32_t group, int points, const Wide<Real>& finite, const Wide<Real>& stretched, const WideMask<Real>& beyondSense);
    };

    /// What a step knows of the materials of eight points, and of all materials by their number.
    struct GroupMatter {
        Lame<Real> lame;
        Wide<Real> viscosity;      // ζ/Δt
        Wide<Real> law, soundSquared;
        Wide<Real> kappaFast;      // slope of the cone in fast shear
        Wide<Real> inertia;        // d √ρ/(I₀ Δt)
    };
    struct StepMatter {
        double memory;             // part of the velocities finer than the grid that is left after the step; the least of all, if they differ
        std::vector<Real> law, lambda, twoMu, viscosity, soundSquared, kappaFast, inertia;

        GroupMatter of(int material) const {
            const auto one = [&](const std::vector<Real>& values) { return Wide<Real>(values[static_cast<std::size_t>(material)]); };
            return {{one(lambda), one(twoMu)}, one(viscosity), one(law), one(soundSquared), one(kappaFast), one(inertia)};
        }
        GroupMatter of(const WideInt& materials) const {
            const auto each = [&](const std::vector<Real>& values) { return talus::gather(values.data(), materials); };
            return {{each(lambda), each(twoMu)}, each(viscosity), each(law), each(soundSquared), each(kappaFast), each(inertia)};
        }
    };

    /// Takes over what it keeps of materials and bodies, where these were exchanged.
    void refresh(const world::World&);
    bool severalLaws() const;
    /// Friction follows the plastic strain where sand hardens, whatever the table says.
    bool ownFriction(const world::ListedGrains& list) const { return !list.muHats.empty() && !settings_.hardening.present; }
    bool frictionByPoint() const { return settings_.frictionSpreadDeg > 0 || !steepest_.empty(); }
    struct NewPoint {
        Vec3 position, velocity;               // [m], [m/s]
        double volume;                         // V⁰ [m³]
        int material;
        const std::array<double, 6>* stress;   // Cauchy [Pa]; null: none
        const double* muHat;                   // null: that of the material
    };
    world::Inserted insertRegion(const Exec&, world::World&, const world::Fill&);
    world::Inserted insertListed(const Exec&, world::World&, const world::Fill&);
    void fillRoom(const std::vector<Vec3>& places, mpm::Room&) const;
    template <class PointAt>
    world::Inserted add(const Exec&, world::World&, const world::Fill&, std::size_t count, const PointAt&);

    /// Calls `f` with the kind of memory as its template argument: [&]<mpm::Memory kMemory>() { … }.
    template <class F>
    decltype(auto) withMemory(const F& f) const {
        return settings_.flowRelaxationTime ? f.template operator()<mpm::Memory::ofNodes>() : f.template operator()<mpm::Memory::even>();
    }
    /// The same with the stencil, too: [&]<template <class> class Stencil, mpm::Memory kMemory>() { … }.
    template <class F>
    decltype(auto) withKernels(const F& f) const {
        return mpm::withStencil(settings_.kernel, [&]<template <class> class Stencil>() { return withMemory([&]<mpm::Memory kMemory>() { return f.template operator()<Stencil, kMemory>(); }); });
    }
    void pointsToGrid(const Exec&, const world::World&, double dt);
    template <template <class> class Stencil, mpm::Memory kMemory>
    void scatterBlock(const world::World&, const mpm::PointBlock&, const FlowMemory<Real>&, double dt, Real* tile) const;
    /// What world.forces do to the velocities of a group in the step: x of eight points, then y, then z.
    void push(const world::World&, const mpm::PointBlock&, std::uint32_t group, double dt, Real* change) const;
    /// μ̂ of the steepest sand: it shears on itself before it passes on more. Solids alone pass on all.
    double mostFriction(const world::World&) const;
    double movingRate(const world::World&) const;
    double explicitStep(const world::World&) const;
    /// Bodies where they are, and velocities that gravity, forces and stress of the step before make, in nodes_. Returns the largest number of
    /// cells that a node moves in the step; with bodies, those that are not kept for couple() have met them.
    double sumNodes(const Exec&, const world::World&, double dt, bool meetBodies);
    /// The same with bodies.
    double updateNodes(const Exec&, const world::World&, double dt);
    /// What couple() says of nodes near free bodies; the largest number of cells that one of them moves.
    double coupleBodies(const Exec&, double dt);
    double meetBodies(std::size_t nodeBlock, double dt);   // the same, of a block with bodies near
    double largestNodeGradient(const Exec&) const;
    /// `cells`: by how many a node moves at most. Returns the row of a point that is not finite, or −1.
    std::int64_t gridToPoints(const Exec&, const world::World&, double dt, double cells);
    /// What the points of a block do with their tile. `Several`: points may be of different laws and stiffness; else all are of `material`, or of sands that differ in friction and density.
    template <template <class> class Stencil, mpm::Memory kMemory, bool Several>
    BlockReport updateBlock(const mpm::PointBlock&, const Real* tile, double dt, const StepMatter&, int material);
    WideMask<Real> answer(const GroupMatter&, const Cone<Real>&, const std::array<Wide<Real>, 9>& stretch, SandState<Real>&, Wide<Real>& soundSquared) const;
    std::optional<int> oneSand(const mpm::PointBlock&) const;
    StepMatter stepMatter(double dt) const;
    VelocityMemory memory(double dt) const;
    /// What each point of a group would keep of velocities finer than the grid (step.cpp).
    Wide<Real> memoryOf(const FlowMemory<Real>&, std::uint32_t group) const;
    /// Puts points of a block, or one, out of bodies that they came into (leave_bodies.cpp).
    /// `before`: positions at the start of the step; none where no point of the block can have met a body.
    void leaveBodies(const world::World&, const mpm::PointBlock&, std::span<const Real> before, double dt, BlockReport&);
    void leaveBodies(const world::World&, std::span<const world::BodySnapshot* const> near, std::size_t row, const Vec3& now, const Vec3& moved, double dt, BlockReport&);
    void moveBodies(const Exec&, const world::World&, double dt);   // as far as points see them
    double blockClearance(const mpm::PointBlock&) const;            // of all its points, or 0
    bool mayMeetBodies(const mpm::PointBlock&, double furthest) const;
    /// Every so often: lets points that lie looser or closer than their volume says know it (volumes.cpp).
    void matchVolumes(const Exec&, double dt);
    template <template <class> class Stencil>
    void matchBlock(std::size_t pointBlock, double time, const std::vector<Real>& ofSand);
    void fillNodes(const Exec&);      // filling_: volume of points around nodes over the room that bodies leave there
    void findLacks(const Exec&);      // lack_: what is missing of it
    void sort(const Exec&, std::vector<std::uint64_t> keys);
    /// After a sort: halves points of cells that have thinned out, puts those of crowds together (reseed.cpp).
    void reseed(const Exec&, world::World&);
    bool atPeriod(const mpm::PointBlock&) const;   // beyond the last block of a period lies the first one
    /// Whether no point of the block can be in the region; points may have drifted out of the block since the last sort.
    bool outOfReach(const mpm::PointBlock&, const world::Region&) const;
    std::vector<std::uint64_t> recentre(const Exec&, std::size_t rows);

    // The implicit update (implicit_step.cpp, implicit_points.cpp, implicit_nodes.cpp).
    bool implicit() const { return settings_.integration == Integration::implicit; }
    /// Node velocities that balance the stress at the end of the step, in nodes_; the same number of cells, or nothing where none were found.
    std::optional<double> solveNodes(const Exec&, const world::World&, double dt);
    bool newton(const Exec&, const world::World&, double dt);
    double searchAlong(const Exec&, double dt, double size);
    double keepMomentum(const Exec&, double dt);
    double contactStep(const Exec&, double dt);                     // bodies take their loads
    double stressScale(const world::World&) const;                  // ρ g L and what motion adds [Pa]
    /// system_.imbalance from the velocities in system_.velocity; its size, over the tolerance's scale.
    double evaluate(const Exec&, double dt);
    void balance(std::size_t nodeBlock, double dt);
    template <class Group>
    void stressForces(const Exec&, double dt, const mpm::NodeValues<Real>& x, mpm::NodeValues<Real>& forces, const Group&);
    void endStress(const Exec&, double dt, mpm::NodeValues<Real>& forces);
    void tangentStress(const Exec&, double dt, const mpm::NodeValues<Real>& x, mpm::NodeValues<Real>& forces);
    void buildTangents(const Exec&, double dt);
    PrincipalTangent<Real> lawTangent(std::uint32_t group, const GroupMatter&, const std::array<Wide<Real>, 9>& stretch, const PrincipalTrial<Real>&) const;
    void buildDiagonal(const Exec&, bool first);
    void invertDiagonal(const Exec&);
    void applyTangent(const Exec&, double dt, const mpm::NodeValues<Real>& x, mpm::NodeValues<Real>& y);
    void precondition(const Exec&, const mpm::NodeValues<Real>& x, mpm::NodeValues<Real>& y) const;
    GroupMatter groupMatter(const StepMatter& matters, std::uint32_t group) const {
        return several_ ? matters.of(WideInt::load(points_.material.group(group))) : matters.of(0);
    }
    std::array<Real, 3> perAxis(double factor) const {
        return {static_cast<Real>(factor / frame_.spacing.x), static_cast<Real>(factor / frame_.spacing.y), static_cast<Real>(factor / frame_.spacing.z)};
    }

    using RowsOfBlocks = std::vector<std::vector<std::size_t>>;
    /// All rows, or those listed for each block.
    void readRows(world::FieldNames, world::ChunkSink&, const RowsOfBlocks*) const;

    /// The cone of each point of a group with the plastic strains q.
    Cone<Real> cones(std::size_t group, const Wide<Real>& q) const;
    world::Failed failure(std::int64_t row, std::string_view what) const;
    Vec3 worldPosition(const mpm::PointBlock&, std::size_t row) const;

    Settings settings_;
    world::Domain domain_;
    mpm::GridFrame frame_;
    std::vector<Matter> matter_;          // per material
    bool several_ = false;                // not all of it sand of one stiffness and one friction at any speed
    double waveSpeed_ = 0;                // fastest of all materials put in [m/s]
    double sandSpeed_ = 0;                // fastest of those that are sand
    std::vector<double> steepest_;        // largest friction ratio that points of each material brought with them; empty: none did
    std::vector<int> usedMaterials_;      // that fills and emitters of the world bring
    int grainMaterial_ = 0;               // the last put in: all rub alike (see check)
    std::vector<Real> kappa_, tip_;       // slope of the cone in strain and its tip, per material
    std::vector<Real> kappaPerSlope_;     // κ/μ̂, per material
    std::vector<double> bulkDensity_;     // per material [kg/m³]
    std::int64_t revision_ = -1;          // of the world that these are of

    Points<Real> points_;
    mpm::Blocks blocks_;
    std::int64_t count_ = 0;
    double drift_ = 0;                    // cells that a point may have moved since the last sort
    Pace pace_;
    double sinceMatch_ = 0;               // time since volumes were matched last [s]
    std::int64_t inverted_ = 0, crushed_ = 0, sorts_ = 0, splits_ = 0, merges_ = 0;

    std::vector<mpm::Reach> reaches_;     // what the points of every block reach of its tile
    mpm::NodeValues<Real> filling_, lack_;   // one number per node: parts of a cell
    mpm::NodeValues<Real> nodes_;         // of every node block: mass and momentum, then mass and velocity
    std::vector<mpm::NodeValues<Real>> workerTiles_;
    NodeSystem<Real> system_;             // of the implicit update
    mpm::NodeContact contact_;
    world::FreeBodies freeBodies_;        // during a step
    std::vector<world::BodySnapshot> movedBodies_;                      // all that are active, as they stand at its end
    std::vector<mpm::PointLoad> met_;   // by points in it
    double bodyShift_ = 0;                // furthest that a surface moves in it [m]
    std::vector<double> clearance_;       // what a group of points may still move before it meets a body [m]; of another length: look at all
    std::vector<const world::Body*> lookedAt_;   // bodies that these are of
    std::int64_t placedRevision_ = -1;    // of the world whose bodies were placed
    bool blocksChanged_ = true;           // since bodies were last placed on them
};

template <class Real>
[[gnu::always_inline]] inline Cone<Real> ElastoplasticMethod<Real>::cones(std::size_t group, const Wide<Real>& q) const {
    const auto ofMaterial = [&](const std::vector<Real>& values) {
        return values.size() == 1 ? Wide<Real>(values.front()) : talus::gather(values.data(), WideInt::load(points_.material.group(group)));
    };
    if (!settings_.hardening.present) return {ofMaterial(kappa_), ofMaterial(tip_)};
    return {settings_.hardening.muHat(q) * ofMaterial(kappaPerSlope_), ofMaterial(tip_)};
}

}  // namespace talus::elastoplastic
