// SPDX-License-Identifier: Apache-2.0
// Fields of two runs and their differences against sums over all grains and cells by the kernel's definition.
#include "hand_made_run.h"

#include "core/problems.h"
#include "render/comparison_parts.h"
#include "render/image_files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace talus {
namespace {

constexpr double kDensity = 2500;
constexpr Vec3 kLow{-0.5, -0.25, 0}, kHigh{0.5, 0.25, 0.4};

struct Point {
    Vec3 x, v;
    double mass = 0, volume = 0, pressure = 0;
};

/// A block of sand to the left of the middle that moves and is under pressure.
std::vector<Point> someGrains(std::size_t count, std::uint32_t seed) {
    std::vector<Point> grains;
    std::uint64_t state = seed;
    const auto next = [&] {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<double>(state >> 40) / static_cast<double>(1u << 24);
    };
    for (std::size_t i = 0; i < count; ++i) {
        const Vec3 x{-0.4 + 0.5 * next(), -0.2 + 0.4 * next(), 0.2 * next()};
        grains.push_back({x, {1 + next(), next() - 0.5, -next()}, 0.05 * (1 + next()), 5e-5 * (1 + next()), 1000 * next()});
    }
    return grains;
}

class ComparableRun {
public:
    explicit ComparableRun(const std::string& name, Vec3 low = kLow, Vec3 high = kHigh) : name_(name) {
        io::createDirectories(path() / "frames");
        io::writeFile(path() / "run.json", "{}\n");
        io::writeFile(path() / "series.csv", "time_s,kinetic_energy_J,mass_kg\n0,1,2\n1,0.5,2\n");
        io::Look look;
        look.domainMin = low, look.domainMax = high;
        look.materials = {{"sand", {}, {}, kDensity}};
        io::writeLook(path() / "look.json", look);
    }
    io::Path path() const { return folder_.path() / name_; }

