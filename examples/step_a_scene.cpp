// SPDX-License-Identifier: Apache-2.0
// Steps a scene inside a program and asks where its grains are.
//   step_a_scene [SCENE]     a built-in scene or a file; the built-in scene `column` unless given
#include "scene/scene.h"
#include "world/metrics.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

using namespace talus;

int main(int argc, char** argv) try {
    scene::Request request;
    request.scene = argc > 1 ? argv[1] : "column";
    request.sets = {"resolution.grains=2000"};   // as --set on the command line
    const scene::Scene scene = scene::read(request, scene::builtInMethods());

    const Exec exec(2);   // threads; the results do not depend on their number
    world::World world = scene.buildWorld();
    auto method = scene.createMethod(world);
    world::Simulation simulation(std::move(world), std::move(method));
    simulation.fill(exec);

    for (int i = 0; i <= 10; ++i) {
        if (simulation.advance(exec, 0.02 * i, [] { return true; }) == world::Reached::failed)
            throw Error(ExitCode::diverged, simulation.failure()->what);
        const world::Totals totals = world::totals(exec, simulation);
        std::printf("%.2f s: %lld grains, centre of mass at %.4f m, fastest %.3f m/s\n", simulation.world().time,
                    static_cast<long long>(totals.grains), totals.centreOfMass.z, totals.maxSpeed);
    }

    world::FieldTable grains;
    simulation.method().read(exec, std::array<std::string_view, 2>{"id", "position"}, grains);
    double highest = 0;
    for (std::size_t i = 0; i < grains.count(); ++i) highest = std::max(highest, grains.reals("position")[3 * i + 2]);
    std::printf("highest of %zu grains: %.4f m\n", grains.count(), highest);
    return 0;
} catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.code());
}
