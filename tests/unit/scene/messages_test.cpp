// SPDX-License-Identifier: Apache-2.0
// What someone who has never seen the manual is told.
#include "fake_method.h"
#include "scene/suggestion.h"

#include <gtest/gtest.h>

namespace talus::scene::test {
namespace {

/// The small good scene with something put before it (line 1 on) or after it (line 7 on).
std::string before(const std::string& text) { return errorOf(text + "\n" + kGood); }
std::string after(const std::string& text) { return errorOf(kGood + text + "\n"); }

TEST(Messages, GoodSceneHasNone) { EXPECT_EQ(errorOf(kGood), ""); }

TEST(Messages, UnknownKeys) {
    EXPECT_EQ(after("[elastoplastic]\ndtt = 1"), "scene.toml:8:1: unknown key 'elastoplastic.dtt'; did you mean 'dt'?");
    EXPECT_EQ(after("[dem]\nyoungs = 1"), "scene.toml:8:1: unknown key 'dem.youngs'; did you mean 'youngs_modulus'?");
    EXPECT_EQ(after("[time]\ncolour = 1"), "scene.toml:8:1: unknown key 'time.colour'; keys here are 'end', 'frames_per_second'");
    EXPECT_EQ(before("paramters = 1"), "scene.toml:1:1: unknown key 'paramters'; did you mean 'parameters'?");
    EXPECT_EQ(
        after("[weather]"),
        "scene.toml:7:2: unknown key 'weather'; keys here are 'method', 'seed', 'gravity', 'precision', 'time', 'domain', "
        "'resolution', 'materials', 'contacts', 'bodies', 'grains', 'emitters', 'sinks', 'forces', 'air', 'probes', 'stages', 'elastoplastic', 'dem', 'output', 'camera', "
        "'parameters', 'variant'");
}

TEST(Messages, WrongTypes) {
    EXPECT_EQ(before("seed = true"), "scene.toml:1:8: 'seed' must be a number, not true or false");
    EXPECT_EQ(before("seed = 1.5"), "scene.toml:1:8: 'seed' is 1.5; it must be a whole number");
    EXPECT_EQ(before("method = 3"), "scene.toml:1:10: 'method' must be a text in quotes, not a whole number");
    EXPECT_EQ(before("time = 3"), "scene.toml:1:8: 'time' must be a table under [time], not a whole number");
    EXPECT_EQ(before("gravity = 9.81"), "scene.toml:1:11: 'gravity' must be a list of 3 numbers, not a number");
    EXPECT_EQ(before("gravity = [0, -9.81]"), "scene.toml:1:11: 'gravity' must be a list of 3 numbers, not 2");
    EXPECT_EQ(before("gravity = [0, 0, [1]]"), "scene.toml:1:18: 'gravity[2]' must be a number, not a list");
    EXPECT_EQ(before("bodies = 3"),
              "scene.toml:1:10: 'bodies' must be a list of tables, each under [[bodies]], not a whole number");
    EXPECT_EQ(before("bodies = [3]"), "scene.toml:1:11: 'bodies[0]' must be a table, { … }, not a whole number");
    EXPECT_EQ(before("domain = { x = 3 }"), "scene.toml:1:16: 'domain.x' must be a text or a table, { … }, not a whole number");
    EXPECT_EQ(after("[elastoplastic]\nstrict = \"yes\""),
              "scene.toml:8:10: 'elastoplastic.strict' must be true or false, not a text");
    EXPECT_EQ(after("[output]\nfields = \"stress\""),
              "scene.toml:8:10: 'output.fields' must be a list of texts, [\"…\", \"…\"], not a text");
}

TEST(Messages, Ranges) {
    EXPECT_EQ(before("time.end = -1"), "scene.toml:1:12: 'time.end' is -1; it must be between 1e-09 and 1000000");
    EXPECT_EQ(before("seed = -1"), "scene.toml:1:8: 'seed' is -1; it must be between 0 and 9007199254740992");
    EXPECT_EQ(before("time.end = inf"), "scene.toml:1:12: 'time.end' is inf; it must be a finite number");
    EXPECT_EQ(before("time.end = nan"), "scene.toml:1:12: 'time.end' is nan; it must be a finite number");
    EXPECT_EQ(after("[[materials]]\nname = \"a\"\nfriction_angle_deg = 95"),
              "scene.toml:9:22: 'materials[1].friction_angle_deg' is 95; it must be greater than 0 and less than 90");
}

TEST(Messages, Schedules) {
    EXPECT_EQ(before("gravity = { table = [[0, 0, 0, 0], [\"2 s\", 0, 0, \"-9.81 m/s2\"]] }"), "");
    EXPECT_EQ(before("gravity = { mean = [0, 0, -9.81], amplitude = [1, 0, 0], frequency = 2 }"), "");
    EXPECT_EQ(before("gravity = { table = [[0, 0, 0]] }"), "scene.toml:1:22: 'gravity.table[0]' must be a row [time, x, y, z]");
    EXPECT_EQ(before("gravity = { table = [] }"), "scene.toml:1:21: 'gravity.table' must be a list of rows [time, x, y, z]");
    EXPECT_EQ(before("gravity = { table = [[1, 0, 0, 0], [0.5, 0, 0, 0]] }"),
              "scene.toml:1:36: the times of 'gravity.table' must ascend: 0.5 follows 1");
    EXPECT_EQ(before("gravity = { table = [[0, 0, 0, \"4 mm\"]] }"),
              "scene.toml:1:32: 'gravity.table[0][3]' is an acceleration: \"4 mm\" has a unit of length; write for example \"4 m/s2\" or 4");
    EXPECT_EQ(before("gravity = { amplitude = [1, 0, 0] }"), "scene.toml:1:11: missing key 'gravity.frequency': oscillations per second");
    EXPECT_EQ(before("gravity = { tabel = [[0, 0, 0, 0]] }"),
              "scene.toml:1:11: missing key 'gravity.amplitude': largest departure from mean\n"
              "scene.toml:1:11: missing key 'gravity.frequency': oscillations per second\n"
              "scene.toml:1:13: unknown key 'gravity.tabel'; did you mean 'table'?");
}

TEST(Messages, Units) {
    EXPECT_EQ(after("[time]\nend = \"4 mm\""),
              "scene.toml:8:7: 'time.end' is a time: \"4 mm\" has a unit of length; write for example \"4 s\" or 4");
    EXPECT_EQ(before("seed = \"4 mm\""), "scene.toml:1:8: 'seed' is a plain number: \"4 mm\" has a unit of length; write 4");
}

TEST(Messages, Choices) {
    EXPECT_EQ(before("method = \"elastoplastik\""),
              "scene.toml:1:10: 'method' is \"elastoplastik\"; did you mean \"elastoplastic\"? The choices are "
              "\"elastoplastic\", \"dem\"");
    EXPECT_EQ(before("precision = \"half\""), "scene.toml:1:13: 'precision' is \"half\"; choices are \"float\", \"double\"");
    EXPECT_EQ(before("domain.x_min = \"periodic\""),
              "scene.toml:1:16: 'domain.x_min' cannot be periodic alone; write x = \"periodic\" for both faces");
}

TEST(Messages, MissingKeys) {
    EXPECT_EQ(errorOf(kGood + "[[bodies]]\nshape = { type = \"plane\" }\n"),
              "scene.toml:7:1: missing key 'bodies[0].name': name of the body in results and in --set bodies.NAME");
    EXPECT_EQ(errorOf(kGood + "[[bodies]]\nname = \"b\"\nshape = { radius = 1 }\n").substr(0, 64),
              "scene.toml:9:9: missing key 'bodies[0].shape.type'; choices are ");
}

TEST(Messages, SceneWithoutGrains) {
    EXPECT_EQ(errorOf(""), "scene.toml:1:1: 'grains': the scene has no grains, no emitter and no free body; add [[grains]] with a material and a region, or [[emitters]]");
}

TEST(Messages, Names) {
    EXPECT_EQ(after("[[grains]]\nmaterial = \"snad\"\nregion = { type = \"sphere\", radius = 0.1, position = [0.5, 0.5, 0.5] }"),
              "scene.toml:8:12: 'grains[1].material': there is no material \"snad\"; did you mean \"sand\"?");
    EXPECT_EQ(after("[[materials]]\nname = \"sand\""),
              "scene.toml:8:8: 'materials[1].name': the name \"sand\" is taken by an earlier one of the materials");
    EXPECT_EQ(after("[[bodies]]\nname = \"domain.z_min\"\nshape = { type = \"plane\" }"),
              "scene.toml:8:8: 'bodies[0].name': \"domain.z_min\" is not a name; use letters, digits, _ and -");
    EXPECT_EQ(before("domain.x = { type = \"wall\", material = \"steel\" }"),
              "scene.toml:1:40: 'domain.x.material': there is no material \"steel\"; materials are \"sand\"");
    EXPECT_EQ(before("domain.z_min.material = \"snd\""),
              "scene.toml:1:25: 'domain.z_min.material': there is no material \"snd\"; did you mean \"sand\"?");
    EXPECT_EQ(after("[[contacts]]\nbetween = [\"sand\"]"),
              "scene.toml:8:11: 'contacts[0].between': write the names of two materials, not 1");
    EXPECT_EQ(after("[output]\nfields = [\"strss\"]"),
              "scene.toml:8:11: 'output.fields[0]': elastoplastic has no field \"strss\"; did you mean \"stress\"?");
}

TEST(Messages, Geometry) {
    const auto fill = [](const std::string& region) {
        return errorOf("[[materials]]\nname=\"a\"\n[[grains]]\nmaterial = \"a\"\nregion = " + region + "\n");
    };
    EXPECT_EQ(fill("{ type = \"sphere\", radius = 0.1, position = [2, 0, 0] }"),
              "scene.toml:5:10: 'grains[0].region': the region lies outside the domain: along x it reaches from 1.9 to 2.1 m, "
              "the domain from 0 to 1 m");
    EXPECT_EQ(fill("{ type = \"shere\", radius = 0.1 }").substr(0, 75),
              "scene.toml:5:19: 'grains[0].region.type' is \"shere\"; did you mean \"sphere\"?");
    EXPECT_EQ(fill("{ type = \"box\" }"), "scene.toml:5:10: 'grains[0].region.size': give size, or both min and max");
    EXPECT_EQ(
        fill("{ type = \"sphere\", radius = 0.1, hight = 3 }"),
        "scene.toml:5:43: unknown key 'grains[0].region.hight'; keys here are 'type', 'radius', 'position', 'rotation_deg'");
}

TEST(Messages, RulesBetweenKeys) {
    EXPECT_EQ(before("resolution = { grains = 10, size = 0.1 }"),
              "scene.toml:1:36: 'resolution.grains' and 'resolution.size' are both given; keep one of them, or replace both with "
              "--set 'resolution={size=0.1}'");
    EXPECT_EQ(before("domain = { min = [0, 0, 0], max = [1, 1, 0] }"),
              "scene.toml:1:35: 'domain.max' must be greater than 'domain.min' along z: 0 is not greater than 0; for a two-dimensional case write slab = \"z\"");
    EXPECT_EQ(before("domain = { x = \"wall\", x_min = \"open\" }"),
              "scene.toml:1:32: 'domain.x_min' is set by 'domain.x' already; keep one of them");
    EXPECT_EQ(after("[[materials]]\nname = \"a\"\ndensity = 2600\npacking_fraction = 0.6\nbulk_density = 1500"),
              "scene.toml:11:16: density times packing_fraction is 1560, but bulk_density is 1500; give any two of the three");
    EXPECT_EQ(after("[[materials]]\nname = \"a\"\nmu_hat = 0.5\nfriction_angle_deg = 20"),
              "scene.toml:9:10: friction_angle_deg and mu_hat are both given; keep one of them");
}

TEST(Messages, WhatTheMethodRefuses) {
    EXPECT_EQ(before("domain = { x = \"periodic\" }"), "scene.toml:1:16: 'domain.x': elastoplastic cannot do periodic axes here");
    EXPECT_EQ(errorOf(kGood, {.scene = {}, .method = {}, .variant = {}, .precision = {}, .sets = {"elastoplastic.dt=2"}}),
              "--set elastoplastic.dt=2: 'elastoplastic.dt': no wall can be met with such a step");
}

TEST(Messages, AllAtOnceInOrder) {
    EXPECT_EQ(errorOf("seed = -1\ntime = { end = 0, fps = 3 }\n[[grains]]\nmaterial = \"x\"\n"),
              "scene.toml:1:8: 'seed' is -1; it must be between 0 and 9007199254740992\n"
              "scene.toml:2:16: 'time.end' is 0; it must be between 1e-09 and 1000000\n"
              "scene.toml:2:19: unknown key 'time.fps'; keys here are 'end', 'frames_per_second'\n"
              "scene.toml:3:1: missing key 'grains[0].region': the shape to fill\n"
              "scene.toml:4:12: 'grains[0].material': there is no material \"x\"; there are no materials");
}

TEST(Messages, SyntaxErrorsStopAtTheFirst) {
    EXPECT_EQ(errorOf("seed = \n").substr(0, 16), "scene.toml:1:8: ");
    EXPECT_EQ(errorOf("seed = 1\nseed = 2\n").substr(0, 13), "scene.toml:2:");
    std::string endless = "seed = 1\n";
    for (int i = 0; i < 100000; ++i) endless += "a.";
    EXPECT_EQ(errorOf(endless + "a = 1"), "scene.toml:2:1: a key has more than 256 parts");
    EXPECT_EQ(errorOf("a = " + std::string(100000, '[')).substr(0, 13), "scene.toml:1:");
    EXPECT_EQ(errorOf("seed = 1979-05-27\n"), "scene.toml:1:8: a scene has no dates; write a number, or a text in quotes");
}

TEST(Messages, Files) {
    const auto codeOf = [](const std::string& scene, std::string& message) {
        try {
            read({.scene = scene, .method = {}, .variant = {}, .precision = {}, .sets = {}}, kMethods);
        } catch (const Error& error) {
            message = error.what();
            return error.code();
        }
        return ExitCode::done;
    };
    std::string message;
    EXPECT_EQ(codeOf("nowhere/x.toml", message), ExitCode::missing);
    EXPECT_EQ(message, "cannot open scene 'nowhere/x.toml': No such file or directory");
    EXPECT_EQ(codeOf("/", message), ExitCode::missing);
    EXPECT_EQ(message, "cannot open scene '/': Is a directory");
    EXPECT_EQ(codeOf("hourglas", message), ExitCode::usage);
    EXPECT_EQ(message,
              "there is no built-in scene 'hourglas'; did you mean 'hourglass'? The built-in scenes are 'anisotropic', 'avalanche', 'ball_drop', 'bounce', 'bulldozer', 'butterfly', 'castle', 'chute', 'column', 'conveyor', 'crater', 'digging', 'drum', 'gate', "
              "'heap', 'hourglass', 'notch', 'pile', 'popcorn', 'rake', 'rings', 'rocket', 'shovel', 'silo', 'splash', 'statue', 'tower', 'treasure', 'wheel', 'writing', 'zb05'; "
              "a scene file is given by its path, ./hourglas.toml");
}

TEST(Messages, APathInACommandToTypeIsOneWord) {
    EXPECT_EQ(shellWord("runs/bed-1.5_a"), "runs/bed-1.5_a");
    EXPECT_EQ(shellWord("my run"), "'my run'");
    EXPECT_EQ(shellWord("it's $HOME"), "'it'\\''s $HOME'");
    EXPECT_EQ(shellWord(""), "''");
}

TEST(Messages, Warnings) {
    const Scene steep = readText(
        "[[materials]]\nname = \"sand\"\nfriction_angle_deg = 45\n[[grains]]\nmaterial = \"sand\"\n"
        "region = { type = \"box\", min = [0.5, 0.2, 0.2], max = [1.5, 0.4, 0.4] }\n");
    ASSERT_EQ(steep.warnings().size(), 2u);
    EXPECT_EQ(steep.warnings()[0],
              "scene.toml:3:22: 'materials[0].friction_angle_deg': mu_hat is 1; above 0.866 dry grains carry "
              "tension and stand as cliffs");
    EXPECT_EQ(
        steep.warnings()[1],
        "scene.toml:6:10: 'grains[0].region': the region reaches beyond the domain; only the part inside is filled");
}

TEST(Messages, ASecondOutputOfAnotherMethodIsWarnedOf) {
    const world::SecondOutput contacts{.name = "contacts", .help = "forces", .fields = {}, .lines = true};
    world::MethodInfo hasThem = kFake;
    hasThem.secondOutputs = {&contacts, 1};
    const std::array methods{&std::as_const(hasThem), &kOther};
    const std::string asked = kGood + "[output]\ncontacts = true\n";
    const Scene with = readText(asked, {}, methods), silent = readText(kGood, {}, methods), other = readText("method = \"dem\"\n" + asked, {}, methods);
    EXPECT_TRUE(with.warnings().empty());
    ASSERT_EQ(with.secondOutputs().size(), 1u);
    EXPECT_EQ(with.secondOutputs()[0].name, "contacts");
    EXPECT_TRUE(silent.secondOutputs().empty());
    EXPECT_TRUE(other.secondOutputs().empty());
    ASSERT_EQ(other.warnings().size(), 1u);
    EXPECT_EQ(other.warnings()[0], "scene.toml:9:12: 'output.contacts': dem has no contacts to write; elastoplastic has");
}

}  // namespace
}  // namespace talus::scene::test
