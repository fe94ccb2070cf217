// SPDX-License-Identifier: Apache-2.0
// Volumes that points believe in and volumes that they have. A point knows its volume, V⁰ exp(tr H + v_c), from the gradients it
// has moved with; what the grid cannot see is missing from it. Above all, points that land one by one on a heap come to rest on
// its nodes before they have closed up with it: poured sand then lay at half to two thirds of its density, bearing load.
// Where the points around a node well inside the sand fill less than its cell, v_c grows, and they close up before they press;
// where they fill more, what is left of v_c goes, both over the settling time. Points that long shear has crowded have no v_c left:
// it falls below zero, which the next projection turns into pressure. Little by little, because pressure that differs from point to point
// makes the flow too fast, and only as they go on being sheared: sand at rest stays at rest.
#include "core/wide_mat.h"
#include "elastoplastic/method.h"
#include "elastoplastic/sand.h"
#include "mpm/transfer.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace talus::elastoplastic {
namespace {

/// Volumes are matched so many times in a settling time: seldom enough to cost little.
constexpr double kMatchesPerTime = 8;
/// Part of what is crowded that moves apart while points are sheared by 1. A layer of 10 cells that flows down a slope with μ(I), started
/// jittered, has 0.80 of its height and 0.77 of its mean speed after 4 s with 0, 0.93 and 1.00 with 0.05, 0.96 and 1.13 with 0.2.
constexpr double kApart = 0.2;
/// And at most so much of it between two matches, of this excess at most: in spray, points with a large v_c fill nodes many times over.
constexpr double kMostApart = 0.05, kMostCrowded = 0.2;
/// A node is inside where its six neighbours are at least `inside` as full as itself; `tolerance` is the part of a cell that may be empty or
/// overfull. Nodes that a flat surface cuts fall out by the one or lack less than the other: 0.02 of a quadratic kernel reach a cell
/// further, and 0.04 of a cubic one.
struct Margins {
    double inside, tolerance;
};
constexpr Margins margins(mpm::Kernel kernel) { return kernel == mpm::Kernel::cubic ? Margins{0.5, 0.06} : Margins{0.4, 0.04}; }
/// Nodes of whose share of space bodies leave less than this have nothing to say.
constexpr double kLeastOpen = 0.3;
constexpr double kWall = 1e30;

/// What is missing at the n-th node of a tile, as part of a cell; 0 within the tolerance, near surfaces and in walls.
template <class Real>
Real lackAt(const Margins& margins, const Real* tile, int n) {
    constexpr std::array<int, 3> kStrides{mpm::kTileSide * mpm::kTileSide, mpm::kTileSide, 1};
    const Real full = tile[n], least = static_cast<Real>(margins.inside) * full;
    if (full == Real(0) || full == Real(kWall)) return 0;
    for (const int stride : kStrides)
        if (!(tile[n - stride] >= least && tile[n + stride] >= least)) return 0;
    const Real lack = Real(1) - full, tolerance = static_cast<Real>(margins.tolerance);
    return lack - std::clamp(lack, -tolerance, tolerance);
}

template <class Real>
Wide<Real> volumeRatio(const Points<Real>& points, std::size_t group) {
    const Real* e = points.strain.group(group);
    const auto entry = [e](int i) { return Wide<Real>::load(e + 8 * i); };
    const Wide<Real> one(Real(1)), xy = entry(3), yz = entry(4), xz = entry(5);
    const WideMat3<Real> b{{one + entry(0), xy, xz, xy, one + entry(1), yz, xz, yz, one + entry(2)}};
    return sqrt(max(Wide<Real>(Real(0)), determinant(b))) * exp(Wide<Real>::load(points.expansion.group(group)));
}

/// γ̇ of the points of a group [1/s]; none where points keep no gradient (`flip` and `pic`).
template <class Real>
Wide<Real> shearRate(const Real* gradient) {
    std::array<Wide<Real>, 9> entries;
    for (std::size_t i = 0; i < 9; ++i) entries[i] = Wide<Real>::load(gradient + 8 * i);
    return shearOf(entries);
}

}  // namespace

