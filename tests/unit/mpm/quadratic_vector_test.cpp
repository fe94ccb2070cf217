// SPDX-License-Identifier: Apache-2.0
#include "mpm/quadratic_vector.h"
#include "mpm/transfer.h"

#include "core/rng.h"
#include "core/table.h"

#include <gtest/gtest.h>

#include <cmath>

namespace talus::mpm {
namespace {

template <class Real>
constexpr double kRounding = sizeof(Real) == sizeof(double) ? 2e-15 : 1e-6;

/// Eight points anywhere in a block, and a tile with a vector at every node.
template <class Real>
struct Tile {
    AlignedVector<Real> position = AlignedVector<Real>(24), vectors = AlignedVector<Real>(kTileNodes * kVectorReals), both = AlignedVector<Real>(kTileNodes * kNodeReals);

    Tile() {
        Rng rng(3, 4, 5);
        for (Real& p : position) p = static_cast<Real>(rng.uniform(-0.5, 3.5));
        for (std::size_t n = 0; n < kTileNodes; ++n)
            for (std::size_t axis = 0; axis < 3; ++axis) vectors[kVectorReals * n + axis] = both[kNodeReals * n + 1 + axis] = static_cast<Real>(rng.uniform(-1, 1));
    }
};

template <class Real>
class VectorTransfer : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(VectorTransfer, Precisions);

TYPED_TEST(VectorTransfer, momentsAreThoseOfTheTransferOfAllValues) {
    using Real = TypeParam;
    const Tile<Real> tile;
    const QuadraticStencil<Real> stencil(tile.position.data());
    const std::array<Wide<Real>, 9> moments = gatherMoments(stencil, 8, tile.vectors.data()), expected = gather<Memory::even>(stencil, 8, tile.both.data()).after.moment;
    for (std::size_t i = 0; i < 9; ++i)
        for (int p = 0; p < 8; ++p) EXPECT_NEAR(moments[i].lane(p), expected[i].lane(p), kRounding<Real>);
}

// Σ M : gather(x) = Σ x · scatter(M), and the weights' slopes say the same.
TYPED_TEST(VectorTransfer, scatterIsTheAdjointOfGather) {
    using Real = TypeParam;
    const Tile<Real> tile;
    const QuadraticStencil<Real> stencil(tile.position.data());
    const std::array<Wide<Real>, 9> gathered = gatherMoments(stencil, 8, tile.vectors.data());
    Rng rng(1, 1, 1);
    std::array<Wide<Real>, 9> moments;
    for (auto& m : moments) m = Wide<Real>(static_cast<Real>(rng.uniform(-1, 1)));
    AlignedVector<Real> out(tile.vectors.size()), slopes(tile.vectors.size());
    scatterMoments(stencil, moments, 8, out.data());
    forWeightSlopes(stencil, [&](int offset, const WideVec3<Real>& g) {
        for (int p = 0; p < 8; ++p)
            for (std::size_t row = 0; row < 3; ++row)
                for (std::size_t axis = 0; axis < 3; ++axis)
                    slopes[static_cast<std::size_t>(kVectorReals * (stencil.corner[p] + offset)) + row] += moments[3 * row + axis].lane(p) * g[static_cast<int>(axis)].lane(p);
    });
    double ofPoints = 0, ofNodes = 0;
    for (std::size_t i = 0; i < 9; ++i)
        for (int p = 0; p < 8; ++p) ofPoints += static_cast<double>(moments[i].lane(p)) * static_cast<double>(gathered[i].lane(p));
    for (std::size_t i = 0; i < out.size(); ++i) {
        ofNodes += static_cast<double>(out[i]) * static_cast<double>(tile.vectors[i]);
        EXPECT_NEAR(out[i], slopes[i], 10 * kRounding<Real>);
    }
    EXPECT_GT(std::abs(ofNodes), 1e-3);
    EXPECT_NEAR(ofPoints, ofNodes, 10 * kRounding<Real>);
}

}  // namespace
}  // namespace talus::mpm
