// SPDX-License-Identifier: Apache-2.0
// Velocity Verlet for clumps of spheres, or the adaptive method of Fehlberg. Their state is double, whatever precision the scene asks for; forces between grains are of that precision.
#pragma once

#include "dem/births.h"
#include "dem/contacts.h"
#include "dem/cover.h"
#include "dem/dem.h"
#include "dem/grains.h"
#include "dem/pair_forces.h"
#include "dem/pair_laws.h"
#include "dem/room.h"
#include "dem/stages.h"
#include "world/body_rates.h"
#include "world/free_bodies.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace talus::dem {

/// A grain that is to be put in.
struct NewGrain {
    Vec3 position, velocity;
    Quat orientation;
    Vec3 spin;                    // ω [rad/s]
    double diameter = 0;          // of a sphere of its volume [m]
    int shape = 0;                // index of its template
    int material = 0;
};

/// Grains of a task; blocks are the same for any number of threads.
inline constexpr std::size_t kGrainBlock = 512;

class DemMethod final : public world::Method {
public:
    DemMethod(const Settings&, const world::World&, world::Precision);

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
    void readSecond(const world::SecondOutput&, world::ChunkSink&) const override;
    std::vector<world::Metric> metrics() const override;
    std::vector<world::Metric> fallbacks() const override;
    std::vector<std::string> takeWarnings() override { return std::exchange(warnings_, {}); }
    void save(Archive&) const override;
    void load(const Exec&, const Archive&) override;
    const Covers& covers() const { return covers_; }

private:
    void loadGrains(const Archive&);
    void loadNumbers(const Archive&);
    void loadContactSums(const Archive&);
    void loadContacts(const Exec&, const Archive&);
    /// How fast a grain is when contacts look at it.
    struct Motion {
        Vec3 velocity, angularVelocity;    // [m/s], [rad/s]
    };
    /// What a pass over grains finds.
    struct Furthest {
        double moved = 0, speed = 0, acceleration = 0;   // of any sphere: in the step [m], [m/s], [m/s²]
        std::int64_t bad = -1;             // a row that is not finite
        void include(const Furthest& other);
    };
    /// Forces of a state, and how fast and how hard pushed grains are in it.
    struct Evaluated {
        Extremes found;
        Furthest kicked;
    };
    /// A substep that may be taken.
    struct Trial {
        double error = 0, moved = 0;       // over what is allowed; furthest way of a sphere in the substep [m]
    };
    /// How two spheres meet, at this moment.
    struct PairMeeting {
        std::uint32_t grainA = 0, grainB = 0;
        Vec3 armA, armB;                   // from the centres of the grains to the contact point [m]
        Touch touch;
        Vec3 normalRate;                   // of the normal [1/s]
        bool bridge = false;
    };
    /// Two grains that touch, at this moment.
    struct PairTouch {
        std::uint32_t grainA = 0, grainB = 0;
        Vec3 armA, armB, force;            // from their centres to the contact point [m]; on the first [N]
        Vec3 normal;                       // from the second to the first
        double energy = 0;                 // stored [J]
        bool bridge = false;               // liquid holds them, but they do not touch
        void addToA(ContactSum& sum) const { sum.add(armA, force, 0.5 * energy, !bridge); }
        void addToB(ContactSum& sum) const { sum.add(armB, -force, 0.5 * energy, !bridge); }
    };

    const ClumpTemplate& shapeOf(std::size_t row) const { return templates_[static_cast<std::size_t>(at(grains_.shape, row))]; }
    double massOf(std::size_t row) const { return densities_[static_cast<std::size_t>(at(grains_.material, row))] * sphereVolume(at(grains_.diameter, row)); }
    double volumeOf(std::size_t row) const { return sphereVolume(at(grains_.diameter, row)) / packingFractions_[static_cast<std::size_t>(at(grains_.material, row))]; }
    Quat orientationOf(std::size_t row) const { return grains_.orientation.present() ? get(grains_.orientation.values(), row) : Quat{}; }
    /// Of all contacts at the end of the last step, the torque about the centre of the grain.
    const Wrench& contactsOn(std::size_t row) const { return wrenches_[spheres_.firstOf(row)]; }
    std::span<const std::int64_t> ids() const { return {grains_.id.group(0), grains_.rows()}; }
    double reachOf(std::size_t row) const { return at(grains_.diameter, row) * shapeOf(row).boundingRadius; }
    Vec3 angularVelocityOf(std::size_t row) const;
    Vec3 wrapped(std::size_t row) const { return domain_.wrap(get(grains_.position, row)); }

