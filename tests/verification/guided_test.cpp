// SPDX-License-Identifier: Apache-2.0
// Fine grains against the material points, or the clumps, that carry them.
#include "dem/dem.h"
#include "elastoplastic/elastoplastic.h"
#include "upsampling/guided_method.h"
#include "verification/bed.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>

namespace talus::test {
namespace {

using namespace world;

constexpr std::int64_t kFactor = 16;

upsampling::Settings settingsFor(std::int64_t every) {
    static const elastoplastic::Settings points;
    const KnownMethod guides[] = {{&elastoplastic::info, &points}};
    upsampling::Settings settings;
    settings.meet(guides);
    settings.factor = kFactor;
    settings.interpolateEvery = every;
    return settings;
}

/// With fine grains carried by points where `every` is more than zero, else the points alone.
Simulation simulate(World world, std::int64_t every) {
    std::unique_ptr<Method> method;
    if (every > 0) {
        method = upsampling::info.create(settingsFor(every), world, Precision::float32);
    } else {
        const elastoplastic::Settings settings;
        method = elastoplastic::info.create(settings, upsampling::coarse(world, kFactor), Precision::float32);
    }
    return {std::move(world), std::move(method)};
}

World column() {
    World world;
    world.domain = {{-0.5, -0.5, 0}, {0.5, 0.5, 0.3}, {FaceType::open, FaceType::open, FaceType::open, FaceType::open, FaceType::wall, FaceType::open}};
    world.materials = {Material{.name = "sand"}};
    world.bodies = domainFaces(world.domain);
    world.bodies.front().contact = ContactMode::sticky;
    world.fills = {{std::make_shared<geometry::Placed>(std::make_shared<geometry::Cylinder>(0.1, 0.2), RigidTransform{{}, {0, 0, 0.1}}), 0, 0, {}}};
    world.resolution.grains = 4000 * kFactor;
    return world;
}

struct Grain {
    double radius = 0, height = 0;   // from the axis and above the floor [m]
    double volume = 0;               // [m³]
};

/// From the axis outward.
std::vector<Grain> grainsOf(const Method& method) {
    FieldTable table;
    method.read(Exec(1), std::array{field::position.name, field::volume.name}, table);
    const std::span<const double> x = table.reals("position"), volume = table.reals("volume");
    std::vector<Grain> grains;
    for (std::size_t i = 0; i < table.count(); ++i) grains.push_back({std::hypot(x[3 * i], x[3 * i + 1]), x[3 * i + 2], volume[i]});
    std::ranges::sort(grains, {}, &Grain::radius);
    return grains;
}

/// Radius that holds a part of the grains [m].
double radiusOf(double part, const std::vector<Grain>& grains) { return grains[static_cast<std::size_t>(part * static_cast<double>(grains.size()))].radius; }

/// Radius at which the bed, in rings 1.5 times as wide, gets thinner than `layer` [m].
double edgeOf(const std::vector<Grain>& grains, double layer) {
    const double width = 1.5 * layer;
    std::vector<double> thickness(static_cast<std::size_t>(grains.back().radius / width) + 2);
    for (const Grain& grain : grains) {
        const double ring = std::floor(grain.radius / width);
        thickness[static_cast<std::size_t>(ring)] += grain.volume / (std::numbers::pi * (2 * ring + 1) * width * width);
    }
    const auto outer = std::ranges::find_if(thickness, [&](double t) { return t < layer; });
    const auto ring = static_cast<double>(outer - thickness.begin());
    return width * (ring - 0.5 + (outer[-1] - layer) / (outer[-1] - *outer));
}

/// Of the surface over the flank of a heap of this radius [degrees].
double slopeOf(const std::vector<Grain>& grains, double runOut) {
    constexpr int kRings = 8;
    double n = 0, sr = 0, sh = 0, srr = 0, srh = 0;
    for (int ring = 1; ring < kRings - 1; ++ring) {
        const double low = runOut * ring / kRings, high = runOut * (ring + 1) / kRings;
        double sum = 0, count = 0;
        for (const Grain& grain : grains)
            if (grain.radius >= low && grain.radius < high) {
                sum += grain.height;
                ++count;
            }
        const double r = 0.5 * (low + high), h = 2 * sum / count;   // twice the mean height of a ring is that of its surface
        n += 1;
        sr += r;
        sh += h;
        srr += r * r;
        srh += r * h;
    }
    return std::atan(-(n * srh - sr * sh) / (n * srr - sr * sr)) * 180 / std::numbers::pi;
}

struct Heap {
    double runOut = 0;   // [m]
    double slope = 0;    // of its surface [degrees]
};

TEST(GuidedColumn, runsOutAsItsGuidesDoHoweverOftenItIsInterpolated) {
    const Exec exec(2);
    std::map<std::int64_t, Heap> heaps;
    for (const std::int64_t every : {0, 1, 20, 50}) {
        Simulation run = simulate(column(), every);
        run.fill(exec);
        advance(run, exec, 0.6);   // 4.2 √(h₀/g)
        const std::vector<Grain> grains = grainsOf(run.method());
        const double runOut = radiusOf(0.98, grains);
        heaps[every] = {runOut, slopeOf(grains, runOut)};
        std::printf("[ measured ] %s: run-out %.4f m, slope %.2f deg, grains %lld\n", every == 0 ? "guides" : ("n = " + std::to_string(every)).c_str(), heaps[every].runOut, heaps[every].slope,
                    static_cast<long long>(run.method().count()));
        EXPECT_EQ(run.method().count() + run.account().removedCount, run.account().insertedCount) << "none is lost";
    }
    for (const std::int64_t every : {1, 20, 50}) {
        EXPECT_NEAR(heaps[every].runOut, heaps[0].runOut, 0.05 * heaps[0].runOut) << "n = " << every;
        EXPECT_NEAR(heaps[every].slope, heaps[0].slope, 1) << "n = " << every;
        EXPECT_NEAR(heaps[every].runOut, heaps[1].runOut, 0.03 * heaps[1].runOut) << "n = " << every;
    }
}

// The paper's own case: clumps of four spheres fall and make a pile, and so do the fine grains. Both are of one run. The pile ends where it is thinner than a layer of clumps, as experiments
// judge it by the edge of what lies together. Further out clumps roll on alone, and by the paper's rule for sparse media leave their grains behind: of the radii that hold 98 % the grains'
// is 20 % smaller.
TEST(GuidedPile, runsOutAndStandsAsItsClumpsDo) {
    const Exec exec(2);
    dem::Settings clumps;
    clumps.templates = {{.shape = dem::Shape::tetra4, .spacing = 0.8, .spheres = {}, .fraction = 1}};
    clumps.youngsModulus = 5e5;
    const KnownMethod known[] = {{&dem::info, &clumps}};
    upsampling::Settings settings;
    settings.meet(known);
    settings.factor = kFactor;
    World world = column();
    world.materials.push_back(Material{.name = "rough"});
    world.contacts.set(0, 1, {.friction = 1});
    world.bodies.front().contact = ContactMode::separate;
    world.bodies.front().material = 1;
    world.fills = {{std::make_shared<geometry::Placed>(std::make_shared<geometry::Cylinder>(0.1, 0.1), RigidTransform{{}, {0, 0, 0.05}}), 0, 0, {}}};
    world.resolution.grains = 2500 * kFactor;
    auto guides = dem::info.create(clumps, upsampling::coarse(world, kFactor), Precision::float32);
    const Method& pile = *guides;
    auto method = std::make_unique<upsampling::GuidedMethod<float>>(settings, world, std::move(guides), false);
    Simulation run(std::move(world), std::move(method));
    run.fill(exec);
    advance(run, exec, 0.5);   // 5 √(h₀/g)
    const std::vector<Grain> coarseGrains = grainsOf(pile), fineGrains = grainsOf(run.method());
    const double layer = std::cbrt(coarseGrains.front().volume);
    const auto heapOf = [&](const std::vector<Grain>& grains) {
        const double edge = edgeOf(grains, layer);
        return Heap{edge, slopeOf(grains, edge)};
    };
    const Heap coarse = heapOf(coarseGrains), fine = heapOf(fineGrains);
    std::printf("[ measured ] %lld clumps: run-out %.4f m, slope %.2f deg; %lld grains: run-out %.4f m, slope %.2f deg; 98 %% within %.4f and %.4f m; steps %lld\n", static_cast<long long>(pile.count()),
                coarse.runOut, coarse.slope, static_cast<long long>(run.method().count()), fine.runOut, fine.slope, radiusOf(0.98, coarseGrains), radiusOf(0.98, fineGrains),
                static_cast<long long>(run.steps()));
    EXPECT_NEAR(fine.runOut, coarse.runOut, 0.05 * coarse.runOut);
    EXPECT_NEAR(fine.slope, coarse.slope, 1);
    EXPECT_EQ(run.method().count() + run.account().removedCount, run.account().insertedCount) << "none is lost";
}

// The composition of the paper would sink with g n Δt / 2.
TEST(GuidedBed, atRestDoesNotSink) {
    const Exec exec(2);
    for (const std::int64_t every : {1, 20, 50}) {
        World world;
        world.domain = {{0, 0, 0}, {0.2, 0.2, 0.2}, {}};
        world.materials = {Material{.name = "sand"}};
        world.bodies = domainFaces(world.domain);
        world.fills = {{boxBetween({0, 0, 0}, {0.2, 0.2, 0.1}), 0, 0, {}}};
        world.resolution.grains = 2000 * kFactor;
        Simulation run = simulate(std::move(world), every);
        run.fill(exec);
        advance(run, exec, 1.0);   // the bed settles under its weight
        const auto heights = [&] {
            FieldTable table;
            run.method().read(exec, std::array{field::id.name, field::position.name}, table);
            std::map<std::int64_t, double> z;
            for (std::size_t i = 0; i < table.count(); ++i) z[table.integers("id")[i]] = table.reals("position")[3 * i + 2];
            return z;
        };
        const auto before = heights();
        advance(run, exec, 1.2);
        double mean = 0, worst = 0;
        for (const auto& [id, z] : heights()) {
            mean += (z - before.at(id)) / 0.2 / static_cast<double>(before.size());
            worst = std::max(worst, std::abs(z - before.at(id)) / 0.2);
        }
        std::printf("[ measured ] n = %lld: mean %.2e m/s, worst grain %.2e m/s\n", static_cast<long long>(every), mean, worst);
        EXPECT_LT(std::abs(mean), 1e-4) << "n = " << every;
        EXPECT_LT(worst, 1e-4) << "n = " << every;
    }
}

}  // namespace
}  // namespace talus::test
