// SPDX-License-Identifier: Apache-2.0
#include "geometry/lathe.h"

#include "geometry/primitives.h"

#include <limits>
#include <numbers>

namespace talus::geometry {
namespace {

using std::numbers::pi;

constexpr int kCellsAlong = 64;   // of Lathe::Cells, both ways

ProfilePoint operator+(ProfilePoint a, ProfilePoint b) { return {a.radius + b.radius, a.height + b.height}; }
ProfilePoint operator-(ProfilePoint a, ProfilePoint b) { return {a.radius - b.radius, a.height - b.height}; }
ProfilePoint operator*(double s, ProfilePoint a) { return {s * a.radius, s * a.height}; }
double cross(ProfilePoint a, ProfilePoint b) { return a.radius * b.height - a.height * b.radius; }
double length(ProfilePoint a) { return std::hypot(a.radius, a.height); }

/// The outline of the solid: the profile with its ends drawn to the axis.
Profile outline(const Profile& profile) {
    Profile points;
    if (profile.front().radius > 0) points.push_back({0, profile.front().height});
    points.insert(points.end(), profile.begin(), profile.end());
    if (profile.back().radius > 0) points.push_back({0, profile.back().height});
    return points;
}

/// Twice the area between outline and axis, positive where the solid is to the left of the curve.
double signedArea(const Profile& points) {
    double sum = 0;
    for (std::size_t i = 1; i < points.size(); ++i) sum += cross(points[i - 1], points[i]);
    return sum;
}

/// Tangent of the spline at b, per unit of the parameter in which b to c takes `bc`.
ProfilePoint splineTangent(ProfilePoint a, ProfilePoint b, ProfilePoint c, double ab, double bc) {
    return (1 / ab) * (b - a) - (1 / (ab + bc)) * (c - a) + (1 / bc) * (c - b);
}

}  // namespace

Profile smoothed(const Profile& given, double tolerance) {
    Profile points{given.front()};
    for (const ProfilePoint& p : given)
        if (!(p == points.back())) points.push_back(p);
    if (points.size() < 3) return points;

    const auto beyond = [](ProfilePoint end, ProfilePoint next) {
        return end.radius == 0 ? ProfilePoint{-next.radius, next.height} : 2.0 * end - next;
    };
    const std::size_t last = points.size() - 1;
    Profile curve{points.front()};
    for (std::size_t i = 0; i < last; ++i) {
        const ProfilePoint p0 = i > 0 ? points[i - 1] : beyond(points[0], points[1]), p1 = points[i], p2 = points[i + 1];
        const ProfilePoint p3 = i + 2 <= last ? points[i + 2] : beyond(points[last], points[last - 1]);
        const double t01 = std::sqrt(length(p1 - p0)), t12 = std::sqrt(length(p2 - p1)), t23 = std::sqrt(length(p3 - p2));
        // As a Bézier curve b0…b3; n chords stay within max|second difference| 6/8/n² of it [Wang1984].
        const ProfilePoint b1 = p1 + (t12 / 3) * splineTangent(p0, p1, p2, t01, t12);
        const ProfilePoint b2 = p2 - (t12 / 3) * splineTangent(p1, p2, p3, t12, t23);
        const double bend = std::max(length(p1 - 2.0 * b1 + b2), length(b1 - 2.0 * b2 + p2));
        const int chords = std::max(1, static_cast<int>(std::ceil(std::sqrt(0.75 * bend / tolerance))));
        for (int k = 1; k < chords; ++k) {
            const double t = static_cast<double>(k) / chords, s = 1 - t;
            const ProfilePoint p = s * s * s * p1 + 3 * s * s * t * b1 + 3 * s * t * t * b2 + t * t * t * p2;
            curve.push_back({std::max(p.radius, 0.0), p.height});
        }
        curve.push_back(p2);
    }
    return curve;
}

bool crossesItself(const Profile& profile) {
    const Profile p = outline(profile);
    const auto side = [](ProfilePoint a, ProfilePoint b, ProfilePoint c) { return cross(b - a, c - a); };
    for (std::size_t i = 1; i < p.size(); ++i)
        for (std::size_t j = i + 2; j < p.size(); ++j)
            if (side(p[i - 1], p[i], p[j - 1]) * side(p[i - 1], p[i], p[j]) < 0 &&
                side(p[j - 1], p[j], p[i - 1]) * side(p[j - 1], p[j], p[i]) < 0)
                return true;
    return false;
}

Lathe::Lathe(const Profile& profile, double thickness) : thickness_(thickness) {
    Profile points = thickness > 0 ? profile : outline(profile);
    if (signedArea(points) < 0) std::reverse(points.begin(), points.end());
    appendSegments(points);
    joinNormals();
    groupRuns();
    fillCells();
}

void Lathe::appendSegments(const Profile& points) {
    for (std::size_t i = 1; i < points.size(); ++i) {
        const ProfilePoint a = points[i - 1], b = points[i], along = b - a;
        const bool onAxis = a.radius == 0 && b.radius == 0 && thickness_ == 0;   // inside the solid or nowhere near it
        if (a == b || onAxis) continue;
        const double span = length(along);
        segments_.push_back({a, b, along.radius / span, along.height / span, span, {}, {}});
    }
}

void Lathe::joinNormals() {
    // A point nearest to a vertex is outside if it is on the side of the mean normal [Baerentzen2005], whose radial part the
    // mirror image cancels on the axis.
    const auto normal = [](const Segment& s) { return ProfilePoint{s.tangentZ, -s.tangentR}; };
    const auto joined = [](ProfilePoint at, ProfilePoint n) { return ProfilePoint{at.radius > 0 ? n.radius : 0, n.height}; };
    for (std::size_t i = 0; i < segments_.size(); ++i) {
        Segment& s = segments_[i];
        const bool follows = i > 0 && segments_[i - 1].end == s.start;
        s.startNormal = follows ? segments_[i - 1].endNormal : joined(s.start, normal(s));
        const bool continues = i + 1 < segments_.size() && segments_[i + 1].start == s.end;
        s.endNormal = joined(s.end, continues ? normal(s) + normal(segments_[i + 1]) : normal(s));
    }
}

void Lathe::groupRuns() {
    constexpr std::size_t kRun = 8;
    for (std::size_t begin = 0; begin < segments_.size(); begin += kRun) {
        const std::size_t end = std::min(begin + kRun, segments_.size());
        const ProfilePoint first = segments_[begin].start;
        Run run{first.radius, first.radius, first.height, first.height, begin, end};
        for (std::size_t i = begin; i < end; ++i)
            for (const ProfilePoint& p : {segments_[i].start, segments_[i].end}) {
                run.minR = std::min(run.minR, p.radius);
                run.maxR = std::max(run.maxR, p.radius);
                run.minZ = std::min(run.minZ, p.height);
                run.maxZ = std::max(run.maxZ, p.height);
            }
        runs_.push_back(run);
    }
}

struct Lathe::Nearest {
    double square = std::numeric_limits<double>::infinity();   // of the distance [m²]
    const Segment* segment = nullptr;
    double along = 0, across = 0;   // coordinates of the point in the frame of the segment's start

