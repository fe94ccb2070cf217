// SPDX-License-Identifier: Apache-2.0
// Grains come, go, are read and obey the laws of motion alike in every method.
#include "contract/inspect.h"
#include "contract/memory_count.h"
#include "contract/method_contract.h"

#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace talus::contract {
namespace {

using namespace world;

/// Every field of every grain by its id.
std::map<std::int64_t, std::vector<double>> byId(const Method& method) {
    std::map<std::int64_t, std::vector<double>> grains;
    const FieldTable table = read(method);
    for (std::size_t i = 0; i < table.count(); ++i) {
        std::vector<double>& values = grains[table.integers("id")[i]];
        for (const FieldTable::Whole& column : table.columns()) {
            const auto n = static_cast<std::size_t>(column.info.components);
            for (std::size_t c = 0; c < n; ++c)
                values.push_back(column.info.type == FieldType::real ? column.reals[n * i + c]
                                                                     : static_cast<double>(column.integers[n * i + c]));
        }
    }
    return grains;
}

struct Sums {
    double mass = 0, speedScale = 0;   // [kg], Σ m |v|
    Vec3 momentum;
};
Sums sums(const Method& method) {
    const FieldTable table = read(method);
    Sums s;
    for (std::size_t i = 0; i < table.count(); ++i) {
        const double mass = table.reals("mass")[i];
        const Vec3 v = vectorAt(table, field::velocity, i);
        s.mass += mass;
        s.momentum += mass * v;
        s.speedScale += mass * norm(v);
    }
    return s;
}

TEST_P(MethodContract, insertPutsInWhatItSays) {
    LiveWorld run(GetParam(), makeWorld());
    const FieldTable grains = read(*run.method);
    ASSERT_GT(run.inserted.count, 0);
    EXPECT_EQ(run.method->count(), run.inserted.count);
    EXPECT_EQ(static_cast<std::int64_t>(grains.count()), run.inserted.count);
    EXPECT_NEAR(sums(*run.method).mass, run.inserted.mass, rounding() * run.inserted.mass);
    const Fill& fill = run.world.fills[0];
    for (std::size_t i = 0; i < grains.count(); ++i) {
        EXPECT_LT(grains.integers("id")[i], run.world.nextId);
        EXPECT_LE(fill.region->distance(vectorAt(grains, field::position, i)), GetParam().sticksOut * kSize);
        EXPECT_LT(norm(vectorAt(grains, field::velocity, i) - fill.velocity), 1e-6);
    }
}

TEST_P(MethodContract, whatIsFilledOnceIsNotFilledAgain) {
    World world = makeWorld();
    const Fill first = world.fills[0];
    const Aabb all = first.region->bounds();
    const Vec3 half = 0.5 * all.size().x * Vec3{1, 0, 0};
    Fill again = first;
    again.source = 1;
    again.region = box(all.min, all.max - half);   // inside the first
    const double once = sums(*LiveWorld(GetParam(), world).method).mass;
    world.fills.push_back(again);
    EXPECT_NEAR(sums(*LiveWorld(GetParam(), world).method).mass, once, 0.05 * once);
}

TEST_P(MethodContract, eraseTakesOutTheRegionAndNothingElse) {
    const Exec exec(2);
    LiveWorld run(GetParam(), makeWorld());
    run.steps(exec, 5);
    const Region half{box({-1, -1, -1}, {7.9 * kSize, 9, 9}), true};
    const auto before = byId(*run.method);
    const Sums all = sums(*run.method);
    FieldTable taken;
    const Removed removed = run.method->erase(exec, half, &taken);
    const auto after = byId(*run.method);
    const Sums rest = sums(*run.method);

    EXPECT_GT(removed.count, 0);
    EXPECT_LT(removed.count, run.inserted.count);
    EXPECT_EQ(run.method->count(), run.inserted.count - removed.count);
    EXPECT_NEAR(removed.mass, all.mass - rest.mass, rounding() * all.mass);
    EXPECT_LT(norm(removed.momentum - (all.momentum - rest.momentum)), rounding() * all.speedScale);
    const FieldTable left = read(*run.method);
    for (std::size_t i = 0; i < left.count(); ++i) EXPECT_FALSE(half.contains(vectorAt(left, field::position, i)));
    for (const auto& [id, values] : after) EXPECT_EQ(values, before.at(id)) << "grain " << id;

    ASSERT_EQ(taken.count(), static_cast<std::size_t>(removed.count));
    ASSERT_EQ(taken.columns().size(), kPromisedFields.size());
    double takenMass = 0;
    for (std::size_t i = 0; i < taken.count(); ++i) {
        const std::int64_t id = taken.integers("id")[i];
        ASSERT_TRUE(before.contains(id)) << "grain " << id;
        EXPECT_FALSE(after.contains(id)) << "grain " << id;
        EXPECT_TRUE(half.contains(vectorAt(taken, field::position, i)));
        EXPECT_EQ(taken.reals("birth_time")[i], 0);
        EXPECT_EQ(taken.integers("source")[i], 0);
        takenMass += taken.reals("mass")[i];
    }
    EXPECT_NEAR(takenMass, removed.mass, rounding() * removed.mass);
    run.steps(exec, 5);

    EXPECT_EQ(run.method->erase(exec, {half.shape, true}).count + run.method->erase(exec, {half.shape, false}).count,
              run.inserted.count - removed.count);
    EXPECT_EQ(run.method->count(), 0);
    EXPECT_EQ(read(*run.method).count(), 0u);
    EXPECT_TRUE(std::holds_alternative<Done>(run.method->step(exec, run.world, 1e-5))) << "an empty world can be stepped";
}

TEST_P(MethodContract, idsAreNeverReused) {
    const Exec exec(1);
    LiveWorld run(GetParam(), makeWorld());
    const std::int64_t firstFree = run.world.nextId;
    run.steps(exec, 3);
    run.method->erase(exec, {box({-1, -1, -1}, {9, 9, 9}), true});
    const Fill fill{box(kSize * Vec3{4, 4, 8}, kSize * Vec3{8, 8, 12}), 0, 1, {0, 0, -1}};
    const Inserted inserted = run.method->insert(exec, run.world, fill);
    ASSERT_GT(inserted.count, 0);
    const FieldTable grains = read(*run.method);
    std::set<std::int64_t> ids;
    for (std::size_t i = 0; i < grains.count(); ++i) {
        EXPECT_GE(grains.integers("id")[i], firstFree);
        EXPECT_EQ(grains.integers("source")[i], 1);
        EXPECT_NEAR(grains.reals("birth_time")[i], run.world.time, 1e-6 * run.world.time);
        ids.insert(grains.integers("id")[i]);
    }
    EXPECT_EQ(static_cast<std::int64_t>(ids.size()), inserted.count);
    run.steps(exec, 3);
}

/// Checks that chunks are what world/fields.h says.
class ChunkChecker final : public ChunkSink {
public:
    explicit ChunkChecker(FieldNames names) : names_(names) {}
    void take(const Chunk& chunk) override {
        EXPECT_GT(chunk.count, 0u);
        EXPECT_LE(chunk.count, Chunk::kMostGrains);
        ASSERT_EQ(chunk.columns.size(), names_.size());
        for (std::size_t n = 0; n < names_.size(); ++n) {
            const FieldColumn& column = chunk.columns[n];
            EXPECT_EQ(column.info->name, names_[n]);
            const std::size_t values = chunk.count * static_cast<std::size_t>(column.info->components);
            EXPECT_EQ(column.info->type == FieldType::real ? column.reals.size() : column.integers.size(), values);
            for (const double value : column.reals) EXPECT_TRUE(std::isfinite(value)) << names_[n];
        }
        count += static_cast<std::int64_t>(chunk.count);
    }
    std::int64_t count = 0;

private:
    FieldNames names_;
};

TEST_P(MethodContract, readHandsOutEveryFieldInChunks) {
    World world = makeWorld();
    world.resolution = {.grains = 3 * static_cast<std::int64_t>(Chunk::kMostGrains) / 2, .size = {}};
    LiveWorld run(GetParam(), std::move(world));
    ASSERT_GT(run.method->count(), static_cast<std::int64_t>(Chunk::kMostGrains));
    for (const FieldInfo& promised : kPromisedFields) {
        const FieldInfo* info = findField(run.method->fields(), promised.name);
        ASSERT_TRUE(info) << promised.name;
        EXPECT_EQ(info->unit, promised.unit);
        EXPECT_EQ(info->type, promised.type);
        EXPECT_EQ(info->components, promised.components);
    }
    EXPECT_EQ(run.method->fields().size(), GetParam().info->fields.size());
    std::vector<std::string_view> names;
    for (const FieldInfo& info : run.method->fields()) {
        const std::string_view alone[] = {info.name};
        ChunkChecker checker(alone);
        run.method->read(Exec(2), alone, checker);
        EXPECT_EQ(checker.count, run.method->count()) << info.name;
        names.insert(names.begin(), info.name);
    }
    ChunkChecker checker(names);   // all of them, in another order than they were declared in
    run.method->read(Exec(1), names, checker);
    EXPECT_EQ(checker.count, run.method->count());
    const FieldTable grains = read(*run.method);
    std::set<std::int64_t> ids;
    for (std::size_t i = 0; i < grains.count(); ++i) {
        ids.insert(grains.integers("id")[i]);
        EXPECT_GT(grains.reals("mass")[i], 0);
        EXPECT_GT(grains.reals("volume")[i], 0);
        EXPECT_GT(grains.reals("radius")[i], 0);
        EXPECT_EQ(grains.integers("material")[i], 0);
    }
    EXPECT_EQ(ids.size(), grains.count());
}

/// makeWorld() with a period along x, moving along it.
World periodicWorld(const MethodCase& c, double size, double shift) {
    World world = c.makeWorld(size);
    world.domain.faces[0] = world.domain.faces[1] = FaceType::periodic;
    world.bodies = domainFaces(world.domain);
    world.fills = {{box({size * 2 + shift, size * 4, 0}, {size * 10 + shift, size * 12, size * 8}), 0, 0, {3, 0, -1}}};
    return world;
}

TEST_P(MethodContract, aPeriodicAxisHasNoPreferredPlace) {
    if (GetParam().bumpy) GTEST_SKIP() << "the bumps have a place";
    if (GetParam().divided) GTEST_SKIP() << "ids of halves go by their place";
    const Exec exec(1);
    const double period = 16 * kSize, shift = 0.25 * period;
    LiveWorld here(GetParam(), periodicWorld(GetParam(), kSize, 0)), there(GetParam(), periodicWorld(GetParam(), kSize, shift));
    const FieldTable start = read(*there.method);
    std::map<std::int64_t, double> startX;
    for (std::size_t i = 0; i < start.count(); ++i) startX[start.integers("id")[i]] = vectorAt(start, field::position, i).x;
    while (there.world.time < 2.5 * kSize / 3) {   // the block starts two sizes before the face
        here.steps(exec, 1);
        there.steps(exec, 1);
    }
    EXPECT_NEAR(here.world.time, there.world.time, 1e-6 * here.world.time);

    std::map<std::int64_t, std::pair<Vec3, Vec3>> expected;
    const FieldTable a = read(*here.method), b = read(*there.method);
    for (std::size_t i = 0; i < a.count(); ++i)
        expected[a.integers("id")[i]] = {vectorAt(a, field::position, i) + Vec3{shift, 0, 0}, vectorAt(a, field::velocity, i)};
    ASSERT_EQ(a.count(), b.count());
    int crossed = 0;
    const double tolerance = std::max(GetParam().solvedTo, GetParam().single() ? 1e-3 : 1e-8);
    for (std::size_t i = 0; i < b.count(); ++i) {
        const std::int64_t id = b.integers("id")[i];
        const Vec3 x = vectorAt(b, field::position, i);
        EXPECT_GE(x.x, 0);
        EXPECT_LE(x.x, period);
        if (x.x < startX.at(id)) ++crossed;
        EXPECT_LT(norm(there.world.domain.nearestImage(x - expected.at(id).first)), tolerance * kSize) << "grain " << id;
        EXPECT_LT(norm(vectorAt(b, field::velocity, i) - expected.at(id).second), tolerance) << "grain " << id;
    }
    EXPECT_GT(crossed, 0);
}

/// Two blocks that meet in the middle of the box.
World collision(const MethodCase& c, double size) {
    World world = c.makeWorld(size);
    world.fills = {{box(size * Vec3{4, 5, 5}, size * Vec3{8, 9, 9}), 0, 0, {1, 0, 0}},
                   {box(size * Vec3{8, 6, 6}, size * Vec3{12, 10, 10}), 0, 1, {-2, 0.5, 0}}};
    return world;
}

TEST_P(MethodContract, momentumChangesByGravityAlone) {
    if (GetParam().carried) GTEST_SKIP() << "momentum is that of the guides";
    const Exec exec(2);
    for (const Vec3& gravity : {Vec3{}, Vec3{1, -2, -9.81}}) {
        World world = collision(GetParam(), kSize);
        world.gravity = gravity;
        LiveWorld run(GetParam(), std::move(world));
        const Sums start = sums(*run.method);
        for (int step = 0; step < 30 && run.world.time < 0.07; ++step) {   // by then none has come to a wall
            const Sums before = sums(*run.method);
            const double time = run.world.time;
            run.steps(exec, 1);
            const Sums after = sums(*run.method);
            const Vec3 expected = before.momentum + before.mass * (run.world.time - time) * gravity;
            EXPECT_LT(norm(after.momentum - expected), rounding() * start.speedScale) << "step " << step;
        }
        const Sums end = sums(*run.method);
        EXPECT_NEAR(end.mass, start.mass, 1e-12 * start.mass);
        EXPECT_LT(end.speedScale, 0.999 * start.speedScale + start.mass * norm(gravity) * run.world.time)
            << "they did not collide";
    }
}

TEST_P(MethodContract, checkRefusesWhatCannotBeDone) {
    const MethodInfo& info = *GetParam().info;
    const auto errors = [&](const World& world) {
        Problems problems;
        info.check(*info.settings(), world, problems);
        return problems.errors().size();
    };
    EXPECT_EQ(errors(makeWorld()), 0u);
    EXPECT_EQ(errors(periodicWorld(GetParam(), kSize, 0)), 0u);

    World noResolution = makeWorld();
    noResolution.resolution = {};
    EXPECT_GE(errors(noResolution), 1u);
    World shortPeriod = periodicWorld(GetParam(), kSize, 0);
    shortPeriod.domain.max.x = 0.5 * kSize;
    EXPECT_GE(errors(shortPeriod), 1u);
}

void expectGoodEstimate(const MethodCase& c, World world) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "so many grains take minutes with a sanitizer, which looks at fewer as well";
#endif
    world.resolution = {.grains = c.memoryGrains, .size = {}};
    const Exec exec(2);
    const auto settings = c.info->settings();
    const MemoryPeak whileEstimating;
    const Estimate estimate = c.info->estimate(*settings, world, c.precision);
    EXPECT_LT(static_cast<double>(whileEstimating.bytes()), 0.01 * estimate.bytes);

