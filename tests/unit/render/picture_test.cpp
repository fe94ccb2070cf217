// SPDX-License-Identifier: Apache-2.0
#include "hand_made_run.h"

#include "core/problems.h"
#include "render/image_files.h"
#include "render/sequence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

namespace talus::render {
namespace {

PictureStyle small() {
    PictureStyle style;
    style.width = 96, style.height = 72, style.samples = 16;
    return style;
}

ScreenImage pictureOf(const test::HandMadeRun& made, const PictureStyle& style, std::size_t frame = 0) {
    const Exec exec(2);
    const RunFiles run(made.path());
    return Studio(exec, run, style).take(run.frames()[frame]).screen;
}

/// Against tests/data/golden/NAME.png; TALUS_UPDATE_GOLDEN=1 writes it anew, to be looked at before it is kept.
void expectGolden(const std::string& name, const ScreenImage& image) {
    const io::Path path = io::Path(TALUS_TEST_DATA) / "golden" / (name + ".png");
    if (std::getenv("TALUS_UPDATE_GOLDEN") != nullptr) writePng(path, image);
    const ScreenImage golden = readPng(path);
    ASSERT_EQ(golden.width, image.width);
    ASSERT_EQ(golden.height, image.height);
    double sum = 0;
    std::size_t far = 0;
    for (std::size_t i = 0; i < image.rgba.size(); ++i) {
        const int difference = std::abs(int{image.rgba[i]} - int{golden.rgba[i]});
        sum += difference;
        far += difference > 24;
    }
    const double size = static_cast<double>(image.rgba.size());
    EXPECT_LT(sum / size, 0.5) << name;                       // of 255, on average
    EXPECT_LT(static_cast<double>(far), 0.002 * size) << name;
}

std::vector<test::Grain> pyramid() {
    std::vector<test::Grain> grains;
    for (int k = 0; k < 4; ++k)
        for (int j = 0; j < 4 - k; ++j)
            for (int i = 0; i < 4 - k; ++i)
                grains.push_back({{0.2f * static_cast<float>(i) + 0.1f * static_cast<float>(k), 0.2f * static_cast<float>(j) + 0.1f * static_cast<float>(k), 0.1f + 0.14f * static_cast<float>(k)}, 0.1f, {0.1f * static_cast<float>(k), 0, 0}});
    return grains;
}

TEST(Golden, spheresOnAGround) {
    test::HandMadeRun made;
    made.addFrame(0, pyramid());
    expectGolden("spheres", pictureOf(made, small()));
}

TEST(Golden, fieldWithLegendStampAndScale) {
    test::HandMadeRun made;
    made.addFrame(1.25, pyramid());
    PictureStyle style = small();
    style.width = 240, style.height = 160;
    style.colours.by = "velocity";
    style.timeStamp = style.scaleBar = true;
    style.view = "iso";
    expectGolden("field", pictureOf(made, style));
}

TEST(Golden, bodiesOfGlassAndChecker) {
    test::HandMadeRun made;
    made.addFrame(0, pyramid());
    made.addCube("pane", {{{}, {0.3, 0.3, 0.5}}});
    made.addCube("block", {{Quat::fromAxisAngle({0, 0, 1}, 0.5), {1.6, 0.6, 0.5}}});
    io::Look look;
    look.domainMax = {1, 1, 1};
    look.floor = 0;
    look.bodies = {{"pane", "glass", "", "", 0}, {"block", "checker", "red", "white", 0.25}};
    made.setLook(look);
    expectGolden("bodies", pictureOf(made, small()));
}

TEST(Golden, surfaceOfAHeap) {
    test::HandMadeRun made;
    std::vector<test::Grain> grains;
    for (int k = 0; k < 8; ++k)
        for (int j = 0; j < 16 - 2 * k; ++j)
            for (int i = 0; i < 16 - 2 * k; ++i) grains.push_back({{0.1f * static_cast<float>(i + k), 0.1f * static_cast<float>(j + k), 0.05f + 0.1f * static_cast<float>(k)}, 0.05f});
    made.addFrame(0, grains);
    PictureStyle style = small();
    style.grains = "surface";
    expectGolden("surface", pictureOf(made, style));
}

PictureStyle fromAbove() {
    PictureStyle style = small();
    style.background = "transparent";
    style.ground = "none";
    style.view = "top";
    return style;
}
/// Pixels that something is seen in.
double covered(const test::HandMadeRun& made, const PictureStyle& style) {
    const ScreenImage image = pictureOf(made, style);
    std::size_t pixels = 0;
    for (std::size_t i = 3; i < image.rgba.size(); i += 4) pixels += image.rgba[i] > 127;
    return static_cast<double>(pixels);
}

TEST(Picture, clumpsAreDrawnAsTheirMeshOrTheirSpheres) {
    test::HandMadeRun made;
    made.addFrame(0, {{{0, 0, 0.5f}, 0.5f, {}, 0, Quat::fromAxisAngle({0, 0, 1}, 0.7)}});
    io::writeFile(made.frames() / "templates.json",
                  R"({"templates": [{"name": "rod", "spheres": [[-0.8, 0, 0, 0.2], [0.8, 0, 0, 0.2]],
                      "mesh": {"vertices": [[-1, -0.2, -0.2], [1, -0.2, -0.2], [1, 0.2, -0.2], [-1, 0.2, -0.2], [0, 0, 0.2]],
                               "triangles": [[0, 2, 1], [0, 3, 2], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]]}}]})");
    PictureStyle style = fromAbove();
    const double mesh = covered(made, style);
    style.grains = "clumps";
    const double spheres = covered(made, style);
    // From above: a rectangle of 1 by 0.2, or two discs of radius 0.1.
    EXPECT_NEAR(spheres / mesh, 2 * 0.01 * 3.1416 / 0.2, 0.06);
}

