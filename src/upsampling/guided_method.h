// SPDX-License-Identifier: Apache-2.0
// Guides computed by another method, and the fine grains that they carry [Alduan2009, §4].
#pragma once

#include "upsampling/body_surfaces.h"
#include "upsampling/fine_grains.h"
#include "upsampling/guide_field.h"
#include "upsampling/guided.h"
#include "upsampling/interpolation.h"
#include "upsampling/sampling.h"

#include <limits>
#include <memory>
#include <vector>

namespace talus::upsampling {

template <class Real>
class GuidedMethod final : public world::Method {
public:
    /// `continuum`: the guides are material points.
    GuidedMethod(const Settings&, const world::World&, std::unique_ptr<world::Method> guides, bool continuum);

    world::Inserted insert(const Exec&, world::World&, const world::Fill&) override;
    world::Removed erase(const Exec&, const world::Region&, world::ChunkSink* taken) override;
    std::int64_t count() const override { return grains_.count(); }
    double grainSpacing() const override { return guides_->grainSpacing(); }   // emitters let guides out
    void setClockBack(double by) override;
    double stableStep(const world::World&) const override;
    world::StepReport step(const Exec&, world::World&, double dt) override;
    std::span<const world::FieldInfo> fields() const override { return info.fields; }
    void read(const Exec&, world::FieldNames, world::ChunkSink&) const override;
    std::vector<world::Metric> metrics() const override;
    std::vector<world::Metric> fallbacks() const override;
    std::vector<std::string> takeWarnings() override { return guides_->takeWarnings(); }
    void save(Archive&) const override;
    void load(const Exec&, const Archive&) override;

private:
    /// What a step needs to know of the world, the same for all grains.
    struct Moving {
        const world::World& world;
        double dt = 0;           // [s]
    };
    /// What a chunk reports from a step.
    struct Report {
        double fastest = 0, fastestCarried = 0;   // [m/s]
        std::int64_t badRow = -1, squeezed = 0;
    };
    /// Memory of a loop.
    struct Scratch {
        std::vector<GuideState> found;
        std::vector<NearGuide<Real>> guides;
        std::vector<NearGuide<Real>> lags;   // the same guides with their lags in place of velocities
        Vec3 common;             // velocity that theirs are against [m/s]
        std::vector<std::uint32_t> bodies;
        std::vector<double> rooms;   // as in BodySurfaces::push
    };

    /// A volume that grains are confined to.
    struct Confining {
        SampledVolume volume;
        Mat3 inverse;            // of its axes [1/m]
    };
    /// The volume nearest to a grain: how far out of it the grain is, 1 on its surface, and the place there.
    struct Nearest {
        double out = std::numeric_limits<double>::infinity();
        Vec3 place;              // [m]
    };

    /// Of the volumes that grains are confined to.
    struct Extents {
        double usual = 0, most = 0;   // [m]
    };

    double influenceRadius() const { return settings_.influenceRadius * spacing_; }   // r [m]

    /// Looks which guides came and went; those that came bring their grains, to where they were `back` seconds ago.
    world::Inserted meetGuides(const Exec&, const world::World&, std::int64_t& nextId, double back);
    world::Inserted bringGrains(const Exec&, const world::World&, const std::vector<Birth>&, std::int64_t& nextId);
    world::Removed removeRows(const std::vector<std::size_t>& rows, world::ChunkSink* taken);
    std::vector<std::size_t> rowsIn(const Exec&, const world::Region&) const;
    std::vector<std::size_t> rowsWithoutGuide() const;
    void forgetOrigins();

    bool interpolationDue() const;
    world::StepReport stepGuides(const Exec&, world::World&, double dt);
    /// The rows of fine grains that are not finite, or −1.
    std::int64_t interpolate(const Exec&, world::World&, double dt);
    std::int64_t move(const Exec&, const world::World&, double dt);

    void placeGuides(const Exec&, world::World&, double dt);
    void followGuides(const Exec&, world::World&, std::vector<std::int64_t> ids, double dt);
    /// Moves grains that left the volumes of all guides back to the nearest of them.
    void confine(const Exec&);
    void placeVolumes(const Exec&);
    void confineGroup(std::size_t chunk, std::size_t group, const Extents&, Scratch&);
    void nearestVolume(const std::vector<GuideState>&, const Vec3& x, Nearest&) const;
    void putBack(std::size_t row, const Vec3& place, Scratch&);
    std::int64_t interpolatePart(std::size_t chunk, std::size_t begin, std::size_t end, Scratch&);
    std::int64_t interpolateGroup(std::size_t chunk, std::size_t group, std::uint64_t lanes, const Scratch&);
    void gatherGuides(const Aabb&, const Vec3& anchor, Scratch&) const;
    Report moveChunk(const Moving&, std::size_t chunk, Scratch&);
    /// What gravity and forces give the free grains of a group in the step: x of eight grains, then y, then z.
    void fall(const Moving&, std::size_t firstRow, std::uint64_t lanes, Real* change) const;
    void meetBodies(const Moving&, std::size_t chunk, const Real* before, Scratch&, Report&);
    /// Of one group; returns the clearance from fixed bodies.
    double meetBodies(const Moving&, std::size_t chunk, std::size_t group, const Real* before, double travel, bool fixedNear, Scratch&, Report&);
    bool resolve(const Moving&, std::size_t row, const Vec3& from, Scratch&);
    world::Failed failure(std::int64_t row) const;

    /// All rows, or those listed.
    void readRows(world::FieldNames, world::ChunkSink&, const std::vector<std::size_t>*) const;

    Settings settings_;
    std::int64_t factor_;                      // fine grains in a guide
    world::Domain domain_;
    std::unique_ptr<world::Method> guides_;
    bool continuum_;
    std::uint64_t seed_;                       // of normals that are drawn

    FineGrains<Real> grains_;
    std::vector<Origin> origins_;
    std::vector<std::int64_t> guideIds_;       // of those known, ascending
    Orientations departed_;                    // of guides that were erased and whose grains are still there
    std::int64_t nextGuideId_ = 0;             // guides count on their own
    double spacing_ = 0;                       // of the largest guides: cube root of their volume [m]
    double largestRadius_ = 0;                 // of fine grains [m]
    std::int64_t sinceInterpolation_ = 0;      // steps
    double heldTime_ = 0;                      // since then [s]
    double carriedTravel_ = 0;                 // that a carried grain may have gone since [m]
    double drift_ = 0;                         // that any may have gone since the last sort [m]
    bool due_ = false;                         // grains came that have not been carried yet
    std::int64_t interpolations_ = 0, squeezed_ = 0;

    GuideField field_;                         // during an interpolation, or a confinement
    std::vector<Vec3> lags_;                   // of guides in the order they were placed, where they offer some [m]
    std::vector<Confining> volumes_;           // of guides in the order they were placed, where grains are confined
    double catchUp_ = 0;                       // during an interpolation: way of a carried grain over the change of its velocity [s]
    BodySurfaces bodies_;                      // during a step
    std::int64_t revision_ = -1;               // of the world whose bodies the clearances are of
};

}  // namespace talus::upsampling