    const MemoryPeak whileRunning;
    LiveWorld run(c, std::move(world), exec);
    run.steps(exec, c.memorySteps);
    const auto used = static_cast<double>(whileRunning.bytes());
    const auto grains = static_cast<double>(run.method->count());
    EXPECT_NEAR(static_cast<double>(estimate.grains), grains, 0.2 * grains);
    EXPECT_NEAR(grains, static_cast<double>(c.memoryGrains), 0.2 * grains);
    EXPECT_GT(estimate.bytes, 0.8 * used);
    EXPECT_LT(estimate.bytes, (1 + c.memoryExcess) * used);
}

TEST_P(MethodContract, estimatesGrainsAndMemory) { expectGoodEstimate(GetParam(), makeWorld()); }

TEST_P(MethodContract, estimatesAThinLayerUnderAMovingBody) {
    World world = makeWorld();
    world.fills = {{box(kSize * Vec3{1, 1, 0}, kSize * Vec3{15, 15, 2}), 0, 0, {1, 0.3, -1}}};
    world.bodies.push_back({.name = "plate",
                            .shape = box(kSize * Vec3{-8, -8, 0}, kSize * Vec3{8, 8, 1}),
                            .motion = Motion(kSize * Vec3{8, 8, 3}, {}, {Travel{Vec3{0.1, 0, 0}}}),
                            .load = {}});
    expectGoodEstimate(GetParam(), std::move(world));
}

}  // namespace
}  // namespace talus::contract
