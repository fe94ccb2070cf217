// SPDX-License-Identifier: Apache-2.0
#include "nonsmooth/hourglass.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace talus::nonsmooth {
namespace {

constexpr std::size_t kCellsPerTask = 128;

/// Signs of the patterns at a corner.
constexpr std::array<int, HourglassFriction::kPatterns> signsAt(std::size_t corner) {
    const Vec3i d = cornerOffset(corner);
    const int x = 2 * d.x - 1, y = 2 * d.y - 1, z = 2 * d.z - 1;
    return {y * z, x * z, x * y, x * y * z};
}

double normSquared(const HourglassFriction::Patterns& r) { return talus::normSquared(r[0]) + talus::normSquared(r[1]) + talus::normSquared(r[2]) + talus::normSquared(r[3]); }

/// A bound of the largest eigenvalue of W_αβ = s_α s_β Σ_i Γ_αi Γ_βi/m_i: the largest sum of a row. With equal masses W is diagonal and it is exact.
double largestMobility(const std::array<double, HourglassFriction::kPatterns>& scale, const std::array<double, kCorners>& inverseMass) {
    double largest = 0;
    for (std::size_t a = 0; a < scale.size(); ++a) {
        double row = 0;
        for (std::size_t b = 0; b < scale.size(); ++b) {
            double w = 0;
            for (std::size_t k = 0; k < kCorners; ++k) w += signsAt(k)[a] * signsAt(k)[b] * inverseMass[k];
            row += scale[a] * scale[b] * std::abs(w);
        }
        largest = std::max(largest, row);
    }
    return largest;
}

}  // namespace

// c_α² = ⟨|∇h_α|²⟩ over the cell: (4/3)(1/h_y² + 1/h_z²) of ηζ and so on, (4/9)(1/h_x² + 1/h_y² + 1/h_z²) of ξηζ.
void HourglassFriction::place(const Exec& exec, const mpm::GridFrame& frame, const Grid& grid, const Points& points, const FrictionProblem& problem, std::span<const double> taken, double dt, NodeForces& bodies) {
    problem_ = &problem;
    bodies_ = &bodies;
    volumes_ = taken;
    dt_ = dt;
    extrapolation_ = 0;
    const Vec3 h = frame.spacing;
    const double x = 1 / (h.x * h.x), y = 1 / (h.y * h.y), z = 1 / (h.z * h.z);
    scale_ = {std::sqrt(4 * (y + z) / 3) / 8, std::sqrt(4 * (x + z) / 3) / 8, std::sqrt(4 * (x + y) / 3) / 8, std::sqrt(4 * (x + y + z) / 9) / 8};
    cells_.assign(grid.cells.size(), {});
    exec.forBlocks(cells_.size(), kCellsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) placeCell(points, grid, c, taken[c], dt);
    });
}

void HourglassFriction::placeCell(const Points& points, const Grid& grid, std::size_t c, double volume, double dt) {
    Cell& cell = cells_[c];
    const double pressed = trace(problem_->stress[c]) / 3;   // p Δt
    if (!(pressed > 0)) return;
    std::array<double, kCorners> inverseMass;
    for (std::size_t k = 0; k < kCorners; ++k) inverseMass[k] = problem_->nodes[grid.cellNodes[c][k]].inverseMass;
    cell.mobility = largestMobility(scale_, inverseMass);
    if (!(cell.mobility > 0)) return;
    cell.limit = std::sqrt(1.5) * problem_->friction[c] * pressed * volume;
    Mat3 gradient;
    for (std::size_t row = grid.firstRow[c]; row < grid.firstRow[c + 1]; ++row) gradient += points.gradientOf(row);
    const double sliding = 2 * strainRate(gradient) / static_cast<double>(grid.firstRow[c + 1] - grid.firstRow[c]);
    if (cell.limit > 0) cell.compliance = sliding / cell.limit;
    const auto found = std::ranges::lower_bound(keys_, gridKey(grid.cells[c]));
    if (found == keys_.end() || *found != gridKey(grid.cells[c])) return;
    const Remembered& force = remembered_[static_cast<std::size_t>(found - keys_.begin())];
    for (std::size_t a = 0; a < kPatterns; ++a) cell.impulse[a] = dt * Vec3{force[3 * a], force[3 * a + 1], force[3 * a + 2]};
    if (const double size = std::sqrt(normSquared(cell.impulse)); size > cell.limit)
        for (Vec3& r : cell.impulse) r *= cell.limit / size;
    cell.before = cell.impulse;
}

void HourglassFriction::remember(const Grid& grid) {
    keys_.clear();
    remembered_.clear();
    for (std::size_t c = 0; c < cells_.size(); ++c) {
        if (!(normSquared(cells_[c].impulse) > 0)) continue;
        keys_.push_back(gridKey(grid.cells[c]));
        Remembered& force = remembered_.emplace_back();
        for (std::size_t a = 0; a < kPatterns; ++a)
            for (int axis = 0; axis < 3; ++axis) force[3 * a + static_cast<std::size_t>(axis)] = static_cast<float>(cells_[c].impulse[a][axis] / dt_);
    }
}

