// SPDX-License-Identifier: Apache-2.0
#include "nonsmooth/transfer.h"

#include <algorithm>
#include <cmath>

namespace talus::nonsmooth {
namespace {

constexpr std::size_t kCellsPerTask = 64;
constexpr std::size_t kNodesPerTask = 512;

bool finite(const Points& points, std::size_t row) {
    double sum = 0;
    for (int k = 0; k < 9; ++k) sum += points.gradient(row, k);
    return isFinite(points.positionOf(row)) && isFinite(points.velocityOf(row)) && std::isfinite(sum);
}

/// Adds one point to the corners of its cell.
void addPoint(const mpm::GridFrame& frame, const Points& points, std::size_t row, double crowding, const Vec3& push, CornerSums& sums) {
    const CellPlace place = placeOf(frame, points.positionOf(row));
    const Trilinear t(place.fraction, frame.spacing);
    const Mat3 c = points.gradientOf(row);
    const Vec3 v = points.velocityOf(row) + push;
    for (std::size_t corner = 0; corner < kCorners; ++corner) {
        const Vec3i d = cornerOffset(corner);
        const Vec3 arm = componentProduct(frame.spacing, Vec3{d.x - place.fraction.x, d.y - place.fraction.y, d.z - place.fraction.z});
        const double m = points.mass(row) * t.weight[corner];
        sums.mass[corner] += m;
        sums.momentum[corner] += m * (v + c * arm);
        sums.taken[corner] += crowding * points.volume(row) * t.weight[corner];
    }
}

/// What world.forces do to the velocity of a point in the step. Steps are long here and drag is of first order in time, so it is
/// taken in pieces.
Vec3 pushOn(const Points& points, std::size_t row, const world::World& world, double dt) {
    constexpr double kLongestPiece = 2.5e-4;   // [s]
    const int pieces = static_cast<int>(std::clamp(std::ceil(dt / kLongestPiece), 1.0, 100.0));
    const double part = dt / pieces;
    Vec3 push;
    for (int i = 0; i < pieces; ++i) {
        const Vec3 v = points.velocityOf(row) + push + (i * part) * world.gravity;
        push += world.forces.velocityChange(world.materials[static_cast<std::size_t>(points.material(row))], points.positionOf(row), v, world.gravity, world.time + i * part, part);
    }
    return push;
}

/// Sums of corners to nodes, in the order of corners.
void gatherNodes(const Exec& exec, const Grid& grid, std::span<const CornerSums> corners, const Vec3& gravityPush, Transferred& result) {
    result.mass.resize(grid.nodes.size());
    result.velocity.resize(grid.nodes.size());
    result.taken.resize(grid.nodes.size());
    exec.forBlocks(grid.nodes.size(), kNodesPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t n = begin; n < end; ++n) {
            double mass = 0, taken = 0;
            Vec3 momentum;
            for (std::size_t corner = 0; corner < kCorners; ++corner) {
                const std::int32_t cell = grid.nodeCells[n][corner];
                if (cell < 0) continue;
                const CornerSums& sums = corners[static_cast<std::size_t>(cell)];
                mass += sums.mass[corner];
                momentum += sums.momentum[corner];
                taken += sums.taken[corner];
            }
            result.mass[n] = mass;
            result.taken[n] = taken;
            result.velocity[n] = momentum / mass + gravityPush;
        }
    });
}

}  // namespace

// I = 2 d |ε̇| / √(P/ρ) with P = crowding tr λ/3 the total pressure. Nothing presses and nothing moves: at rest.
double Rheology::frictionAt(const Points& points, std::size_t row) const {
    if (fastFriction == friction) return friction;
    const double rate = inertia * strainRate(points.gradientOf(row)), root = std::sqrt(std::max(0.0, crowding * trace(points.stressOf(row)) / 3));
    return rate > 0 ? friction + (fastFriction - friction) * rate / (rate + root) : friction;
}

