// SPDX-License-Identifier: Apache-2.0
#include "elastoplastic_scenes.h"

#include "core/rng.h"
#include "geometry/operators.h"
#include "geometry/primitives.h"

#include <cmath>
#include <memory>
#include <utility>

namespace talus::benchmark {
namespace {

constexpr Vec3 kColumn{0.5, 0.5, 1.0};   // [m]
constexpr double kFall = 2;              // [m/s]

std::shared_ptr<const geometry::Shape> boxAt(const Vec3& size, const Vec3& centre) {
    return std::make_shared<geometry::Placed>(std::make_shared<geometry::Box>(size), RigidTransform{{}, centre});
}

world::World emptyWorld(const world::Domain& domain) {
    world::World world;
    world.domain = domain;
    world.materials = {world::Material{.name = "sand"}};
    world.bodies = world::domainFaces(world.domain);
    return world;
}

world::World column(double points, double height, double speed) {
    world::World world = emptyWorld({{-1, -1, 0}, {1, 1, 2}, {}});
    world.fills = {{boxAt(kColumn, {0, 0, height + 0.5 * kColumn.z}), 0, 0, {0, 0, -speed}}};
    world.resolution.grains = static_cast<std::int64_t>(points);
    return world;
}

// The second sand is the upper half.
Scene full(double points) {
    Scene scene{column(points, 0, 0), {}};
    world::World& world = scene.world;
    world.materials.push_back({.name = "other sand", .density = 2400, .muHat = 0.7});
    const Vec3 half{kColumn.x, kColumn.y, 0.5 * kColumn.z};
    world.fills = {{boxAt(half, {0, 0, 0.5 * half.z}), 0, 0, {}}, {boxAt(half, {0, 0, 1.5 * half.z}), 1, 1, {}}};
    const auto paddle = std::make_shared<geometry::Box>(Vec3{0.6, 0.06, 0.2});
    const auto ball = std::make_shared<geometry::Sphere>(0.1);
    world.bodies.push_back({.name = "paddle", .shape = paddle, .motion = world::Motion({0, 0, 0.3}, {}, {world::constantSpin({0, 0, 3})}), .load = {}});
    world::FreeBody free = world::freeBody(ball->massProperties(), 3000);
    free.pose.position = {0, 0, kColumn.z + 0.11};
    world.bodies.push_back({.name = "ball", .shape = ball, .motion = free, .load = {}});
    scene.settings.hardening.present = true;
    return scene;
}

/// Grains of half a cell, listed one by one.
class Loose {
public:
    Loose(double points, double spacing) : points_(static_cast<std::size_t>(points)), spacing_(spacing), list_(std::make_shared<world::ListedGrains>()) {}

    /// The eight of the cell (x, y, z), or those of them that `inside` wants, by their place in cells.
    template <class Inside>
    void cell(int x, int y, int z, const Inside& inside) {
        for (int k = 0; k < 8; ++k) {
            const Vec3 p{x + 0.25 + 0.5 * (k / 4), y + 0.25 + 0.5 * (k / 2 % 2), z + 0.25 + 0.5 * (k % 2)};
            if (!full() && inside(p)) grain(p, {0, 0, -kFall});
        }
    }
    void grain(const Vec3& cells, const Vec3& velocity) {
        list_->positions.push_back(spacing_ * cells);
        list_->velocities.push_back(velocity);
    }
    bool full() const { return list_->positions.size() >= points_; }

    /// All of it above a floor.
    Scene scene(double side) const {
        const double size = spacing_ * (side + 16);
        Scene scene{emptyWorld({{-16 * spacing_, -16 * spacing_, -16 * spacing_}, {size, size, size}, {}}), {}};
        scene.world.fills = {{.region = {}, .velocity = {}, .listed = list_}};
        scene.world.resolution.size = spacing_;
        return scene;
    }

private:
    std::size_t points_;
    double spacing_;
    std::shared_ptr<world::ListedGrains> list_;
};

constexpr int kGap = 8;   // cells from one sheet or clump to the next

Scene sheets(double points, double spacing) {
    const int side = kGap * static_cast<int>(std::ceil(std::cbrt(points / 8 * kGap) / kGap));
    Loose loose(points, spacing);
    for (int z = 0; z < side; z += kGap)
        for (int x = 0; x < side; ++x)
            for (int y = 0; y < side; ++y) loose.cell(x, y, z, [](const Vec3&) { return true; });
    return loose.scene(side);
}

Scene clumps(double points, double spacing) {
    constexpr double kRadius = 1.5, kPoints = 113;   // of a ball [cells]
    const int side = kGap * static_cast<int>(std::ceil(std::cbrt(points / kPoints)));
    Loose loose(points, spacing);
    for (int i = 0; i < side; i += kGap)
        for (int j = 0; j < side; j += kGap)
            for (int k = 0; k < side; k += kGap) {
                Rng rng(1, 0, static_cast<std::uint64_t>((i * side + j) * side + k));
                const Vec3 centre = Vec3{2.0 + i, 2.0 + j, 2.0 + k} + 2 * Vec3{rng.uniform(), rng.uniform(), rng.uniform()};
                for (int c = 0; c < 125; ++c)
                    loose.cell(i + c / 25, j + c / 5 % 5, k + c % 5, [&](const Vec3& p) { return norm(p - centre) <= kRadius; });
            }
    return loose.scene(side);
}

Scene spray(double points, double spacing) {
    constexpr double kCellsPerPoint = 4, kSpeed = 0.5;
    const double side = std::cbrt(kCellsPerPoint * points);
    Loose loose(points, spacing);
    for (std::uint64_t i = 0; !loose.full(); ++i) {
        Rng rng(1, 0, i);
        const Vec3 at{rng.uniform(), rng.uniform(), rng.uniform()}, own{rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)};
        loose.grain(side * at, kSpeed * own + Vec3{0, 0, -kFall});
    }
    return loose.scene(side);
}

}  // namespace

Scene makeScene(std::string_view name, double points) {
    const double spacing = std::cbrt(8 * kColumn.x * kColumn.y * kColumn.z / points);
    if (name == "collapse") return {column(points, 0, 0), {}};
    if (name == "full") return full(points);
    if (name == "sheets") return sheets(points, spacing);
    if (name == "clumps") return clumps(points, spacing);
    if (name == "spray") return spray(points, spacing);
    return {column(points, 0.05, kFall), {}};
}

world::World stiffScene(std::string_view name, double points) {
    world::World world;
    const bool push = name == "push";
    const Vec3 size = push ? Vec3{0.4, 0.1, 0.1} : Vec3{0.1, 0.1, 0.2};
    world.domain = {{0, 0, 0}, {push ? 0.5 : 0.6, 0.1, 0.3}, {}};
    world.materials = {world::Material{.name = "sand"}, world::Material{.name = "rough"}, world::Material{.name = "smooth"}};
    world.contacts.set(0, 1, {1.0, 0});
    world.contacts.set(0, 2, {0.0, 0});
    world.bodies = world::domainFaces(world.domain);
    for (world::Body& body : world.bodies) body.material = body.name == "domain.z_min" ? 1 : 2;
    if (push) world.bodies.push_back({.name = "plate", .material = 2, .shape = std::make_shared<geometry::Box>(Vec3{0.05, 0.2, 0.2}), .motion = world::Motion({-0.025, 0.05, 0.15}, {}, {world::Travel{Vec3{0.02, 0, 0}}}), .load = {}});
    world.fills = {{boxAt(size, 0.5 * size), 0, 0, {}}};
    world.resolution.grains = static_cast<std::int64_t>(points);
    return world;
}

}  // namespace talus::benchmark