// Corner 4 dx + 2 dy + dz: differences and sums along z, then along y and x.
HourglassFriction::Patterns HourglassFriction::ratesOf(std::size_t c, std::span<const Node> nodes) const {
    const std::uint32_t* corner = &problem_->pairNode[c * kCorners];
    std::array<Vec3, 4> across, along;
    for (std::size_t k = 0; k < 4; ++k) {
        const Vec3 &low = nodes[corner[2 * k]].velocity, &high = nodes[corner[2 * k + 1]].velocity;
        across[k] = high - low;
        along[k] = high + low;
    }
    const Vec3 far = across[3] - across[2], near = across[1] - across[0];
    return {scale_[0] * (far + near), scale_[1] * (across[2] + across[3] - across[0] - across[1]), scale_[2] * (along[3] - along[2] - along[1] + along[0]), scale_[3] * (far - near)};
}

/// A step down the gradient of the cell's own dual problem, ½ r·(W + κ) r + γ·r in the ball |r| ≤ limit.
HourglassFriction::Patterns HourglassFriction::solved(std::size_t c, std::span<const Node> nodes) const {
    const Cell& cell = cells_[c];
    Patterns next = ratesOf(c, nodes);
    const double step = 1 / (cell.mobility + cell.compliance);
    for (std::size_t a = 0; a < kPatterns; ++a) next[a] = cell.impulse[a] - step * (next[a] + cell.compliance * cell.impulse[a]);
    if (const double size = normSquared(next); size > cell.limit * cell.limit)
        for (Vec3& r : next) r *= cell.limit / std::sqrt(size);
    return next;
}

void HourglassFriction::give(std::size_t c, const Patterns& r, std::vector<Node>& nodes) const {
    const std::uint32_t* corner = &problem_->pairNode[c * kCorners];
    const Vec3 yz = scale_[0] * r[0], xz = scale_[1] * r[1], xy = scale_[2] * r[2], xyz = scale_[3] * r[3];
    for (std::size_t k = 0; k < 4; ++k) {
        const double x = k & 2 ? 1 : -1, y = k & 1 ? 1 : -1;
        const Vec3 odd = y * yz + x * xz + (x * y) * xyz, even = (x * y) * xy;
        Node &low = nodes[corner[2 * k]], &high = nodes[corner[2 * k + 1]];
        low.velocity += low.inverseMass * (even - odd);
        high.velocity += high.inverseMass * (even + odd);
    }
}

void HourglassFriction::push(std::vector<Node>& nodes) const {
    for (std::size_t c = 0; c < cells_.size(); ++c)
        if (cells_[c].limit > 0) give(c, cells_[c].impulse, nodes);
}

void HourglassFriction::start(std::vector<Node>& nodes) {
    bodies_->start(nodes);
    push(nodes);
}

/// From impulses that go on by `beta` of their last change, which the nodes have seen already.
void HourglassFriction::visit(std::size_t c, double beta, std::vector<Node>& nodes) {
    Cell& cell = cells_[c];
    if (!(cell.limit > 0)) return;
    for (std::size_t a = 0; a < kPatterns; ++a) {
        const Vec3 now = cell.impulse[a];
        cell.impulse[a] += beta * (now - cell.before[a]);
        cell.before[a] = now;
    }
    const Patterns next = solved(c, nodes);
    Patterns change;
    for (std::size_t a = 0; a < kPatterns; ++a) change[a] = next[a] - cell.impulse[a];
    give(c, change, nodes);
    cell.impulse = next;
}

void HourglassFriction::sweep(const Exec& exec, std::vector<Node>& nodes) {
    bodies_->sweep(exec, nodes);
    const double beta = std::exchange(extrapolation_, 0.0);
    for (const std::vector<std::uint32_t>& colour : problem_->colours)
        exec.forBlocks(colour.size(), kCellsPerTask, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) visit(colour[i], beta, nodes);
        });
}

void HourglassFriction::extrapolate(double by) {
    bodies_->extrapolate(by);
    extrapolation_ = by;
}

// As a stress, r over the volume that it acts on.
NodeForces::Residual HourglassFriction::residual(const Exec& exec, const std::vector<Node>& nodes) {
    Residual sum = bodies_->residual(exec, nodes);
    sum.squared += exec.reduce(
        cells_.size(), kCellsPerTask, 0.0,
        [&](std::size_t begin, std::size_t end) {
            double part = 0;
            for (std::size_t c = begin; c < end; ++c) {
                if (!(cells_[c].limit > 0)) continue;
                Patterns change = solved(c, nodes);
                for (std::size_t a = 0; a < kPatterns; ++a) change[a] -= cells_[c].impulse[a];
                part += normSquared(change) / (volumes_[c] * volumes_[c]);
            }
            return part;
        },
        [](double a, double b) { return a + b; });
    return sum;
}

void HourglassFriction::save(Archive& archive) const {
    std::vector<float> forces;
    for (const Remembered& force : remembered_) forces.insert(forces.end(), force.begin(), force.end());
    archive.put("cells", keys_);
    archive.put("forces", forces);
}

void HourglassFriction::load(const Archive& archive) {
    keys_.clear();
    remembered_.clear();
    if (!archive.contains("cells")) return;   // of a time before there were any
    keys_ = archive.get<std::uint64_t>("cells");
    const std::vector<float> forces = archive.get<float>("forces");
    if (forces.size() != 3 * kPatterns * keys_.size() || !std::ranges::is_sorted(keys_)) throw ArchiveError("forces within cells do not fit together");
    remembered_.resize(keys_.size());
    for (std::size_t i = 0; i < keys_.size(); ++i) std::copy_n(forces.begin() + static_cast<std::ptrdiff_t>(3 * kPatterns * i), 3 * kPatterns, remembered_[i].begin());
}

}  // namespace talus::nonsmooth
