// SPDX-License-Identifier: Apache-2.0
#include "world/averages.h"

#include "core/rng.h"
#include "placed_grains.h"
#include "world/metrics.h"
#include "world/probes.h"

#include <gtest/gtest.h>

#include <cmath>

namespace talus::world {
namespace {

/// Grains in the unit cube, some on its faces and some a little beyond them.
std::vector<PlacedGrain> cloud(std::size_t n) {
    std::vector<PlacedGrain> grains;
    for (std::size_t i = 0; i < n; ++i) {
        Rng rng(7, 0, i);
        PlacedGrain g{{rng.uniform(), rng.uniform(), rng.uniform()}, {rng.uniform() - 0.3, rng.uniform(), rng.uniform() - 5}, 1e-3 + rng.uniform(), 1e-3 * rng.uniform(), 0.01};
        if (i % 10 == 0) g.position.x = i % 20 == 0 ? 0 : 1;
        if (i % 11 == 0) g.position.z = i % 2 == 0 ? -0.01 : 1.01;
        for (double& s : g.stress) s = rng.uniform() - 0.5;
        grains.push_back(g);
    }
    return grains;
}

Simulation simulationOf(std::vector<PlacedGrain> grains, std::array<bool, 3> periodic) {
    World world;
    for (std::size_t a = 0; a < 3; ++a)
        if (periodic[a]) world.domain.faces[2 * a] = world.domain.faces[2 * a + 1] = FaceType::periodic;
    for (PlacedGrain& g : grains) g.position = world.domain.wrap(g.position);
    auto method = std::make_unique<PlacedGrains>();
    method->grains = std::move(grains);
    return {std::move(world), std::move(method)};
}

TEST(Averages, sumsOverCellsAreSumsOverGrains) {
    double worst = 0;
    for (const std::array<bool, 3> periodic : {std::array{false, false, false}, {true, false, true}, {true, true, true}})
        for (const std::array<int, 3> cells : {std::array{1, 1, 1}, {4, 5, 6}, {17, 2, 31}}) {
            const Simulation simulation = simulationOf(cloud(3000), periodic);
            Lattice lattice{.cells = cells, .periodic = periodic};
            for (std::size_t a = 0; a < 3; ++a) lattice.closed[2 * a] = lattice.closed[2 * a + 1] = !periodic[a];
            const Exec exec(2);
            const auto probe = makeProbe({"p", {}}, LatticeProbe{lattice, {2000}, true, false, simulation.world().domain});
            Probe* one = probe.get();
            const std::vector<double> rows = sample(exec, simulation, std::span(&one, 1)).front();
            const std::size_t width = probe->columns().size();
            ASSERT_EQ(rows.size(), width * lattice.count());
            const Totals total = totals(exec, simulation);
            double mass = 0;
            Vec3 momentum;
            for (std::size_t r = 0; r < rows.size(); r += width) {
                mass += rows[r + 3];
                if (rows[r + 3] > 0) momentum += rows[r + 3] * Vec3{rows[r + 5], rows[r + 6], rows[r + 7]};
            }
            worst = std::max({worst, std::abs(mass / total.mass - 1), norm(momentum - total.momentum) / norm(total.momentum)});
        }
    EXPECT_LT(worst, 1e-12);
    RecordProperty("worst", std::to_string(1e15 * worst) + "e-15");
}

TEST(Averages, aUniformFieldStaysUniformUpToTheWalls) {
    Lattice lattice{.size = {2, 1, 1}, .cells = {8, 3, 5}, .closed = {true, true, true, true, true, true}};
    LatticeAverages averages(lattice);
    constexpr int n = 120;   // a multiple of the cells: the midpoint rule is exact for hats
    const std::array<double, 6> stress{-1, -2, -3, 0.1, 0.2, 0.3};
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n / 4; ++j)
            for (int k = 0; k < n / 4; ++k)
                averages.add({{2 * (i + 0.5) / n, (j + 0.5) / (n / 4), (k + 0.5) / (n / 4)}, {1, 2, 3}, 3, 1.2, 2.0 / (n * (n / 4.0) * (n / 4.0)), stress.data()});
    const double mass = 3.0 * n * (n / 4) * (n / 4) / static_cast<double>(lattice.count());
    for (std::size_t c = 0; c < lattice.count(); ++c) {
        EXPECT_NEAR(averages.sums()[c].mass, mass, 1e-10 * mass);
        EXPECT_NEAR(averages.velocity(c).y, 2, 1e-12);
        for (const double s : averages.kineticStress(c)) EXPECT_NEAR(s, 0, 1e-6);
        for (std::size_t t = 0; t < 6; ++t) EXPECT_NEAR(averages.contactStress(c)[t], stress[t], 1e-10);
    }
}

TEST(Averages, kineticStressOfTwoStreams) {
    const Lattice lattice{.size = {2, 2, 2}};
    LatticeAverages averages(lattice);
    for (const double sign : {1.0, -1.0}) averages.add({{1, 1, 1}, {10 + sign * 3, sign * 1, 0}, 4, 1, 1, nullptr});
    const auto stress = averages.kineticStress(0);
    EXPECT_NEAR(stress[0], -2 * 4 * 9 / 8.0, 1e-12);   // −Σ m (v − V)² / volume
    EXPECT_NEAR(stress[1], -2 * 4 * 1 / 8.0, 1e-12);
    EXPECT_NEAR(stress[3], -2 * 4 * 3 / 8.0, 1e-12);
    EXPECT_NEAR(stress[2], 0, 1e-12);
}

TEST(Averages, leaveOutWhatLiesBeyondAnOpenEnd) {
    LatticeAverages averages({.cells = {4, 1, 1}});
    averages.add({{1.01, 0.5, 0.5}, {}, 1, 1, 1, nullptr});
    averages.add({{0.99, 0.5, 0.5}, {}, 1, 1, 1, nullptr});
    EXPECT_EQ(averages.sums()[3].mass, 1);
    EXPECT_EQ(averages.lattice().cellAt({0.3, 0.5, 0.5}), 1u);
    EXPECT_EQ(averages.lattice().cellAt({-0.3, 0.5, 0.5}), 4u);
}

TEST(Averages, sameBitsForAnyNumberOfThreadsAndOneReadingForAllProbes) {
    const Simulation simulation = simulationOf(cloud(2000), {true, false, false});
    const Lattice lattice{.cells = {5, 5, 5}, .periodic = {true, false, false}};
    std::vector<std::vector<std::vector<double>>> rows;
    for (const int threads : {1, 2, 3}) {
        const auto fields = makeProbe({"a", {}}, LatticeProbe{lattice, {2000}, true, false, simulation.world().domain});
        const auto region = makeProbe({"b", {}}, RegionProbe{nullptr, 1, {2000}, false});
        const auto mean = makeProbe({"c", {}}, StatisticProbe{.of = {field::velocity, 2, "velocity_z"}});
        const std::array<Probe*, 3> probes{fields.get(), region.get(), mean.get()};
        const Exec exec(threads);
        const auto& method = static_cast<const PlacedGrains&>(simulation.method());
        const int before = method.reads;
        rows.push_back(sample(exec, simulation, probes));
        EXPECT_EQ(method.reads, before + 1);
        for (std::vector<double>& r : rows.back())
            for (double& x : r)
                if (std::isnan(x)) x = -1;
    }
    EXPECT_EQ(rows[0], rows[1]);
    EXPECT_EQ(rows[0], rows[2]);
}

}  // namespace
}  // namespace talus::world
