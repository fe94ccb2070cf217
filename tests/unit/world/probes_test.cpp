// SPDX-License-Identifier: Apache-2.0
// Every kind of probe on a state whose answer is known.
#include "world/probes.h"

#include "core/rng.h"
#include "geometry/primitives.h"
#include "placed_grains.h"
#include "world/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace talus::world {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

struct Bench {
    explicit Bench(World world = {}) : Bench(std::move(world), std::make_unique<PlacedGrains>()) {}
    Bench(World world, std::unique_ptr<PlacedGrains> method) : grains(*method), simulation(std::move(world), std::move(method)) {}

    std::vector<double> rows(Probe& probe, int threads = 1) {
        const Exec exec(threads);
        Probe* one = &probe;
        return sample(exec, simulation, std::span(&one, 1)).front();
    }
    /// The only row, by the names of the columns.
    std::map<std::string, double> row(Probe& probe) {
        const std::vector<double> values = rows(probe);
        const std::vector<ProbeColumn> columns = probe.columns();
        EXPECT_EQ(values.size(), columns.size());
        std::map<std::string, double> named;
        for (std::size_t c = 0; c < columns.size(); ++c) named[columns[c].csvName()] = values[c];
        return named;
    }
    void advance(double to) {
        const Exec exec(1);
        ASSERT_EQ(simulation.advance(exec, to, [] { return true; }), Reached::target);
    }

    PlacedGrains& grains;
    Simulation simulation;
};

/// n grains at random in the unit cube, of two materials and three sources.
std::vector<PlacedGrain> randomGrains(std::size_t n) {
    std::vector<PlacedGrain> grains;
    for (std::size_t i = 0; i < n; ++i) {
        Rng rng(1, 0, i);
        const auto any = [&] { return rng.uniform(); };
        PlacedGrain g{{any(), any(), any()}, {any() - 0.5, any() - 0.5, any() - 0.5}, 0.5 + any(), 1e-3 * (0.5 + any()), 0.01 + 0.02 * any()};
        g.material = any() < 0.3;
        g.source = static_cast<std::int64_t>(3 * any());
        for (double& s : g.stress) s = any() - 0.7;
        grains.push_back(g);
    }
    return grains;
}

TEST(Probes, nameTheirUnits) {
    EXPECT_EQ((ProbeColumn{"torque_x", "N m"}).csvName(), "torque_x_N_m");
    EXPECT_EQ((ProbeColumn{"density", "kg/m^3"}).csvName(), "density_kg_m3");
    EXPECT_EQ((ProbeColumn{"part"}).csvName(), "part");
}

TEST(Probes, quantileIsTheInverseOfTheDistribution) {
    std::vector<Weighted> values{{3, 1}, {1, 2}, {2, 1}};
    EXPECT_EQ(quantile(values, 0), 1);
    EXPECT_EQ(quantile(values, 0.5), 1);
    EXPECT_EQ(quantile(values, 0.51), 2);
    EXPECT_EQ(quantile(values, 0.75), 2);
    EXPECT_EQ(quantile(values, 1), 3);
    std::vector<Weighted> none;
    EXPECT_TRUE(std::isnan(quantile(none, 0.5)));
}

TEST(Probes, regionAgreesWithASumByHand) {
    Bench bench;
    bench.grains.grains = randomGrains(500);
    const auto sphere = std::make_shared<geometry::Sphere>(0.6);
    GrainFilter filter;
    filter.material = 1;
    filter.smallest = 0.03;
    filter.largest = 0.05;
    const auto probe = makeProbe({"p", filter}, RegionProbe{sphere, sphere->volume(), {2000, 1000}, false});
    double count = 0, mass = 0, energy = 0;
    Vec3 momentum, moment;
    for (const PlacedGrain& g : bench.grains.grains) {
        if (norm(g.position) > 0.6 || g.material != 1 || 2 * g.radius < 0.03 || 2 * g.radius > 0.05) continue;
        ++count;
        mass += g.mass;
        energy += 0.5 * g.mass * normSquared(g.velocity);
        momentum += g.mass * g.velocity;
        moment += g.mass * g.position;
    }
    ASSERT_GT(count, 3);
    auto row = bench.row(*probe);
    EXPECT_EQ(row["grains"], count);
    EXPECT_NEAR(row["mass_kg"], mass, 1e-12 * mass);
    EXPECT_NEAR(row["kinetic_energy_J"], energy, 1e-12 * energy);
    EXPECT_NEAR(row["volume_fraction"], mass / 1000 / (4.0 / 3 * std::numbers::pi * 0.216), 1e-12);
    EXPECT_NEAR(row["momentum_y_kg_m_s"], momentum.y, 1e-12);
    EXPECT_NEAR(row["velocity_z_m_s"], momentum.z / mass, 1e-12);
    EXPECT_NEAR(row["com_x_m"], moment.x / mass, 1e-12);
}

