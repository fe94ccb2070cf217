// SPDX-License-Identifier: Apache-2.0
// Two-dimensional cases: a slab, periodic across, whose width the method chooses (docs/slabs.md).
#include "scene/build.h"

#include "core/rng.h"
#include "geometry/operators.h"
#include "geometry/primitives.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace talus::scene {

namespace {

char axisName(const DomainDescription& domain) { return "xyz"[domain.slabAxis()]; }

void setWidth(DomainDescription& domain, double width) { domain.max[domain.slabAxis()] = domain.min[domain.slabAxis()] + width; }

/// What the method wants in a slab of that width: with a number of grains, wider slabs have larger grains.
double wantedWidth(SceneDescription& scene, double width) {
    setWidth(scene.domain, width);
    return scene.methodInfo().slabWidth(scene.methodSettings(), build(scene), scene.domain.slabAxis());
}

/// To six digits, so that the width reads well and does not hang on the last bits of a volume.
double rounded(double width) {
    std::array<char, 32> text{};
    const auto written = std::to_chars(text.data(), text.data() + text.size(), width, std::chars_format::general, 6);
    std::from_chars(text.data(), written.ptr, width);
    return width;
}

/// Whether a region has the same cut at every place across the slab, judged at pairs of points.
bool sameAcross(const geometry::Shape& region, const DomainDescription& domain) {
    constexpr std::uint64_t kPairs = 4096;
    constexpr int kMostApart = 8;   // of them: points on the surface itself
    const int axis = domain.slabAxis();
    const Aabb box = region.bounds();
    int apart = 0;
    for (std::uint64_t i = 0; i < kPairs; ++i) {
        Rng rng(0, 0, i);
        Vec3 a = box.min + componentProduct(box.size(), {rng.uniform(), rng.uniform(), rng.uniform()}), b = a;
        a[axis] = domain.min[axis] + (domain.max[axis] - domain.min[axis]) * rng.uniform();
        b[axis] = domain.min[axis] + (domain.max[axis] - domain.min[axis]) * rng.uniform();
        if ((region.distance(a) < 0) != (region.distance(b) < 0)) ++apart;
    }
    return apart <= kMostApart;
}

}  // namespace

geometry::ShapePtr insideSlab(const geometry::ShapePtr& shape, const DomainDescription& domain) {
    if (domain.slab == Slab::none || !shape->bounded()) return shape;
    const int axis = domain.slabAxis();
    const Aabb box = shape->bounds();
    if (box.min[axis] >= domain.min[axis] && box.max[axis] <= domain.max[axis]) return shape;
    Vec3 size = 2 * box.size(), centre = box.centre();
    size[axis] = domain.max[axis] - domain.min[axis];
    centre[axis] = 0.5 * (domain.min[axis] + domain.max[axis]);
    return std::make_shared<geometry::Intersection>(
        std::vector<geometry::ShapePtr>{shape, std::make_shared<geometry::Placed>(std::make_shared<geometry::Box>(size), RigidTransform{{}, centre})});
}

void assumeSlabWidth(SceneDescription& scene, Problems& problems) {
    for (const FillDescription& fill : scene.grains)
        if (fill.table)
            problems.error("domain.max", fmt::format("the slab has no width along {0}, and the grains of '{1}' fill one that is known to them alone; give the width of their slab by min and max along {0}",
                                                     axisName(scene.domain), *fill.table));
    constexpr double kCells = 64;   // as fine as scenes are, roughly
    const Vec3 size = scene.domain.max - scene.domain.min;
    setWidth(scene.domain, 4 * maxComponent(size) / kCells);
}

// The width w at which the method wants w. Its answer grows as a power of the width, 0 or 1/3, so that in logarithms two of
// them give the line that meets the diagonal there (Aitken); regions that are not the same across bend it a little.
void chooseSlabWidth(SceneDescription& scene) {
    constexpr int kMostRounds = 8;
    constexpr double kSame = 1e-7;
    const double assumed = scene.domain.max[scene.domain.slabAxis()] - scene.domain.min[scene.domain.slabAxis()];
    double width = assumed;
    for (int round = 0; round < kMostRounds; ++round) {
        const double first = wantedWidth(scene, width);
        if (!(first > 0) || !std::isfinite(first)) return setWidth(scene.domain, assumed);   // the method's own check says why
        if (std::abs(first / width - 1) < kSame) break;
        const double second = wantedWidth(scene, first);
        const double a = std::log(first / width), b = std::log(second / first);
        width = std::abs(b) < kSame || !(std::abs(b) < std::abs(a)) ? second : width * std::exp(a * a / (a - b));
    }
    setWidth(scene.domain, rounded(width));
}

void checkSlab(const SceneDescription& scene, WellRead wellRead, Problems& problems) {
    if (scene.domain.slab == Slab::none || !wellRead("domain")) return;
    const char axis = axisName(scene.domain);
    if (!scene.methodInfo().slabWidth) problems.error("domain.slab", fmt::format("{} has no two-dimensional cases", scene.methodInfo().name));
    for (std::size_t i = 0; i < scene.grains.size(); ++i) {
        const std::string path = fmt::format("grains[{}].region", i);
        if (scene.grains[i].table || !wellRead(path)) continue;
        const geometry::ShapePtr region = geometry::build(scene.grains[i].region);
        if (region->bounded() && !sameAcross(*region, scene.domain))
            problems.warn(path, fmt::format("the region is not the same all along {}, so this is not a two-dimensional case; it should reach through the slab, from {:.4g} to {:.4g} m, with one and the same cut", axis,
                                            scene.domain.min[scene.domain.slabAxis()], scene.domain.max[scene.domain.slabAxis()]));
    }
}

}  // namespace talus::scene