    // dem_insert.cpp
    Room roomAround(std::span<const Vec3> places, std::span<const world::BodySnapshot>) const;
    bool reachesInto(std::span<const world::BodySnapshot>, const NewGrain&) const;
    bool fits(const world::World&, const world::Fill&, std::size_t number, NewGrain&, Room&) const;
    std::vector<NewGrain> listedGrains(const world::World&, const world::Fill&) const;
    std::vector<NewGrain> packedGrains(const Exec&, const world::World&, const world::Fill&);
    NewGrain drawGrain(const world::World&, const world::Fill&, std::uint64_t index, std::optional<double> diameter) const;
    void put(std::size_t row, const NewGrain&);

    // dem_list.cpp
    void takeFrom(const world::World&);
    void refresh(const Exec&, const world::World&);
    void rebuild(const Exec&, const world::World&, double time);
    struct SearchTable {
        std::vector<Vec3> centres;
        std::vector<double> reach;         // [m]
        double farthest;                   // of them
    };
    SearchTable searchTable(const Exec&) const;
    void placeForSearch(const Exec&, const SearchTable&);
    void takeList(const Exec&, PairList, const KeptPairs&, const MemoryKinds&);
    void derive();
    template <class Real>
    void placeRoom(PairForces<Real>& forces) const {
        forces.lattice = Lattice<Real>(domain_, 2 * largestRadius_ + listed_);
        forces.makeRoom(spheres_.size());
    }
    void numberSpheres();
    void reorder(const Exec&, std::span<const std::uint32_t> from);
    Vec3 armOf(std::size_t row, std::uint32_t sphere, const Mat3& turn) const { return at(grains_.diameter, row) * (turn * shapeOf(row).spheres[sphere - spheres_.firstOf(row)].centre); }
    double radiusOf(std::uint32_t sphere) const;
    Vec3 centreOf(std::uint32_t sphere) const;
    Side sideOf(std::uint32_t sphere) const;
    KeptPairs actingPairs(const Exec&) const;
    MemoryKinds kindsOf(bool turning, bool twisting) const;
    MemoryKinds wantedKinds() const;
    const MemoryKinds& memoryKinds() const { return std::visit([](const auto& forces) -> const MemoryKinds& { return forces.memories.kinds(); }, forces_); }
    void listPairs(const Exec&, const KeptPairs&, const MemoryKinds&);
    BodyContacts nearBodies(const Exec&, const world::World&, double time) const;
    void relistBodies(const Exec&, const world::World&);
    template <class Real>
    void setPairConstants(const Exec&, PairForces<Real>&);
    void setBodyConstants();
    void setConstants(const Exec&);
    double bodySpeed(const world::World&, double time) const;

    // dem_erase.cpp
    void noteFelt(const Exec&, std::span<const char> goes);
    void keep(const Exec&, std::span<const std::size_t> rows);
    void keepPairs(const Exec&, std::span<const std::uint32_t> sphereAt);
    void keepBodyContacts(std::span<const std::uint32_t> sphereAt);