template <class Real>
void ElastoplasticMethod<Real>::fillNodes(const Exec& exec) {
    const auto perCell = static_cast<Real>(1 / frame_.cellVolume());
    mpm::scatterBlocks<1>(exec, blocks_, filling_, [&](std::size_t b) { return reaches_[b]; }, [&](std::size_t b, int, Real* tile) {
        const mpm::PointBlock& block = blocks_.points[b];
        for (std::uint32_t g = block.firstGroup; g < block.firstGroup + block.groups; ++g) {
            const Wide<Real> filled = Wide<Real>::load(points_.volume.group(g)) * perCell * volumeRatio(points_, g);
            const int points = mpm::pointsInGroup(block, g);
            mpm::withStencil(settings_.kernel, [&]<template <class> class Stencil>() { mpm::scatterNumber(Stencil<Real>(points_.position.group(g)), filled, points, tile); });
        }
    });
    exec.forTasks(blocks_.nodes.size(), [&](std::size_t b, int) {
        if (!contact_.near(b)) return;
        Real* filling = filling_.data() + b * mpm::kBlockNodes;
        for (int n = 0; n < mpm::kBlockNodes; ++n) {
            const double open = contact_.openPart(b, n, settings_.kernel);
            filling[n] = open < kLeastOpen ? Real(kWall) : static_cast<Real>(filling[n] / open);
        }
    });
}

// Nodes of blocks without points are at the surface and lack nothing.
template <class Real>
void ElastoplasticMethod<Real>::findLacks(const Exec& exec) {
    mpm::makeRoom(lack_, filling_.size());
    std::ranges::fill(lack_, Real(0));
    exec.forTasks(blocks_.points.size(), [&](std::size_t b, int) {
        alignas(64) std::array<Real, mpm::kTileNodes> tile;
        mpm::loadTile<1>(blocks_.points[b], {.low = {1, 1, 0}, .high = {7, 7, 8}}, filling_.data(), tile.data());
        constexpr int kSelf = mpm::kNeighbours / 2;
        Real* lack = lack_.data() + static_cast<std::size_t>(blocks_.points[b].nodeBlocks[kSelf]) * mpm::kBlockNodes;
        for (int n = 0; n < mpm::kBlockNodes; ++n) {
            const int x = n / 16 + 2, y = n / 4 % 4 + 2, z = n % 4 + 2;   // a tile begins two nodes before its block
            lack[n] = lackAt(margins(settings_.kernel), tile.data(), (x * mpm::kTileSide + y) * mpm::kTileSide + z);
        }
    });
}

template <class Real>
void ElastoplasticMethod<Real>::matchVolumes(const Exec& exec, double dt) {
    sinceMatch_ += dt;
    const double time = settlingTime(frame_.smallestSpacing());
    if (!settings_.matchVolumes || sinceMatch_ < time / kMatchesPerTime) return;
    const auto phase = exec.phase("volumes");
    std::vector<Real> ofSand;   // a solid has the volume it has
    for (const Matter& matter : matter_) ofSand.push_back(matter.solid() ? Real(0) : Real(1));
    fillNodes(exec);
    findLacks(exec);
    mpm::withStencil(settings_.kernel, [&]<template <class> class Stencil>() { exec.forTasks(blocks_.points.size(), [&](std::size_t b, int) { matchBlock<Stencil>(b, time, ofSand); }); });
    sinceMatch_ = 0;
}

template <class Real>
template <template <class> class Stencil>
void ElastoplasticMethod<Real>::matchBlock(std::size_t b, double time, const std::vector<Real>& ofSand) {
    const Wide<Real> part(static_cast<Real>(1 - std::exp(-sinceMatch_ / time))), zero(Real(0));
    const Wide<Real> mostApart(static_cast<Real>(kMostApart)), apartPerRate(static_cast<Real>(kApart * sinceMatch_));
    alignas(64) std::array<Real, mpm::kNumberTile> tile{};
    const mpm::PointBlock& block = blocks_.points[b];
    mpm::loadTile<1>(block, reaches_[b], lack_.data(), tile.data());
    for (std::uint32_t g = block.firstGroup; g < block.firstGroup + block.groups; ++g) {
        Wide<Real> lack = mpm::gatherNumber(Stencil<Real>(points_.position.group(g)), tile.data(), mpm::pointsInGroup(block, g));
        if (several_) lack *= talus::gather(ofSand.data(), WideInt::load(points_.material.group(g)));
        Real* expansion = points_.expansion.group(g);
        const Wide<Real> left = max(zero, mulAdd(part, lack, Wide<Real>::load(expansion)));
        const Wide<Real> apart = min(mostApart, apartPerRate * shearRate(points_.gradient.group(g)));
        const Wide<Real> crowded = select(left > zero, zero, max(Wide<Real>(static_cast<Real>(-kMostCrowded)), min(zero, lack)));
        mulAdd(apart, crowded, left).store(expansion);
    }
}

template void ElastoplasticMethod<float>::matchVolumes(const Exec&, double);
template void ElastoplasticMethod<double>::matchVolumes(const Exec&, double);

}  // namespace talus::elastoplastic
