// SPDX-License-Identifier: Apache-2.0
#include "world/materials.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

namespace talus::world {
namespace {

TEST(Materials, muHatMatchesTheTableOfMappings) {
    const std::map<std::string, FrictionMatch> matches{{"circumscribed(Klar)", FrictionMatch::circumscribed},
                                                       {"middle", FrictionMatch::middle},
                                                       {"inscribed", FrictionMatch::inscribed},
                                                       {"plane_flow_sin", FrictionMatch::sin},
                                                       {"simple_shear_tan", FrictionMatch::tan}};
    std::ifstream file(TALUS_TEST_DATA "/dp_mapping.csv");
    std::string line;
    std::getline(file, line);
    int rows = 0;
    for (; std::getline(file, line); ++rows) {
        std::istringstream fields(line);
        std::string angle, match, muHat;
        std::getline(fields, angle, ',');
        std::getline(fields, match, ',');
        std::getline(fields, muHat, ',');
        EXPECT_NEAR(muHatFromAngle(std::stod(angle), matches.at(match)), std::stod(muHat), 1e-11) << line;
    }
    EXPECT_EQ(rows, 15);
}

TEST(Materials, contactsAreSymmetricAndHaveDefaults) {
    ContactTable table;
    table.set(2, 1, {.friction = 0.3, .restitution = 0.9});
    EXPECT_EQ(table.between(1, 2).friction, 0.3);
    EXPECT_EQ(table.between(2, 1).restitution, 0.9);
    EXPECT_EQ(table.between(1, 1).friction, Contact{}.friction);
    EXPECT_EQ(table.between(-1, 0).friction, Contact{}.friction);
}

}  // namespace
}  // namespace talus::world