    // dem_step.cpp
    double feelForces(const Exec&, const world::World&, double dt);
    Evaluated evaluate(const Exec&, const world::World&, std::span<const world::BodySnapshot>);
    double lead(double dt) const;
    Motion seenMotion(const world::World&, std::size_t row, double lead, const Wrench& before) const;
    world::FreeBodies predictBodies(const world::World&, double dt) const;
    Extremes computeForces(const Exec&, const world::World&, double dt, std::span<const world::BodySnapshot>);
    Extremes pairForces(const Exec&, double dt);
    void makeRoomForBodies();
    struct ContactRange {
        std::size_t begin, end;
    };
    /// What contacts of a few grains do to a body: per second, but the slip is that of the whole step, which a rate counts for half of.
    struct BodyShare {
        std::uint32_t body;
        world::BodyLoad rate;
        double slipWork = 0;               // of friction in the step [J]
    };
    ContactRange contactsWithBodies(std::size_t firstRow, std::size_t lastRow) const;
    Extremes bodyForces(const world::World&, double dt, double lead, std::span<const world::BodySnapshot>, const ContactRange&, std::span<const Wrench> before, std::vector<BodyShare>&);
    template <class NormalKind, class ShearKind>
    void bodyForce(const world::World&, double dt, double lead, const world::BodySnapshot&, std::size_t contact, const Wrench& before, BodyShare&, Extremes&);
    std::vector<world::BodyLoad> bodyRates() const;
    geometry::Surface surfaceOf(const world::BodySnapshot&, std::uint32_t partner, const Vec3& x) const;
    /// Overlaps of a step that has ended; the first ones are a warning.
    void countDeep(std::int64_t count, double time);
    world::Failed failure(std::size_t row, std::string_view what, std::string_view field) const;

    // dem_move.cpp
    struct Drift {
        Vec3 gravity;
        double dt, ahead;                  // ahead: from the middle of the step to the instant at which contacts look at velocities [s]
        bool pushed;                       // force fields act
        double perMass, perMoment;         // 1/m [1/kg] and 1/I [1/(kg m²)] where they are the same for all grains; else 0
    };
    Drift driftOf(const world::World&, double dt, double ahead, bool pushed) const;
    struct Drifted {
        Furthest grains;
        Extremes bodies;                   // of contacts with them
    };
    Drifted driftAndMeetBodies(const Exec&, const world::World&, double dt, std::span<const world::BodySnapshot>);
    Furthest kick(const Exec&, const world::World&, double dt);
    template <class Real>
    void place(std::size_t row, const Vec3& position, const Quat& orientation, const Motion& seen, PairForces<Real>&);
    template <class One, class Eight>
    void forRows(std::size_t begin, std::size_t end, const One&, const Eight&) const;
    template <class N, class Real>
    void driftRows(std::size_t row, const Drift&, PairForces<Real>&, Furthest&);
    template <class N, class V>
    double movedBy(std::size_t row, const ClumpTemplate&, const V& way, const V& angle) const;
    template <class N, class Real, class V, class Q>
    void placeRows(std::size_t row, const V& position, const Q& orientation, const V& velocity, const V& turning, PairForces<Real>&);
    template <class N>
    N massesOf(std::size_t row) const;
    template <class N, class V>
    void wrenchesOf(std::size_t sphere, std::size_t stride, V& force, V& torque) const;
    template <class N, class V>
    void sumWrenches(std::size_t row, V& force, V& torque);
    template <class N>
    void kickRows(std::size_t row, const Drift&, Furthest&);

    // dem_adaptive.cpp
    world::StepReport adaptiveStep(const Exec&, world::World&, double dt);
    double contactPeriod() const;
    bool outruns(const world::World&, double h) const;
    bool takeSubstep(const Exec&, world::World&, double& h, Evaluated&);
    void openSubstep(const Exec&, const world::World&);
    std::size_t pairNumbers() const;
    void setStage(const Exec&, double h, const Fehlberg::Weights&);
    void takeRates(const Exec&, const world::World&, std::size_t stage, double h);
    void takePairRates(const Exec&, std::size_t stage);
    std::vector<Vec6> bodyJumps(const world::World&, double h, world::FreeBodies&) const;
    void runStages(const Exec&, world::World&, double h, world::FreeBodies&);
    world::BodyNumbers bodyAt(std::size_t free, double h, const Fehlberg::Weights&) const;
    Trial judge(const Exec&, double h, double period, const world::FreeBodies&) const;
    double turnOf(std::size_t row, double h) const;
    Evaluated closeSubstep(const Exec&, world::World&, double h, world::FreeBodies&);