TEST(Probes, emptyRegionHasNoMeanButAMassOfZero) {
    Bench bench;
    const auto probe = makeProbe({"p", {}}, RegionProbe{nullptr, 1, {2000}, false});
    auto row = bench.row(*probe);
    EXPECT_EQ(row["mass_kg"], 0);
    EXPECT_TRUE(std::isnan(row["velocity_x_m_s"]));
}

TEST(Probes, statisticsOfKnownValues) {
    Bench bench;
    for (const double z : {1.0, 2.0, 3.0, 10.0}) bench.grains.grains.push_back({.position = {0, 0, z}, .velocity = {0, 3, 4 * z}, .mass = z, .stress = {-1, -2, -6, 0, 0, 5}});
    const auto of = [](FieldInfo info, int component, const char* name) { return FieldComponent{info, component, name}; };
    const auto value = [&](StatisticProbe settings) { return bench.rows(*makeProbe({"p", {}}, std::move(settings))); };
    const FieldComponent z = of(field::position, 2, "position_z");
    EXPECT_EQ(value({.of = z, .statistic = Statistic::sum}), (std::vector<double>{16, 4}));
    EXPECT_EQ(value({.of = z, .statistic = Statistic::sum, .weight = Weight::mass}), (std::vector<double>{114, 16}));
    EXPECT_EQ(value({.of = z, .statistic = Statistic::mean}), (std::vector<double>{4, 4}));
    EXPECT_EQ(value({.of = z, .statistic = Statistic::min}).front(), 1);
    EXPECT_EQ(value({.of = z, .statistic = Statistic::max}).front(), 10);
    EXPECT_NEAR(value({.of = z, .statistic = Statistic::deviation}).front(), std::sqrt((9 + 4 + 1 + 36) / 4.0), 1e-15);
    EXPECT_EQ(value({.of = z, .statistic = Statistic::percentile, .percentiles = {25, 50, 100}}), (std::vector<double>{1, 2, 10}));
    EXPECT_EQ(value({.of = of(field::velocity, FieldComponent::kMagnitude, "velocity"), .statistic = Statistic::min}).front(), 5);
    EXPECT_EQ(value({.of = of(field::stress, FieldComponent::kPressure, "p"), .statistic = Statistic::mean}).front(), 3);
    EXPECT_EQ(value({.of = of(field::stress, 5, "p"), .statistic = Statistic::mean}).front(), 5);
    const std::vector<double> bins = value({.of = z, .statistic = Statistic::histogram, .weight = Weight::mass, .from = 2, .to = 4, .bins = 2});
    ASSERT_EQ(bins.size(), 12u);   // below, [2, 3), [3, 4), above
    EXPECT_TRUE(std::isnan(bins[0]) && std::isnan(bins[10]));
    EXPECT_EQ((std::vector<double>{bins[2], bins[5], bins[8], bins[11]}), (std::vector<double>{1, 2, 3, 10}));
}

TEST(Probes, laceyIsZeroApartAndAboutOneAtRandom) {
    Bench bench;
    const Lattice cells{.cells = {5, 5, 5}};
    const auto probe = makeProbe({"p", {}}, MixingProbe{cells, true, 0, 1, 5});
    for (std::size_t i = 0; i < 20000; ++i) {
        Rng rng(2, 0, i);
        PlacedGrain g{.position = {rng.uniform(), rng.uniform(), rng.uniform()}, .velocity = {}};
        g.source = g.position.x < 0.4 ? 0 : 1;
        bench.grains.grains.push_back(g);
    }
    auto apart = bench.row(*probe);
    EXPECT_NEAR(apart["lacey_index"], 0, 1e-12);
    EXPECT_EQ(apart["cells"], 125);
    EXPECT_EQ(apart["grains_per_cell"], 160);
    double sum = 0;
    constexpr int kTrials = 20;
    for (int trial = 0; trial < kTrials; ++trial) {
        for (std::size_t i = 0; i < bench.grains.grains.size(); ++i) bench.grains.grains[i].source = Rng(3, static_cast<std::uint64_t>(trial), i).uniform() < 0.4 ? 0 : 1;
        sum += bench.row(*probe)["lacey_index"];
    }
    // The variance of n p_i about p scatters by √(2/125): M by 0.13/159 a trial, the mean by 2e-4.
    EXPECT_NEAR(sum / kTrials, 1, 1e-3);
}

