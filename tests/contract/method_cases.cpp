// SPDX-License-Identifier: Apache-2.0
#include "contract/method_contract.h"
#include "contract/sphere_dem.h"

namespace talus::contract {

INSTANTIATE_TEST_SUITE_P(EveryMethod, MethodContract,
                         testing::Values(MethodCase{.name = "sphere_dem", .info = &sphereDemInfo, .memoryGrains = 4096}),
                         [](const auto& test) { return test.param.name; });

}  // namespace talus::contract
