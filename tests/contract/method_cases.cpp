// SPDX-License-Identifier: Apache-2.0
#include "contract/method_contract.h"
#include "contract/sphere_dem.h"
#include "dem/dem.h"
#include "elastoplastic/elastoplastic.h"

namespace talus::contract {

/// Clumps of different sizes, more than one kind of them.
const world::MethodInfo kClumps = [] {
    world::MethodInfo info = dem::info;
    info.settings = []() -> std::unique_ptr<world::MethodSettings> {
        auto settings = std::make_unique<dem::Settings>();
        settings->templates = {{.shape = dem::Shape::tetra4, .spacing = 0.8, .spheres = {}, .fraction = 2},
                               {.shape = dem::Shape::spheres, .spacing = 1, .spheres = {0, 0, 0, 1, 1.2, 0, 0, 0.8, 2.2, 0.3, 0, 0.7}, .fraction = 1}};
        settings->sizes = dem::UniformSize{0.8, 1.1};
        settings->youngsModulus = 2e5;   // longer steps: tests that count them see more happen
        settings->stepFraction = 0.1;
        return settings;
    };
    return info;
}();

const MethodCase kSphereDem{.name = "sphere_dem", .info = &sphereDemInfo, .memoryGrains = 4096};
const MethodCase kDem{.name = "dem", .info = &dem::info, .velocityEntry = "grains/velocity"};
const MethodCase kDemClumps{.name = "dem_clumps", .info = &kClumps, .memoryGrains = 6000, .velocityEntry = "grains/velocity"};
const MethodCase kElastoplastic{.name = "elastoplastic", .info = &elastoplastic::info, .velocityEntry = "points/velocity"};

INSTANTIATE_TEST_SUITE_P(EveryMethod, MethodContract,
                         testing::Values(kSphereDem, kDem, kDemClumps, kElastoplastic, kElastoplastic.in(world::Precision::float32)),
                         [](const auto& test) { return test.param.name; });

}  // namespace talus::contract