TEST(Probes, forceIsTheImpulseOfTheInterval) {
    World world;
    world.bodies.resize(1);
    world.bodies[0].name = "plate";
    world.bodies[0].shape = std::make_shared<geometry::Sphere>(1);
    world.bodies[0].motion = Motion({1, 0, 0}, {});
    Bench bench(std::move(world));
    bench.grains.touchBodies = [](World& w, double dt) { w.bodies[0].load += {dt * Vec3{0, 0, -3}, dt * Vec3{0.5, 0, 0}, 7 * dt, 2 * dt}; };
    const auto own = makeProbe({"p", {}}, ForceProbe{0, {}});
    const auto about = makeProbe({"q", {}}, ForceProbe{0, Vec3{0, 0, 0}});
    EXPECT_TRUE(std::isnan(bench.row(*own)["force_z_N"]));
    bench.rows(*about);
    bench.advance(0.25);
    auto row = bench.row(*own);
    EXPECT_NEAR(row["force_z_N"], -3, 1e-12);
    EXPECT_NEAR(row["torque_x_N_m"], 0.5, 1e-12);
    EXPECT_NEAR(row["power_W"], 7, 1e-12);
    EXPECT_NEAR(row["slip_power_W"], 2, 1e-12);
    EXPECT_NEAR(bench.row(*about)["torque_y_N_m"], 3, 1e-12);   // (1, 0, 0) × (0, 0, −3)

    MemoryArchive archive;
    own->save(archive);
    bench.advance(0.5);
    const auto resumed = makeProbe({"p", {}}, ForceProbe{0, {}});
    resumed->load(archive);
    EXPECT_EQ(bench.rows(*resumed), bench.rows(*own));
}

TEST(Probes, motionTellsThePose) {
    World world;
    world.bodies.resize(1);
    world.bodies[0].motion = Motion({1, 2, 3}, {}, {constantSpin({0, 0, 2})});
    Bench bench(std::move(world));
    bench.advance(0.25);
    const auto probe = makeProbe({"p", {}}, MotionProbe{0});
    auto row = bench.row(*probe);
    EXPECT_EQ(row["position_y_m"], 2);
    EXPECT_NEAR(row["qw"], std::cos(0.25), 1e-12);
    EXPECT_NEAR(row["qz"], std::sin(0.25), 1e-12);
    EXPECT_NEAR(row["angular_velocity_z_rad_s"], 2, 1e-12);
}

TEST(Probes, fluxCountsEachCrossingOfAPlaneOnce) {
    World world;
    world.gravity = {};
    world.domain.faces.fill(FaceType::periodic);
    Bench bench(std::move(world));
    // Up through 0.5 and round through the periodic face; down through it; round through x without crossing.
    bench.grains.grains = {{.position = {0.5, 0.5, 0.45}, .velocity = {0, 0, 1}, .mass = 2},
                           {.position = {0.5, 0.5, 0.9}, .velocity = {0, 0, -1}, .mass = 3},
                           {.position = {0.9, 0.5, 0.3}, .velocity = {1, 0, 0}, .mass = 5}};
    const Domain& domain = bench.simulation.world().domain;
    const auto probe = makeProbe({"p", {}}, FluxProbe{{0.1, 0.2, 0.5}, {0, 0, 1}, {}, domain});
    const auto low = makeProbe({"q", {}}, FluxProbe{{0, 0, 0.02}, {0, 0, 1}, {}, domain});
    for (int k = 0; k <= 20; ++k) {
        bench.advance(0.1 * k);
        bench.rows(*probe);
        bench.rows(*low);
    }
    auto row = bench.row(*probe);
    EXPECT_EQ(row["grains_forward"], 2);
    EXPECT_EQ(row["grains_backward"], 2);
    EXPECT_EQ(row["mass_kg"], 2 * 2 - 2 * 3);
    auto passed = bench.row(*low);
    EXPECT_EQ(passed["grains_forward"], 2);   // at 0.57 and 1.57 s
    EXPECT_EQ(passed["grains_backward"], 2);
}

