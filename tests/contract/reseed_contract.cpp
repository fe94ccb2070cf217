// SPDX-License-Identifier: Apache-2.0
// elastoplastic with `reseed`: sand that is drawn out in free flight to several times its length, and sand that is pressed together in it.
#include "contract/inspect.h"
#include "contract/method_contract.h"
#include "elastoplastic/elastoplastic.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace talus::contract {
namespace {

using namespace world;

constexpr double kCell = 0.05, kRate = 4;   // of stretch [1/s]

template <bool Reseed>
MethodInfo stretching() {
    MethodInfo info = elastoplastic::info;
    info.settings = []() -> std::unique_ptr<MethodSettings> {
        auto settings = std::make_unique<elastoplastic::Settings>();
        settings->reseed = Reseed;
        return settings;
    };
    return info;
}
const MethodInfo kStretching = stretching<true>(), kThinning = stretching<false>();

/// A bar of 8 x 6 x 6 cells that flies apart along x, v = rate x, and above it a cube in which three points lie where one should.
World bar() {
    World world;
    world.domain = {{-4, -1, -1}, {4, 1, 1}, {}};
    world.materials = {Material{.name = "sand"}};
    world.gravity = {0, 0, 0};
    world.resolution.size = kCell;
    auto list = std::make_shared<ListedGrains>();
    const auto add = [&](const Vec3& x, const Vec3& v) {
        list->positions.push_back(x);
        list->velocities.push_back(v);
    };
    for (int i = 0; i < 16; ++i)
        for (int j = 0; j < 12; ++j)
            for (int k = 0; k < 12; ++k) {
                const Vec3 x = 0.5 * kCell * Vec3{i - 7.5, j - 5.5, k - 5.5};
                add(x, {kRate * x.x, 0, 0});
                if (i < 8 && j < 8 && k < 8)
                    for (const double side : {-1.0, 0.0, 1.0}) add(x + Vec3{0.02 * side * kCell, 0.01 * kCell, 10 * kCell}, {0, 0, 0});   // crowded from the start
            }
    world.fills = {{.region = {}, .material = 0, .source = 0, .velocity = {}, .listed = list}};
    return world;
}

/// A cube of 6 x 6 x 6 cells that flies along x, so that its points are sorted when it has gone a cell; the one in the middle empty, those before and behind it with three times the points that they should have.
World cubeWithAHole() {
    World world = bar();
    auto list = std::make_shared<ListedGrains>();
    for (int i = -3; i < 3; ++i)
        for (int j = -3; j < 3; ++j)
            for (int k = -3; k < 3; ++k) {
                const bool hole = i == 0 && j == 0 && k == 0;
                const int copies = std::abs(i) == 1 && j == 0 && k == 0 ? 1 : 0;   // at either side
                for (int corner = 0; corner < 8 && !hole; ++corner)
                    for (int copy = -copies; copy <= copies; ++copy)
                        list->positions.push_back(kCell * (Vec3{double(i), double(j), double(k)} + 0.25 * Vec3{corner / 4 - 0.5, corner / 2 % 2 - 0.5, corner % 2 - 0.5} + Vec3{0.02 * copy, 0.01 * copy, 0}));
            }
    list->velocities.assign(list->positions.size(), {2, 0, 0});
    world.fills.front().listed = list;
    return world;
}

double metric(const Method& method, std::string_view name) {
    const std::vector<Metric> metrics = method.metrics();
    return std::ranges::find(metrics, name, &Metric::name)->value;
}

/// Points in each cell about a node.
using Counts = std::map<std::tuple<int, int, int>, int>;
Counts countCells(const Method& method) {
    const FieldTable now = read(method, {"position"});
    Counts counts;
    const auto cell = [](double x) { return static_cast<int>(std::floor(x / kCell + 0.5)); };
    for (std::size_t i = 0; i < now.count(); ++i) {
        const Vec3 x = vectorAt(now, "position", i);
        ++counts[{cell(x.x), cell(x.y), cell(x.z)}];
    }
    return counts;
}
/// Cells of the bar's core that hold less than `least` points: a cell and more from its sides, and from what was two cells from its ends, where there
/// is no sand beyond to be halved for.
int coreCellsBelow(int least, const LiveWorld& run) {
    const Counts counts = countCells(*run.method);
    const int reach = static_cast<int>(3 * (1 + kRate * run.world.time)) - 1;
    int below = 0;
    for (int i = -reach; i <= reach; ++i)
        for (int j = -1; j <= 1; ++j)
            for (int k = -1; k <= 1; ++k) {
                const auto found = counts.find({i, j, k});
                below += (found == counts.end() ? 0 : found->second) < least;
            }
    return below;
}

struct Sums {
    double mass = 0;
    Vec3 momentum;
    std::set<std::int64_t> ids;
};
Sums sums(const Method& method) {
    const FieldTable now = read(method, {"id", "mass", "velocity"});
    Sums s;
    for (std::size_t i = 0; i < now.count(); ++i) {
        s.mass += now.reals("mass")[i];
        s.momentum += now.reals("mass")[i] * vectorAt(now, "velocity", i);
        EXPECT_TRUE(s.ids.insert(now.integers("id")[i]).second) << "an id is there twice";
    }
    return s;
}

class Reseeding : public testing::TestWithParam<Precision> {
protected:
    MethodCase method() const { return {.name = "reseed", .info = &kStretching, .precision = GetParam()}; }
    MethodCase without() const { return {.name = "thin", .info = &kThinning, .precision = GetParam()}; }
    static void stretch(LiveWorld& run, const Exec& exec) {
        while (run.world.time < 0.9) run.steps(exec, 1);   // to 4.6 times its length
    }
};

TEST_P(Reseeding, keepsCellsFullOfAFlowThatStretches) {
    LiveWorld with(method(), bar()), without(this->without(), bar());
    const Sums before = sums(*with.method);
    stretch(with, Exec(2));
    stretch(without, Exec(2));
    std::printf("    %d and %d cells of the core are empty, %d and %d hold less than 3 points; %.0f halved, %.0f put together\n", coreCellsBelow(1, without), coreCellsBelow(1, with), coreCellsBelow(3, without),
                coreCellsBelow(3, with), metric(*with.method, "splits"), metric(*with.method, "merges"));
    EXPECT_GT(coreCellsBelow(1, without), 20);
    EXPECT_EQ(coreCellsBelow(1, with), 0);
    EXPECT_EQ(static_cast<double>(with.method->count()), static_cast<double>(with.inserted.count) + metric(*with.method, "splits") - metric(*with.method, "merges"));
    const Sums after = sums(*with.method);
    const double rounding = GetParam() == Precision::float32 ? 1e-6 : 1e-12;
    EXPECT_NEAR(after.mass, before.mass, rounding * before.mass);
    EXPECT_LT(norm(after.momentum - before.momentum), 10 * rounding * before.mass);
    EXPECT_LT(*after.ids.rbegin(), with.world.nextId);
}

// Where sand flies apart without stress, every point keeps its way: velocities of halves are those of the flow.
TEST_P(Reseeding, halvesMoveAsTheFlowDoes) {
    LiveWorld run(method(), bar());
    stretch(run, Exec(2));
    const FieldTable now = read(*run.method, {"position", "velocity"});
    const double rate = kRate / (1 + kRate * run.world.time);
    double worst = 0;
    for (std::size_t i = 0; i < now.count(); ++i) {
        const Vec3 x = vectorAt(now, "position", i);
        if (x.z < 6 * kCell) worst = std::max(worst, norm(vectorAt(now, "velocity", i) - Vec3{rate * x.x, 0, 0}));
    }
    std::printf("    velocities are right to %.2g m/s of up to %.2g\n", worst, kRate * 4 * kCell);
    EXPECT_LT(worst, 0.02 * kRate * 4 * kCell);
}

TEST_P(Reseeding, putsCrowdsTogether) {
    LiveWorld run(method(), bar());
    stretch(run, Exec(1));
    EXPECT_GT(metric(*run.method, "merges"), 50);
}

TEST_P(Reseeding, crowdsBesideAHoleKeepTheirMass) {
    LiveWorld run(method(), cubeWithAHole());
    const Sums before = sums(*run.method);
    while (run.world.time < 0.05) run.steps(Exec(2), 1);
    EXPECT_GT(metric(*run.method, "merges"), 10);
    EXPECT_GT(metric(*run.method, "splits"), 10);
    EXPECT_EQ(static_cast<double>(run.method->count()), static_cast<double>(run.inserted.count) + metric(*run.method, "splits") - metric(*run.method, "merges"));
    EXPECT_NEAR(sums(*run.method).mass, before.mass, (GetParam() == Precision::float32 ? 1e-6 : 1e-12) * before.mass);
}

TEST_P(Reseeding, theSameBitsForAnyNumberOfThreads) {
    LiveWorld one(method(), bar());
    stretch(one, Exec(1));
    ASSERT_GT(metric(*one.method, "splits"), 100);
    for (const int threads : {2, 3}) {
        LiveWorld other(method(), bar(), Exec(threads));
        stretch(other, Exec(threads));
        EXPECT_EQ(difference(one.save(), other.save()), "") << threads << " threads";
    }
}

TEST_P(Reseeding, aResumedRunIsTheSameRun) {
    LiveWorld whole(method(), bar());
    while (whole.world.time < 0.4) whole.steps(Exec(2), 1);
    ASSERT_GT(metric(*whole.method, "splits"), 0);
    ASSERT_GT(metric(*whole.method, "merges"), 0);
    const MemoryArchive between = whole.save();
    LiveWorld resumed(method(), bar(), between);
    stretch(whole, Exec(2));
    stretch(resumed, Exec(2));
    EXPECT_EQ(difference(whole.save(), resumed.save()), "");
}

INSTANTIATE_TEST_SUITE_P(BothPrecisions, Reseeding, testing::Values(Precision::float32, Precision::float64),
                         [](const auto& test) { return test.param == Precision::float32 ? "float32" : "float64"; });

}  // namespace
}  // namespace talus::contract
