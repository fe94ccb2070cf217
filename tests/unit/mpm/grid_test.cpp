// SPDX-License-Identifier: Apache-2.0
// The sparse grid against dense and naive ones.
#include "core/rng.h"
#include "mpm/blocks.h"
#include "mpm/kernel.h"
#include "mpm/transfer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

namespace talus::mpm {
namespace {

struct TestPoints : Table {
    TestPoints() : Table(8) {}
    Column<double, 3> position{*this, "position", 1.5};
    Column<std::int64_t> id{*this, "id", -1};
};

GridFrame periodicFrame() {
    world::Domain domain{{0, 0, 0}, {1.2, 0.4, 1}, {}};
    domain.faces[0] = domain.faces[1] = domain.faces[2] = domain.faces[3] = world::FaceType::periodic;
    return makeFrame(domain, 0.1);
}

int cellOf(const Vec3& p) {
    return (static_cast<int>(std::floor(p.x + 0.5)) * 4 + static_cast<int>(std::floor(p.y + 0.5))) * 4 + static_cast<int>(std::floor(p.z + 0.5));
}

/// Points at random places, unsorted, and their keys.
std::vector<std::uint64_t> scatterPoints(const GridFrame& frame, std::size_t count, TestPoints& points, std::vector<Vec3>& places) {
    points.resize(count);
    std::vector<std::uint64_t> keys(points.rows(), kNoKey);
    for (std::size_t i = 0; i < count; ++i) {
        Rng rng(3, 0, i);
        places.push_back({rng.uniform(0, 1.2), rng.uniform(0, 0.4), rng.uniform(-0.5, 1.5)});
        const Place place = frame.toBlock(places.back());
        for (int axis = 0; axis < 3; ++axis) points.position(i, axis) = place.position[axis];
        points.id(i) = static_cast<std::int64_t>((i * 7919) % count);   // ids in no order
        keys[i] = cellKey(place.block, cellOf(place.position));
    }
    return keys;
}

TEST(Frame, periodicAxesTakeWholeBlocksAndOthersTheSpacing) {
    const GridFrame frame = periodicFrame();
    EXPECT_EQ(frame.periodBlocks, (std::array<int, 3>{3, 1, 0}));
    EXPECT_DOUBLE_EQ(frame.spacing.x, 0.1);
    EXPECT_DOUBLE_EQ(frame.spacing.y, 0.1);
    EXPECT_DOUBLE_EQ(frame.spacing.z, 0.1);
    EXPECT_EQ(frame.wrap(BlockCoord{-1, 5, -2}), (BlockCoord{2, 0, -2}));
}

TEST(Frame, placesAndKeysComeBack) {
    const GridFrame frame = periodicFrame();
    for (std::uint64_t i = 0; i < 2000; ++i) {
        Rng rng(5, 0, i);
        const Vec3 x{rng.uniform(0, 1.2), rng.uniform(0, 0.4), rng.uniform(-30, 30)};
        const Place place = frame.toBlock(x);
        for (int axis = 0; axis < 3; ++axis) {
            EXPECT_GE(place.position[axis], -0.5);
            EXPECT_LT(place.position[axis], 3.5);
        }
        Vec3 d = frame.toWorld(place.block, place.position) - x;
        d.x -= 1.2 * std::round(d.x / 1.2);
        d.y -= 0.4 * std::round(d.y / 0.4);
        EXPECT_LT(norm(d), 1e-12);
        EXPECT_EQ(blockOfKey(cellKey(place.block, cellOf(place.position))), place.block);
    }
}

TEST(Blocks, sortAgreesWithANaiveSort) {
    const GridFrame frame = periodicFrame();
    for (const int threads : {1, 3}) {
        TestPoints points;
        std::vector<Vec3> places;
        std::vector<std::uint64_t> keys = scatterPoints(frame, 5000, points, places);
        for (std::size_t i = 0; i < 5000; i += 10) keys[i] = kNoKey;   // every tenth vanishes
        std::vector<std::tuple<std::uint64_t, std::int64_t>> expected;
        for (std::size_t i = 0; i < 5000; ++i)
            if (keys[i] != kNoKey) expected.emplace_back(keys[i], points.id(i));
        std::sort(expected.begin(), expected.end());

        const Blocks blocks = sortPoints(Exec(threads), frame, keys, points.id, points);
        std::size_t n = 0;
        for (const PointBlock& block : blocks.points) {
            for (std::size_t row = 8 * std::size_t{block.firstGroup}; row < 8 * std::size_t{block.firstGroup + block.groups}; ++row) {
                if (row >= 8 * std::size_t{block.firstGroup} + block.points) {
                    EXPECT_EQ(points.id(row), -1) << "padding";
                    continue;
                }
                ASSERT_LT(n, expected.size());
                EXPECT_EQ(points.id(row), std::get<1>(expected[n]));
                EXPECT_EQ(block.coord, blockOfKey(std::get<0>(expected[n])));
                ++n;
            }
        }
        EXPECT_EQ(n, expected.size());
    }
}

/// The B-splines as functions of the distance in cells.
double weightAt(int nodes, double d) {
    if (nodes == 3) return d < 0.5 ? 0.75 - d * d : d < 1.5 ? 0.5 * (1.5 - d) * (1.5 - d) : 0;
    return d < 1 ? 2.0 / 3 - d * d + 0.5 * d * d * d : d < 2 ? (2 - d) * (2 - d) * (2 - d) / 6 : 0;
}

/// Points scattered through tiles, and the same by sums over a map of all nodes.
template <template <class> class Stencil, class Real>
class DenseTransfer {
public:
    DenseTransfer() : blocks_(sorted()) {}

