// SPDX-License-Identifier: Apache-2.0
#include "run/playback.h"

#include "world/free_bodies.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace talus::run {
namespace {

/// A folder of frames, gone with the test.
class Playbacks : public testing::Test {
protected:
    Playbacks() {
        std::filesystem::create_directories(folder_ / "frames");
        world_.domain = {{0, 0, 0}, {10, 10, 10}, {}};
    }
    ~Playbacks() override { std::filesystem::remove_all(folder_); }

    struct Row {
        std::int64_t id;
        Vec3 position, velocity;
        double birth = 0;
    };
    void write(const std::vector<Row>& rows, double time) {
        io::FrameSink sink(world::kPromisedFields);
        std::vector<std::int64_t> ids, zeros(rows.size(), 0);
        std::vector<double> x, v, births, ones(rows.size(), 1.0);
        for (const Row& row : rows) {
            ids.push_back(row.id);
            x.insert(x.end(), {row.position.x, row.position.y, row.position.z});
            v.insert(v.end(), {row.velocity.x, row.velocity.y, row.velocity.z});
            births.push_back(row.birth);
        }
        using namespace world;
        const std::array<FieldColumn, 9> columns{FieldColumn{&field::id, {}, ids}, {&field::position, x, {}}, {&field::velocity, v, {}}, {&field::radius, ones, {}}, {&field::mass, ones, {}},
                                                 {&field::volume, ones, {}}, {&field::material, {}, zeros}, {&field::source, {}, zeros}, {&field::birthTime, births, {}}};
        sink.take({rows.size(), columns});
        const auto number = static_cast<std::int64_t>(times_.size());
        io::writeVtp(folder_ / "frames" / io::frameName(number), std::move(sink).finish(Exec(2), time));
        times_.push_back({number, time});
        io::writeVtpSeries(folder_ / "frames" / "grains.vtp.series", times_);
    }
    Playback begin() {
        Playback playback(folder_, world_.domain);
        playback.insert(Exec(1), world_, {});
        return playback;
    }
    /// Steps to a time and says where everybody is.
    std::map<std::int64_t, Row> at(Playback& playback, double time) {
        playback.step(Exec(1), world_, time - world_.time);
        world_.time = time;
        world::FieldTable table;
        playback.read(Exec(1), std::array{world::field::id.name, world::field::position.name, world::field::velocity.name}, table);
        std::map<std::int64_t, Row> rows;
        for (std::size_t i = 0; i < table.count(); ++i) {
            const auto vector = [&](std::string_view name) { return Vec3{table.reals(name)[3 * i], table.reals(name)[3 * i + 1], table.reals(name)[3 * i + 2]}; };
            rows[table.integers("id")[i]] = {table.integers("id")[i], vector("position"), vector("velocity")};
        }
        return rows;
    }

