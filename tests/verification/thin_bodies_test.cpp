// SPDX-License-Identifier: Apache-2.0
// Bodies that the grid hardly sees: plates of a cell, cracks between plates. No point may pass them in either MPM.
#include "elastoplastic/elastoplastic.h"
#include "geometry/operators.h"
#include "nonsmooth/nonsmooth.h"
#include "verification/bed.h"

#include <algorithm>
#include <vector>

namespace talus {
namespace {

using namespace test;

constexpr double kCell = 0.01;   // [m]

using Create = std::unique_ptr<world::Method> (*)(const world::World&);
std::unique_ptr<world::Method> elastoplasticMethod(const world::World& world) {
    elastoplastic::Settings settings;
    settings.youngsModulus = 2e5;
    return elastoplastic::info.create(settings, world, world::Precision::float32);
}
std::unique_ptr<world::Method> nonsmoothMethod(const world::World& world) { return nonsmooth::info.create(nonsmooth::Settings{}, world, world::Precision::float64); }

class ThinBodies : public testing::TestWithParam<Create> {
protected:
    /// A box of 16x6x30 cells whose bottom is open, with sand from z = 18 cells on.
    ThinBodies() {
        world_.domain = {{0, 0, 0}, {16 * kCell, 6 * kCell, 30 * kCell}, {}};
        world_.domain.faces[4] = world::FaceType::open;
        world_.bodies = world::domainFaces(world_.domain);
        world_.materials = {world::Material{.name = "sand"}};
        world_.resolution.size = kCell;
        world_.fills = {{boxBetween({0.5 * kCell, 0, 18 * kCell}, {15.5 * kCell, 6 * kCell, 26 * kCell}), 0, 0, {}}};
    }
    void addBox(const Vec3& min, const Vec3& max, world::Motion motion = {}) {
        world_.bodies.push_back({.name = "plate", .shape = boxBetween(min, max), .motion = std::move(motion), .load = {}});
    }
    void run(double until) {
        simulation_.emplace(world_, GetParam()(world_));
        simulation_->fill(exec_);
        count_ = simulation_->method().count();
        advance(*simulation_, exec_, until);
    }
    std::vector<Vec3> vectors(std::string_view name) const {
        world::FieldTable table;
        simulation_->method().read(exec_, std::array{name}, table);
        std::vector<Vec3> result;
        for (std::size_t i = 0; i < table.count(); ++i) result.push_back({table.reals(name)[3 * i], table.reals(name)[3 * i + 1], table.reals(name)[3 * i + 2]});
        return result;
    }
    void expectNoneInBodies() const {
        double deepest = 0;
        for (const Vec3& x : vectors("position"))
            for (const world::Body& body : simulation_->world().bodies) deepest = std::max(deepest, -world::BodySnapshot(body, simulation_->world().time).distance(x));
        EXPECT_LT(deepest, 1e-4 * kCell);
    }
    double meanSpeed() const {
        double sum = 0;
        const std::vector<Vec3> velocities = vectors("velocity");
        for (const Vec3& v : velocities) sum += norm(v);
        return sum / static_cast<double>(velocities.size());
    }

