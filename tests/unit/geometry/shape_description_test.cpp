// SPDX-License-Identifier: Apache-2.0
#include "geometry/shape_description.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <set>
#include <string>

namespace talus::geometry {
namespace {

/// Writes down every key with its path, for all kinds of shape down to a depth; lists are given one item.
class Recorder final : public KeyVisitor {
public:
    explicit Recorder(int depth) : depth_(depth) {}
    std::vector<std::string> paths;

    void number(const Key& key, double&) override { note(key); }
    void number(const Key& key, std::optional<double>&) override { note(key); }
    void integer(const Key& key, std::int64_t&) override { note(key); }
    void integer(const Key& key, std::optional<std::int64_t>&) override { note(key); }
    void flag(const Key& key, bool&) override { note(key); }
    void flag(const Key& key, std::optional<bool>&) override { note(key); }
    void text(const Key& key, std::string&) override { note(key); }
    void text(const Key& key, std::optional<std::string>&) override { note(key); }
    void vector(const Key& key, Vec3&) override { note(key); }
    void vector(const Key& key, std::optional<Vec3>&) override { note(key); }
    void schedule(const Key& key, Schedule<double>&) override { note(key); }
    void schedule(const Key& key, Schedule<Vec3>&) override { note(key); }
    void numbers(const Key& key, std::vector<double>&) override { note(key); }
    void texts(const Key& key, std::vector<std::string>&) override { note(key); }
    void rows(const Key& key, int, std::vector<double>&) override { note(key); }
    void rows(const Key& key, std::vector<std::vector<double>>&) override { note(key); }
    void changes(const Key& key, std::vector<KeyChange>&) override { note(key); }
    void table(const Key& key, FunctionRef<void(KeyVisitor&)>) override { note(key); }
    void table(const Key& key, bool&, FunctionRef<void(KeyVisitor&)>) override { note(key); }
    void oneOf(const Key& key, std::span<const std::string_view> kinds, int, FunctionRef<void(int, KeyVisitor&)> body) override {
        if (!key.name.empty()) note(key);
        if (depth_ == 0) return;
        --depth_;
        for (std::size_t i = 0; i < kinds.size(); ++i) within(key.name, kinds[i], [&] { body(static_cast<int>(i), *this); });
        ++depth_;
    }

protected:
    void chooseIndex(const Key& key, std::span<const std::string_view>, int&) override { note(key); }
    void visitList(const Key& key, std::size_t, FunctionRef<void(std::size_t)> resize,
                   FunctionRef<void(std::size_t, KeyVisitor&)> item) override {
        note(key);
        resize(1);
        within(key.name, "0", [&] { item(0, *this); });
        resize(0);
    }

private:
    template <class Body>
    void within(std::string_view name, std::string_view what, const Body& body) {
        const std::string outer = prefix_;
        prefix_ += std::string(name) + "<" + std::string(what) + ">.";
        body();
        prefix_ = outer;
    }
    void note(const Key& key) {
        EXPECT_FALSE(key.help.empty()) << prefix_ << key.name;
        EXPECT_EQ(key.help.find('\n'), std::string_view::npos);
        paths.push_back(prefix_ + std::string(key.name));
    }
    int depth_;
    std::string prefix_;
};

std::vector<std::string> errorPaths(const ShapeDescription& d, std::string_view path = "shape") {
    Problems problems;
    check(d, path, problems);
    std::vector<std::string> paths;
    for (const Problem& p : problems.errors()) paths.push_back(p.path);
    return paths;
}
using Paths = std::vector<std::string>;

ShapeDescription sphere(double radius, const Vec3& position = {}) { return {SphereDescription{radius}, position, {}}; }

TEST(ShapeDescription, everyKindDeclaresItsKeysOnce) {
    ShapeDescription d;
    Recorder recorder(2);
    d.keys(recorder, {"shape", "of the body"});
    const std::set<std::string> paths(recorder.paths.begin(), recorder.paths.end());
    EXPECT_EQ(paths.size(), recorder.paths.size());
    for (const char* path :
         {"shape", "shape<plane>.normal", "shape<box>.size", "shape<box>.min", "shape<sphere>.radius", "shape<cylinder>.axis",
          "shape<capsule>.height", "shape<cone>.top_radius", "shape<lathe>.profile", "shape<lathe>.smooth", "shape<union>.parts",
          "shape<union>.parts<0>.<sphere>.radius", "shape<intersection>.parts<0>.<box>.position",
          "shape<difference>.from<cone>.height", "shape<difference>.minus<0>.<lathe>.thickness", "shape<offset>.distance",
          "shape<offset>.of<box>.rounding", "shape<shell>.of<box>.rotation_deg", "shape<shell>.thickness"})
        EXPECT_TRUE(paths.contains(path)) << path;
    const auto placed =
        std::count_if(paths.begin(), paths.end(), [](const std::string& p) { return p.ends_with(".rotation_deg"); });
    EXPECT_EQ(placed, 15 + 15 * 6);   // every kind, in every place where a shape may stand
}

TEST(ShapeDescription, visitingAKindKeepsItsValuesAndSwitchesOthers) {
    ShapeDescription d = sphere(3);
    Recorder nothing(0);
    d.keys(nothing, {"shape", "of the body"});
    EXPECT_EQ(std::get<SphereDescription>(d.kind).radius, 3);
    Recorder all(1);
    d.keys(all, {"shape", "of the body"});
    EXPECT_TRUE(std::holds_alternative<ShellDescription>(d.kind));   // the last one visited
}

TEST(ShapeDescription, boxBySizeOrCorners) {
    const ShapePtr bySize = build({BoxDescription{.size = Vec3{1, 2, 3}}, {1, 1, 1}, {}});
    EXPECT_EQ(bySize->bounds().min, (Vec3{0.5, 0, -0.5}));
    const ShapePtr byCorners = build({BoxDescription{.min = Vec3{1, 2, 3}, .max = Vec3{2, 4, 6}}, {}, {}});
    EXPECT_EQ(byCorners->bounds().min, (Vec3{1, 2, 3}));
    EXPECT_EQ(byCorners->bounds().max, (Vec3{2, 4, 6}));
    EXPECT_DOUBLE_EQ(byCorners->volume(), 6);

    EXPECT_EQ(errorPaths({}), Paths{"shape.size"});
    EXPECT_EQ(errorPaths({BoxDescription{.size = Vec3{1, 1, 1}, .min = Vec3{}}, {}, {}}), Paths{"shape.size"});
    EXPECT_EQ(errorPaths({BoxDescription{.min = Vec3{}}, {}, {}}), Paths{"shape.size"});
    EXPECT_EQ(errorPaths({BoxDescription{.min = Vec3{}, .max = Vec3{1, -1, 1}}, {}, {}}), Paths{"shape.max"});
    EXPECT_EQ(errorPaths({BoxDescription{.size = Vec3{1, 1, 0.2}, .rounding = 0.11}, {}, {}}), Paths{"shape.rounding"});
    EXPECT_TRUE(errorPaths({BoxDescription{.size = Vec3{1, 1, 0.2}, .rounding = 0.1}, {}, {}}).empty());
}

TEST(ShapeDescription, rotationsAreAboutXThenYThenZ) {
    // x: the point on +y goes to +z; y: +z to +x; z: +x to +y.
    const ShapeDescription ball = sphere(0.1, {0, 1, 0});
    const ShapePtr turned = build({UnionDescription{{ball}}, {5, 0, 0}, {90, 90, 90}});
    EXPECT_NEAR(turned->distance({5, 1, 0}), -0.1, 1e-12);
    const ShapePtr twice = build({UnionDescription{{ball}}, {}, {90, 90, 0}});
    EXPECT_NEAR(twice->distance({1, 0, 0}), -0.1, 1e-12);
}

TEST(ShapeDescription, axisPointsFromTheBaseUp) {
    for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 2, 0}, Vec3{0, 0, -1}, Vec3{1, -1, 0.5}, Vec3{0, 0, 1}}) {
        const Vec3 a = normalized(axis);
        const ShapePtr cone = build({ConeDescription{.radius = 0.5, .topRadius = 0, .height = 2, .axis = axis}, {1, 2, 3}, {}});
        const Vec3 base{1, 2, 3};
        EXPECT_NEAR(cone->distance(base + 2.5 * a), 0.5, 1e-12);
        EXPECT_NEAR(cone->distance(base - 0.5 * a), 0.5, 1e-12);
        EXPECT_LT(cone->distance(base + 0.1 * a), 0);
        EXPECT_NEAR(cone->volume(), std::numbers::pi / 6, 1e-12);
    }
    EXPECT_EQ(errorPaths({CylinderDescription{.axis = {}}, {}, {}}), Paths{"shape.axis"});
    EXPECT_EQ(errorPaths({PlaneDescription{.normal = {}}, {}, {}}), Paths{"shape.normal"});
    EXPECT_EQ(errorPaths({ConeDescription{.radius = 0, .topRadius = 0}, {}, {}}), Paths{"shape.radius"});
}