Transferred toGrid(const Exec& exec, const mpm::GridFrame& frame, const Grid& grid, const Points& points, std::span<const Rheology> rheology, const world::World& world, double dt) {
    Transferred result;
    std::vector<CornerSums> corners(grid.cells.size());
    const bool pushed = world.forces.any();
    constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
    const std::int64_t bad = exec.reduce(
        grid.cells.size(), kCellsPerTask, kNone,
        [&](std::size_t begin, std::size_t end) {
            std::int64_t firstBad = kNone;
            for (std::size_t c = begin; c < end; ++c)
                for (std::size_t row = grid.firstRow[c]; row < grid.firstRow[c + 1]; ++row) {
                    if (!finite(points, row)) firstBad = std::min(firstBad, static_cast<std::int64_t>(row));
                    addPoint(frame, points, row, rheology[static_cast<std::size_t>(points.material(row))].crowding, pushed ? pushOn(points, row, world, dt) : Vec3{}, corners[c]);
                }
            return firstBad;
        },
        [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
    result.badRow = bad == kNone ? -1 : bad;
    gatherNodes(exec, grid, corners, dt * world.gravity, result);
    return result;
}

namespace {

/// Colours of a coordinate along an axis so that two sites whose coordinates differ by at most `reach` never share one.
int colourAlong(int c, int reach, int period) {
    const int colours = reach + 1;
    if (period == 0) return ((c % colours) + colours) % colours;
    const int rest = period % colours, whole = period - rest;   // a period that is no multiple of it: its last ones get colours of their own
    return c < whole ? c % colours : colours + (c - whole);
}

std::vector<std::vector<std::uint32_t>> colourSites(const mpm::GridFrame& frame, const std::vector<Vec3i>& sites, int reach) {
    const int most = 2 * reach + 1;
    std::vector<std::vector<std::uint32_t>> colours(static_cast<std::size_t>(most * most * most));
    for (std::size_t j = 0; j < sites.size(); ++j) {
        int colour = 0;
        for (int axis = 0; axis < 3; ++axis) colour = most * colour + colourAlong(sites[j][axis], reach, periodCells(frame, axis));
        colours[static_cast<std::size_t>(colour)].push_back(static_cast<std::uint32_t>(j));
    }
    std::erase_if(colours, [](const auto& colour) { return colour.empty(); });
    return colours;
}

/// Mean of a quantity over what is in a site.
struct SiteSums {
    double taken = 0, friction = 0;
    SymTensor stress;
    void add(double volume, double mu, const SymTensor& s) {
        taken += volume;
        friction += volume * mu;
        stress += volume * s;
    }
};

void setSite(const SiteSums& sums, double dt, std::size_t j, FrictionProblem& problem, std::vector<double>& taken) {
    taken[j] = sums.taken;
    problem.friction[j] = sums.friction / sums.taken;
    problem.stress[j] = (dt / sums.taken) * sums.stress;
}

void resize(std::size_t sites, std::size_t width, FrictionProblem& problem, std::vector<double>& taken) {
    problem.width = width;
    problem.pairNode.resize(width * sites);
    problem.pairVector.resize(width * sites);
    problem.friction.resize(sites);
    problem.slack.assign(sites, 0);
    problem.stress.resize(sites);
    taken.assign(sites, 0);
}

/// 0 where a node of the cell has little around it, 1 where none has. Without `fullness` 0.
double evenness(const Grid& grid, std::span<const double> fullness, std::size_t cell) {
    constexpr double kNearlyEmpty = 0.2, kFullEnough = 0.4;   // a node of a free surface is half full
    if (fullness.empty()) return 0;
    double least = 1;
    for (const std::uint32_t n : grid.cellNodes[cell]) least = std::min(least, fullness[n]);
    return std::clamp((least - kNearlyEmpty) / (kFullEnough - kNearlyEmpty), 0.0, 1.0);
}

// One tensor a cell: g_ji = Σ_p V_p ∇N_i over the points of the cell. Where points lie by chance the sums of neighbours do not cancel under
// a constant stress: a force as large as the stress itself, not its gradient, that lowers the slope at which deep layers stand. So a cell
// that grains fill takes them as spread evenly.
void assembleConstant(const Exec& exec, const mpm::GridFrame& frame, const Grid& grid, const Points& points, std::span<const Rheology> rheology, std::span<const double> fullness, double dt, FrictionProblem& problem,
                      std::vector<double>& taken) {
    resize(grid.cells.size(), kCorners, problem, taken);
    const Trilinear middle({0.5, 0.5, 0.5}, frame.spacing);
    exec.forBlocks(grid.cells.size(), kCellsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) {
            SiteSums sums;
            Vec3* g = &problem.pairVector[c * kCorners];
            std::fill_n(g, kCorners, Vec3{});
            for (std::size_t row = grid.firstRow[c]; row < grid.firstRow[c + 1]; ++row) {
                const Rheology& r = rheology[static_cast<std::size_t>(points.material(row))];
                const Trilinear t(placeOf(frame, points.positionOf(row)).fraction, frame.spacing);
                const double volume = r.crowding * points.volume(row);
                for (std::size_t corner = 0; corner < kCorners; ++corner) g[corner] += volume * t.gradient[corner];
                sums.add(volume, r.frictionAt(points, row), points.stressOf(row));
            }
            const double even = evenness(grid, fullness, c);
            for (std::size_t corner = 0; corner < kCorners; ++corner) g[corner] += even * (sums.taken * middle.gradient[corner] - g[corner]);
            std::copy(grid.cellNodes[c].begin(), grid.cellNodes[c].end(), problem.pairNode.begin() + static_cast<std::ptrdiff_t>(c * kCorners));
            setSite(sums, dt, c, problem, taken);
        }
    });
    problem.colours = colourSites(frame, grid.cells, 1);
}

// Trilinear between nodes: g_ji = Σ_p V_p N_j ∇N_i over the points of the cells that j and i share; i is one of 27.
void assembleTrilinear(const Exec& exec, const mpm::GridFrame& frame, const Grid& grid, const Points& points, std::span<const Rheology> rheology, double dt, FrictionProblem& problem,
                       std::vector<double>& taken) {
    constexpr std::size_t kWidth = 27;
    resize(grid.nodes.size(), kWidth, problem, taken);
    exec.forBlocks(grid.nodes.size(), kCellsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t j = begin; j < end; ++j) {
            SiteSums sums;
            Vec3* g = &problem.pairVector[j * kWidth];
            std::fill_n(g, kWidth, Vec3{});
            std::fill_n(problem.pairNode.begin() + static_cast<std::ptrdiff_t>(j * kWidth), kWidth, static_cast<std::uint32_t>(j));
            for (std::size_t own = 0; own < kCorners; ++own) {
                if (grid.nodeCells[j][own] < 0) continue;
                const auto c = static_cast<std::size_t>(grid.nodeCells[j][own]);
                const Vec3i from = cornerOffset(own);
                std::array<std::size_t, kCorners> pair;
                for (std::size_t corner = 0; corner < kCorners; ++corner) {
                    const Vec3i d = cornerOffset(corner) - from;
                    pair[corner] = static_cast<std::size_t>((d.x + 1) * 9 + (d.y + 1) * 3 + d.z + 1);
                    problem.pairNode[j * kWidth + pair[corner]] = grid.cellNodes[c][corner];
                }
                for (std::size_t row = grid.firstRow[c]; row < grid.firstRow[c + 1]; ++row) {
                    const Rheology& r = rheology[static_cast<std::size_t>(points.material(row))];
                    const Trilinear t(placeOf(frame, points.positionOf(row)).fraction, frame.spacing);
                    const double volume = r.crowding * points.volume(row) * t.weight[own];
                    for (std::size_t corner = 0; corner < kCorners; ++corner) g[pair[corner]] += volume * t.gradient[corner];
                    sums.add(volume, r.frictionAt(points, row), points.stressOf(row));
                }
            }
            setSite(sums, dt, j, problem, taken);
        }
    });
    problem.colours = colourSites(frame, grid.nodes, 2);
}

}  // namespace

std::vector<double> assemble(const Exec& exec, const mpm::GridFrame& frame, const Grid& grid, const Points& points, std::span<const Rheology> rheology, StressBasis basis, std::span<const double> fullness, double dt,
                 FrictionProblem& problem) {
    std::vector<double> taken;
    if (basis == StressBasis::constant) assembleConstant(exec, frame, grid, points, rheology, fullness, dt, problem, taken);
    else assembleTrilinear(exec, frame, grid, points, rheology, dt, problem, taken);
    return taken;
}

}  // namespace talus::nonsmooth