    world::World world_;
    const Exec exec_{2};
    std::optional<world::Simulation> simulation_;
    std::int64_t count_ = 0;
};

TEST_P(ThinBodies, aPlateOfOneCellCarriesWhatFallsOnIt) {
    for (const double z : {9.75, 10.0, 10.3}) {
        SCOPED_TRACE(z);
        world_.bodies.resize(5);
        addBox({-kCell, -kCell, z * kCell}, {17 * kCell, 7 * kCell, (z + 1) * kCell});
        run(0.5);
        EXPECT_EQ(simulation_->method().count(), count_);
        for (const Vec3& x : vectors("position")) EXPECT_GT(x.z, (z + 0.999) * kCell);
        expectNoneInBodies();
        EXPECT_LT(meanSpeed(), 0.01);
    }
}

// The plates leave a slot that a third closes from below, and touch it: a crack without width.
TEST_P(ThinBodies, nothingRunsThroughACrack) {
    const double above = 10.2 * kCell;
    addBox({-kCell, -kCell, above}, {6 * kCell, 7 * kCell, above + 2 * kCell});
    addBox({10 * kCell, -kCell, above}, {17 * kCell, 7 * kCell, above + 2 * kCell});
    addBox({5.3 * kCell, -kCell, above - 2 * kCell}, {10.7 * kCell, 7 * kCell, above});
    run(1.0);
    EXPECT_EQ(simulation_->method().count(), count_);
    for (const Vec3& x : vectors("position")) EXPECT_GT(x.z, above - 1e-4 * kCell);
    expectNoneInBodies();
    EXPECT_LT(meanSpeed(), 0.01);
}

// A blade as wide as the box pushes half of the sand before it, and all of it stays there.
TEST_P(ThinBodies, aBladeOfOneCellLetsNothingThrough) {
    world_.domain.faces[4] = world::FaceType::wall;
    world_.bodies = world::domainFaces(world_.domain);
    world_.fills = {{boxBetween({4 * kCell, 0, 0}, {12 * kCell, 6 * kCell, 6 * kCell}), 0, 0, {}}};
    addBox({2.6 * kCell, -kCell, -kCell}, {3.6 * kCell, 7 * kCell, 31 * kCell}, world::Motion({}, {}, {world::Travel{Vec3{0.1, 0, 0}}}));
    run(0.5);
    EXPECT_EQ(simulation_->method().count(), count_);
    const double blade = 3.6 * kCell + 0.05;
    double furthestBehind = 0;
    for (const Vec3& x : vectors("position")) furthestBehind = std::max(furthestBehind, blade - x.x);
    EXPECT_LT(furthestBehind, 1e-3 * kCell);
    expectNoneInBodies();
}

// Nodes on the edge between floor and wall of one body stand for both.
TEST_P(ThinBodies, aPanCutFromABlockHoldsItsSand) {
    for (const double depth : {4.0, 30.0}) {   // of the cut, whose top decides to which face nodes of the edge belong
        SCOPED_TRACE(depth);
        world_.bodies.resize(5);
        const Vec3 low{4 * kCell, -7 * kCell, 10 * kCell};
        world_.bodies.push_back({.name = "pan",
                                 .shape = std::make_shared<geometry::Difference>(boxBetween({-kCell, -kCell, 7 * kCell}, {17 * kCell, 7 * kCell, 16 * kCell}),
                                                                                 std::vector<geometry::ShapePtr>{boxBetween(low, {12 * kCell, 13 * kCell, (10 + depth) * kCell})}),
                                 .motion = {},
                                 .load = {}});
        world_.fills = {{boxBetween({4 * kCell, 0, 10 * kCell}, {12 * kCell, 6 * kCell, 14 * kCell}), 0, 0, {}}};
        run(0.4);
        EXPECT_EQ(simulation_->method().count(), count_);
        EXPECT_NEAR(world::totals(exec_, *simulation_).centreOfMass.z, 12 * kCell, 0.1 * kCell);
        EXPECT_LT(meanSpeed(), 0.01);
        expectNoneInBodies();
    }
}

// A layer on a block slides off at the edge until what is left lies still; the edge runs through nodes or between them. What is put back on the block
// every step because nodes beside the edge fall must not fall faster and faster with them.
TEST_P(ThinBodies, whatLiesAtAnEdgeDoesNotGatherSpeed) {
    for (const double edge : {8.0, 7.75, 8.4})
        for (const double top : {10.0, 9.75, 10.4}) {
            SCOPED_TRACE(testing::Message() << "edge at " << edge << ", top at " << top);
            world_.bodies.resize(5);
            addBox({-kCell, -kCell, 6 * kCell}, {edge * kCell, 7 * kCell, top * kCell});
            world_.fills = {{boxBetween({0, 0, top * kCell}, {edge * kCell, 6 * kCell, (top + 1) * kCell}), 0, 0, {}}};
            run(0.6);
            double fastest = 0;
            const std::vector<Vec3> positions = vectors("position"), velocities = vectors("velocity");
            for (std::size_t i = 0; i < positions.size(); ++i)
                if (positions[i].z > (top - 0.01) * kCell) fastest = std::max(fastest, norm(velocities[i]));
            EXPECT_LT(fastest, 0.1);
            EXPECT_GT(simulation_->method().count(), count_ / 2) << "most of it stays";
            expectNoneInBodies();
        }
}

INSTANTIATE_TEST_SUITE_P(BothMpms, ThinBodies, testing::Values(&elastoplasticMethod, &nonsmoothMethod),
                         [](const testing::TestParamInfo<Create>& method) { return method.param == &elastoplasticMethod ? std::string("elastoplastic") : std::string("nonsmooth"); });

}  // namespace
}  // namespace talus
