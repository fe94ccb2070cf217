// SPDX-License-Identifier: Apache-2.0
#include "fake_method.h"

#include <gtest/gtest.h>

#include <numbers>
#include <stdexcept>

namespace talus::scene::test {
namespace {

Request builtIn(std::string_view name, std::optional<std::string> variant = {}) {
    return {.scene = std::string(name), .method = {}, .variant = std::move(variant), .precision = {}, .sets = {}};
}

TEST(Scenes, BuiltInOnesAreRightAndSayWhatTheyAre) {
    ASSERT_EQ(builtInScenes().size(), 31u);
    for (const BuiltInScene& scene : builtInScenes()) {
        EXPECT_FALSE(scene.summary.empty()) << scene.name;
        EXPECT_NE(std::ranges::find(scene.variants, "smoke"), scene.variants.end()) << scene.name;
        EXPECT_TRUE(read(builtIn(scene.name), builtInMethods()).warnings().empty()) << scene.name;
        for (const std::string& variant : scene.variants)
            EXPECT_NO_THROW(read(builtIn(scene.name, variant), builtInMethods())) << scene.name << " " << variant;
    }
}

TEST(Scenes, AreReadForAtLeastOneMethod) { EXPECT_THROW(read(builtIn("column"), {}), std::invalid_argument); }

TEST(Scenes, RampOfTheNewSceneIsThickerThanItsCells) {
    for (const std::optional<std::string>& variant : {std::optional<std::string>(), std::optional<std::string>("quick")}) {
        const Scene scene = readText(newSceneText("mine"), {.scene = {}, .method = {}, .variant = variant, .precision = {}, .sets = {}}, builtInMethods());
        EXPECT_TRUE(scene.warnings().empty());
        const world::World world = scene.buildWorld();
        EXPECT_GT(minComponent(world.bodies.back().shape->bounds().size()), 2.5 * scene.estimate().size) << variant.value_or("default");
    }
}

TEST(Scenes, GuidesAreEnoughInAllAndAcrossTheNeck) {
    const auto carried = [](std::vector<std::string> sets) {
        return read({.scene = "hourglass", .method = "guided", .variant = {}, .precision = {}, .sets = std::move(sets)}, builtInMethods()).estimate();
    };
    const auto onEach = [](const world::Estimate& e) { return std::lround(std::pow(e.carrierSize / e.size, 3)); };
    constexpr double kNeck = 0.024;   // [m]
    const world::Estimate usual = carried({}), few = carried({"resolution.grains=5000"}), wide = carried({"neck_radius=0.04"}), asked = carried({"guided.factor=20"});
    EXPECT_GT(onEach(usual), 1);
    EXPECT_GE(kNeck / usual.carrierSize, 7 * 0.99);
    EXPECT_LT(kNeck / (usual.size * std::cbrt(static_cast<double>(onEach(usual) + 1))), 7);   // one more grain on each would be too many
    EXPECT_EQ(onEach(few), 1);   // 5000 grains are 2 for each of 2500 guides, but these would be too wide for the neck
    EXPECT_EQ(onEach(wide), 32);
    EXPECT_EQ(onEach(asked), 20);
}

TEST(Scenes, ResolvedSceneReadsBackTheSame) {
    std::vector<std::string> texts{kGood, newSceneText("mine")};
    for (const BuiltInScene& scene : builtInScenes()) texts.emplace_back(scene.text);
    texts.push_back(kGood + R"(
[domain]
x = "periodic"
y = { type = "wall", material = "sand", contact = "slip" }
z_max = "open"
min = [-1, -1, -1]
[[contacts]]
between = ["sand", "sand"]
friction = 0.1
[[bodies]]
name = "all-motions"
position = [0, 5, 5]
motion = [{ type = "velocity", velocity = [0.1, -0.0, 1e-300] }, { type = "spin", rate = "12 rpm" },
          { type = "oscillation", amplitude_deg = [0, 0, 5], frequency = 2 },
          { type = "keyframes", times = [0, 1], displacements = [[0, 0, 0], ["4 mm", 0, 0]] }, "fixed"]
shape = { type = "difference", from = { type = "box", size = [1, 1, 1] }, minus = [{ type = "sphere", radius = 0.1 }] }
[[bodies]]
name = "all-else"
material = "sand"
position = [0, 0, 0.7]
motion = { type = "free", mass = 2, inertia = [0.1, 0.1, 0.1], centre_of_mass = [0, 0, 0.01], velocity = [0, 0.1, 0], angular_velocity = [0, 0, 1], force = { mean = [0, 0, 1], amplitude = [0, 0, 2], frequency = 3 }, torque = [0, 0, 1], at = [0.01, 0, 0], locked = ["x", "ry"] }
active = [0.5]
surface_velocity = { type = "about", rate = { table = [[0, 0], [1, 2]] } }
copies = { count = 2, step = [0, 0.2, 0] }
shape = { type = "sphere", radius = 0.05 }
[parameters]
strange = { default = 0.1, help = "a \"quote\", a \\ and a line\nbreak" }
)");
    for (const std::string& text : texts) {
        const Scene first = readText(text, {}, builtInMethods());
        const std::string resolved = first.toml("two\nlines");
        const Scene again = readText(resolved, {}, builtInMethods());
        EXPECT_EQ(again.toml("two\nlines"), resolved);
        EXPECT_EQ(again.identity(), first.identity());
        EXPECT_EQ(resolved.substr(0, 14), "# two\n# lines\n");
    }
}

TEST(Scenes, ResolvedSceneHasEveryKey) {
    EXPECT_EQ(readText(kGood).toml(), R"(method = "elastoplastic"
seed = 1
gravity = [0, 0, -9.81]
precision = "float"

[time]
end = 1
frames_per_second = 24

[domain]
min = [0, 0, 0]
max = [1, 1, 1]
slab = "none"
x_min = { type = "wall", contact = "separate" }
x_max = { type = "wall", contact = "separate" }
y_min = { type = "wall", contact = "separate" }
y_max = { type = "wall", contact = "separate" }
z_min = { type = "wall", contact = "separate" }
z_max = { type = "wall", contact = "separate" }

[resolution]
grains = 100000

[[materials]]
name = "sand"
density = 2600
packing_fraction = 0.6
friction_angle_deg = 30
match = "tan"
grain_diameter = 0.0005
cohesion = 0
look = { colours = [], shares = [] }

[[grains]]
material = "sand"
region = { type = "box", min = [0.2, 0.2, 0.2], max = [0.4, 0.4, 0.4], rounding = 0, position = [0, 0, 0], rotation_deg = [0, 0, 0] }
scale = 1
position = [0, 0, 0]
rotation_deg = [0, 0, 0]
velocity = [0, 0, 0]

[air]
density = 1.2
viscosity = 1.8e-05
drag = "schiller_naumann"
drag_coefficient = 0.44

[elastoplastic]
dt = 0.0001
youngs_modulus = 1000000
strict = false

[dem]
dt = 0.0001
youngs_modulus = 1000000
strict = false

[output]
fields = []
positions = "exact"
first_frame = 0
checkpoint_interval = 0

[camera]
view = "fit"
up = [0, 0, 1]
fov_deg = 30
orthographic = false
aperture = 0
keyframes = []
)");
}

TEST(Scenes, IdentityLeavesOutWhatAResumedRunMayChange) {
    const auto identity = [](std::vector<std::string> sets) {
        return readText(kGood, {.scene = {}, .method = {}, .variant = {}, .precision = {}, .sets = std::move(sets)}).identity();
    };
    const std::string own = identity({});
    EXPECT_EQ(identity({"time.end=7", "time.frames_per_second=3", "output.fields=[\"stress\"]"}), own);
    EXPECT_NE(identity({"seed=2"}), own);
    EXPECT_NE(identity({"precision=double"}), own);
    EXPECT_NE(identity({"elastoplastic.dt=1e-5"}), own);
}

TEST(Scenes, OutputFields) {
    const auto fields = [](const std::string& list) {
        return readText(kGood + "[output]\nfields = " + list + "\n").outputFields();
    };
    EXPECT_EQ(fields("[]").size(), world::kPromisedFields.size());
    EXPECT_EQ(fields("[\"stress\", \"mass\"]").back(), "stress");
    EXPECT_EQ(fields("[\"all\"]"), fields("[\"stress\"]"));
}

TEST(Scenes, AnyTwoDensities) {
    const auto material = [](const std::string& keys) {
        return readText("[[materials]]\nname = \"sand\"\n" + keys + kGood.substr(kGood.find("\n\n")))
            .buildWorld()
            .materials.at(0);
    };
    EXPECT_EQ(material("density = 2000\npacking_fraction = 0.5\n").bulkDensity(), 1000);
    EXPECT_EQ(material("density = 2000\nbulk_density = 1200\n").packingFraction, 0.6);
    EXPECT_EQ(material("bulk_density = 1200\npacking_fraction = 0.5\n").density, 2400);
    EXPECT_EQ(material("bulk_density = 1200\n").density, 2000);
    EXPECT_EQ(material("").bulkDensity(), 1560);
    EXPECT_EQ(material("mu_hat = 0.4\n").muHat, 0.4);
}

TEST(Scenes, World) {
    const world::World world = readText(R"(
seed = 7
[domain]
min = [-1, -1, 0]
y = "open"
z_min = { type = "wall", material = "steel", contact = "sticky" }
[[materials]]
name = "sand"
[[materials]]
name = "steel"
[[contacts]]
between = ["steel", "sand"]
friction = 0.25
[[bodies]]
name = "drum"
material = "steel"
position = [0, 0, 0.5]
rotation_deg = [90, 0, 0]
motion = { type = "spin", axis = [0, 2, 0], rate = "60 rpm" }
shape = { type = "cylinder", radius = 0.1, height = 0.2 }
[[grains]]
material = "sand"
region = { type = "box", min = [-2, 0, 0], max = [2, 0.5, 0.5] }
velocity = [0, 0, 1]
)")
                                   .buildWorld();
    EXPECT_EQ(world.seed, 7u);
    ASSERT_EQ(world.bodies.size(), 5u);   // four walls and the drum
    EXPECT_EQ(world.bodies[2].name, "domain.z_min");
    EXPECT_EQ(world.bodies[2].material, 1);
    EXPECT_EQ(world.bodies[2].contact, world::ContactMode::sticky);
    EXPECT_EQ(world.bodies[3].material, -1);
    EXPECT_EQ(world.contacts.between(0, 1).friction, 0.25);

    // The cylinder stands along z in its own coordinates; turned by 90° about x it points to -y.
    const world::BodySnapshot drum(world.bodies[4], 0);
    EXPECT_LT(drum.distance({0, -0.15, 0.5}), 0);
    EXPECT_GT(drum.distance({0, 0.05, 0.5}), 0);
    const Vec3 velocity = drum.surface({0.1, -0.1, 0.5}).velocity;   // ω ŷ × 0.1 x̂ = -0.1 ω ẑ
    EXPECT_NEAR(velocity.z, -0.1 * 2 * std::numbers::pi, 1e-12);

    // Cut at the domain, which ends at x = ±1.
    ASSERT_EQ(world.fills.size(), 1u);
    EXPECT_NEAR(world.fillVolume(), 2 * 0.5 * 0.5, 1e-3);
    EXPECT_EQ(world.fills[0].velocity, (Vec3{0, 0, 1}));
}

TEST(Scenes, BuiltInMethodsTakeTheBuiltInScenes) {
    for (const BuiltInScene& scene : builtInScenes()) {
        const Scene whole = read(builtIn(scene.name), builtInMethods());
        const bool fine = scene.name == "rocket" || scene.name == "pile" || scene.name == "popcorn" || scene.name == "statue";
        constexpr std::string_view kOfClumps[] = {"avalanche", "ball_drop", "bulldozer", "conveyor", "rings"};
        const bool clumps = std::ranges::find(kOfClumps, scene.name) != std::end(kOfClumps);
        constexpr std::string_view kRigidPlastic[] = {"anisotropic", "digging", "tower", "treasure", "writing", "zb05"};
        const bool rigidPlastic = std::ranges::find(kRigidPlastic, scene.name) != std::end(kRigidPlastic);
        EXPECT_EQ(whole.method().name, clumps ? "dem" : fine ? "guided" : rigidPlastic ? "nonsmooth" : "elastoplastic");
        const auto grains = static_cast<double>(whole.estimate().grains);
        const double least = scene.name == "rings" ? 100 : clumps ? 1000 : scene.name == "popcorn" ? 5000 : 15000;   // a ring has 36 spheres
        EXPECT_TRUE(grains > least && grains < (fine ? 250000 : clumps ? 10000 : 130000)) << scene.name << " has " << grains << " grains";
    }
    const double spacing = read(builtIn("hourglass"), builtInMethods()).estimate().size;
    EXPECT_GT(2 * 0.012, 6 * spacing);   // of the neck: narrower and the sand arches
}

TEST(Scenes, HourglassHoldsItsSand) {
    const world::World world = read(builtIn("hourglass"), builtInMethods()).buildWorld();
    const world::BodySnapshot glass(world.bodies.back(), 0);
    const geometry::Shape& sand = *world.fills.at(0).region;
    const Aabb box = sand.bounds();
    int inside = 0;
    for (double x = box.min.x; x < box.max.x; x += 2e-3)
        for (double y = box.min.y; y < box.max.y; y += 2e-3)
            for (double z = box.min.z; z < box.max.z; z += 2e-3)
                if (sand.distance({x, y, z}) < 0) {
                    ++inside;
                    ASSERT_GT(glass.distance({x, y, z}), -1e-6) << x << " " << y << " " << z;
                }
    EXPECT_GT(inside, 5000);
    EXPECT_LT(sand.distance({0, 0, 0.101}), 0);      // down to the neck
    EXPECT_GT(glass.distance({0, 0, 0.1}), 0.011);   // which is open
    EXPECT_LT(glass.distance({0, 0, -0.003}), 0);    // closed below
}

TEST(Scene, BuildsItsShapesOnce) {
    const Scene scene = read(builtIn("hourglass"), builtInMethods());
    const world::World one = scene.buildWorld(), other = scene.buildWorld();
    ASSERT_FALSE(one.fills.empty());
    EXPECT_EQ(one.fills[0].region, other.fills[0].region);
    EXPECT_EQ(one.bodies.back().shape, other.bodies.back().shape);
}

}  // namespace
}  // namespace talus::scene::test