TEST(ShapeDescription, planeIsPlacedByAPointOnIt) {
    const ShapePtr floor = build({PlaneDescription{}, {0, 0, 0.3}, {}});
    EXPECT_NEAR(floor->distance({4, 5, 1}), 0.7, 1e-15);
    EXPECT_NEAR(build({PlaneDescription{}, {}, {0, 90, 0}})->distance({2, 0, 0}), 2, 1e-12);
}

TEST(ShapeDescription, latheProfiles) {
    const auto lathe = [](std::vector<double> profile, double thickness = 0, bool smooth = false) {
        return ShapeDescription{
            LatheDescription{.profile = std::move(profile), .thickness = thickness, .smooth = smooth}, {}, {}};
    };
    EXPECT_EQ(errorPaths(lathe({})), Paths{"shape.profile"});
    EXPECT_EQ(errorPaths(lathe({1, 0})), Paths{"shape.profile"});
    EXPECT_EQ(errorPaths(lathe({1, 0, -0.1, 1})), Paths{"shape.profile"});
    EXPECT_EQ(errorPaths(lathe({1, 0, 1, 1, 0.5, 1, 2, 0.5})), Paths{"shape.profile"});   // crosses itself
    EXPECT_EQ(errorPaths(lathe({0, 0, 1, 0})), Paths{"shape.profile"});                   // a disc without volume
    EXPECT_EQ(errorPaths(lathe({0, 0, 0, 1})), Paths{"shape.profile"});
    EXPECT_TRUE(errorPaths(lathe({0, 0, 1, 0}, 0.1)).empty());   // is a wall
    EXPECT_EQ(errorPaths(lathe({1, 1, 1, 1}, 0.1)), Paths{"shape.profile"});
    const std::vector<double> glass{0.05, 0, 0.05, 0.06, 0.004, 0.1, 0.05, 0.14, 0.05, 0.2};
    EXPECT_TRUE(errorPaths(lathe(glass, 0, true)).empty());
    const ShapePtr inside = build(lathe(glass, 0, true));
    EXPECT_NEAR(inside->distance({0, 0, 0.1}), -0.004, 1e-4);   // the neck is where the profile says
    EXPECT_NEAR(inside->surface({0.003, 0, 0.1}).normal.x, 1, 1e-3);
}

