// SPDX-License-Identifier: Apache-2.0
#include "contract/method_contract.h"
#include "contract/sphere_dem.h"
#include "elastoplastic/elastoplastic.h"
#include "nonsmooth/nonsmooth.h"

namespace talus::contract {

const MethodCase kSphereDem{.name = "sphere_dem", .info = &sphereDemInfo, .memoryGrains = 4096};
const MethodCase kElastoplastic{.name = "elastoplastic", .info = &elastoplastic::info, .velocityEntry = "points/velocity"};
const MethodCase kNonsmooth{.name = "nonsmooth", .info = &nonsmooth::info, .velocityEntry = "points/velocity"};

INSTANTIATE_TEST_SUITE_P(EveryMethod, MethodContract,
                         testing::Values(kSphereDem, kElastoplastic, kElastoplastic.in(world::Precision::float32), kNonsmooth),
                         [](const auto& test) { return test.param.name; });

}  // namespace talus::contract