// A coin a tenth as thick as wide, of the volume of its grain: 1.88 times as wide; on its edge it is a rectangle of 1 to 10.
TEST(Picture, grainsWithNormalsAreCoins) {
    PictureStyle style = fromAbove();
    style.width = 240, style.height = 180;
    const auto coin = [&](const Vec3f& normal) {
        test::HandMadeRun made;
        made.addFrame(0, {{.position = {-1, 0, 0.5f}, .radius = 0.02f}, {.position = {1, 0, 0.5f}, .radius = 0.02f}, {.position = {0, 0, 0.5f}, .radius = 0.3f, .normal = normal}});
        return covered(made, style);
    };
    const double ball = coin({}), flat = coin({0, 0, 1}), upsideDown = coin({0, 0, -1}), onEdge = coin({0, -1, 0}), tilted = coin({0.70710678f, 0, 0.70710678f});
    EXPECT_NEAR(flat / ball, 1.88 * 1.88, 0.15);
    EXPECT_EQ(upsideDown, flat);
    EXPECT_NEAR(onEdge / flat, 0.4 / 3.1416, 0.03);   // half a pixel of its rim on either side
    EXPECT_NEAR(tilted / flat, 0.78, 0.08);   // cos 45°, and the rim
    style.grains = "clumps";
    EXPECT_NEAR(coin({0, 0, 1}) / ball, 1, 0.05) << "balls where no shapes are wanted";
}

TEST(Picture, forcesAreTubes) {
    test::HandMadeRun made;
    made.addFrame(0, {{{-0.5f, 0, 0.1f}, 0.1f}, {{0.5f, 0, 0.1f}, 0.1f}});
    PictureStyle style = small();
    style.chains = true;
    EXPECT_THROW(pictureOf(made, style), Error);
    io::writeFile(made.frames() / "contacts_000000.vtp",
                  "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\">\n<PolyData>\n<Piece NumberOfPoints=\"2\" NumberOfLines=\"1\">\n<CellData>\n"
                  "<DataArray type=\"Float32\" Name=\"force\" format=\"ascii\">2.5</DataArray>\n</CellData>\n<Points>\n"
                  "<DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">-0.5 0 0.1 0.5 0 0.1</DataArray>\n</Points>\n<Lines>\n"
                  "<DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">0 1</DataArray>\n<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">2</DataArray>\n"
                  "</Lines>\n</Piece>\n</PolyData>\n</VTKFile>\n");
    const std::vector<Tube> tubes = tubesOf(made.frames() / "contacts_000000.vtp", 0.08, {});
    ASSERT_EQ(tubes.size(), 1u);
    EXPECT_FLOAT_EQ(tubes[0].radius, 0.08f);
    style.ground = "none";
    style.background = "transparent";
    style.view = "front";
    const ScreenImage with = pictureOf(made, style);
    EXPECT_GT(with.pixel(48, 36)[3], 200);   // half way between the grains
    style.chains = false;
    EXPECT_EQ(pictureOf(made, style).pixel(48, 36)[3], 0);
}

