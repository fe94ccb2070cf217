// SPDX-License-Identifier: Apache-2.0
// How a scene lies on the grid must not matter much: a slab column runs out as far when the grid is shifted or the scene turned against it.
#include "elastoplastic/elastoplastic.h"
#include "verification/bed.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace talus {
namespace {

using namespace test;

constexpr double kDegree = std::numbers::pi / 180;

/// How the column lies on the grid.
struct Placement {
    double degrees = 0;              // turned about y
    double along = 0, above = 0;     // foot of the wall relative to a node, along and normal to a level floor [cells]
};

struct RunOut {
    double mass, toe;                // to where 99 % of it is behind, and where it is half a cell deep, over r₀ and less 1
    double height;                   // of the middle of mass over r₀
};

/// A slab column of aspect ratio 2 beside a smooth wall on a rough floor, both of them bodies.
class TurnedColumn {
public:
    TurnedColumn(int cellsAcross, const Placement& placement) : h_(kRadius / cellsAcross), turn_(Quat::fromAxisAngle({0, 1, 0}, placement.degrees * kDegree)) {
        foot_ = {placement.along * h_, 0, placement.above * h_};
        Aabb room;
        for (const double x : {-kThick, kReach + kThick})
            for (const double z : {-kThick, kHeight}) room.extend(there({x, 0, z}));
        const auto whole = [&](double x) { return std::floor(x / h_) * h_; };   // the origin of the grid is a corner of the domain
        world_.domain = {{whole(room.min.x), 0, whole(room.min.z)}, {room.max.x, 4 * h_, room.max.z}, {}};
        world_.domain.faces.fill(world::FaceType::open);
        for (const std::size_t face : {2u, 3u}) world_.domain.faces[face] = world::FaceType::periodic;
        world_.materials = {world::Material{.name = "sand"}, world::Material{.name = "rough"}, world::Material{.name = "smooth"}};
        world_.contacts.set(0, 1, {1.0, 0});
        world_.contacts.set(0, 2, {0.0, 0});
        world_.resolution.size = h_;
        world_.gravity = turn_.rotate({0, 0, -9.81});
        world_.bodies = world::domainFaces(world_.domain);
        world_.bodies.push_back({.name = "floor", .material = 1, .shape = box({-2 * kThick, -1, -2 * kThick}, {kReach + 2 * kThick, 1, 0}), .motion = {}, .load = {}});
        world_.bodies.push_back({.name = "wall", .material = 2, .shape = box({-2 * kThick, -1, -2 * kThick}, {0, 1, 2 * kHeight}), .motion = {}, .load = {}});
        world_.fills = {{box({0, 0, 0}, {kRadius, 4 * h_, kAspect * kRadius}), 0, 0, {}}};
    }

    RunOut run(const elastoplastic::Settings& settings = {}) const {
        const Exec exec(2);
        world::World world = world_;
        auto method = elastoplastic::info.create(settings, world, world::Precision::float32);
        world::Simulation simulation(std::move(world), std::move(method));
        simulation.fill(exec);
        const std::int64_t count = simulation.method().count();
        advance(simulation, exec, 5 * std::sqrt(kAspect * kRadius / 9.81));
        EXPECT_EQ(simulation.method().count(), count) << "none left the domain";
        world::FieldTable grains;
        simulation.method().read(exec, std::array<std::string_view, 1>{"position"}, grains);
        std::vector<double> x;
        double height = 0;
        for (std::size_t i = 0; i < grains.count(); ++i) {
            const Vec3 at = turn_.conjugate().rotate(Vec3{grains.reals("position")[3 * i], grains.reals("position")[3 * i + 1], grains.reals("position")[3 * i + 2]} - foot_);
            x.push_back(at.x);
            height += at.z / (kRadius * static_cast<double>(grains.count()));
        }
        std::ranges::sort(x);
        return {x[static_cast<std::size_t>(0.99 * static_cast<double>(x.size()))] / kRadius - 1, toe(x) / kRadius - 1, height};
    }

private:
    static constexpr double kRadius = 0.1, kAspect = 2, kReach = 0.56, kHeight = 0.24, kThick = 0.03;

    Vec3 there(const Vec3& x) const { return foot_ + turn_.rotate(x); }
    geometry::ShapePtr box(const Vec3& min, const Vec3& max) const {
        return std::make_shared<geometry::Placed>(std::make_shared<geometry::Box>(max - min), RigidTransform{turn_, there(0.5 * (min + max))});
    }
    /// Columns one cell wide; between the middles of two of them the deposit is half a cell deep.
    double toe(const std::vector<double>& sorted) const {
        std::vector<double> depth(static_cast<std::size_t>(kReach / h_) + 2, 0.0);   // [cells]
        const double perPoint = kAspect * kRadius * kRadius / (h_ * h_ * static_cast<double>(sorted.size()));
        for (const double x : sorted) depth[static_cast<std::size_t>(std::clamp(x, 0.0, kReach) / h_)] += perPoint;
        const auto shallow = static_cast<std::size_t>(std::ranges::find_if(depth, [](double d) { return d < 0.5; }) - depth.begin());
        const double deep = depth[shallow - 1];
        return (static_cast<double>(shallow) - 0.5 + (deep - 0.5) / (deep - depth[shallow])) * h_;
    }

    double h_;
    Quat turn_;
    Vec3 foot_;
    world::World world_;
};

RunOut runOut(int cellsAcross, const Placement& placement) {
    const RunOut r = TurnedColumn(cellsAcross, placement).run();
    std::printf("    %d cells, turned by %2.0f°, shifted by %.2f, %.2f cells: toe %.3f r0, 99 %% of the mass %.3f r0, middle of mass at %.4f r0\n", cellsAcross, placement.degrees, placement.along, placement.above, r.toe, r.mass, r.height);
    std::fflush(stdout);
    return r;
}

// PHYSICS: 2 %. Of the toe; 99 % of the mass lie 2.0 % back for a floor a quarter of a cell above a node. At 12 cells that costs the toe 4.1 %
// (docs/methods/elastoplastic.md, Limits).
TEST(ElastoplasticStudy, aColumnRunsOutAsFarWhereverTheGridLies) {
    const RunOut straight = runOut(24, {});
    for (const Placement& shift : {Placement{0, 0.25, 0}, Placement{0, 0.5, 0}, Placement{0, 0, 0.25}, Placement{0, 0, 0.5}, Placement{0, 0.5, 0.5}})
        EXPECT_NEAR(runOut(24, shift).toe, straight.toe, 0.02 * straight.toe);
}

// PHYSICS: 3 %. Missed by the toe, as shifts are judged: it goes 3.3 % further; 99 % of the mass lie within 1.9 %.
TEST(ElastoplasticStudy, aColumnRunsOutAsFarOblique) {
    const RunOut straight = runOut(24, {}), turned = runOut(24, {.degrees = 17});
    EXPECT_NEAR(turned.toe, straight.toe, 0.03 * straight.toe);
}

}  // namespace
}  // namespace talus
