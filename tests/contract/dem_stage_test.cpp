// SPDX-License-Identifier: Apache-2.0
// Stages after which contacts of dem remember more, or less, than before.
#include "contract/inspect.h"
#include "contract/method_contract.h"
#include "dem/dem.h"
#include "world/stage.h"

#include <cmath>
#include <numbers>

namespace talus::contract {
namespace {

using namespace world;

constexpr double kRolls = 37, kSlides = 30;   // angles at which clumps of four spheres resist rolling and at which they do not [degrees]

double frictionOf(double degrees) { return std::tan(degrees * std::numbers::pi / 180); }

World clumpsOf(double degrees) {
    World world = thrownBlock(0.05);
    world.materials[0].muHat = frictionOf(degrees);
    return world;
}
MethodCase clumps(dem::Integrator integrator) {
    static const MethodInfo verlet = [] {
        MethodInfo info = dem::info;
        info.settings = []() -> std::unique_ptr<MethodSettings> {
            auto settings = std::make_unique<dem::Settings>();
            settings->templates = {{.shape = dem::Shape::tetra4, .spacing = 0.8, .spheres = {}, .fraction = 1}};
            settings->youngsModulus = 1e6;
            return settings;
        };
        return info;
    }();
    static const MethodInfo adaptive = [] {
        MethodInfo info = verlet;
        info.settings = []() -> std::unique_ptr<MethodSettings> {
            auto settings = verlet.settings();
            static_cast<dem::Settings&>(*settings).integrator = dem::Integrator::rkf45;
            return settings;
        };
        return info;
    }();
    return {.name = "clumps", .info = integrator == dem::Integrator::verlet ? &verlet : &adaptive};
}
double rollingFriction(const Method& method) {
    for (const Metric& metric : method.metrics())
        if (metric.name == "rolling_friction") return metric.value;
    return -1;
}

TEST(DemStages, mayBeginAndEndToResistRolling) {
    const Exec exec(2);
    for (const dem::Integrator integrator : {dem::Integrator::verlet, dem::Integrator::rkf45})
        for (const auto& [before, after] : {std::pair{kSlides, kRolls}, std::pair{kRolls, kSlides}}) {
            const MethodCase method = clumps(integrator);
            const Stage next{.name = "next", .until = {}, .world = clumpsOf(after)};
            const int first = integrator == dem::Integrator::verlet ? 200 : 6, second = integrator == dem::Integrator::verlet ? 40 : 4;
            LiveWorld run(method, clumpsOf(before));
            run.steps(exec, first);
            EXPECT_EQ(rollingFriction(*run.method) > 0, before == kRolls);
            enter(run.world, next, run.world.time);
            run.steps(exec, second);
            EXPECT_EQ(rollingFriction(*run.method) > 0, after == kRolls);
            const MemoryArchive within = run.save();
            run.steps(exec, second);

            LiveWorld resumed(method, clumpsOf(before));   // as a run is: its method knows the first stage until it steps
            enter(resumed.world, next, 0);
            resumed.load(within);
            EXPECT_EQ(difference(resumed.save(), within), "") << before << " to " << after << " degrees";
            resumed.steps(exec, second);
            EXPECT_EQ(difference(resumed.save(), run.save()), "") << before << " to " << after << " degrees";
        }
}

}  // namespace
}  // namespace talus::contract
