// SPDX-License-Identifier: Apache-2.0
#include "geometry/operators.h"

#include "geometry/mesh.h"

#include <array>
#include <limits>

namespace talus::geometry {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// body(first, points, out) over pieces that fit on the stack, so that batches pass through operators without memory.
constexpr std::size_t kPiece = 128;
template <class Body>
void inPieces(std::span<const Vec3> points, std::span<Surface> out, const Body& body) {
    for (std::size_t i = 0; i < points.size(); i += kPiece) {
        const std::size_t count = std::min(kPiece, points.size() - i);
        body(points.subspan(i, count), out.subspan(i, count));
    }
}

/// Of all parts at each point the one that `better` prefers to those before it, as surface() takes them.
template <class Better>
void bestOf(const std::vector<ShapePtr>& parts, const Surface& none, std::span<const Vec3> points, std::span<Surface> out, const Better& better) {
    inPieces(points, out, [&](std::span<const Vec3> some, std::span<Surface> best) {
        std::array<Surface, kPiece> one;
        std::fill(best.begin(), best.end(), none);
        for (const ShapePtr& part : parts) {
            part->surfaces(some, std::span(one).first(some.size()));
            for (std::size_t i = 0; i < some.size(); ++i)
                if (better(one[i].distance, best[i].distance)) best[i] = one[i];
        }
    });
}

}  // namespace

void Union::surfaces(std::span<const Vec3> points, std::span<Surface> out) const {
    bestOf(parts_, {kInfinity, {0, 0, 1}}, points, out, [](double a, double b) { return a < b; });
}

void Intersection::surfaces(std::span<const Vec3> points, std::span<Surface> out) const {
    bestOf(parts_, {-kInfinity, {0, 0, 1}}, points, out, [](double a, double b) { return a > b; });
}

void Difference::surfaces(std::span<const Vec3> points, std::span<Surface> out) const {
    inPieces(points, out, [&](std::span<const Vec3> some, std::span<Surface> outer) {
        std::array<Surface, kPiece> hole;
        from_->surfaces(some, outer);
        minus_.surfaces(some, std::span(hole).first(some.size()));
        for (std::size_t i = 0; i < some.size(); ++i)
            if (!(outer[i].distance >= -hole[i].distance)) outer[i] = {-hole[i].distance, -hole[i].normal};
    });
}

void Offset::surfaces(std::span<const Vec3> points, std::span<Surface> out) const {
    of_->surfaces(points, out);
    for (Surface& s : out.first(points.size())) s.distance -= by_;
}

void Shell::surfaces(std::span<const Vec3> points, std::span<Surface> out) const {
    of_->surfaces(points, out);
    for (Surface& s : out.first(points.size())) s = {std::abs(s.distance) - half_, s.distance < 0 ? -s.normal : s.normal};
}

void Placed::surfaces(std::span<const Vec3> points, std::span<Surface> out) const {
    inPieces(points, out, [&](std::span<const Vec3> some, std::span<Surface> found) {
        std::array<Vec3, kPiece> local;
        for (std::size_t i = 0; i < some.size(); ++i) local[i] = inverse_ * (some[i] - translation_);
        of_->surfaces(std::span<const Vec3>(local).first(some.size()), found);
        for (Surface& s : found) s.normal = rotation_ * s.normal;
    });
}

std::shared_ptr<const Mesh> Placed::ownMesh() const {
    const auto own = of_->ownMesh();
    if (!own) return nullptr;
    auto mesh = std::make_shared<Mesh>(*own);
    for (Vec3& v : mesh->vertices) v = rotation_ * v + translation_;
    return mesh;
}

Surface Union::surface(const Vec3& p) const {
    Surface nearest{kInfinity, {0, 0, 1}};
    for (const ShapePtr& part : parts_)
        if (const Surface s = part->surface(p); s.distance < nearest.distance) nearest = s;
    return nearest;
}

double Union::distance(const Vec3& p) const {
    double nearest = kInfinity;
    for (const ShapePtr& part : parts_) nearest = std::min(nearest, part->distance(p));
    return nearest;
}

Aabb Union::levelBounds(double level) const {
    Aabb box;
    for (const ShapePtr& part : parts_) {
        const Aabb b = part->levelBounds(level);
        if (!b.empty()) box = {min(box.min, b.min), max(box.max, b.max)};
    }
    return box;
}

Surface Intersection::surface(const Vec3& p) const {
    Surface furthest{-kInfinity, {0, 0, 1}};
    for (const ShapePtr& part : parts_)
        if (const Surface s = part->surface(p); s.distance > furthest.distance) furthest = s;
    return furthest;
}

double Intersection::distance(const Vec3& p) const {
    double furthest = -kInfinity;
    for (const ShapePtr& part : parts_) furthest = std::max(furthest, part->distance(p));
    return furthest;
}

Aabb Intersection::levelBounds(double level) const {
    Aabb box{{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
    for (const ShapePtr& part : parts_) {
        const Aabb b = part->levelBounds(level);
        box = {max(box.min, b.min), min(box.max, b.max)};
    }
    return box;
}

Surface Difference::surface(const Vec3& p) const {
    const Surface outer = from_->surface(p), hole = minus_.surface(p);
    return outer.distance >= -hole.distance ? outer : Surface{-hole.distance, -hole.normal};
}

double Difference::distance(const Vec3& p) const { return std::max(from_->distance(p), -minus_.distance(p)); }

Surface Offset::surface(const Vec3& p) const {
    const Surface s = of_->surface(p);
    return {s.distance - by_, s.normal};
}

Surface Shell::surface(const Vec3& p) const {
    const Surface s = of_->surface(p);
    return {std::abs(s.distance) - half_, s.distance < 0 ? -s.normal : s.normal};
}

Surface Placed::surface(const Vec3& p) const {
    const Surface s = of_->surface(inverse_ * (p - translation_));
    return {s.distance, rotation_ * s.normal};
}

Aabb Placed::levelBounds(double level) const {
    constexpr double kNoise = 1e-14;   // of a quarter turn; times an infinite extent it would matter
    const Aabb own = of_->levelBounds(level);
    if (own.empty()) return own;
    Aabb box{translation_, translation_};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const double c = rotation_(i, j);
            if (std::abs(c) < kNoise) continue;
            box.min[i] += std::min(c * own.min[j], c * own.max[j]);
            box.max[i] += std::max(c * own.min[j], c * own.max[j]);
        }
    return box;
}

ContactFeatures Placed::findContactFeatures() const {
    ContactFeatures features = of_->contactFeatures();
    for (ContactFeature& f : features) f = {rotation_ * f.from + translation_, rotation_ * f.to + translation_, f.radius};
    return features;
}

ContactFeatures Union::findContactFeatures() const {
    ContactFeatures features;
    for (const ShapePtr& part : parts_) features.insert(features.end(), part->contactFeatures().begin(), part->contactFeatures().end());
    return features;
}

}  // namespace talus::geometry
