// SPDX-License-Identifier: Apache-2.0
// Fine grains as rendering samples of `nonsmooth` [Daviet2016, §5.3, §6.2]: confined to the ellipsoids of its points, with normals of flat grains.
#include "core/archive.h"
#include "nonsmooth/nonsmooth.h"
#include "upsampling/guided_method.h"
#include "verification/bed.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <vector>

namespace talus::test {
namespace {

using namespace world;

/// A column of flat grains that collapses, 8 samples a point.
World column() {
    World world;
    world.domain = {{-0.3, -0.3, 0}, {0.3, 0.3, 0.25}, {}};
    world.materials = {Material{.name = "coins"}};
    world.bodies = domainFaces(world.domain);
    world.fills = {{std::make_shared<geometry::Placed>(std::make_shared<geometry::Cylinder>(0.07, 0.18), RigidTransform{{}, {0, 0, 0.09}}), 0, 0, {}}};
    world.resolution.grains = 8000;
    return world;
}

class Samples {
public:
    Samples(bool confined, int threads) : exec_(threads) {
        nonsmooth::Settings points;
        points.frames = nonsmooth::PointFrames::follow;
        points.anisotropy = 0.6;
        const KnownMethod known[] = {{&nonsmooth::info, &points}};
        upsampling::Settings settings;
        settings.meet(known);
        settings.factor = 8;
        settings.interpolateEvery = 1;
        settings.confined = confined;
        World world = column();
        auto guides = nonsmooth::info.create(points, upsampling::coarse(world, *settings.factor), Precision::float32);
        guides_ = guides.get();
        auto method = std::make_unique<upsampling::GuidedMethod<float>>(settings, world, std::move(guides), true);
        run_.emplace(std::move(world), std::move(method));
    }
    void fill() { run_->fill(exec_); }
    void advanceTo(double time) { advance(*run_, exec_, time); }
    void load(const MemoryArchive& archive) { run_->load(exec_, archive); }
    MemoryArchive save() const {
        MemoryArchive archive;
        run_->save(archive);
        return archive;
    }
    FieldTable grains() const { return table(run_->method(), {"id", "position", "radius", "normal"}); }
    std::vector<double> normals() const {
        const FieldTable table = grains();
        return {table.reals("normal").begin(), table.reals("normal").end()};
    }
    FieldTable points() const { return table(*guides_, {"position", "frame", "orientation", "volume"}); }

private:
    static FieldTable table(const Method& method, std::vector<std::string_view> names) {
        FieldTable table;
        method.read(Exec(1), names, table);
        return table;
    }
    Exec exec_;
    const Method* guides_ = nullptr;
    std::optional<Simulation> run_;
};

/// How far each grain above the floor is out of the nearest ellipsoid of all points: 1 on its surface, less inside. Ascending. Where the ellipsoids are thinner than a grain, the floor keeps
/// it out of them.
std::vector<double> outness(const Samples& samples) {
    const FieldTable grains = samples.grains(), points = samples.points();
    const auto at = [](const FieldTable& table, std::size_t i) { return Vec3{table.reals("position")[3 * i], table.reals("position")[3 * i + 1], table.reals("position")[3 * i + 2]}; };
    std::vector<double> out(grains.count(), std::numeric_limits<double>::infinity());
    std::vector<Vec3> places;
    for (std::size_t i = 0; i < out.size(); ++i) places.push_back(at(grains, i));
    for (std::size_t p = 0; p < points.count(); ++p) {
        const std::optional<Mat3> frame = upsampling::frameOf(points.reals("frame").subspan(6 * p, 6));
        if (!frame) {
            ADD_FAILURE() << "point " << p << " has no ellipsoid";
            continue;
        }
        const Mat3 back = inverse(*frame);
        const Vec3 centre = at(points, p);
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::min(out[i], normSquared(back * (places[i] - centre)));
    }
    std::vector<double> above;
    for (std::size_t i = 0; i < out.size(); ++i)
        if (places[i].z > 1.001 * grains.reals("radius")[i]) above.push_back(std::sqrt(out[i]));
    std::ranges::sort(above);
    return above;
}

std::array<double, 6> meanMoment(const FieldTable& grains) {
    std::array<double, 6> mean{};
    for (std::size_t i = 0; i < grains.count(); ++i) {
        const std::span<const double> n = grains.reals("normal").subspan(3 * i, 3);
        const double own[] = {n[0] * n[0], n[1] * n[1], n[2] * n[2], n[0] * n[1], n[1] * n[2], n[0] * n[2]};
        for (std::size_t k = 0; k < 6; ++k) mean[k] += own[k] / static_cast<double>(grains.count());
    }
    return mean;
}

TEST(GuidedSamples, stayInTheEllipsoidsOfThePoints) {
    std::array<std::vector<double>, 2> out;
    for (const bool confined : {false, true}) {
        Samples samples(confined, 2);
        samples.fill();
        EXPECT_LE(outness(samples).back(), 1 + 1e-5) << "they start in them";
        samples.advanceTo(0.3);
        out[confined] = outness(samples);
        const auto outside = out[confined].end() - std::ranges::upper_bound(out[confined], 1 + 1e-4);
        std::printf("[ measured ] %s: %zu grains above the floor, worst %.5f, outside %td\n", confined ? "confined" : "freely", out[confined].size(), out[confined].back(), outside);
    }
    EXPECT_GT(out[0].back(), 1.5);
    EXPECT_GT(out[1].size(), 3000u);
    EXPECT_LT(out[1].back(), 1 + 1e-4) << "single precision";
}

TEST(GuidedSamples, haveNormalsWithTheSecondMomentOfThePoints) {
    Samples samples(true, 2);
    samples.fill();
    samples.advanceTo(0.3);
    const FieldTable grains = samples.grains(), points = samples.points();
    const std::array<double, 6> mean = meanMoment(grains);
    for (std::size_t k = 0; k < 6; ++k) {
        double expected = 0;
        for (std::size_t p = 0; p < points.count(); ++p) expected += points.reals("orientation")[6 * p + k] / static_cast<double>(points.count());
        std::printf("[ measured ] moment %zu: grains %.4f, points %.4f\n", k, mean[k], expected);
        EXPECT_NEAR(mean[k], expected, 4 * 0.36 / std::sqrt(static_cast<double>(grains.count()))) << "entry " << k;
    }
    EXPECT_GT(mean[2], 0.4) << "at random at the start, the flow has laid them flat";
}

TEST(GuidedSamples, areTheSameForAnyNumberOfThreadsAndAfterAResume) {
    Samples one(true, 1), three(true, 3), resumed(true, 2);
    for (Samples* samples : {&one, &three}) {
        samples->fill();
        samples->advanceTo(0.1);
    }
    resumed.load(one.save());
    for (Samples* samples : {&one, &three, &resumed}) samples->advanceTo(0.2);
    const MemoryArchive expected = one.save();
    const std::vector<double> normals = one.normals();
    for (const Samples* other : {&three, &resumed}) {
        const MemoryArchive state = other->save();
        for (const auto& [name, entry] : expected.entries()) {
            if (name == "step_seconds") continue;   // of the clock on the wall
            EXPECT_TRUE(state.entries().at(name) == entry) << name << (other == &three ? ", 3 threads" : ", resumed");
        }
        EXPECT_EQ(other->normals(), normals);
    }
}

}  // namespace
}  // namespace talus::test
