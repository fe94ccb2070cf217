// SPDX-License-Identifier: Apache-2.0
// Speed of fine grains: a column of sand falls onto a floor around a mesh, carried by material points.
//   build/release/benchmarks/guided [fine grains = 1e6] [steps = 200] [factor = 32]
// Prints million fine-grain updates per second, over the time spent on fine grains and over the whole step, for several intervals
// of interpolation, one and two threads; and bytes per fine grain.
#include "elastoplastic/elastoplastic.h"
#include "geometry/mesh_primitives.h"
#include "geometry/mesh_shape.h"
#include "geometry/operators.h"
#include "geometry/primitives.h"
#include "upsampling/fine_grains.h"
#include "upsampling/guided.h"
#include "world/simulation.h"

#include <cstdio>
#include <cstdlib>
#include <string>

using namespace talus;

namespace {

/// A column of 0.5 x 0.5 x 1 m, moving down at 2 m/s onto a ball of triangles on a rough floor.
world::World fallingColumn(const Exec& exec, double grains) {
    world::World world;
    world.domain = {{-1, -1, 0}, {1, 1, 2}, {}};
    world.materials = {world::Material{.name = "sand"}};
    world.bodies = world::domainFaces(world.domain);
    geometry::Mesh sphere = geometry::icosphere(5);
    for (Vec3& vertex : sphere.vertices) vertex *= 0.15;
    const auto ball = std::make_shared<geometry::MeshShape>(exec, std::make_shared<geometry::Mesh>(std::move(sphere)));
    world.bodies.push_back({.name = "ball", .shape = ball, .motion = world::Motion({0, 0, 0.1}, {}), .source = 0, .load = {}});
    world.fills = {{std::make_shared<geometry::Placed>(std::make_shared<geometry::Box>(Vec3{0.5, 0.5, 1.0}), RigidTransform{{}, {0, 0, 0.76}}), 0, 0, {0, 0, -2}}};
    world.resolution.grains = static_cast<std::int64_t>(grains);
    return world;
}

double seconds(const Exec& exec, const char* phase) {
    const auto found = exec.phaseSeconds().find(phase);
    return found == exec.phaseSeconds().end() ? 0.0 : found->second;
}

void measure(double grains, int steps, std::int64_t factor, std::int64_t every, upsampling::Interpolation kind, int threads) {
    const Exec exec(threads);
    world::World world = fallingColumn(exec, grains);
    const elastoplastic::Settings points;
    const world::KnownMethod guides[] = {{&elastoplastic::info, &points}};
    upsampling::Settings settings;
    settings.meet(guides);
    settings.factor = factor;
    settings.interpolateEvery = every;
    settings.mostTravel = 1e9;   // as often as said, and no more
    settings.interpolation = kind;
    auto method = upsampling::info.create(settings, world, world::Precision::float32);
    method->insert(exec, world, world.fills.front());
    const auto run = [&](int count) {
        for (int i = 0; i < count; ++i) {
            const double dt = method->stableStep(world);
            if (!std::holds_alternative<world::Done>(method->step(exec, world, dt))) std::exit(1);
            world.time += dt;
        }
    };
    run(steps / 4);   // until some of it lies on the floor
    const double fineBefore = seconds(exec, "fine grains") + seconds(exec, "interpolation");
    const auto start = std::chrono::steady_clock::now();
    run(steps);
    const double whole = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const double fine = seconds(exec, "fine grains") + seconds(exec, "interpolation") - fineBefore;
    const double updates = static_cast<double>(method->count()) * steps;
    std::printf("%9lld  %7d  %5lld  %8s  %15.1f  %15.1f\n", static_cast<long long>(method->count()), threads, static_cast<long long>(every),
                upsampling::kInterpolationNames[static_cast<std::size_t>(kind)].data(), updates / fine / 1e6, updates / whole / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
    const double grains = argc > 1 ? std::atof(argv[1]) : 1e6;
    const int steps = argc > 2 ? std::atoi(argv[2]) : 200;
    const std::int64_t factor = argc > 3 ? std::atoll(argv[3]) : 32;
    std::printf("bytes per fine grain: %.2f\n", static_cast<double>(upsampling::FineColumns<float>().bytesPerRow()) + static_cast<double>(sizeof(upsampling::FineChunk)) / upsampling::kChunkRows);
    std::printf("   grains  threads  every      kind  M updates/s fine  M updates/s whole step\n");
    using upsampling::Interpolation;
    for (const int threads : {1, 2}) {
        for (const std::int64_t every : {1, 20, 50}) measure(grains, steps, factor, every, Interpolation::weighted, threads);
        measure(grains, steps, factor, 20, Interpolation::affine, threads);
    }
}
