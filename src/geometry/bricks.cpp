// SPDX-License-Identifier: Apache-2.0
#include "geometry/bricks.h"

#include "core/wide.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::geometry {
namespace {

constexpr std::size_t kLanes = 8;
constexpr double kVanished = 0.05;   // length of a gradient: opposite ones meet in the cell, on the medial axis
constexpr int kRow = Bricks::kNodes * 4, kLayer = Bricks::kNodes * kRow;   // floats to the next node along y and z

double distanceToBox(const Vec3& p, const Aabb& box) { return norm(max(max(box.min - p, p - box.max), Vec3{})); }

using Q = Quad<float>;   // (gradient, distance) of a node
[[gnu::always_inline]] inline Q lerp(const Q& a, const Q& b, const Q& t) { return mulAdd(t, b - a, a); }

/// What the eight corners of a cell say at (x, y, z) in it: gradient and distance by plain interpolation, and by how much
/// each component of the gradient changes across the cell along its own axis.
struct Interpolated {
    Q blend, across;
};
struct Components {
    alignas(16) static constexpr std::array<float, 4> kX{1, 0, 0, 0}, kY{0, 1, 0, 0};
    Q::Mask x = Q::load(kX.data()) > Q(0.0F), y = Q::load(kY.data()) > Q(0.0F);
};
[[gnu::always_inline]] inline Interpolated interpolate(const float* c, float x, float y, float z, const Components& component) {
    const Q tx(x), ty(y), tz(z);
    const Q c000 = Q::loadUnaligned(c), c100 = Q::loadUnaligned(c + 4);
    const Q c010 = Q::loadUnaligned(c + kRow), c110 = Q::loadUnaligned(c + kRow + 4);
    const Q c001 = Q::loadUnaligned(c + kLayer), c101 = Q::loadUnaligned(c + kLayer + 4);
    const Q c011 = Q::loadUnaligned(c + kLayer + kRow), c111 = Q::loadUnaligned(c + kLayer + kRow + 4);
    const Q x00 = c100 - c000, x10 = c110 - c010, x01 = c101 - c001, x11 = c111 - c011;
    const Q a00 = mulAdd(tx, x00, c000), a10 = mulAdd(tx, x10, c010), a01 = mulAdd(tx, x01, c001), a11 = mulAdd(tx, x11, c011);
    const Q y0 = a10 - a00, y1 = a11 - a01;
    const Q b0 = mulAdd(ty, y0, a00), b1 = mulAdd(ty, y1, a01);
    const Q alongX = lerp(lerp(x00, x10, ty), lerp(x01, x11, ty), tz), alongY = lerp(y0, y1, tz), alongZ = b1 - b0;
    return {mulAdd(tz, alongZ, b0), select(component.x, alongX, select(component.y, alongY, alongZ))};
}

}  // namespace

/// A cell and the place in it.
struct Bricks::Place {
    const float* cell;
    Vec3f t;
};

Bricks::Bricks(const Exec& exec, const Aabb& box, double voxel, double band, Exact exact) : box_(box), voxel_(voxel), perVoxel_(1 / voxel), band_(band), halfVoxel_(static_cast<float>(0.5 * voxel)) {
    const double margin = band + voxel;
    origin_ = box.min - Vec3{margin, margin, margin};
    for (int axis = 0; axis < 3; ++axis) size_[axis] = static_cast<int>(std::ceil((box.size()[axis] + 2 * margin) / (kCells * voxel)));
    chooseBricks(exec, exact);
    sample(exec, exact);
}

double Bricks::gridSize(const Aabb& box, double voxel, double band) {
    double bricks = 1;
    for (int axis = 0; axis < 3; ++axis) bricks *= std::ceil((box.size()[axis] + 2 * (band + voxel)) / (kCells * voxel));
    return bricks;
}

Vec3 Bricks::cornerOf(std::size_t brick) const {
    const auto nx = static_cast<std::size_t>(size_.x), ny = static_cast<std::size_t>(size_.y);
    const Vec3 index{static_cast<double>(brick % nx), static_cast<double>(brick / nx % ny), static_cast<double>(brick / (nx * ny))};
    return origin_ + kCells * voxel_ * index;
}

