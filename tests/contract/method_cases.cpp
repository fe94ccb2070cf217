// SPDX-License-Identifier: Apache-2.0
#include "contract/method_contract.h"
#include "contract/sphere_dem.h"
#include "dem/dem.h"
#include "elastoplastic/elastoplastic.h"

namespace talus::contract {

const MethodCase kSphereDem{.name = "sphere_dem", .info = &sphereDemInfo, .memoryGrains = 4096};
const MethodCase kDem{.name = "dem", .info = &dem::info, .velocityEntry = "grains/velocity"};
const MethodCase kElastoplastic{.name = "elastoplastic", .info = &elastoplastic::info, .velocityEntry = "points/velocity"};

INSTANTIATE_TEST_SUITE_P(EveryMethod, MethodContract,
                         testing::Values(kSphereDem, kDem, kElastoplastic, kElastoplastic.in(world::Precision::float32)),
                         [](const auto& test) { return test.param.name; });

}  // namespace talus::contract