    void scatterAll() {
        scatterBlocks(Exec(3), blocks_, nodes_, [](std::size_t) { return Reach{}; }, [&](std::size_t b, int, Real* tile) {
            const std::lock_guard lock(mutex_);
            forGroupsOf(b, [&](std::uint32_t g, int count) { scatterGroup(b, g, count, tile); });
        });
    }

    void expectSameNodes() const {
        double mass = 0;
        Vec3 momentum;
        for (std::size_t b = 0; b < blocks_.nodes.size(); ++b) {
            for (int n = 0; n < kBlockNodes; ++n) {
                const BlockCoord& c = blocks_.nodes[b].coord;
                const auto found = dense_.find({4 * c.x + n / 16, 4 * c.y + n / 4 % 4, 4 * c.z + n % 4});
                const NodeSums expected = found == dense_.end() ? NodeSums{} : found->second;
                const Real* node = nodes_.data() + kNodeReals * (kBlockNodes * b + static_cast<std::size_t>(n));
                for (std::size_t k = 0; k < kNodeReals; ++k) EXPECT_NEAR(node[k], expected[k], kTolerance);
                mass += node[0];
                momentum += Vec3{node[1], node[2], node[3]};
            }
        }
        EXPECT_NEAR(mass, mass_, 100 * kTolerance);
        EXPECT_LT(norm(momentum - momentum_), 100 * kTolerance);
    }

    /// An affine field on the nodes comes back exactly: value and slope.
    void expectAffineFieldGathered() {
        alignas(64) std::array<Real, kTileNodes * kNodeReals> tile;
        for (int n = 0; n < kTileNodes; ++n) {
            const Vec3 v = affine({n / 64 - 2.0, n / 8 % 8 - 2.0, n % 8 - 2.0});
            for (int axis = 0; axis < 3; ++axis) {
                tile[static_cast<std::size_t>(kNodeReals * n + 1 + axis)] = static_cast<Real>(v[axis]);
                tile[static_cast<std::size_t>(kNodeReals * n + 5 + axis)] = static_cast<Real>(-2 * v[axis]);
            }
            tile[static_cast<std::size_t>(kNodeReals * n + 4)] = static_cast<Real>(3 * v[1]);   // in the place of a memory
        }
        forGroups([&](std::size_t, std::uint32_t g, int count) {
            const Positions position = drifted(g, [&](std::size_t i) { return -std::cos(static_cast<double>(i * g)); });
            const auto [v, before, memory, memoryMoment] = gather<Memory::ofNodes>(Stencil<Real>(position.data()), count, tile.data());
            for (int p = 0; p < count; ++p) {
                const Vec3 expected = affine(placeOf(position, p));
                for (int axis = 0; axis < 3; ++axis) EXPECT_NEAR(v.velocity[static_cast<std::size_t>(axis)].lane(p), expected[axis], 20 * kTolerance);
                for (int axis = 0; axis < 3; ++axis) EXPECT_NEAR(before.velocity[static_cast<std::size_t>(axis)].lane(p), -2 * expected[axis], 40 * kTolerance);
                EXPECT_NEAR(kPerMoment * before.moment[2].lane(p), -6, 200 * kTolerance);
                EXPECT_NEAR(memory.lane(p), 3 * expected.y, 60 * kTolerance);
                for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(memoryMoment[axis].lane(p), 3 * v.moment[3 + axis].lane(p), 100 * kTolerance);
                for (const auto& [k, slope] : {std::pair{0, 2.0}, {2, 3.0}, {4, 0.5}, {6, -1.0}}) EXPECT_NEAR(kPerMoment * v.moment[static_cast<std::size_t>(k)].lane(p), slope, 100 * kTolerance);
            }
        });
    }

private:
    static constexpr int kNodes = Stencil<Real>::kNodes;
    static constexpr double kDrift = 0.95 * Stencil<Real>::kMostDrift, kPerMoment = Stencil<Real>::kPerMoment, kTolerance = std::is_same_v<Real, double> ? 1e-13 : 1e-5;
    using NodeSums = std::array<double, kNodeReals>;
    using PointNumbers = std::array<std::array<Real, 8>, 26>;   // mass; momentum and its slopes; impulse and its slopes; mass times memory
    struct alignas(64) Positions : std::array<Real, 24> {};

