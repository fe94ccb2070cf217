// SPDX-License-Identifier: Apache-2.0
// Bodies covered with spheres [Bell2005, section 3.3]: grains touch the spheres, by the laws of two spheres, instead of the surface.
#pragma once

#include "core/keys.h"
#include "dem/clump_template.h"
#include "world/world.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace talus::dem {

struct CoverSettings {
    std::string body;                     // name; of all copies where it has copies
    double radius = 0;                    // of the spheres [m]
    std::optional<double> spacing;        // of neighbours [m]; 1.5 radii unless given
    std::optional<double> rough;          // radius of the spheres of a second, random layer [m]
    double roughShare = 0.3;              // of the surface that they cover

    void keys(KeyVisitor&);
    double distance() const { return spacing.value_or(1.5 * radius); }
    /// How deep centres of the cover lie: its outermost points, or those of the rough layer, are on the surface of the body [m].
    double depth() const { return radius + rough.value_or(0); }
};

/// Every point of the covered surface has a centre within this part of the spacing.
inline constexpr double kCoverReach = 0.9;

/// Points in cells, to be found by place.
class PointCells {
public:
    PointCells() = default;
    PointCells(std::span<const Vec3> points, double cell);
    /// Indices of points in the cell of x and those around it, appended; cells in ascending order, in each as given.
    void around(const Vec3& x, std::vector<std::uint32_t>& found) const;
    double cell() const { return cell_; }

private:
    std::uint64_t key(std::int64_t x, std::int64_t y, std::int64_t z) const;
    double cell_ = 1;
    Vec3 origin_;
    std::vector<std::uint64_t> keys_;     // ascending
    std::vector<std::uint32_t> index_;
};

/// Where a cover is wanted: a shape, the box within which, and axes along which it repeats with the period of the box.
struct CoverPlace {
    const geometry::Shape& shape;
    Aabb box;
    std::array<bool, 3> periodic{};
    std::uint64_t seed = 1;
};

/// Points on {distance = −depth}, evenly about `spacing` apart: thrown at random with the same chance on every part of it, then floating along it and pushing
/// each other until they are even; crowded ones go, gaps wider than kCoverReach are filled.
std::vector<Vec3> evenPoints(const CoverPlace&, double depth, double spacing);
/// Random points on it, no two closer than `distance`, so many that discs of that diameter cover about `share`, at most 0.4.
std::vector<Vec3> scatteredPoints(const CoverPlace&, double depth, double distance, double share);

/// All covers of a world. A contact's partner is a body's own surface, by the index of the body, or a sphere of a cover, numbered from kFirst on.
class Covers {
public:
    static constexpr std::uint32_t kFirst = 1U << 31;

    Covers() = default;
    Covers(std::span<const CoverSettings>, const world::World&);

    bool any() const { return !spheres_.empty(); }
    std::size_t size() const { return spheres_.size(); }
    bool isSphere(std::uint32_t partner) const { return partner >= kFirst; }
    bool covers(std::uint32_t body) const { return body < ofBody_.size() && ofBody_[body] >= 0; }
    std::uint32_t bodyOf(std::uint32_t partner) const { return isSphere(partner) ? spheres_[partner - kFirst].body : partner; }
    double radiusOf(std::uint32_t partner) const { return isSphere(partner) ? spheres_[partner - kFirst].sphere.radius : 0; }
    bool exists(std::uint32_t partner, std::size_t bodies) const { return isSphere(partner) ? partner - kFirst < spheres_.size() : partner < bodies; }

    /// Distance from the sphere, and the normal towards x.
    geometry::Surface surface(std::uint32_t partner, const world::Pose&, const world::Domain&, const Vec3& x) const;
    /// Spheres of the body whose surface is closer to x than `reach`, ascending, appended.
    void near(std::uint32_t body, const world::Pose&, const world::Domain&, const Vec3& x, double reach, std::vector<std::uint32_t>& partners) const;
    /// Those of one body, in its coordinates.
    std::vector<TemplateSphere> spheresOf(std::uint32_t body) const;

private:
    struct Sphere {
        TemplateSphere sphere;
        std::uint32_t body;
        bool periodic;                    // the nearest image counts
    };
    struct Cover {
        std::uint32_t first, count;       // in spheres_
        double largest;                   // radius [m]
        bool periodic;
        PointCells cells;
    };
    std::vector<Sphere> spheres_;
    std::vector<Cover> list_;
    std::vector<std::int32_t> ofBody_;    // index in list_, or −1
};

/// Refuses covers of bodies that there are not or that are too thin, and covers that a grain with spheres of that radius could slip through.
void checkCovers(std::span<const CoverSettings>, const world::World&, double smallestRadius, Problems&);

}  // namespace talus::dem
