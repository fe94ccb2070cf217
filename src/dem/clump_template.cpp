// SPDX-License-Identifier: Apache-2.0
#include "dem/clump_template.h"

#include "core/svd.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace talus::dem {
namespace {

constexpr int kColumns = 300;   // across the extent

/// Moments of a body: ∫1, ∫x, ∫x xᵀ.
struct Moments {
    double volume = 0;
    Vec3 first;
    std::array<double, 6> second{};   // xx yy zz xy yz xz

    void addColumn(double x, double y, double area, double z0, double z1) {
        const double length = area * (z1 - z0), z = 0.5 * (z0 + z1), zz = (z1 * z1 + z1 * z0 + z0 * z0) / 3;
        volume += length;
        first += length * Vec3{x, y, z};
        const double products[6] = {x * x, y * y, zz, x * y, y * z, x * z};
        for (std::size_t i = 0; i < 6; ++i) second[i] += length * products[i];
    }
};

Mat3 inertiaAboutCentre(const Moments& m, const Vec3& c) {
    const double xx = m.second[0] - m.volume * c.x * c.x, yy = m.second[1] - m.volume * c.y * c.y, zz = m.second[2] - m.volume * c.z * c.z;
    const double xy = m.second[3] - m.volume * c.x * c.y, yz = m.second[4] - m.volume * c.y * c.z, xz = m.second[5] - m.volume * c.x * c.z;
    return {{yy + zz, -xy, -xz, -xy, xx + zz, -yz, -xz, -yz, xx + yy}};
}

}  // namespace

std::vector<TemplateSphere> builtInSpheres(Shape shape, double spacing) {
    std::vector<TemplateSphere> spheres;
    const double d = 2 * spacing;   // between neighbours
    if (shape == Shape::sphere) return {{{}, 1}};
    if (shape == Shape::tetra4)
        for (const Vec3& corner : {Vec3{1, 1, 1}, Vec3{1, -1, -1}, Vec3{-1, 1, -1}, Vec3{-1, -1, 1}}) spheres.push_back({d / std::sqrt(8.0) * corner, 1});
    if (shape == Shape::octa6)
        for (int axis = 0; axis < 3; ++axis)
            for (const double side : {-1.0, 1.0}) {
                Vec3 corner;
                corner[axis] = side * d / std::numbers::sqrt2;
                spheres.push_back({corner, 1});
            }
    if (shape == Shape::cube8 || shape == Shape::bcc9) {
        const double half = shape == Shape::cube8 ? 0.5 * d : d / std::numbers::sqrt3;
        for (int i = 0; i < 8; ++i) spheres.push_back({half * Vec3{i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0}, 1});
        if (shape == Shape::bcc9) spheres.push_back({{}, 1});
    }
    return spheres;
}

geometry::MassProperties unionProperties(std::span<const TemplateSphere> spheres) {
    Aabb box;
    for (const TemplateSphere& s : spheres) {
        box.extend(s.centre - s.radius * Vec3{1, 1, 1});
        box.extend(s.centre + s.radius * Vec3{1, 1, 1});
    }
    const double dx = box.size().x / kColumns, dy = box.size().y / kColumns;
    Moments moments;
    std::vector<std::pair<double, double>> chords;
    for (int j = 0; j < kColumns; ++j)
        for (int i = 0; i < kColumns; ++i) {
            const double x = box.min.x + (i + 0.5) * dx, y = box.min.y + (j + 0.5) * dy;
            chords.clear();
            for (const TemplateSphere& s : spheres) {
                const double a = x - s.centre.x, b = y - s.centre.y, squared = s.radius * s.radius - a * a - b * b;
                if (squared > 0) chords.emplace_back(s.centre.z - std::sqrt(squared), s.centre.z + std::sqrt(squared));
            }
            std::ranges::sort(chords);
            for (std::size_t k = 0; k < chords.size();) {
                auto [low, high] = chords[k];
                for (++k; k < chords.size() && chords[k].first <= high; ++k) high = std::max(high, chords[k].second);
                moments.addColumn(x, y, dx * dy, low, high);
            }
        }
    const Vec3 centre = moments.first / moments.volume;
    return {moments.volume, centre, inertiaAboutCentre(moments, centre)};
}

ClumpTemplate makeTemplate(std::string name, std::vector<TemplateSphere> spheres) {
    if (spheres.size() == 1) return {std::move(name), {{{}, 0.5}}, {0.1, 0.1, 0.1}, 0.5, 0};
    const geometry::MassProperties whole = unionProperties(spheres);
    const double size = std::cbrt(6 / std::numbers::pi * whole.volume);   // diameter of a sphere of that volume
    Vec3 moments{whole.inertia(0, 0), whole.inertia(1, 1), whole.inertia(2, 2)};
    Mat3 axes = Mat3::identity();
    const double mean = trace(whole.inertia) / 3;
    // Quadrature leaves a shape with cubic symmetry moments that differ by its error: then any axes will do.
    if (frobeniusNorm(whole.inertia - Mat3::diagonal({mean, mean, mean})) < 1e-3 * mean) {
        moments = {mean, mean, mean};
    } else {
        Mat3 other;
        svd(whole.inertia, axes, moments, other);   // symmetric and positive: the singular vectors are the principal axes
    }
    ClumpTemplate made{std::move(name), {}, moments / (whole.volume * size * size), 0, 0};
    for (const TemplateSphere& s : spheres) {
        const TemplateSphere placed{transpose(axes) * (s.centre - whole.centre) / size, s.radius / size};
        made.boundingRadius = std::max(made.boundingRadius, norm(placed.centre) + placed.radius);
        made.sphereReach = std::max(made.sphereReach, norm(placed.centre));
        made.spheres.push_back(placed);
    }
    return made;
}

}  // namespace talus::dem