TEST(Probes, fluxThroughADiscAndItsRate) {
    Bench bench;
    bench.grains.grains = {{.position = {0.55, 0.5, 0.6}, .velocity = {0, 0, -1}, .mass = 2}, {.position = {0.7, 0.5, 0.6}, .velocity = {0, 0, -1}, .mass = 4}};
    const auto probe = makeProbe({"p", {}}, FluxProbe{{0.5, 0.5, 0.5}, {0, 0, -1}, 0.1, bench.simulation.world().domain});
    bench.rows(*probe);
    bench.advance(0.25);
    MemoryArchive archive;
    probe->save(archive);
    const auto resumed = makeProbe({"p", {}}, FluxProbe{{0.5, 0.5, 0.5}, {0, 0, -1}, 0.1, bench.simulation.world().domain});
    resumed->load(archive);
    auto row = bench.row(*probe);
    EXPECT_EQ(row["mass_flow_kg_s"], 8);
    EXPECT_EQ(row["grains_forward"], 1);
    EXPECT_EQ(bench.row(*resumed)["mass_flow_kg_s"], 8);
}

TEST(Probes, residenceAndFluxSeeGrainsThatLeave) {
    World world;
    world.gravity = {};
    world.domain.faces[1] = FaceType::open;
    Bench bench(std::move(world));
    for (int i = 0; i < 4; ++i) bench.grains.grains.push_back({.position = {0.9 - 0.1 * i, 0.5, 0.5}, .velocity = {1, 0, 0}, .mass = 1.0 + i, .birthTime = -0.5, .id = i});
    const auto residence = makeProbe({"p", {}}, ResidenceProbe{});
    const auto flux = makeProbe({"q", {}}, FluxProbe{{0.95, 0, 0}, {1, 0, 0}, {}, bench.simulation.world().domain});
    struct Sink final : ChunkSink {
        Bench& bench;
        std::array<Probe*, 2> probes;
        Sink(Bench& b, std::array<Probe*, 2> p) : bench(b), probes(p) {}
        void take(const Chunk& chunk) override {
            for (Probe* probe : probes) probe->removed(Grains(chunk), bench.simulation.world().time);
        }
    } sink(bench, {residence.get(), flux.get()});
    bench.simulation.showLeavers(&sink);
    bench.rows(*residence);
    bench.rows(*flux);
    bench.advance(0.255);   // those at 0.9 and 0.8 have left
    auto row = bench.row(*residence);
    EXPECT_EQ(row["grains"], 2);
    EXPECT_EQ(row["mass_kg"], 3);
    const double step = 0.255 / 26, first = std::ceil(0.1 / step) * step, second = std::ceil(0.2 / step) * step;
    EXPECT_NEAR(row["residence_min_s"], 0.5 + first, 1e-12);
    EXPECT_NEAR(row["residence_max_s"], 0.5 + second, 1e-12);
    EXPECT_NEAR(row["residence_mean_s"], 0.5 + (first + 2 * second) / 3, 1e-12);
    EXPECT_EQ(bench.row(*flux)["mass_kg"], 6) << "those and the one that is at 0.955";
    EXPECT_EQ(bench.row(*residence)["grains"], 0);
    EXPECT_EQ(bench.row(*residence)["all_mass_kg"], 3);
}

