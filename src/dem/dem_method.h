// SPDX-License-Identifier: Apache-2.0
// Velocity Verlet for clumps of spheres. All numbers are double, whatever precision the scene asks for.
#pragma once

#include "dem/contacts.h"
#include "dem/dem.h"
#include "dem/grains.h"
#include "dem/pair_laws.h"
#include "world/free_bodies.h"

#include <optional>
#include <span>
#include <vector>

namespace talus::dem {

/// A grain that is to be put in.
struct NewGrain {
    Vec3 position, velocity;
    Quat orientation;
    double diameter = 0;          // of a sphere of its volume [m]
    int shape = 0;                // index of its template
    int material = 0;
};

class DemMethod final : public world::Method {
public:
    DemMethod(const Settings&, const world::World&);

    world::Inserted insert(const Exec&, world::World&, const world::Fill&) override;
    world::Removed erase(const Exec&, const world::Region&, world::ChunkSink* taken) override;
    std::int64_t count() const override { return static_cast<std::int64_t>(grains_.rows()); }
    double grainSpacing() const override;
    void setClockBack(double by) override;
    double stableStep(const world::World&) const override;
    world::StepReport step(const Exec&, world::World&, double dt) override;
    std::span<const world::FieldInfo> fields() const override { return info.fields; }
    void read(const Exec&, world::FieldNames, world::ChunkSink&) const override;
    std::vector<world::GrainTemplate> templates() const override;
    std::vector<world::ContactLine> contacts() const override;
    std::vector<world::Metric> metrics() const override;
    std::vector<world::Metric> fallbacks() const override;
    void save(Archive&) const override;
    void load(const Exec&, const Archive&) override;

private:
    /// What a pass over contacts finds.
    struct Extremes {
        Stiffness stiffness;
        std::int64_t deep = 0;             // contacts deeper than half a radius
        std::int64_t deepGrain = -1;       // row of the first of them
        void include(const Extremes& other);
    };
    /// Grains at the end of the step: where they will be, and their velocities as the forces at its beginning predict them.
    struct Trial {
        std::vector<Vec3> position, velocity, spin, angularVelocity, push;
        std::vector<Quat> orientation;
        std::vector<Vec3> centre;          // of spheres
        double moved = 0;                  // furthest way of a sphere since the list was built [m]
        std::int64_t bad = -1;             // a row that is not finite
    };

    const ClumpTemplate& shapeOf(std::size_t row) const { return templates_[static_cast<std::size_t>(grains_.shape(row))]; }
    double reachOf(std::size_t row) const { return grains_.diameter(row) * shapeOf(row).boundingRadius; }
    Vec3 angularVelocityOf(std::size_t row) const;
    Vec3 wrapped(std::size_t row) const { return domain_.wrap(get(grains_.position, row)); }

    // dem_insert.cpp
    std::vector<NewGrain> listedGrains(const Exec&, const world::World&, const world::Fill&) const;
    std::vector<NewGrain> packedGrains(const Exec&, const world::World&, const world::Fill&);
    NewGrain drawGrain(const world::World&, const world::Fill&, std::uint64_t index, std::optional<double> diameter) const;
    void append(world::World&, const world::Fill&, const NewGrain&);

    // dem_list.cpp
    void takeFrom(const world::World&);
    void refresh(const world::World&);
    void rebuild(const Exec&, const world::World&, double time);
    std::vector<std::uint32_t> sortOrder(const Exec&) const;
    void placeAll(std::span<Vec3> centres, bool built) const;
    void derive();
    void listPairs(const Exec&);
    BodyContacts nearBodies(const Exec&, const world::World&, double time) const;
    void relistBodies(const Exec&, const world::World&);
    void setConstants();
    void keep(std::span<const std::size_t> rows);
    double bodySpeed(const world::World&, double time) const;

    // dem_step.cpp
    void startForces(const Exec&, const world::World&);
    void predict(const Exec&, const world::World&, double dt);
    world::FreeBodies predictBodies(const world::World&, double dt) const;
    Extremes computeForces(const Exec&, double dt, std::span<const world::BodySnapshot>);
    template <class NormalKind, class ShearKind>
    Extremes pairForces(const Exec&, double dt);
    template <class NormalKind, class ShearKind>
    Extremes bodyForces(const Exec&, double dt, std::span<const world::BodySnapshot>);
    std::vector<world::BodyLoad> bodyRates(std::span<const world::BodySnapshot>) const;
    struct Meeting {
        Vec3 normal;                       // from the second sphere to the first
        double overlap = 0;                // [m]
    };
    Meeting meeting(std::uint32_t a, std::uint32_t b) const;
    Vec6 contactWrench(std::size_t row) const;
    std::int64_t correct(const Exec&, const world::World&, double dt);
    world::Failed failure(std::size_t row, std::string_view what, std::string_view field) const;

    // dem_read.cpp
    void readRows(world::FieldNames, world::ChunkSink&, const std::vector<std::size_t>* listed) const;
    ContactSums sumContacts() const;

    Settings settings_;
    std::vector<ClumpTemplate> templates_;
    world::Domain domain_;
    double diameter_, skin_;               // [m]
    double meanCube_;                      // of the sizes
    PairLaws laws_;
    std::int64_t revision_ = 0;            // of the world that laws_ belong to
    std::vector<int> bodyMaterial_;        // of its bodies

    Grains grains_;
    Spheres spheres_;                      // of grains_, where they are now
    std::vector<double> reach_, perNormalMass_;   // of each grain: bounding radius; 1/m of its hardest contact
    std::vector<Vec3> built_;              // centres when the list was built
    PairContacts pairs_;
    BodyContacts bodies_;
    std::vector<world::BodyLoad> bodyRates_;   // at the end of the last step, per second
    bool touched_ = false;                 // grains came since the last step that may touch each other
    bool stale_ = true;                    // grains came since the list was built
    bool bodiesUnlisted_ = false;          // after a load only those that touch are listed: the archive knows no bodies
    std::optional<ContactSums> keptSums_;  // of the last step, since when grains were taken out
    double bodyDrift_ = 0;                 // way of the fastest body since then [m]

    Stiffness now_, atRest_;               // of the contacts there are, and of those that there will be
    double fastest_ = 0;                   // bound on the speed of spheres [m/s]
    std::int64_t builds_ = 0, deepOverlaps_ = 0;
    double filledSolid_ = 0, filledRegion_ = 0;   // volumes of grains and of regions that fills have packed [m³]

    // Scratch of a step.
    Trial trial_;
    std::vector<Vec3> pairMoment_, bodyMoment_;   // of rolling friction, on the first grain of a pair [N m]
    struct BodyTouch {
        Vec3 point, surfaceVelocity;
        double slipPower = 0;
    };
    std::vector<BodyTouch> bodyTouch_;
};

}  // namespace talus::dem
