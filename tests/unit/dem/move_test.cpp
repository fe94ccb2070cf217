// SPDX-License-Identifier: Apache-2.0
// Grains that move eight at a time against grains that move alone.
#include "core/archive.h"
#include "core/rng.h"
#include "dem/dem.h"
#include "dem/sphere_records.h"
#include "world/simulation.h"

#include <gtest/gtest.h>

#include <memory>

namespace talus::dem {
namespace {

constexpr double kStep = 2e-4;   // [s]

/// The state after some steps of grains in free flight, by id: of all of them, or of one alone.
std::vector<double> flown(Shape shape, std::size_t grains, std::optional<std::size_t> only) {
    world::World world;
    world.domain = {{0, 0, 0}, {1, 1, 1}, {}};
    world.domain.faces.fill(world::FaceType::open);
    world.materials = {world::Material{.name = "grain", .density = 2500}};
    world.resolution.size = 0.01;
    Settings settings;
    settings.templates = {{.shape = shape, .spacing = 1, .spheres = {}}};
    settings.dt = kStep;
    auto list = std::make_shared<world::ListedGrains>();
    std::vector<double> spins, orientations;
    for (std::size_t i = 0; i < grains; ++i) {
        if (only && *only != i) continue;
        Rng rng(1, 2, i);
        const auto draw = [&](double most) { return Vec3{rng.uniform(-most, most), rng.uniform(-most, most), rng.uniform(-most, most)}; };
        list->positions.push_back({0.1 + 0.05 * static_cast<double>(i % 16), 0.5, 0.1 + 0.05 * static_cast<double>(i / 16)});
        list->velocities.push_back(draw(0.1));
        const double inertia = 1.3e-3 * 4e-5 * (shape == Shape::sphere && i % 5 == 0 ? 20 : 1);   // some turn by more than the series is good for
        const Vec3 spin = inertia * draw(10);
        spins.insert(spins.end(), {spin.x, spin.y, spin.z});
        const Quat q = Quat::fromRotationVector(draw(2));
        orientations.insert(orientations.end(), {q.w, q.x, q.y, q.z});
    }
    world.fills = {{.region = {}, .material = 0, .source = 0, .velocity = {}, .listed = list}};
    const Exec exec(2);
    const auto method = info.create(settings, world, world::Precision::float32);
    method->insert(exec, world, world.fills.front());
    MemoryArchive archive;
    method->save(archive);
    {
        const auto group = archive.group("grains");
        archive.put("orientation", orientations);
        archive.put("angular_momentum", spins);
    }
    method->load(exec, archive);
    for (int step = 0; step < 20; ++step) {
        EXPECT_TRUE(std::holds_alternative<world::Done>(method->step(exec, world, kStep)));
        world.time += kStep;
    }
    world::FieldTable table;
    const std::array<std::string_view, 6> names{"id", "position", "velocity", "orientation", "orientation_w", "angular_velocity"};
    method->read(exec, names, table);
    const auto ids = table.integers("id");
    std::vector<double> state(13 * ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        double* to = &state[13 * static_cast<std::size_t>(ids[i] - *std::ranges::min_element(ids))];
        for (const std::string_view name : {"position", "velocity", "orientation", "angular_velocity"})
            for (const double number : table.reals(name).subspan(3 * i, 3)) *to++ = number;
        *to = table.reals("orientation_w")[i];
    }
    return state;
}

TEST(Move, aGrainFliesAloneByTheSameBitsAsAmongEight) {
    for (const Shape shape : {Shape::sphere, Shape::tetra4}) {
        const std::vector<double> together = flown(shape, 21, {});
        for (const std::size_t i : {0, 3, 5, 7, 15, 20}) {
            const std::vector<double> alone = flown(shape, 21, i);
            ASSERT_EQ(alone.size(), 13u);
            for (std::size_t k = 0; k < 13; ++k) EXPECT_EQ(alone[k], together[13 * i + k]) << "grain " << i << ", number " << k;
        }
    }
}

TEST(Lattice, holdsEightCentresAsItHoldsOne) {
    world::Domain domain;
    domain.faces[0] = domain.faces[1] = world::FaceType::periodic;
    const Lattice<float> lattice(domain, 0.002);
    WideVec3<double> many;
    std::array<Vec3, 8> centres;
    std::array<std::array<double, 8>, 3> columns;
    for (std::size_t i = 0; i < 8; ++i) {
        Rng rng(3, 4, i);
        centres[i] = {rng.uniform(-0.5, 1.5), rng.uniform(-3, 3), i == 7 ? 1e4 : rng.uniform(0, 1)};
        for (std::size_t axis = 0; axis < 3; ++axis) columns[axis][i] = centres[i][static_cast<int>(axis)];
    }
    for (std::size_t axis = 0; axis < 3; ++axis) many[static_cast<int>(axis)] = Wide<double>::loadUnaligned(columns[axis].data());
    const WideVec3<float> held = lattice.hold(many);
    for (std::size_t i = 0; i < 8; ++i) {
        const Vec3f one = lattice.hold(centres[i]), other = lattice.hold(centres[i] + Vec3{1e-3, -2e-4, 3e-5});
        const auto wide = [](const Vec3f& v) { return WideRows<float>{Wide<float>(v.x), Wide<float>(v.y), Wide<float>(v.z), Wide<float>(0)}; };
        for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(std::bit_cast<std::uint32_t>(held[axis].lane(static_cast<int>(i))), std::bit_cast<std::uint32_t>(one[axis]));
        const WideVec3<float> apart = lattice.apart(wide(other), wide(one));
        EXPECT_NEAR(apart.x.lane(0), 1e-3, 1e-10);
        EXPECT_NEAR(apart.y.lane(0), -2e-4, 1e-10);
        EXPECT_NEAR(apart.z.lane(0), 3e-5, 1e-10);
    }
}

}  // namespace
}  // namespace talus::dem
