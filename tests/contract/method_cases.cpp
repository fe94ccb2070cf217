// SPDX-License-Identifier: Apache-2.0
#include "contract/method_contract.h"
#include "contract/sphere_dem.h"
#include "elastoplastic/elastoplastic.h"

namespace talus::contract {

INSTANTIATE_TEST_SUITE_P(
    EveryMethod, MethodContract,
    testing::Values(MethodCase{.name = "sphere_dem", .info = &sphereDemInfo, .memoryGrains = 4096},
                    MethodCase{.name = "elastoplastic_double", .info = &elastoplastic::info, .velocityEntry = "points/velocity"},
                    MethodCase{.name = "elastoplastic_float", .info = &elastoplastic::info, .precision = world::Precision::float32, .velocityEntry = "points/velocity"}),
    [](const auto& test) { return test.param.name; });

}  // namespace talus::contract