    static Vec3 affine(const Vec3& x) { return {1 + 2 * x.x - x.y + 3 * x.z, -2 + x.x + 0.5 * x.y, 0.25 * x.z - x.x}; }
    static Vec3 placeOf(const Positions& x, int p) {
        const auto lane = static_cast<std::size_t>(p);
        return {x[lane], x[8 + lane], x[16 + lane]};
    }

    Blocks sorted() {
        std::vector<Vec3> places;
        const std::vector<std::uint64_t> keys = scatterPoints(frame_, 777, points_, places);
        return sortPoints(Exec(1), frame_, keys, points_.id, points_);
    }
    void forGroups(const std::function<void(std::size_t block, std::uint32_t group, int count)>& use) const {
        for (std::size_t b = 0; b < blocks_.points.size(); ++b) forGroupsOf(b, [&](std::uint32_t g, int count) { use(b, g, count); });
    }
    void forGroupsOf(std::size_t b, const std::function<void(std::uint32_t group, int count)>& use) const {
        const PointBlock& block = blocks_.points[b];
        for (std::uint32_t g = block.firstGroup; g < block.firstGroup + block.groups; ++g) use(g, pointsInGroup(block, g));
    }
    /// As far from where they were sorted as points may be between sorts.
    Positions drifted(std::uint32_t g, const std::function<double(std::size_t)>& part) {
        Positions position;
        for (std::size_t i = 0; i < 24; ++i) position[i] = static_cast<Real>(points_.position.group(g)[i] + kDrift * part(i));
        return position;
    }

    void scatterGroup(std::size_t b, std::uint32_t g, int count, Real* tile) {
        const Positions position = drifted(g, [&](std::size_t i) { return std::sin(static_cast<double>(i + 24 * g)); });
        alignas(64) PointNumbers v;
        for (std::size_t k = 0; k < v.size(); ++k)
            for (std::size_t p = 0; p < 8; ++p) v[k][p] = static_cast<Real>(static_cast<int>(p) < count ? (k == 0 ? 1 + 0.1 * static_cast<double>(p) : std::sin(static_cast<double>(17 * k + p + g))) : 0);
        const Stencil<Real> stencil(position.data());
        const auto column = [&](std::size_t k) { return stencil.centre * Wide<Real>::load(v[k].data()); };
        const PointMomenta<Real> m{column(0), column(25), {column(1), column(2), column(3)}, {column(13), column(14), column(15)}};
        const auto along = [&](std::size_t axis) {
            return MomentaSlope<Real>{{column(4 + axis), column(7 + axis), column(10 + axis)}, {column(16 + axis), column(19 + axis), column(22 + axis)}};
        };
        scatter(stencil, m, along, count, tile);
        for (int p = 0; p < count; ++p) addDensely(blocks_.points[b].coord, placeOf(position, p), v, static_cast<std::size_t>(p));
    }
    void addDensely(const BlockCoord& block, const Vec3& at, const PointNumbers& v, std::size_t lane) {
        for (int n = 0; n < kNodes * kNodes * kNodes; ++n) {
            Vec3i node;
            double w = 1;
            Vec3 r;
            for (int axis = 0; axis < 3; ++axis) {
                const int offset = axis == 0 ? n / (kNodes * kNodes) : axis == 1 ? n / kNodes % kNodes : n % kNodes;
                const int i = static_cast<int>(std::ceil(at[axis] - 0.5 * kNodes)) + offset;   // all nodes nearer than half the support
                r[axis] = i - at[axis];
                w *= weightAt(kNodes, std::abs(r[axis]));
                const int period = 4 * frame_.periodBlocks[static_cast<std::size_t>(axis)];
                node[axis] = 4 * block[axis] + i;
                if (period > 0) node[axis] = ((node[axis] % period) + period) % period;
            }
            NodeSums& value = dense_[{node.x, node.y, node.z}];
            value[0] += w * v[0][lane];
            value[4] += w * v[25][lane];
            for (std::size_t row = 0; row < 3; ++row)
                for (const std::size_t part : {0u, 1u}) {   // momentum, impulse
                    const std::size_t first = 1 + 12 * part;
                    value[1 + 4 * part + row] += w * (v[first + row][lane] + v[first + 3 + 3 * row][lane] * r.x + v[first + 4 + 3 * row][lane] * r.y + v[first + 5 + 3 * row][lane] * r.z);
                }
        }
        mass_ += v[0][lane];
        momentum_ += Vec3{v[1][lane], v[2][lane], v[3][lane]};
    }

