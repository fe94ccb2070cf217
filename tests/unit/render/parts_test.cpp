// SPDX-License-Identifier: Apache-2.0
#include "hand_made_run.h"

#include "core/problems.h"
#include "io/poly_data.h"
#include "render/camera.h"
#include "render/clip.h"
#include "render/colour.h"
#include "render/overlay.h"
#include "render/plot_panels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace talus::render {
namespace {

TEST(Colour, sandIsMixedAsThePaperSays) {
    std::map<std::uint32_t, int> counts;
    constexpr int kGrains = 100000;
    for (int id = 0; id < kGrains; ++id) ++counts[packColour(mixedColour(sandMix(), id))];
    ASSERT_EQ(counts.size(), 3u);
    for (const ColourShare& share : sandMix()) {   // within four standard deviations
        const double deviation = std::sqrt(kGrains * share.share * (1 - share.share));
        EXPECT_NEAR(counts[packColour(share.colour)], kGrains * share.share, 4 * deviation);
    }
}

TEST(Colour, packedAndScreenColoursComeBack) {
    for (std::uint32_t rgb = 0; rgb < 0x1000000; rgb += 0x30b07) {
        const Vec3f linear = linearColour(rgb), back = unpackColour(packColour(linear));
        for (int k = 0; k < 3; ++k) EXPECT_NEAR(255 * toSrgb(back[k]), (rgb >> (16 - 8 * k)) & 255u, 0.75) << rgb;
    }
}

TEST(Colour, mapsBeginAndEndWhereTheyShould) {
    const auto code = [](const Vec3f& c) { return std::lround(255 * c.x) << 16 | std::lround(255 * c.y) << 8 | std::lround(255 * c.z); };
    EXPECT_EQ(code(colourMapSrgb("viridis", 0)), 0x440154);
    EXPECT_EQ(code(colourMapSrgb("viridis", 2)), 0xfde725);
    EXPECT_EQ(code(colourMapSrgb("coolwarm", 0.5f)), 0xdddddd);
    for (const std::string_view name : {"viridis", "magma", "inferno", "plasma", "cividis", "grey"}) {   // lightness rises
        float before = -1;
        for (int i = 0; i <= 64; ++i) {
            const Vec3f c = colourMapSrgb(name, static_cast<float>(i) / 64);
            const float light = 0.2126f * toLinear(c.x) + 0.7152f * toLinear(c.y) + 0.0722f * toLinear(c.z);
            EXPECT_GT(light, before) << name << i;
            before = light;
        }
    }
}

TEST(Camera, everyViewHasTheWholeBoxInThePicture) {
    const Aabb box{{-1, 2, 0}, {3, 3, 7}};
    for (const std::string_view view : viewNames())
        for (const double aspect : {0.5, 1.0, 16.0 / 9})
            for (const bool orthographic : {false, true}) {
                const Camera camera = fitted(view, box, aspect, orthographic, 30);
                const CameraFrame frame(camera, aspect);
                double most = 0;
                for (int c = 0; c < 8; ++c) {
                    const Vec3f corner{static_cast<float>(c & 1 ? box.max.x : box.min.x), static_cast<float>(c & 2 ? box.max.y : box.min.y), static_cast<float>(c & 4 ? box.max.z : box.min.z)};
                    const Vec3f d = corner - frame.origin;
                    const float depth = orthographic ? 1 : dot(d, frame.forward);
                    ASSERT_GT(dot(d, frame.forward), view == "close" && !orthographic ? -10 : 0) << view;
                    for (const Vec3f& side : {frame.right, frame.up}) most = std::max<double>(most, std::abs(dot(d, side)) / (depth * normSquared(side)));
                }
                if (view == "close") continue;
                EXPECT_LT(most, 1) << view << aspect << orthographic;
                EXPECT_GT(most, 0.75) << view << aspect << orthographic;   // and does not waste it
            }
}

TEST(Camera, keyframesAndOrbit) {
    io::CameraLook look;
    look.keyframes = {{1, {0, -1, 0}, {0, 0, 0}}, {3, {0, -3, 0}, {0, 0, 2}}};
    const Aabb box{{0, 0, 0}, {1, 1, 1}};
    EXPECT_EQ(cameraOf(look, box, 1, 0).position, (Vec3{0, -1, 0}));
    EXPECT_EQ(cameraOf(look, box, 1, 2).position, (Vec3{0, -2, 0}));
    EXPECT_EQ(cameraOf(look, box, 1, 9).target, (Vec3{0, 0, 2}));
    const Camera turned = orbited(cameraOf(look, box, 1, 0), 90);
    EXPECT_NEAR(norm(turned.position - Vec3{1, 0, 0}), 0, 1e-12);
}

TEST(Clip, saysWhatToKeep) {
    EXPECT_TRUE(parseClip("x<0.1").keeps({0, 5, 5}));
    EXPECT_FALSE(parseClip(" x < 0.1").keeps({0.2f, 5, 5}));
    EXPECT_TRUE(parseClip("-1<z<2").keeps({9, 9, 1}));
    EXPECT_FALSE(parseClip("2>z>-1").keeps({9, 9, -2}));
    EXPECT_EQ(parseClip("y>0").axis, 1);
    for (const char* bad : {"", "x", "w<1", "x<", "1<x>2", "2<x<1", "x=1", "x<1m"}) EXPECT_THROW(parseClip(bad), Error) << bad;
}

TEST(Overlay, roundNumbers) {
    EXPECT_EQ(readableLength(0.05), "5 cm");
    EXPECT_EQ(readableLength(2e-4), "200 µm");
    EXPECT_EQ(readableLength(1000), "1 km");
    EXPECT_EQ(ticks({0, 1.2}, 5).size(), 3u);     // 0, 0.5, 1
    EXPECT_EQ(ticks({-4000, 0}, 5).size(), 5u);   // every thousand
}

TEST(Look, comesBackAsItWas) {
    io::Look look;
    look.camera.position = Vec3{1, 2, 3};
    look.camera.keyframes = {{0, {1, 0, 0}, {0, 0, 0}}};
    look.domainMin = {-1, -2, -3};
    look.floor = -3;
    look.bodies = {{"wheel", "checker", "#112233", "red", 0.5}};
    look.materials = {{"sand", {"red", "blue"}, {1, 3}}};
    look.fields = {{"pressure", "Pa"}};
    test::HandMadeRun made;
    made.setLook(look);
    const io::Look back = io::readLook(made.path() / "look.json");
    EXPECT_EQ(*back.camera.position, *look.camera.position);
    EXPECT_EQ(back.camera.keyframes.size(), 1u);
    EXPECT_EQ(*back.floor, -3);
    EXPECT_EQ(back.bodies[0].second, "red");
    EXPECT_EQ(back.materials[0].shares[1], 3);
    EXPECT_EQ(back.fields[0].unit, "Pa");
    io::writeFile(made.path() / "look.json", "{\"domain\": 3}");
    EXPECT_THROW(io::readLook(made.path() / "look.json"), Error);
}

TEST(PolyData, refusesWhatPointsNowhere) {
    test::HandMadeRun made;
    made.addFrame(0, {});
    made.addCube("cube", {{}});
    const io::Path path = made.frames() / "body_cube.vtp";
    EXPECT_EQ(io::readPolyData(path).polygons.size(), 6u);
    const std::string good = io::readFile(path);
    const auto damaged = [&](std::string_view from, std::string_view to) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        io::writeFile(path, text);
        return path;
    };
    EXPECT_THROW(io::readPolyData(damaged("0 2 3 1 ", "0 2 3 8 ")), Error);
    EXPECT_THROW(io::readPolyData(damaged("4 8 12", "4 8 120")), Error);
    EXPECT_THROW(io::readPolyData(damaged("-0.5 ", "nan ")), Error);
    EXPECT_THROW(io::readPolyData(damaged("-0.5 ", "half ")), Error);
    EXPECT_THROW(io::readPolyData(damaged("PolyData", "ImageData")), Error);
    EXPECT_THROW(io::readPolyData(damaged("format=\"ascii\"", "format=\"binary\"")), Error);
    EXPECT_THROW(io::readPolyData(damaged("format=\"ascii\"", "format=\"appended\" offset=\"7\"")), Error);
    for (std::size_t cut = 0; cut < good.size(); cut += 13) {   // never a crash
        io::writeFile(path, good.substr(0, cut));
        try {
            io::readPolyData(path);
        } catch (const Error&) {
        }
    }
}