    void consider(const Segment& s, double r, double z) {
        const double dr = r - s.start.radius, dz = z - s.start.height;
        const double a = dr * s.tangentR + dz * s.tangentZ, c = dr * s.tangentZ - dz * s.tangentR;
        const double past = a - std::clamp(a, 0.0, s.length);
        if (const double here = past * past + c * c; here < square) *this = {here, &s, a, c};
    }
};

// A point of a cell is at most δ from its middle, so its nearest segment is at most 2δ further from there than the nearest one.
void Lathe::fillCells() {
    constexpr double kMargin = 0.2;   // of the size, around the profile
    if (runs_.empty()) return;   // nothing but axis
    Run all = runs_.front();
    for (const Run& run : runs_) all = {0, std::max(all.maxR, run.maxR), std::min(all.minZ, run.minZ), std::max(all.maxZ, run.maxZ), 0, 0};
    const double margin = kMargin * std::max(all.maxR, all.maxZ - all.minZ);
    const double sizeR = all.maxR + margin, sizeZ = all.maxZ - all.minZ + 2 * margin;
    cells_ = {all.minZ - margin, kCellsAlong / sizeR, kCellsAlong / sizeZ, {0}, {}};
    const double reach = std::hypot(sizeR, sizeZ) / kCellsAlong;
    for (int i = 0; i < kCellsAlong; ++i)
        for (int j = 0; j < kCellsAlong; ++j) {
            const double r = (i + 0.5) / cells_.perCellR, z = cells_.minZ + (j + 0.5) / cells_.perCellZ;
            const double within = std::sqrt(nearestOfAll(r, z).square) + reach;
            for (std::size_t k = 0; k < segments_.size(); ++k) {
                Nearest one;
                one.consider(segments_[k], r, z);
                if (one.square <= within * within) cells_.segment.push_back(static_cast<std::uint32_t>(k));
            }
            cells_.first.push_back(static_cast<std::uint32_t>(cells_.segment.size()));
        }
}

Lathe::Nearest Lathe::nearest(double r, double z) const {
    const double i = r * cells_.perCellR, j = (z - cells_.minZ) * cells_.perCellZ;
    if (!(i < kCellsAlong && j >= 0 && j < kCellsAlong)) return nearestOfAll(r, z);
    const auto cell = static_cast<std::size_t>(static_cast<int>(i) * kCellsAlong + static_cast<int>(j));
    Nearest best;
    for (std::uint32_t k = cells_.first[cell]; k < cells_.first[cell + 1]; ++k) best.consider(segments_[cells_.segment[k]], r, z);
    return best;
}

Lathe::Nearest Lathe::nearestOfAll(double r, double z) const {
    const auto squareTo = [r, z](const Run& run) {
        const double awayR = std::max({run.minR - r, r - run.maxR, 0.0}), awayZ = std::max({run.minZ - z, z - run.maxZ, 0.0});
        return awayR * awayR + awayZ * awayZ;
    };
    Nearest best;
    const auto search = [&](const Run& run) {
        for (std::size_t i = run.begin; i < run.end; ++i) best.consider(segments_[i], r, z);
    };
    const Run* first = &runs_.front();   // the run whose box is nearest, so that most of the others are skipped
    double least = std::numeric_limits<double>::infinity();
    for (const Run& run : runs_)
        if (const double square = squareTo(run); square < least) {
            least = square;
            first = &run;
        }
    search(*first);
    for (const Run& run : runs_)
        if (&run != first && squareTo(run) < best.square) search(run);
    return best;
}

Surface Lathe::surface(const Vec3& p) const {
    const double r = axisDistance(p);
    const Nearest near = nearest(r, p.z);
    const Segment& s = *near.segment;
    double distance = near.across, normalR = s.tangentZ, normalZ = -s.tangentR;
    if (near.along < 0 || near.along > s.length) {
        const ProfilePoint vertex = near.along < 0 ? s.start : s.end;
        const ProfilePoint mean = near.along < 0 ? s.startNormal : s.endNormal;
        const double dr = r - vertex.radius, dz = p.z - vertex.height, away = std::hypot(dr, dz);
        distance = std::copysign(away, dr * mean.radius + dz * mean.height);
        if (away > 0) {
            normalR = dr / distance;
            normalZ = dz / distance;
        }
    }
    if (thickness_ > 0) {   // away from the curve on both sides
        if (distance < 0) {
            normalR = -normalR;
            normalZ = -normalZ;
        }
        distance = std::abs(distance) - 0.5 * thickness_;
    }
    return {distance, fromMeridian(p, normalR, normalZ)};
}

Aabb Lathe::levelBounds(double level) const {
    Aabb box;
    for (const Run& run : runs_) {
        box.extend({-run.maxR, -run.maxR, run.minZ});
        box.extend({run.maxR, run.maxR, run.maxZ});
    }
    return grown(box, 0.5 * thickness_ + level);
}

double Lathe::measureVolume() const {
    constexpr double kThin = 0.01;   // of the extent: below it the cells of the quadrature would be too coarse
    if (thickness_ > 0) return thickness_ < kThin * maxComponent(bounds().size()) ? thinWallVolume() : Shape::measureVolume();
    double sum = 0;   // ∮ π r² dz
    for (const Segment& s : segments_) {
        const double a = s.start.radius, b = s.end.radius;
        sum += pi / 3 * (a * a + a * b + b * b) * (s.end.height - s.start.height);
    }
    return sum;
}

double Lathe::thinWallVolume() const {
    // Pappus: 2π r per area of the wall's section. A bend by β loses h² tan(β/2) on its inner side and gains h² β/2 on its
    // outer one, h = thickness/2; a free end is half a disc.
    const double half = 0.5 * thickness_;
    double sum = 0.5 * pi * half * half * (segments_.front().start.radius + segments_.back().end.radius);
    for (std::size_t i = 0; i < segments_.size(); ++i) {
        const Segment& s = segments_[i];
        sum += (s.start.radius + s.end.radius) * half * s.length;
        if (i + 1 == segments_.size()) continue;
        const Segment& next = segments_[i + 1];
        const double bend = std::acos(std::clamp(s.tangentR * next.tangentR + s.tangentZ * next.tangentZ, -0.999, 1.0));
        sum += s.end.radius * half * half * (0.5 * bend - std::tan(0.5 * bend));
    }
    return 2 * pi * sum;
}

}  // namespace talus::geometry