TEST(Probes, residenceSeesGrainsThatASinkTakes) {
    World world;
    world.gravity = {};
    world.sinks.push_back({"drain", std::make_shared<geometry::Plane>(Vec3{-1, 0, 0}, Vec3{0.75, 0, 0}), 0.1, 0.5, {}});   // what lies beyond x = 0.75
    Bench bench(std::move(world));
    for (int i = 0; i < 4; ++i) bench.grains.grains.push_back({.position = {0.6 - 0.1 * i, 0.5, 0.5}, .velocity = {1, 0, 0}, .mass = 1.0 + i, .birthTime = -1, .id = i});
    const auto residence = makeProbe({"p", {}}, ResidenceProbe{});
    struct Leavers final : ChunkSink {
        Bench& bench;
        Probe& probe;
        Leavers(Bench& b, Probe& p) : bench(b), probe(p) {}
        void take(const Chunk& chunk) override { probe.removed(Grains(chunk), bench.simulation.world().time); }
    } leavers(bench, *residence);
    bench.simulation.showLeavers(&leavers);
    bench.rows(*residence);
    bench.advance(0.3);   // those from 0.6 and 0.5 pass 0.75 after 0.15 and 0.25 s
    auto row = bench.row(*residence);
    const SinkAccount& account = bench.simulation.world().sinks[0].account;
    EXPECT_EQ(row["grains"], 2);
    EXPECT_EQ(row["mass_kg"], 3);
    EXPECT_EQ(account.count, 2);
    EXPECT_EQ(account.mass, 3);
    const double step = 0.01;   // a grain goes in the step after it has passed
    EXPECT_NEAR(row["residence_min_s"], 1.15, step);
    EXPECT_NEAR(row["residence_max_s"], 1.25, step);
    EXPECT_NEAR(row["residence_mean_s"], (1.15 + 2 * 1.25) / 3, step);   // by mass
    bench.advance(0.5);   // the sink has been shut since 0.5 s: of those that pass at 0.35 and 0.45 s both are taken
    row = bench.row(*residence);
    EXPECT_EQ(row["grains"], 2);
    EXPECT_EQ(row["all_grains"], 4);
    EXPECT_EQ(row["all_mass_kg"], 10);
}

TEST(Probes, trackFollowsTheNearestAtTheFirstSample) {
    World world;
    world.gravity = {};
    world.domain.faces[0] = world.domain.faces[1] = FaceType::periodic;
    Bench bench(std::move(world));
    bench.grains.grains = randomGrains(200);
    for (std::size_t i = 0; i < 200; ++i) bench.grains.grains[i].id = static_cast<std::int64_t>(1000 + i);
    const Domain& domain = bench.simulation.world().domain;
    const Vec3 point{0.01, 0.5, 0.5};
    const auto probe = makeProbe({"p", {}}, TrackProbe{{}, {point}, 3, {field::mass}, domain});
    std::vector<std::pair<double, double>> expected;
    for (const PlacedGrain& g : bench.grains.grains) expected.emplace_back(norm(domain.nearestImage(g.position - point)), static_cast<double>(g.id));
    std::ranges::sort(expected);
    const std::vector<double> first = bench.rows(*probe);
    ASSERT_EQ(first.size(), 3 * 8u);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(first[8 * k], expected[k].second);
    bench.advance(0.2);
    MemoryArchive archive;
    probe->save(archive);
    const auto resumed = makeProbe({"p", {}}, TrackProbe{{}, {point}, 3, {field::mass}, domain});
    resumed->load(archive);
    std::erase_if(bench.grains.grains, [&](const PlacedGrain& g) { return static_cast<double>(g.id) == expected[1].second; });
    const std::vector<double> later = bench.rows(*probe), again = bench.rows(*resumed);
    for (std::size_t i = 0; i < later.size(); ++i) EXPECT_TRUE(later[i] == again[i] || (std::isnan(later[i]) && std::isnan(again[i])));
    EXPECT_EQ(later[0], first[0]);
    EXPECT_NEAR(later[2], first[2] + 0.2 * first[5], 1e-12);
    EXPECT_EQ(later[8], first[8]);
    EXPECT_TRUE(std::isnan(later[9])) << "a grain that is gone";
}

/// Points of a jittered lattice below h(x, y).
void fillBelow(std::vector<PlacedGrain>& grains, const Domain& domain, double spacing, const std::function<double(double, double)>& height) {
    std::uint64_t n = 0;
    for (double x = domain.min.x + spacing / 2; x < domain.max.x; x += spacing)
        for (double y = domain.min.y + spacing / 2; y < domain.max.y; y += spacing)
            for (double z = spacing / 2; z < height(x, y); z += spacing) {
                Rng rng(5, 0, n++);
                const auto off = [&] { return 0.4 * spacing * (rng.uniform() - 0.5); };
                grains.push_back({.position = {x + off(), y + off(), z + off()}, .velocity = {}, .mass = 1, .volume = std::pow(spacing, 3), .radius = spacing / 2});
            }
}

World tray() {
    World world;
    world.domain.min = {-0.5, -0.5, 0};
    world.domain.max = {0.5, 0.5, 1};
    return world;
}