TEST(Camera, aViewKeepsTheSceneUpright) {
    io::CameraLook look;
    look.view = "front";
    look.up = {-0.5, 0, std::sqrt(0.75)};
    const Camera camera = cameraOf(look, {{-1, -1, -1}, {1, 1, 1}}, 1.5, 0);
    EXPECT_EQ(camera.up, look.up);
    EXPECT_EQ(fitted("top", {{-1, -1, -1}, {1, 1, 1}}, 1, false, 30).up, (Vec3{0, 1, 0}));
}

TEST(Plots, anAxisHasOneUnitOrKind) {
    test::HandMadeRun made;
    const io::Path file = made.path() / "mixing.csv";
    io::writeFile(file, "time_s,lacey_index,grains,red_grains,mass_kg,other_kg,volume_fraction,velocity_x_m_s,qw,qx,direction_x,direction_y\n0,1,2,3,4,5,6,7,8,9,10,11\n");
    const PlotTable table = readPlotTable(file);
    EXPECT_TRUE(table.overTime);
    const auto kind = [&](const char* name) { return table.find(name)->kind(); };
    EXPECT_NE(kind("lacey_index"), kind("grains"));
    EXPECT_NE(kind("lacey_index"), kind("volume_fraction"));
    EXPECT_EQ(kind("grains"), kind("red_grains"));
    EXPECT_EQ(kind("mass_kg"), kind("other_kg"));
    EXPECT_NE(kind("mass_kg"), kind("velocity_x_m_s"));
    EXPECT_EQ(kind("qw"), kind("qx"));
    EXPECT_EQ(kind("direction_x"), kind("direction_y"));
    EXPECT_EQ(table.find("velocity_x_m_s")->unit, "m/s");
}

}  // namespace
}  // namespace talus::render