    // dem_read.cpp
    void readRows(world::FieldNames, world::ChunkSink&, const std::vector<std::size_t>* listed) const;
    std::vector<ContactSum> sumContacts() const;
    void addBodyContact(std::size_t contact, ContactSum&) const;
    PairMeeting meeting(std::uint32_t firstSphere, std::size_t pair) const;
    PairTouch pairTouch(std::uint32_t firstSphere, std::size_t pair, MemoryOf<Vec3>) const;
    /// Calls visit(first sphere, pair, what it remembers), for a slab or for all.
    template <class Visit>
    void forActingPairs(std::size_t slab, const Visit&) const;
    template <class Visit>
    void forActingPairs(const Visit& visit) const {
        for (std::size_t slab = 0; slab < pairs_.slabs.size(); ++slab) forActingPairs(slab, visit);
    }
    double stored(const PairConstants&, const HoldConstants&, const MemoryOf<Vec3>&, double overlap) const;

    Settings settings_;
    std::vector<ClumpTemplate> templates_;
    world::Domain domain_;
    double diameter_, skin_;               // [m]
    double largestRadius_ = 0;             // of a sphere [m]
    double listed_ = 0;                    // gap up to which pairs are listed: the skin, or the longest bridge of liquid [m]
    double meanCube_;                      // of the sizes
    PairLaws laws_;
    std::int64_t revision_ = 0;            // of the world that laws_ belong to
    std::vector<int> bodyMaterial_;        // of its bodies
    std::vector<double> densities_, packingFractions_;   // of its materials
    Covers covers_;                        // of bodies that grains touch by spheres; BodyContacts::body is a partner as Covers numbers them

    Grains grains_;
    Births births_;
    Spheres spheres_;                      // which spheres grains_ have; where they are follows from the grains
    PairContacts pairs_;
    std::variant<PairForces<float>, PairForces<double>> forces_;
    BodyContacts bodies_;
    std::vector<world::BodyLoad> bodyRates_;   // at the end of the last step, per second
    bool touched_ = false;                 // grains came since the last step that may touch each other
    bool stale_ = true;                    // grains came since the list was built
    bool bodiesUnlisted_ = false;          // after a load only those that touch are listed: the archive knows no bodies
    std::map<std::int64_t, ContactSum> felt_;   // in the last step, by id, of grains that have lost a contact since because others were taken out
    double bodyDrift_ = 0;                 // way of the fastest body since then [m]

    Stiffness now_, atRest_;               // of the contacts there are, and of those that there will be
    double fastest_ = 0, acceleration_ = 0;   // bounds on those of spheres [m/s], [m/s²]
    double moved_ = 0;                     // bound on the way of any sphere since the list was built: the sum of the longest of each step [m]
    std::int64_t builds_ = 0, deepOverlaps_ = 0;
    std::vector<std::string> warnings_;
    Adaptive adaptive_;
    double filledSolid_ = 0, filledRegion_ = 0;   // volumes of grains and of regions that fills have packed [m³]

    AlignedVector<Wrench> wrenches_;       // of contacts, on spheres; between two steps those of a grain are summed in that of its first sphere

    // Scratch of a step.
    std::vector<Vec3> pushes_;             // of force fields, in the step [m/s]
    std::vector<std::vector<BodyShare>> bodyShares_;   // of each block of grains
    std::vector<MemoryOf<Vec3>> bodyMemoryRates_;      // of what contacts with bodies remember; of the adaptive integrator
};

template <class Visit>
void DemMethod::forActingPairs(std::size_t slab, const Visit& visit) const {
    std::visit([&](const auto& forces) {
        const bool remembers = forces.memories.kinds().spring;
        std::size_t place = 0;
        for (std::uint32_t a = pairs_.firstSphere[slab]; a < pairs_.firstSphere[slab + 1]; ++a)
            for (std::size_t p = pairs_.first[a]; p < pairs_.first[a + 1]; ++p) {
                if (!pairs_.acts(p)) continue;
                if (!remembers) visit(a, p, MemoryOf<Vec3>{});
                else if (const auto& memories = forces.memories.of(slab); memories.everyPair()) visit(a, p, memories.get(p - pairs_.firstPair(slab)));
                else visit(a, p, memories.get(place++));
            }
    }, forces_);
}

}  // namespace talus::dem