TEST(Probes, heightsOfABoxOfGrainsAddUpToItsVolume) {
    Bench bench(tray());
    fillBelow(bench.grains.grains, bench.simulation.world().domain, 0.05, [](double, double) { return 0.3; });
    Footprint ground{.corner = {-0.5, -0.5, 0}, .along = {1, 0, 0}, .across = {0, 1, 0}, .up = {0, 0, 1}, .length = 1, .width = 1, .rows = 7, .columns = 5, .domain = bench.simulation.world().domain};
    const std::vector<double> map = bench.rows(*makeProbe({"p", {}}, HeightProbe{ground}));
    ASSERT_EQ(map.size(), 35 * 4u);
    double volume = 0;
    for (std::size_t c = 0; c < 35; ++c) {
        volume += map[4 * c + 3] / 35;
        EXPECT_NEAR(map[4 * c + 3], 0.3, 0.02);
    }
    EXPECT_NEAR(volume, 0.3, 1e-12);
    EXPECT_NEAR(map[0], -0.5 + 0.5 / 7, 1e-12);
    EXPECT_NEAR(map[1], -0.4, 1e-12);
}

TEST(Probes, aFlyingGrainDoesNotRaiseTheSurface) {
    Bench bench(tray());
    fillBelow(bench.grains.grains, bench.simulation.world().domain, 0.05, [](double x, double) { return x < 0 ? 0.3 : 0.2; });
    bench.grains.grains.push_back({.position = {-0.2, 0, 0.8}, .velocity = {}, .mass = 1, .volume = 1.25e-4, .radius = 0.025});
    Footprint line{.corner = {-0.5, -0.1, 0}, .length = 1, .width = 0.2, .rows = 4, .columns = 1, .measure = HeightMeasure::surface, .domain = bench.simulation.world().domain};
    const std::vector<double> heights = bench.rows(*makeProbe({"p", {}}, HeightProbe{line}));
    ASSERT_EQ(heights.size(), 8u);
    for (std::size_t c = 0; c < 4; ++c) {
        EXPECT_NEAR(heights[2 * c], 0.125 + 0.25 * static_cast<double>(c), 1e-12);
        EXPECT_NEAR(heights[2 * c + 1], c < 2 ? 0.3 : 0.2, 0.011);
    }
}

TEST(Probes, slopeOfATiltedBed) {
    Bench bench(tray());
    const double tilt = std::tan(20 * kDegree), across = std::tan(-5 * kDegree);
    fillBelow(bench.grains.grains, bench.simulation.world().domain, 0.02, [&](double x, double y) { return 0.4 + tilt * x + across * y; });
    bench.grains.grains.push_back({.position = {0.3, 0.3, 0.95}, .velocity = {}, .mass = 1, .volume = 8e-6, .radius = 0.01});
    for (const HeightMeasure measure : {HeightMeasure::filled, HeightMeasure::surface}) {
        Footprint ground{.corner = {-0.5, -0.5, 0}, .length = 1, .width = 1, .rows = 10, .columns = 10, .measure = measure, .domain = bench.simulation.world().domain};
        const auto probe = makeProbe({"p", {}}, SlopeProbe{ground});
        auto row = bench.row(*probe);
        EXPECT_NEAR(row["slope_along_deg"], 20, 0.3);
        EXPECT_NEAR(row["slope_across_deg"], -5, 0.3);
        EXPECT_NEAR(row["slope_deg"], std::atan(std::hypot(tilt, across)) / kDegree, 0.3);
        EXPECT_LT(row["residual_m"], 0.01);
    }
}

TEST(Probes, reposeOfACone) {
    for (const double angle : {15.0, 30.0, 38.0}) {
        Bench bench(tray());
        const double slope = std::tan(angle * kDegree);
        fillBelow(bench.grains.grains, bench.simulation.world().domain, 0.01, [&](double x, double y) { return slope * (0.45 - std::hypot(x, y)); });
        const Flank flank{.origin = {}, .up = {0, 0, 1}, .direction = {}, .reach = 0.7, .width = 1, .bins = 40};
        const auto probe = makeProbe({"p", {}}, ReposeProbe{flank, 8, 0.15, 0.85});
        auto row = bench.row(*probe);
        EXPECT_NEAR(row["angle_deg"], angle, 0.5);
        EXPECT_EQ(row["flanks"], 8);
        EXPECT_NEAR(row["height_m"], 0.45 * slope, 0.02);
        RecordProperty("angle", std::to_string(row["angle_deg"]) + " of " + std::to_string(angle) + ", spread " + std::to_string(row["spread_deg"]));
        EXPECT_LT(row["spread_deg"], 1);
        EXPECT_LT(row["residual_m"], 0.004);
    }
}