TEST(Picture, clippedBodiesAreOpen) {
    test::HandMadeRun made;
    made.addFrame(0, pyramid());
    made.addCube("box", {{{}, {0.3, 0.3, 0.5}}});
    PictureStyle style = small();
    style.view = "front";
    const ScreenImage closed = pictureOf(made, style);
    style.clips = {parseClip("y>0.3")};
    const ScreenImage open = pictureOf(made, style);
    EXPECT_NE(closed.rgba, open.rgba);
    const TriangleMesh half = clipped(TriangleMesh{{{0, 0, 0}, {2, 0, 0}, {0, 2, 0}}, {{0, 1, 2}}, {}, {}}, {}, std::vector{parseClip("x>1")});
    double area = 0;
    for (const auto& [a, b, c] : half.triangles) area += 0.5 * norm(cross(half.vertices[b] - half.vertices[a], half.vertices[c] - half.vertices[a]));
    EXPECT_NEAR(area, 0.5, 1e-6);
}

TEST(Sequence, goesOnWhereItStopped) {
    test::HandMadeRun made;
    for (int k = 0; k < 3; ++k) made.addFrame(k, pyramid());
    const RunFiles run(made.path());
    SequenceOptions options;
    options.directory = made.path();
    options.style = small();
    options.style.samples = 1;
    options.threads = 2;
    int asked = 0;
    EXPECT_THROW(drawSequence(run, run.frames(), options, [&](const SequenceProgress&) { return ++asked < 3; }), Error);
    const io::Path folder = made.path() / "pictures";
    EXPECT_TRUE(std::filesystem::exists(folder / "picture_000001.png"));
    EXPECT_FALSE(std::filesystem::exists(folder / "picture_000002.png"));
    const std::string kept = io::readFile(folder / "picture_000001.png") + " ";
    io::writeFile(folder / "picture_000001.png", kept);
    options.resume = true;
    std::size_t found = 0;
    EXPECT_EQ(drawSequence(run, run.frames(), options, [&](const SequenceProgress& p) { return found = p.kept, true; }), folder);
    EXPECT_EQ(found, 2u);
    EXPECT_EQ(io::readFile(folder / "picture_000001.png"), kept);
    EXPECT_TRUE(std::filesystem::exists(folder / "picture_000002.png"));
}

TEST(Sequence, refusesToGoOnWithOtherOptions) {
    test::HandMadeRun made;
    for (int k = 0; k < 2; ++k) made.addFrame(k, pyramid());
    const RunFiles run(made.path());
    SequenceOptions options;
    options.directory = made.path();
    options.style = small();
    options.style.samples = 1;
    const auto draw = [&] { return drawSequence(run, run.frames(), options, [](const SequenceProgress&) { return true; }); };
    const auto refusal = [&]() -> std::string {
        try {
            draw();
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    for (const char* format : {"png", "exr"}) {
        options.format = format;
        options.resume = false;
        draw();
        options.resume = true;
        EXPECT_EQ(refusal(), "");
        options.style.samples = 2;
        EXPECT_NE(refusal().find("was made with --samples 1, not --samples 2"), std::string::npos) << refusal();
        options.style.samples = 1;
        options.style.scaleBar = true;
        EXPECT_NE(refusal().find("--scale-bar off, not --scale-bar on"), std::string::npos) << refusal();
        options.style.scaleBar = false;
    }
    options.format = "png";
    const io::Path picture = made.path() / "pictures" / pictureName(0, "png");
    EXPECT_GT(readPng(picture).width, 0);   // the note does not harm it
    writePng(picture, readPng(picture));
    EXPECT_NE(refusal().find("does not say how it was made"), std::string::npos) << refusal();
    options.out = made.path() / "one.png";
    EXPECT_NE(refusal().find("--resume goes on with a folder"), std::string::npos);
}

TEST(Picture, exrHoldsLightAndCanBeReadByItsMagic) {
    Image image(5, 3);
    image.colour[7] = {4, 2, 1};
    test::HandMadeRun made;
    writeExr(made.path() / "a.exr", image);
    const std::string file = io::readFile(made.path() / "a.exr");
    EXPECT_EQ(file.substr(0, 4), std::string("\x76\x2f\x31\x01", 4));
    EXPECT_GT(file.size(), 200u);
}

}  // namespace
}  // namespace talus::render
