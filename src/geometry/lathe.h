// SPDX-License-Identifier: Apache-2.0
// A profile curve turned about the z axis: hourglass, silo, funnel, bowl.
#pragma once

#include "geometry/shape.h"

#include <cstdint>
#include <vector>

namespace talus::geometry {

struct ProfilePoint {
    double radius, height;   // [m]
    friend bool operator==(const ProfilePoint&, const ProfilePoint&) = default;
};
using Profile = std::vector<ProfilePoint>;

/// A smooth curve through the points (centripetal Catmull-Rom [Yuksel2011]) as a polyline within `tolerance` [m] of it.
/// It meets the axis at a right angle, so that the turned surface has no tip there.
Profile smoothed(const Profile&, double tolerance);

/// Whether two parts of the outline of the solid (profile and its ends closed to the axis) cross each other.
bool crossesItself(const Profile&);

/// The solid between the profile and the axis, or, where thickness > 0, a wall of that thickness with round ends and the
/// profile in its middle. The distance to the turned polyline is exact, since the nearest point of a surface of revolution
/// lies in the half plane through the axis and the point. Within a bent wall it is a bound.
class Lathe final : public Shape {
public:
    explicit Lathe(const Profile&, double thickness = 0);
    Surface surface(const Vec3& p) const override;
    bool exact() const override { return thickness_ == 0 || segments_.size() == 1; }
    Aabb levelBounds(double level) const override;
    double measureVolume() const override;

private:
    struct Segment {
        ProfilePoint start, end;
        double tangentR, tangentZ, length;     // unit tangent; the normal (tangentZ, -tangentR) points out of the solid
        ProfilePoint startNormal, endNormal;   // mean of the normals that meet there; any length
    };
    struct Run {   // of consecutive segments, skipped when its box is too far
        double minR, maxR, minZ, maxZ;
        std::size_t begin, end;
    };
    /// Half plane in cells, each with the segments that may be nearest to a point in it.
    struct Cells {
        double minZ = 0, perCellR = 0, perCellZ = 0;   // corner on the axis [m] and cells per metre
        std::vector<std::uint32_t> first, segment;     // of each cell, one past the end last
    };
    struct Nearest;

    void appendSegments(const Profile&);
    void joinNormals();
    void groupRuns();
    void fillCells();
    Nearest nearest(double r, double z) const;
    Nearest nearestOfAll(double r, double z) const;
    double thinWallVolume() const;

    std::vector<Segment> segments_;
    std::vector<Run> runs_;
    Cells cells_;
    double thickness_;
};

}  // namespace talus::geometry