    Path folder_ = std::filesystem::temp_directory_path() / ("talus-playback-" + std::to_string(getpid()));
    std::vector<io::FrameTime> times_;
    world::World world_;
};

constexpr double kSingle = 1e-5;   // frames are in single precision, numbers up to 10

TEST_F(Playbacks, aThrownGrainFliesAlongItsParabola) {
    const Vec3 x0{1, 2, 8}, v0{1, 0.5, 3}, g{0, 0, -9.81};
    const auto where = [&](double t) { return x0 + t * v0 + 0.5 * t * t * g; };
    for (const double t : {0.0, 0.25, 0.5}) write({{7, where(t), v0 + t * g}}, t);
    Playback playback = begin();
    EXPECT_EQ(playback.count(), 1);
    EXPECT_LE(playback.stableStep(world_), 0.25 / 4);
    for (const double t : {0.1, 0.24, 0.25, 0.3, 0.49, 0.5}) {
        const Row grain = at(playback, t).at(7);
        EXPECT_LT(norm(grain.position - where(t)), kSingle) << t;
        EXPECT_LT(norm(grain.velocity - v0 - t * g), 10 * kSingle) << t;
    }
}

// Where fine grains go is velocity times step and what that lacks: to second order in the step, whatever the fall.
TEST_F(Playbacks, saysByHowMuchAWayDiffersFromVelocityTimesStep) {
    const Vec3 x0{1, 2, 8}, v0{1, 0.5, 3}, g{0, 0, -9.81};
    for (const double t : {0.0, 0.25, 0.5}) write({{7, x0 + t * v0 + 0.5 * t * t * g, v0 + t * g}}, t);
    Playback playback = begin();
    Vec3 way;
    for (const double t : {0.1, 0.2, 0.25, 0.3}) {
        const double dt = t - world_.time;
        const Row grain = at(playback, t).at(7);
        world::FieldTable table;
        playback.read(Exec(1), std::array<std::string_view, 1>{"lag"}, table);
        const Vec3 lag{table.reals("lag")[0], table.reals("lag")[1], table.reals("lag")[2]};
        EXPECT_LT(norm(lag + 0.5 * dt * dt * g), 10 * kSingle) << t;
        way += dt * grain.velocity + lag;
    }
    EXPECT_LT(norm(way - 0.3 * v0 - 0.5 * 0.3 * 0.3 * g), 10 * kSingle);
}

TEST_F(Playbacks, grainsComeAtTheirBirthAndGoWithTheFrame) {
    write({{1, {1, 1, 1}, {2, 0, 0}}, {3, {5, 5, 5}, {}}}, 0);
    write({{2, {1, 1, 1}, {0, 4, 0}, 0.05}, {3, {5, 5, 5}, {}}}, 0.1);
    write({{2, {1, 1.4, 1}, {0, 4, 0}, 0.05}, {3, {5, 5, 5}, {}}}, 0.2);
    Playback playback = begin();
    auto now = at(playback, 0.04);
    EXPECT_EQ(now.size(), 2u);
    EXPECT_LT(norm(now.at(1).position - Vec3{1.08, 1, 1}), kSingle) << "flies on";
    now = at(playback, 0.06);
    EXPECT_EQ(now.size(), 3u);
    EXPECT_LT(norm(now.at(2).position - Vec3{1, 0.84, 1}), kSingle) << "came at 0.05 s";
    now = at(playback, 0.1);
    EXPECT_FALSE(now.contains(1));
    EXPECT_EQ(now.size(), 2u);
    now = at(playback, 0.2);
    EXPECT_LT(norm(now.at(2).position - Vec3{1, 1.4, 1}), kSingle);
}

// Of a scene without [[grains]] nothing is put in before the first step.
TEST_F(Playbacks, startsWithoutGrains) {
    write({}, 0);
    write({{1, {1, 1, 1}, {0, 4, 0}, 0.05}}, 0.1);
    Playback playback(folder_, world_.domain);
    EXPECT_DOUBLE_EQ(playback.stableStep(world_), 0.025);
    EXPECT_TRUE(at(playback, 0.025).empty());
    EXPECT_EQ(at(playback, 0.1).count(1), 1U);
}

TEST_F(Playbacks, crossesAPeriodicFaceTheShortWay) {
    world_.domain.faces[0] = world_.domain.faces[1] = world::FaceType::periodic;
    write({{1, {9.9, 5, 5}, {4, 0, 0}}}, 0);
    write({{1, {0.3, 5, 5}, {4, 0, 0}}}, 0.1);
    Playback playback = begin();
    EXPECT_NEAR(at(playback, 0.02).at(1).position.x, 9.98, kSingle);
    EXPECT_NEAR(at(playback, 0.05).at(1).position.x, 0.1, kSingle);
    EXPECT_NEAR(at(playback, 0.06).at(1).velocity.x, 4, 10 * kSingle);
}

TEST_F(Playbacks, freeBodiesMoveAsTheyDid) {
    write({{1, {1, 1, 1}, {}}}, 0);
    write({{1, {1, 1, 1}, {}}}, 0.1);
    std::ofstream(folder_ / "frames" / "bodies.csv") << "frame,time_s,name,x_m,y_m,z_m,qw,qx,qy,qz\n0,0,\"a, b\",1,2,3,1,0,0,0\n1,0.1,\"a, b\",1,2,3.5,0,0,0,1\n";
    world_.bodies.push_back({.name = "a, b", .shape = nullptr, .motion = world::FreeBody{}, .load = {}});
    Playback playback = begin();
    at(playback, 0.05);
    const world::Pose& pose = world_.bodies[0].free()->pose;
    EXPECT_NEAR(pose.position.z, 3.25, 1e-12);
    EXPECT_NEAR(pose.velocity.z, 5, 1e-12);
    EXPECT_NEAR(std::abs(pose.rotation.z), std::sqrt(0.5), 1e-12) << "half of half a turn";
    EXPECT_NEAR(std::abs(pose.angularVelocity.z), 10 * std::numbers::pi, 1e-9);
}

TEST_F(Playbacks, goesOnWhereItWasSaved) {
    for (const double t : {0.0, 0.1, 0.2}) write({{1, {1 + t, 1, 1}, {1, 0, 0}}}, t);
    Playback first = begin();
    at(first, 0.13);
    MemoryArchive archive;
    first.save(archive);
    Playback second(folder_, world_.domain);
    second.load(Exec(1), archive);
    EXPECT_EQ(at(first, 0.16).at(1).position, at(second, 0.16).at(1).position);
}

TEST_F(Playbacks, aFolderWithoutFramesIsRefused) { EXPECT_THROW(Playback(folder_, world_.domain), Error); }

}  // namespace
}  // namespace talus::run