    void addFrame(double time, const std::vector<Point>& grains, bool stressed = true) {
        io::Frame frame{time, grains.size(), {}};
        const auto real = [](const char* name, std::size_t n) { return io::FrameColumn{name, world::FieldType::real, n, {}, {}}; };
        frame.columns = {{"id", world::FieldType::integer, 1, {}, {}}, real("position", 3), real("velocity", 3), real("radius", 1), real("mass", 1), real("volume", 1),
                         {"material", world::FieldType::integer, 1, {}, {}}};
        if (stressed) frame.columns.push_back(real("stress", 6));
        for (std::size_t i = 0; i < grains.size(); ++i) {
            const Point& g = grains[i];
            const auto put = [&](std::size_t column, std::initializer_list<double> values) {
                for (const double v : values) frame.columns[column].reals.push_back(static_cast<float>(v));
            };
            frame.columns[0].integers.push_back(static_cast<std::int64_t>(i));
            put(1, {g.x.x, g.x.y, g.x.z});
            put(2, {g.v.x, g.v.y, g.v.z});
            put(3, {0.01});
            put(4, {g.mass});
            put(5, {g.volume});
            frame.columns[6].integers.push_back(0);
            if (stressed) put(7, {-1.5 * g.pressure, -g.pressure, -0.5 * g.pressure, 3, 4, 5});
        }
        const auto number = static_cast<std::int64_t>(times_.size());
        io::writeVtp(path() / "frames" / io::frameName(number), frame);
        times_.push_back({number, time});
        io::writeVtpSeries(path() / "frames" / "grains.vtp.series", times_);
    }

private:
    test::TemporaryFolder folder_;
    std::string name_;
    std::vector<io::FrameTime> times_;
};

struct CellMeans {
    double fraction = 0, pressure = 0;
    Vec3 velocity;
};

/// The hat function about the centre of cell i of n, constant beyond the outermost centres.
double hat(double s, int i, int n) {
    const double clamped = std::clamp(s, 0.5, n - 0.5);
    return std::max(0.0, 1 - std::abs(clamped - (i + 0.5)));
}

std::vector<CellMeans> bruteForce(const std::vector<Point>& grains, const world::Lattice& l) {
    std::vector<CellMeans> cells;
    for (int k = 0; k < l.cells[2]; ++k)
        for (int j = 0; j < l.cells[1]; ++j)
            for (int i = 0; i < l.cells[0]; ++i) {
                double mass = 0, pressure = 0;
                Vec3 momentum;
                for (const Point& g : grains) {
                    const Vec3 x{static_cast<float>(g.x.x), static_cast<float>(g.x.y), static_cast<float>(g.x.z)};
                    const auto along = [&](int a) { return (x[a] - l.origin[a]) / l.size[a] * l.cells[static_cast<std::size_t>(a)]; };
                    const double w = hat(along(0), i, l.cells[0]) * hat(along(1), j, l.cells[1]) * hat(along(2), k, l.cells[2]);
                    mass += w * static_cast<float>(g.mass);
                    momentum += w * static_cast<float>(g.mass) * Vec3{static_cast<float>(g.v.x), static_cast<float>(g.v.y), static_cast<float>(g.v.z)};
                    pressure += w * static_cast<float>(g.volume) * g.pressure;
                }
                cells.push_back({mass / kDensity / l.cellVolume(), pressure / l.cellVolume(), mass > 0 ? momentum / mass : Vec3{}});
            }
    return cells;
}

std::vector<Point> mirrored(std::vector<Point> grains) {
    for (Point& g : grains) g.x.x = -g.x.x, g.v.x = -g.v.x;
    return grains;
}
std::vector<Point> shifted(std::vector<Point> grains, const Vec3& by) {
    for (Point& g : grains) g.x += by;
    return grains;
}

struct Expected {
    double l1 = 0, l2 = 0, relativeL1 = 0, relativeL2 = 0;
    std::size_t cells = 0;
};
Expected expectedDifference(render::ComparedField field, const std::vector<CellMeans>& a, const std::vector<CellMeans>& b) {
    Expected e;
    double own1 = 0, own2 = 0;
    for (std::size_t c = 0; c < a.size(); ++c) {
        const bool inA = a[c].fraction >= 0.01, inB = b[c].fraction >= 0.01;
        if (field == render::ComparedField::velocity ? !(inA && inB) : !(inA || inB)) continue;
        Vec3 d{}, own{};
        if (field == render::ComparedField::velocity) d = a[c].velocity - b[c].velocity, own = b[c].velocity;
        else if (field == render::ComparedField::pressure) d.x = a[c].pressure - b[c].pressure, own.x = b[c].pressure;
        else d.x = a[c].fraction - b[c].fraction, own.x = b[c].fraction;
        ++e.cells;
        e.l1 += norm(d), e.l2 += dot(d, d), own1 += norm(own), own2 += dot(own, own);
    }
    const auto n = static_cast<double>(e.cells);
    e.relativeL1 = e.l1 / own1, e.relativeL2 = std::sqrt(e.l2 / own2);
    e.l1 /= n, e.l2 = std::sqrt(e.l2 / n);
    return e;
}

void expectDifferences(const std::vector<Point>& first, const std::vector<Point>& second) {
    ComparableRun a("a"), b("b");
    a.addFrame(0, first);
    b.addFrame(0, second);
    const render::RunFiles filesA(a.path()), filesB(b.path());
    const std::vector<render::NamedRun> runs{{&filesA, "a"}, {&filesB, "b"}};
    const std::vector<render::Moment> moments = render::commonMoments(runs, 1);
    const render::CommonLattice lattice = render::commonLattice(runs, moments, 0.06);
    const render::CellFields fieldsA = render::averaged(runs[0], filesA.frame(0), lattice.ofRun[0]), fieldsB = render::averaged(runs[1], filesB.frame(0), lattice.ofRun[1]);
    const std::vector<CellMeans> meansA = bruteForce(first, lattice.cells()), meansB = bruteForce(second, lattice.cells());
    for (const auto field : {render::ComparedField::volumeFraction, render::ComparedField::velocity, render::ComparedField::pressure}) {
        const render::FieldDifference d = render::difference(field, fieldsB, fieldsA);
        const Expected e = expectedDifference(field, meansB, meansA);
        EXPECT_EQ(d.cells, e.cells);
        EXPECT_GT(e.cells, 20u);
        EXPECT_GT(e.l1, 0);
        EXPECT_NEAR(d.l1, e.l1, 1e-6 * e.l1);   // frames hold floats
        EXPECT_NEAR(d.l2, e.l2, 1e-6 * e.l2);
        EXPECT_NEAR(d.relativeL1, e.relativeL1, 1e-6 * e.relativeL1);
        EXPECT_NEAR(d.relativeL2, e.relativeL2, 1e-6 * e.relativeL2);
    }
}

TEST(Comparison, differencesFromTheMirrorImage) {
    const std::vector<Point> grains = someGrains(700, 1);
    expectDifferences(grains, mirrored(grains));
}

TEST(Comparison, differencesFromAShiftedRun) {
    const std::vector<Point> grains = someGrains(700, 2);
    expectDifferences(grains, shifted(grains, {0.11, 0.02, 0.05}));
}

TEST(Comparison, equalRunsDoNotDiffer) {
    const std::vector<Point> grains = someGrains(300, 3);
    ComparableRun a("a"), b("b");
    a.addFrame(0, grains);
    b.addFrame(0, grains);
    render::ComparisonOptions options;
    options.runs = {{a.path(), "dem", {}}, {b.path(), "elastoplastic", {"r0 = 1"}}};
    options.out = a.path() / "x.png";
    options.style.width = 60, options.style.height = 40, options.style.samples = 1;
    const render::ComparisonFiles made = render::compareRuns(options, [](const render::ComparisonProgress&) { return true; });
    std::istringstream table(io::readFile(made.table));
    std::string header, row;
    std::getline(table, header);
    std::getline(table, row);
    EXPECT_NE(header.find("velocity_L1_m_s,velocity_L2_m_s"), std::string::npos);
    EXPECT_NE(header.find("pressure_L1_Pa"), std::string::npos);
    std::istringstream names(header), cells(row);
    for (std::string name, cell; std::getline(names, name, ',') && std::getline(cells, cell, ',');)
        if (name.find("_L1") != std::string::npos || name.find("_L2") != std::string::npos) {
            EXPECT_EQ(cell, "0") << name;
        }
    for (const io::Path& picture : {made.picture, made.plot, made.fields}) EXPECT_GT(render::readPng(picture).width, 60);
    EXPECT_TRUE(made.remarks.empty());
}

TEST(Comparison, takesTheNearestFrameAndSaysSo) {
    ComparableRun a("a"), b("b");
    for (const double t : {0.0, 0.1, 0.2, 0.3, 0.4}) a.addFrame(t, someGrains(5, 1));
    for (const double t : {0.0, 0.13, 0.26}) b.addFrame(t, someGrains(5, 2));   // ends before
    const render::RunFiles filesA(a.path()), filesB(b.path());
    const std::vector<render::NamedRun> runs{{&filesA, "a"}, {&filesB, "b"}};
    const std::vector<render::Moment> moments = render::commonMoments(runs, 3);
    ASSERT_EQ(moments.size(), 3u);
    EXPECT_EQ(moments[1].frames[0].number, 1);
    EXPECT_EQ(moments[1].frames[1].number, 1);
    EXPECT_EQ(moments[2].frames[0].number, 2);   // 0.2 s: the last that both have
    EXPECT_EQ(moments[2].frames[1].number, 2);   // 0.26 s is nearer than 0.13 s
    const std::vector<std::string> said = render::timesThatDiffer(runs, moments);
    ASSERT_EQ(said.size(), 2u);
    EXPECT_EQ(said[0], "run 'b' has no frame at 0.1 s; its nearest, at 0.13 s, stands for it");
    EXPECT_EQ(render::momentsAt(runs, {0.3}).front().frames[1].number, 2);   // half an interval beyond its end
    EXPECT_THROW(render::momentsAt(runs, {0.4}), Error);
}

TEST(Comparison, comparesWhatDomainsHaveInCommon) {
    ComparableRun a("a"), b("b", {-0.5, -0.25, 0}, {0.1, 0.25, 0.4}), c("c", {2, 2, 2}, {3, 3, 3});
    const std::vector<Point> grains = someGrains(400, 5);
    a.addFrame(0, grains);
    b.addFrame(0, grains);
    c.addFrame(0, grains);
    const render::RunFiles filesA(a.path()), filesB(b.path()), filesC(c.path());
    const std::vector<render::NamedRun> runs{{&filesA, "a"}, {&filesB, "b"}}, apart{{&filesA, "a"}, {&filesC, "c"}};
    const std::vector<render::Moment> moments = render::commonMoments(runs, 1);
    const render::CommonLattice lattice = render::commonLattice(runs, moments, 0.1);
    EXPECT_TRUE(lattice.domainsDiffer);
    EXPECT_NEAR(lattice.cells().origin.x + lattice.cells().size.x, 0.1, 1e-12);
    EXPECT_FALSE(lattice.ofRun[0].closed[1]);   // the domain of a goes on
    EXPECT_TRUE(lattice.ofRun[1].closed[1]);
    const auto outside = [&](const Vec3& by) {
        ComparableRun moved("moved");
        moved.addFrame(0, shifted(grains, by));
        const render::RunFiles files(moved.path());
        return render::averaged({&files, "moved"}, files.frame(0), lattice.ofRun[0]).massOutside;
    };
    EXPECT_EQ(outside({}), 0);
    double beyond = 0;
    for (const Point& g : grains)
        if (static_cast<float>(g.x.x + 0.2) > 0.1) beyond += static_cast<float>(g.mass);
    EXPECT_NEAR(outside({0.2, 0, 0}), beyond, 1e-9);
    EXPECT_GT(beyond, 0);
    EXPECT_THROW(render::commonLattice(apart, moments, 0.1), Error);
    EXPECT_THROW(render::commonLattice(runs, moments, 1e-4), Error);   // too many cells
}

TEST(Comparison, aPeriodicAxisIsWhole) {
    ComparableRun a("a"), b("b");
    io::Look look;
    look.domainMin = kLow, look.domainMax = kHigh;
    look.faces[2] = look.faces[3] = world::FaceType::periodic;
    look.materials = {{"sand", {}, {}, kDensity}};
    io::writeLook(a.path() / "look.json", look);
    io::writeLook(b.path() / "look.json", look);
    const std::vector<Point> one{{{0, -0.2499, 0.1}, {}, 1, 1e-4, 0}}, other{{{0, 0.2499, 0.1}, {}, 1, 1e-4, 0}};
    a.addFrame(0, one);
    b.addFrame(0, other);
    const render::RunFiles filesA(a.path()), filesB(b.path());
    const std::vector<render::NamedRun> runs{{&filesA, "a"}, {&filesB, "b"}};
    const render::CommonLattice lattice = render::commonLattice(runs, render::commonMoments(runs, 1), 0.05);
    EXPECT_EQ(lattice.cells().cells[1], 10);
    EXPECT_TRUE(lattice.ofRun[0].periodic[1]);
    const render::FieldDifference d = render::difference(render::ComparedField::volumeFraction, render::averaged(runs[1], filesB.frame(0), lattice.ofRun[1]),
                                                         render::averaged(runs[0], filesA.frame(0), lattice.ofRun[0]));
    EXPECT_LT(d.relativeL1, 0.01);   // neighbours across the face: 0.2 mm of a cell of 50 mm
    EXPECT_GT(d.relativeL1, 0);
}

}  // namespace
}  // namespace talus