void Bricks::chooseBricks(const Exec& exec, Exact exact) {
    const double half = 0.5 * kCells * voxel_, reach = half * std::sqrt(3.0);   // from the centre to a corner
    far_.resize(static_cast<std::size_t>(size_.x) * static_cast<std::size_t>(size_.y) * static_cast<std::size_t>(size_.z));
    constexpr std::int32_t kNear = 0;
    exec.forBlocks(far_.size(), 64, [&](std::size_t begin, std::size_t end) {
        double within = std::numeric_limits<double>::infinity();
        for (std::size_t b = begin; b < end; ++b) {
            const bool sameRow = b % static_cast<std::size_t>(size_.x) != 0;
            const Surface s = exact(cornerOf(b) + Vec3{half, half, half}, sameRow ? within : std::numeric_limits<double>::infinity());
            within = std::abs(s.distance) + 2 * half * (1 + 1e-9);
            const bool near = std::abs(s.distance) - reach <= band_ * (1 + 1e-9);
            const auto part = [](double x) { return static_cast<float>(x); };
            far_[b] = {near ? kNear : s.distance < 0 ? kInside : kOutside, {part(s.normal.x), part(s.normal.y), part(s.normal.z)}};
        }
    });
    for (std::size_t b = 0; b < far_.size(); ++b)
        if (far_[b].brick == kNear) {
            far_[b].brick = static_cast<std::int32_t>(grid_.size());
            grid_.push_back(static_cast<std::uint32_t>(b));
        }
}

void Bricks::sample(const Exec& exec, Exact exact) {
    samples_.resize(grid_.size() * kFloats);
    exec.forTasks(grid_.size(), [&](std::size_t brick, int) {
        const Vec3 corner = cornerOf(grid_[brick]);
        float* out = &samples_[brick * kFloats];
        double within = std::numeric_limits<double>::infinity();
        for (int n = 0; n < kNodes * kNodes * kNodes; ++n, out += 4) {
            const int k = n / (kNodes * kNodes), j = n / kNodes % kNodes, i = n % kNodes;
            const Surface s = exact(corner + voxel_ * Vec3{double(i), double(j), double(k)}, i == 0 ? std::numeric_limits<double>::infinity() : within);
            within = std::abs(s.distance) + voxel_ * (1 + 1e-9);
            out[0] = static_cast<float>(s.normal.x);
            out[1] = static_cast<float>(s.normal.y);
            out[2] = static_cast<float>(s.normal.z);
            out[3] = static_cast<float>(s.distance);
        }
    });
}

bool Bricks::inGrid(const Vec3& g) const {   // false for a NaN too
    return g.x >= 0 && g.y >= 0 && g.z >= 0 && g.x < kCells * size_.x && g.y < kCells * size_.y && g.z < kCells * size_.z;
}

Surface Bricks::beyond(const Vec3& p, const Far* far) const {
    const Vec3 outside = max(max(box_.min - p, p - box_.max), Vec3{});
    const double toBox = norm(outside);
    const Vec3 farNormal = far == nullptr ? Vec3{} : normalized(Vec3{double(far->normal.x), double(far->normal.y), double(far->normal.z)});
    if (far != nullptr && far->brick == kInside) return {-band_, farNormal};
    if (toBox > band_ || far == nullptr) {
        const Vec3 direction{p.x < box_.min.x ? -outside.x : outside.x, p.y < box_.min.y ? -outside.y : outside.y,
                             p.z < box_.min.z ? -outside.z : outside.z};
        return {std::max(toBox, band_), normalized(direction)};
    }
    return {band_, farNormal};
}

/// The place of the point in its cell; no cell where it lies in an empty brick, or outside the grid, where far is null too.
Bricks::Place Bricks::find(const Vec3& p, const Far*& far) const {
    const Vec3 g = (p - origin_) * perVoxel_;
    far = nullptr;
    if (!inGrid(g)) return {nullptr, {}};
    const Vec3i cell{static_cast<int>(g.x), static_cast<int>(g.y), static_cast<int>(g.z)};   // not negative: shift and mask
    constexpr int kShift = 3, kMask = kCells - 1;
    static_assert(1 << kShift == kCells);
    far = &far_[static_cast<std::size_t>(((cell.z >> kShift) * size_.y + (cell.y >> kShift)) * size_.x + (cell.x >> kShift))];
    if (far->brick < 0) return {nullptr, {}};
    const int node = (cell.z & kMask) * kLayer + (cell.y & kMask) * kRow + (cell.x & kMask) * 4;
    return {&samples_[static_cast<std::size_t>(far->brick) * kFloats] + node,
            {static_cast<float>(g.x - cell.x), static_cast<float>(g.y - cell.y), static_cast<float>(g.z - cell.z)}};
}