TEST(ShapeDescription, problemsOfPartsCarryTheirPath) {
    const ShapeDescription bad;   // a box without size
    EXPECT_EQ(errorPaths({UnionDescription{{sphere(1), bad}}, {}, {}}, "bodies[2].shape"),
              Paths{"bodies[2].shape.parts[1].size"});
    EXPECT_EQ(errorPaths({UnionDescription{}, {}, {}}), Paths{"shape.parts"});
    EXPECT_EQ(errorPaths({DifferenceDescription{{bad}, {}}, {}, {}}), (Paths{"shape.from.size", "shape.minus"}));
    EXPECT_EQ(errorPaths({OffsetDescription{{bad}, 0.1}, {}, {}}), Paths{"shape.of.size"});
    EXPECT_EQ(errorPaths({ShellDescription{}, {}, {}}), Paths{"shape.of"});
    EXPECT_EQ(errorPaths({OffsetDescription{{sphere(1)}, -2}, {}, {}}), Paths{"shape"});
    EXPECT_EQ(errorPaths({IntersectionDescription{{sphere(1), sphere(1, {3, 0, 0})}}, {}, {}}), Paths{"shape"});
}

TEST(ShapeDescription, operatorsBuild) {
    EXPECT_NEAR(build({DifferenceDescription{{sphere(2)}, {sphere(1)}}, {}, {}})->distance({0, 0, 1.5}), -0.5, 1e-15);
    EXPECT_NEAR(build({IntersectionDescription{{sphere(2), sphere(1)}}, {}, {}})->distance({0, 0, 1.5}), 0.5, 1e-15);
    EXPECT_NEAR(build({OffsetDescription{{sphere(2)}, 0.5}, {0, 0, 1}, {}})->distance({0, 0, 4}), 0.5, 1e-15);
    EXPECT_NEAR(build({ShellDescription{{sphere(2)}, 0.5}, {}, {}})->distance({}), 1.75, 1e-15);
    EXPECT_NEAR(build({CapsuleDescription{.radius = 1, .height = 2}, {}, {}})->distance({0, 0, 4}), 2, 1e-15);
}

}  // namespace
}  // namespace talus::geometry
