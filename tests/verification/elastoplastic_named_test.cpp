// SPDX-License-Identifier: Apache-2.0
// Flows of the method elastoplastic that have names: Janssen's column, craters.
#include "elastoplastic/elastoplastic.h"
#include "verification/named_flows.h"

namespace talus {
namespace {

using namespace test;
using elastoplastic::Settings;

// PHYSICS: 15 %, with K from the run itself.
TEST(ElastoplasticFlow, wallsCarryAColumnAsJanssenSays) {
    const JanssenColumn column = sinkingColumn(startWith(elastoplastic::info, Settings{}));
    EXPECT_NEAR(column.floor / column.expected, 1, 0.15);
    EXPECT_LT(column.floor, 0.8 * column.hydrostatic);
}

TEST(ElastoplasticStudy, aCraterIsRound) {
    Settings settings;
    settings.start = mpm::Start::jittered;
    expectRound(craterOfABall(startWith(elastoplastic::info, settings)));
}

}  // namespace
}  // namespace talus