Surface Bricks::at(const Vec3& p) const {
    const Far* far = nullptr;
    const auto [cell, t] = find(p, far);
    if (cell == nullptr) return beyond(p, far);
    const Interpolated q = interpolate(cell, t.x, t.y, t.z, Components());
    alignas(16) std::array<float, 4> blend, across;
    q.blend.store(blend.data()), q.across.store(across.data());
    const float correction = t.x * (1 - t.x) * across[0] + t.y * (1 - t.y) * across[1] + t.z * (1 - t.z) * across[2];
    const Vec3 gradient{double(blend[0]), double(blend[1]), double(blend[2])};
    const double length = norm(gradient), value = cutOff(p, blend[3] - halfVoxel_ * correction);
    return length < kVanished ? onMedialAxis(value, cell) : Surface{value, gradient / length};
}

/// Distance beyond the band is that of beyond(); outside the box it is at least that to the box.
double Bricks::cutOff(const Vec3& p, float value) const {
    const double distance = std::clamp(double(value), -band_, band_);
    return box_.contains(p) ? distance : std::max(distance, distanceToBox(p, box_));
}

Surface Bricks::onMedialAxis(double value, const float* cell) {
    return {value, normalized(Vec3{double(cell[0]), double(cell[1]), double(cell[2])})};
}

void Bricks::at(std::span<const Vec3> points, std::span<Surface> out) const {
    std::size_t i = 0;
    for (; i + kLanes <= points.size(); i += kLanes) eight(&points[i], &out[i]);
    for (; i < points.size(); ++i) out[i] = at(points[i]);
}

void Bricks::eight(const Vec3* points, Surface* out) const {
    std::array<const float*, kLanes> cells;
    alignas(32) std::array<float, kLanes> tx, ty, tz, values;
    const Far* far = nullptr;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const auto [cell, t] = find(points[lane], far);
        if (cell == nullptr) {
            for (lane = 0; lane < kLanes; ++lane) out[lane] = at(points[lane]);
            return;
        }
        cells[lane] = cell, tx[lane] = t.x, ty[lane] = t.y, tz[lane] = t.z;
    }
    alignas(32) std::array<float, 4 * kLanes> blend, across;
    const Components component;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const Interpolated q = interpolate(cells[lane], tx[lane], ty[lane], tz[lane], component);
        q.blend.store(&blend[4 * lane]), q.across.store(&across[4 * lane]);
    }
    using W = Wide<float>;
    W gx, gy, gz, value, xx, yy, zz, unused;
    loadInterleaved(across.data(), xx, yy, zz, unused);
    loadInterleaved(blend.data(), gx, gy, gz, value);
    const W a = W::load(tx.data()), b = W::load(ty.data()), c = W::load(tz.data()), one(1.0F);
    const W correction = a * (one - a) * xx + b * (one - b) * yy + c * (one - c) * zz;
    (value - W(halfVoxel_) * correction).store(values.data());

    const Wide<double> nx = convert<double>(gx), ny = convert<double>(gy), nz = convert<double>(gz);
    const Wide<double> length = sqrt(nx * nx + ny * ny + nz * nz);
    alignas(64) std::array<double, kLanes> lengths, ux, uy, uz;
    length.store(lengths.data()), (nx / length).store(ux.data()), (ny / length).store(uy.data()), (nz / length).store(uz.data());
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const double distance = cutOff(points[lane], values[lane]);
        out[lane] = lengths[lane] < kVanished ? onMedialAxis(distance, cells[lane]) : Surface{distance, {ux[lane], uy[lane], uz[lane]}};
    }
}

}  // namespace talus::geometry
