// SPDX-License-Identifier: Apache-2.0
#include "scene/differences.h"

#include <gtest/gtest.h>

namespace talus::scene {
namespace {

using Lines = std::vector<std::string>;

TEST(Differences, nameWhatDiffersParametersFirst) {
    const std::string a = "method = \"dem\"\nseed = 1\n[parameters]\nr0 = { default = 0.1, help = \"x\" }\n[domain]\nmax = [1, 1, 0.6599999999999999]\n"
                          "[[materials]]\nname = \"sand\"\ndensity = 2600\n[output]\nfields = []\n";
    const std::string b = "method = \"elastoplastic\"\nseed = 2\n[parameters]\nr0 = { default = 0.2, help = \"y\" }\n[domain]\nmax = [1, 1, 2]\n"
                          "[[materials]]\nname = \"sand\"\ndensity = 2500\n[output]\nfields = [\"stress\"]\n";
    const auto found = settingsThatDiffer({a, b, a});
    EXPECT_EQ(found[0], (Lines{"r0 = 0.1", "seed = 1", "materials.sand.density = 2600", "domain.max = [1, 1, 0.66]"}));
    EXPECT_EQ(found[1], (Lines{"r0 = 0.2", "seed = 2", "materials.sand.density = 2500", "domain.max = [1, 1, 2]"}));
    EXPECT_EQ(found[2], found[0]);
}

TEST(Differences, whatOnlyOneHasIsNamedThere) {
    const auto found = settingsThatDiffer({"seed = 1\n", "seed = 1\n[[grains]]\nmaterial = \"sand\"\n[[grains]]\nmaterial = \"clay\"\n"});
    EXPECT_TRUE(found[0].empty());
    EXPECT_EQ(found[1], (Lines{"grains[0].material = \"sand\"", "grains[1].material = \"clay\""}));
}

TEST(Differences, tablesOfMethodsThatDoNotRunAndProbesAreNone) {
    EXPECT_EQ(settingsThatDiffer({"method = \"dem\"\n[dem]\nskin = 0.1\ntolerance = 1\n[guided]\nfactor = 2\n[nonsmooth]\ncfl = 0.2\n[[probes]]\nname = \"p\"\n",
                                  "method = \"guided\"\n[dem]\nskin = 0.2\ntolerance = 1\n[guided]\nguides = \"dem\"\nfactor = 8\n[nonsmooth]\ncfl = 0.1\n"}),
              (std::vector<Lines>{{"dem.skin = 0.1"}, {"dem.skin = 0.2", "guided.guides = \"dem\"", "guided.factor = 8"}}));
}

TEST(Differences, equalScenesHaveNone) { EXPECT_EQ(settingsThatDiffer({"seed = 1\n", "seed = 1\n"}), (std::vector<Lines>{{}, {}})); }

}  // namespace
}  // namespace talus::scene
