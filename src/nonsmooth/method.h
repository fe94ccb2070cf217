// SPDX-License-Identifier: Apache-2.0
// The time step of [Daviet2016, §5.3]: points to grid, friction problem, grid to points.
#pragma once

#include "nonsmooth/body_contacts.h"
#include "nonsmooth/general_cone.h"
#include "nonsmooth/hourglass.h"
#include "nonsmooth/nonsmooth.h"
#include "nonsmooth/volume_correction.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace talus::nonsmooth {

class NonsmoothMethod final : public world::Method {
public:
    NonsmoothMethod(const Settings&, const world::World&, world::Precision);

    world::Inserted insert(const Exec&, world::World&, const world::Fill&) override;
    world::Removed erase(const Exec&, const world::Region&, world::ChunkSink* taken) override;
    std::int64_t count() const override { return static_cast<std::int64_t>(points_.rows()); }
    double grainSpacing() const override;
    void setClockBack(double by) override;
    double stableStep(const world::World&) const override;
    world::StepReport step(const Exec&, world::World&, double dt) override;
    std::span<const world::FieldInfo> fields() const override { return info.fields; }
    void read(const Exec&, world::FieldNames, world::ChunkSink&) const override;
    void readSecond(const world::SecondOutput&, world::ChunkSink&) const override;
    std::vector<world::Metric> metrics() const override;
    std::vector<world::Metric> fallbacks() const override;
    std::vector<std::string> takeWarnings() override { return std::exchange(warnings_, {}); }
    void save(Archive&) const override;
    void load(const Exec&, const Archive&) override;

    /// Sees every friction problem before it is solved, with its bodies and its tolerance [Pa s]: for studies of solvers.
    using ProblemWatch = std::function<void(const FrictionProblem&, const BodyContacts&, double tolerance)>;
    void watchProblems(ProblemWatch watch) { watch_ = std::move(watch); }

private:
    struct NewPoint {
        Vec3 position, velocity;               // [m], [m/s]
        double volume;                         // packed [m³]
        int material;
        const std::array<double, 6>* stress;   // Cauchy, tension positive [Pa]; null: none
    };
    /// What a step found, for metrics.
    struct LastStep {
        double sweeps = 0, residual = 0, tolerance = 0;   // residual and tolerance in Pa
        double cells = 0, nodes = 0;
        double packedVolume = 0;                          // that is free around nodes more than half full [m³]
        double overfullVolume = 0;                        // that grains would take up beyond φ_max [m³]
        double rounds = 0;                                // of conjugate gradients
        double excessVolume = 0;                          // that sites were asked to gain [m³]
    };

    void refresh(const world::World&);
    /// Of a point that was put in [m³].
    double wholeVolume() const { return frame_.cellVolume() / static_cast<double>(settings_.pointsPerCell); }
    template <class PointAt>
    world::Inserted add(const Exec&, world::World&, const world::Fill&, std::size_t count, const PointAt&);
    /// `before`: the grid of the step, where no points went away since.
    void bringIntoOrder(const Exec&, std::span<const std::uint32_t> order);
    void readRows(world::FieldNames, world::ChunkSink&, const std::vector<std::size_t>* listed) const;

    LastStep measureFullness(const Exec&, const world::World&, std::span<const double> taken, double dt);
    void limitCompaction(const Exec&, double dt);
    /// Of its nodes, as it is counted.
    double fullnessOf(std::size_t site) const;
    /// The complementarity function of a site at the end of the solve [Pa].
    double residualOf(std::size_t site) const;
    double stressScale(const Exec&, const world::World&) const;
    SolveReport solve(const Exec&, double dt, double tolerance);
    /// The fastest that a point would move with the node velocities, in cells a second.
    double fastest(const Exec&) const;
    /// Moves nodes apart where sites are too full; the work against gravity that it does is added up.
    void makeRoom(const Exec&, const world::World&, double dt);
    void toPoints(const Exec&, world::World&, double dt);
    void changeWithTheFlow(const Exec&, world::World&, double dt);
    std::optional<world::Failed> missed(const SolveReport&, const world::World&, double dt, double tolerance);

    Settings settings_;
    bool single_;                    // arithmetic of sites in float
    world::Domain domain_;
    mpm::GridFrame frame_;
    std::vector<Rheology> rheology_;           // per material
    std::vector<world::Material> materials_;
    std::int64_t revision_ = -1;
    int grainMaterial_ = 0;                    // the last put in: all rub alike (see check)

    Points points_;                            // sorted whenever no call is under way
    double correctionEnergy_ = 0;              // that making room added, since the start [J]
    double cellRate_ = 0;                      // max |v_a|/h_a over points [1/s]
    std::int64_t missed_ = 0, sweeps_ = 0;
    std::int64_t splits_ = 0, merges_ = 0;     // of points
    std::int64_t leftOut_ = 0;                 // points of fills that lay in bodies
    LastStep last_;
    bool warned_ = false;
    std::vector<std::string> warnings_;

    // During a step; readSecond() shows them after it.
    double stepLength_ = 0;                    // [s]
    Grid grid_;
    FrictionProblem problem_;
    std::vector<double> taken_;                // volume that grains of a site take up [m³]
    std::vector<double> cohesion_;             // c of a site [Pa]; empty: no material has any
    std::vector<double> nodeMass_;             // [kg]
    std::vector<double> fullness_;             // of a node: volume fraction over φ_max
    std::vector<double> counted_;              // room of a site as it is counted; empty: it is not asked for
    std::vector<std::uint8_t> nearBody_;       // of a node
    std::unique_ptr<FrictionSolver> solver_;
    GeneralGaussSeidel generalSolver_;         // where sites have another law
    ProblemWatch watch_;
    BodyContacts contacts_;
    PatternMemory patterns_;                   // where the settings ask for it
    VolumeCorrection correction_;
    std::vector<double> excess_;               // of a site [m³]
    world::FreeBodies freeBodies_;
};

}  // namespace talus::nonsmooth