    GridFrame frame_ = periodicFrame();
    TestPoints points_;
    Blocks blocks_;
    NodeValues<Real> nodes_;
    std::mutex mutex_;   // over what the test sums up itself
    std::map<std::tuple<int, int, int>, NodeSums> dense_;
    double mass_ = 0;
    Vec3 momentum_;
};
template <template <class> class Stencil, class Real>
void transfersAgreeWithDenseSums() {
    DenseTransfer<Stencil, Real> transfer;
    transfer.scatterAll();
    transfer.expectSameNodes();
    transfer.expectAffineFieldGathered();
}
TEST(Transfer, agreesWithDenseSumsInDouble) { transfersAgreeWithDenseSums<QuadraticStencil, double>(); }
TEST(Transfer, agreesWithDenseSumsInFloat) { transfersAgreeWithDenseSums<QuadraticStencil, float>(); }
TEST(Transfer, cubicAgreesWithDenseSumsInDouble) { transfersAgreeWithDenseSums<CubicStencil, double>(); }
TEST(Transfer, cubicAgreesWithDenseSumsInFloat) { transfersAgreeWithDenseSums<CubicStencil, float>(); }

// A group of points in one tile: momenta to the nodes, random impulses there, velocities back with what the points had beyond the
// grid kept in part. Linear momentum and angular momentum, Σ m (x × v) and that of the affine matrices, change by the impulses.
template <template <class> class Stencil, Memory kMemory>
class GroupInATile {
public:
    /// `memoryAt(p)`: what the p-th point would keep, if that is for nodes to say.
    template <class MemoryAt>
    GroupInATile(double leastMemory, const MemoryAt& memoryAt) : stencil_((place(), position_.data())) {
        for (std::size_t k = 0; k < 13; ++k)
            for (std::size_t p = 0; p < 8; ++p) start_[8 * k + p] = k == 0 ? 1 + 0.1 * static_cast<double>(p) : std::sin(static_cast<double>(17 * k + 5 * p));
        alignas(64) std::array<double, 8> memory;
        for (std::size_t p = 0; p < 8; ++p) memory[p] = memoryAt(p);
        const Wide<double> mass = stencil_.centre * Wide<double>::load(start_.data()), none(0.0);
        const auto column = [&](std::size_t k) { return mass * Wide<double>::load(start_.data() + 8 * k); };
        const auto along = [&](std::size_t axis) { return MomentaSlope<double>{{column(4 + axis), column(7 + axis), column(10 + axis)}, {none, none, none}}; };
        scatter(stencil_, PointMomenta<double>{mass, mass * Wide<double>::load(memory.data()), {column(1), column(2), column(3)}, {none, none, none}}, along, 8, tile_.data());
        pushNodes();
        takeBack({{1, 1, 1}, kPerMoment, leastMemory});
    }
    Vec3 linear, angular;   // given by the impulses and not found with the points

private:
    static constexpr double kPerMoment = Stencil<double>::kPerMoment;
    void place() {
        for (std::size_t i = 0; i < 24; ++i) position_[i] = 1.5 + 1.4 * std::sin(static_cast<double>(3 * i + 1));
    }
    void pushNodes() {
        for (int n = 0; n < kTileNodes; ++n) {
            double* node = tile_.data() + kNodeReals * n;
            if (node[0] == 0) continue;
            const Vec3 x{n / 64 - 2.0, n / 8 % 8 - 2.0, n % 8 - 2.0}, impulse{std::sin(1.0 * n), std::cos(2.0 * n), std::sin(3.0 * n)};
            linear += impulse;
            angular += cross(x, impulse);
            node[4] = kMemory == Memory::ofNodes ? node[4] / node[0] : 0;
            for (int axis = 0; axis < 3; ++axis) {
                node[5 + axis] = (kMemory == Memory::ofNodes ? node[4] : 1) * node[1 + axis] / node[0];
                node[1 + axis] = (node[1 + axis] + impulse[axis]) / node[0];
            }
        }
    }
    void takeBack(const Keeping<double, kMemory>& keep) {
        const GatheredVelocities<double> grid = gather<kMemory>(stencil_, 8, tile_.data());
        const auto now = keep.of(grid, start_.data() + 8, start_.data() + 32);
        for (int p = 0; p < 8; ++p) {
            const auto lane = static_cast<std::size_t>(p);
            const Vec3 x{position_[lane], position_[8 + lane], position_[16 + lane]};
            Vec3 dv;
            std::array<double, 9> dC;   // changes of velocity and gradient
            for (std::size_t k = 0; k < 3; ++k) dv[static_cast<int>(k)] = now.velocity(k).lane(p) - start_[8 * (1 + k) + lane];
            for (std::size_t k = 0; k < 9; ++k) dC[k] = now.gradient(k).lane(p) - start_[8 * (4 + k) + lane];
            linear -= start_[lane] * dv;
            angular -= start_[lane] * (cross(x, dv) + Vec3{dC[7] - dC[5], dC[2] - dC[6], dC[3] - dC[1]} / kPerMoment);
        }
    }