// Few grains: what chance does to the heights of sectors must not make the flank flatter.
TEST(Probes, reposeOfASmallHeap) {
    constexpr double kGrain = 0.03, kAngle = 30;
    double sum = 0;
    constexpr int kHeaps = 20;
    for (int heap = 0; heap < kHeaps; ++heap) {
        Bench bench(tray());
        Rng rng(1, 2, static_cast<std::uint64_t>(heap));
        const double slope = std::tan(kAngle * kDegree), radius = 14 * kGrain;
        for (int i = 0; i < static_cast<int>(std::numbers::pi / 3 * radius * radius * radius * slope / std::pow(kGrain, 3));) {
            const Vec3 x{rng.uniform(-radius, radius), rng.uniform(-radius, radius), rng.uniform(0, radius * slope)};
            if (x.z > slope * (radius - std::hypot(x.x, x.y))) continue;
            bench.grains.grains.push_back({.position = x, .velocity = {}, .mass = 1, .volume = std::pow(kGrain, 3), .radius = 0.5 * kGrain});
            ++i;
        }
        const Flank flank{.origin = {}, .up = {0, 0, 1}, .direction = {}, .reach = 1.3 * radius, .width = 1, .bins = 25};
        sum += bench.row(*makeProbe({"p", {}}, ReposeProbe{flank, 8, 0.15, 0.85}))["angle_deg"] / kHeaps;
    }
    RecordProperty("angle", std::to_string(sum));
    EXPECT_NEAR(sum, kAngle, 1) << "degrees; grains thrown at random scatter more than those of a heap";
}

TEST(Probes, reposeOfARidgeOnBothSides) {
    Bench bench(tray());
    fillBelow(bench.grains.grains, bench.simulation.world().domain, 0.01, [&](double x, double) { return 0.3 - std::tan((x > 0 ? 35 : 31) * kDegree) * std::abs(x); });
    const Flank flank{.origin = {}, .up = {0, 0, 1}, .direction = Vec3{1, 0, 0}, .reach = 0.5, .width = 1, .bins = 40};
    const auto both = makeProbe({"p", {}}, ReposeProbe{flank, 2, 0.15, 0.85}), one = makeProbe({"p", {}}, ReposeProbe{flank, 1, 0.15, 0.85});
    EXPECT_NEAR(bench.row(*both)["angle_deg"], 33, 0.4);
    EXPECT_NEAR(bench.row(*both)["spread_deg"], 2, 0.4);
    EXPECT_NEAR(bench.row(*one)["angle_deg"], 35, 0.4);
}

TEST(Probes, frontsOfACylinder) {
    Bench bench(tray());
    fillBelow(bench.grains.grains, bench.simulation.world().domain, 0.01, [](double x, double y) { return std::hypot(x, y) < 0.3 ? 0.1 : 0; });
    for (int i = 0; i < 20; ++i) bench.grains.grains.push_back({.position = {0.45, 0.005 * i, 0.01}, .velocity = {}, .mass = 1, .volume = 1e-6});
    const Flank flank{.origin = {}, .up = {0, 0, 1}, .direction = {}, .reach = 0.6, .width = 1, .bins = 60};
    const auto probe = makeProbe({"p", {}}, FrontProbe{flank, 0.99, 0.02});
    auto row = bench.row(*probe);
    EXPECT_NEAR(row["mass_front_m"], 0.3 * std::sqrt(0.99), 0.004);
    EXPECT_NEAR(row["thickness_front_m"], 0.3, 0.01);
    EXPECT_NEAR(row["farthest_m"], std::hypot(0.45, 0.095), 1e-12);
    const Flank along{.origin = {-0.3, 0, 0}, .up = {0, 0, 1}, .direction = Vec3{1, 0, 0}, .reach = 0.8, .width = 0.1, .bins = 80};
    const auto strip = makeProbe({"p", {}}, FrontProbe{along, 0.5, 0.02});
    auto middle = bench.row(*strip);
    EXPECT_NEAR(middle["mass_front_m"], 0.3, 0.01);
    EXPECT_NEAR(middle["thickness_front_m"], 0.6, 0.01);
}

}  // namespace
}  // namespace talus::world