    alignas(64) std::array<double, 24> position_;
    alignas(64) std::array<double, 8 * 13> start_;   // mass, velocity, gradient: columns of eight
    Stencil<double> stencil_;
    NodeValues<double> tile_ = NodeValues<double>(kTileNodes * kNodeReals, 0.0);
};

template <template <class> class Stencil>
void keepsLinearAndAngularMomentum() {
    for (const double memory : {0.0, 0.7, 1.0}) {
        const GroupInATile<Stencil, Memory::even> even(memory, [](std::size_t) { return 0.0; });
        EXPECT_LT(norm(even.linear), 1e-12);
        EXPECT_LT(norm(even.angular), 1e-12) << memory;
        for (const double part : {0.5, 1.0}) {
            const GroupInATile<Stencil, Memory::ofNodes> group(part * memory, [&](std::size_t) { return memory; });
            EXPECT_LT(norm(group.linear), 1e-12);
            EXPECT_LT(norm(group.angular), 1e-12) << memory;
        }
    }
    const GroupInATile<Stencil, Memory::ofNodes> mixed(0.6, [](std::size_t p) { return 0.6 + 0.05 * static_cast<double>(p); });
    EXPECT_LT(norm(mixed.linear), 1e-12) << "whatever single points would keep";
}

TEST(Transfer, keepsLinearAndAngularMomentum) { keepsLinearAndAngularMomentum<QuadraticStencil>(); }
TEST(Transfer, cubicKeepsLinearAndAngularMomentum) { keepsLinearAndAngularMomentum<CubicStencil>(); }

// One number per point to the nodes and back, against the sum over pairs of points Σ_q Σ_i w_i(p) w_i(q) a_q.
template <template <class> class Stencil>
void numbersGoToNodesAndBack() {
    constexpr int kNodes = Stencil<double>::kNodes;
    alignas(64) std::array<double, 24> position;
    alignas(64) std::array<double, 8> value;
    for (std::size_t i = 0; i < 24; ++i) position[i] = 1.5 + 1.4 * std::sin(static_cast<double>(3 * i + 1));
    for (std::size_t p = 0; p < 8; ++p) value[p] = 1 + 0.3 * std::sin(static_cast<double>(5 * p));
    const Stencil<double> stencil(position.data());
    alignas(64) std::array<double, kNumberTile> tile{};
    scatterNumber(stencil, Wide<double>::load(value.data()), 8, tile.data());
    const std::array<double, 8> back = gatherNumber(stencil, tile.data(), 8).lanes();
    for (std::size_t p = 0; p < 8; ++p) {
        double expected = 0;
        for (std::size_t q = 0; q < 8; ++q) {
            double shared = 1;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                double sum = 0;
                for (int i = -2; i < 6; ++i) sum += weightAt(kNodes, std::abs(i - position[8 * axis + p])) * weightAt(kNodes, std::abs(i - position[8 * axis + q]));
                shared *= sum;
            }
            expected += shared * value[q];
        }
        EXPECT_NEAR(back[p], expected, 1e-13);
    }
}
TEST(Transfer, numbersGoToNodesAndBack) { numbersGoToNodesAndBack<QuadraticStencil>(); }
TEST(Transfer, cubicNumbersGoToNodesAndBack) { numbersGoToNodesAndBack<CubicStencil>(); }

TEST(Kernel, isWhatItsIntegralGrowsBy) {
    for (const auto& [kernel, nodes] : {std::pair{Kernel::quadratic, 3}, std::pair{Kernel::cubic, 4}}) {
        EXPECT_EQ(kernelBelow(kernel, -2), 0);
        EXPECT_EQ(kernelBelow(kernel, 2), 1);
        for (double x = -1.9; x < 2; x += 0.0625) EXPECT_NEAR((kernelBelow(kernel, x + 1e-4) - kernelBelow(kernel, x - 1e-4)) / 2e-4, weightAt(nodes, std::abs(x)), 1e-4) << x;
    }
}

TEST(Tile, isReachedWherePointsHaveNodes) {
    const GridFrame frame = periodicFrame();
    TestPoints points;
    std::vector<Vec3> places;
    const std::vector<std::uint64_t> keys = scatterPoints(frame, 40, points, places);   // few enough to leave out nodes
    const Blocks blocks = sortPoints(Exec(1), frame, keys, points.id, points);
    bool partly = false;
    for (const PointBlock& block : blocks.points) {
        const Reach reach = reachOf<QuadraticStencil<double>>(block, points.position);
        for (int axis = 0; axis < 3; ++axis)
            for (std::size_t row = 8 * std::size_t{block.firstGroup}; row < 8 * std::size_t{block.firstGroup} + block.points; ++row) {
                const int first = QuadraticStencil<double>::first(points.position(row, axis)) + 2;
                EXPECT_LE(reach.low[axis], first);
                EXPECT_GE(reach.high[axis], first + 3);
            }
        std::size_t nodes = 0;
        forRows(block, reach, [&]<int kCount>(std::size_t, int) { nodes += kCount; });
        EXPECT_EQ(nodes, static_cast<std::size_t>((reach.high.x - reach.low.x) * (reach.high.y - reach.low.y) * (reach.high.z - reach.low.z)));
        partly |= nodes < 256;
    }
    EXPECT_TRUE(partly);
}

TEST(Tile, loadsWhatTheNodesHold) {
    const GridFrame frame = periodicFrame();
    TestPoints points;
    std::vector<Vec3> places;
    const std::vector<std::uint64_t> keys = scatterPoints(frame, 300, points, places);
    const Blocks blocks = sortPoints(Exec(1), frame, keys, points.id, points);
    NodeValues<float> nodes(blocks.nodes.size() * kBlockNodes * kNodeReals);
    const auto nodeValue = [](const BlockCoord& c, int n) { return static_cast<float>(((c.x * 31 + c.y) * 37 + c.z) * 64 + n); };
    for (std::size_t b = 0; b < blocks.nodes.size(); ++b)
        for (int n = 0; n < kBlockNodes; ++n) nodes[(b * kBlockNodes + static_cast<std::size_t>(n)) * kNodeReals] = nodeValue(blocks.nodes[b].coord, n);
    AlignedVector<float> tile(kTileNodes * kNodeReals);
    for (const PointBlock& block : blocks.points) {
        loadTile(block, {}, nodes.data(), tile.data());
        for (int n = 0; n < kTileNodes; ++n) {
            const Vec3i local{n / 64 - 2, n / 8 % 8 - 2, n % 8 - 2};
            BlockCoord c = block.coord;
            Vec3i inside = local;
            for (int axis = 0; axis < 3; ++axis) {
                const int shift = local[axis] < 0 ? -1 : local[axis] / 4;
                c[axis] += shift;
                inside[axis] -= 4 * shift;
            }
            EXPECT_EQ(tile[static_cast<std::size_t>(n * kNodeReals)], nodeValue(frame.wrap(c), (inside.x * 4 + inside.y) * 4 + inside.z));
        }
    }
}

}  // namespace
}  // namespace talus::mpm
