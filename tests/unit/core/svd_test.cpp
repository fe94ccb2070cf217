// SPDX-License-Identifier: Apache-2.0
// Against Eigen's JacobiSVD in long double, a million matrices per precision in ten kinds. Worst errors measured, in units
// of epsilon (1.2e-7, 2.2e-16):
//     svd:   |a - u sigma vᵀ| / |a| 3.6, |uᵀu - 1| and |vᵀv - 1| 2.1, sigma / sigma.x 3.1
//     eigen: |a - q lambda qᵀ| / |a| 3.3, |qᵀq - 1| 1.9, lambda / |a| 2.4
#include "core/svd.h"

#include "core/rng.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace talus {
namespace {

using Reference = Eigen::Matrix<long double, 3, 3>;

Mat3 randomMatrix(Rng& rng) {
    Mat3 a;
    for (double& e : a.m) e = rng.uniform(-1, 1);
    return a;
}
Mat3 randomRotation(Rng& rng) {
    return Quat{rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)}.normalizedQuat().matrix();
}
/// With these singular values, or their negatives.
Mat3 withSingularValues(Rng& rng, const Vec3& sigma) {
    const Mat3 u = randomRotation(rng), v = randomRotation(rng);
    return u * Mat3::diagonal(sigma) * transpose(v);
}
double logUniform(Rng& rng, double low, double high) { return std::exp(rng.uniform(std::log(low), std::log(high))); }

struct Kind {
    std::string name;
    Mat3 (*make)(Rng&, double extreme);   // extreme: a large number that may be squared in the precision under test
};
const std::vector<Kind> kKinds = {
    {"random", [](Rng& rng, double) { return randomMatrix(rng); }},
    {"inverted", [](Rng& rng, double) {
         return withSingularValues(rng, {rng.uniform(0.1, 2), rng.uniform(0.1, 2), -logUniform(rng, 1e-6, 2)});
     }},
    {"graded", [](Rng& rng, double) { return withSingularValues(rng, {1, logUniform(rng, 1e-12, 1), logUniform(rng, 1e-20, 1)}); }},
    {"rank 2", [](Rng& rng, double) {
         Mat3 a = randomMatrix(rng);
         for (int i = 0; i < 3; ++i) a(i, 2) = a(i, 0) - 2 * a(i, 1);
         return a;
     }},
    {"rank 1", [](Rng& rng, double) { const Mat3 a = randomMatrix(rng); return Mat3::outer(a.row(0), a.row(1)); }},
    {"repeated", [](Rng& rng, double) {
         const double s = rng.uniform(0.5, 2), t = rng.uniform() < 0.3 ? s : rng.uniform(-2, 2);
         return withSingularValues(rng, rng.uniform() < 0.5 ? Vec3{s, s, t} : Vec3{t, -s, s});
     }},
    {"near identity", [](Rng& rng, double) { return Mat3::identity() + randomMatrix(rng) * logUniform(rng, 1e-18, 1e-1); }},
    {"huge", [](Rng& rng, double extreme) { return randomMatrix(rng) * extreme; }},
    {"tiny", [](Rng& rng, double extreme) { return randomMatrix(rng) * (1 / extreme); }},
    {"small integers", [](Rng& rng, double) {   // zeros, ties, exact ranks
         Mat3 a;
         for (double& e : a.m) e = std::floor(rng.uniform(-1.5, 2.5));
         return a;
     }},
};

template <class T>
Reference reference(const WideMat3<T>& a, int lane) {
    const Mat3T<T> scalar = extractLane(a, lane);
    Reference result;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) result(i, j) = scalar(i, j);
    return result;
}
/// Eight matrices of a kind, rounded to T.
template <class T>
WideMat3<T> eightMatrices(const Kind& kind, std::uint32_t stream, std::uint64_t first, double extreme) {
    std::array<std::array<T, 8>, 9> entries;
    for (std::uint64_t lane = 0; lane < 8; ++lane) {
        Rng rng(11, stream, first + lane);
        const Mat3 a = kind.make(rng, extreme);
        for (std::size_t e = 0; e < 9; ++e) entries[e][lane] = static_cast<T>(a.m[e]);
    }
    WideMat3<T> a;
    for (std::size_t e = 0; e < 9; ++e) a.m[e] = Wide<T>::loadUnaligned(entries[e].data());
    return a;
}

/// The largest errors seen, relative to the norm of the matrix.
struct Errors {
    long double backward = 0, orthogonality = 0, values = 0;
    bool ordered = true, rotations = true, signs = true;

    void rotation(const Reference& q) {
        const long double defect = (q.transpose() * q - Reference::Identity()).norm();
        orthogonality = std::max(orthogonality, std::isnan(defect) ? 1.0L : defect);
        rotations = rotations && q.determinant() > 0;
    }
    void decomposition(const Reference& a, const Reference& rebuilt) {
        const long double norm = std::max(a.norm(), std::numeric_limits<long double>::min());
        const long double error = (a - rebuilt).norm() / norm;
        backward = std::max(backward, std::isnan(error) ? 1.0L : error);
    }
    void expectWithin(long double bound, const std::string& name) const {
        EXPECT_LE(backward, bound) << name;
        EXPECT_LE(orthogonality, bound) << name;
        EXPECT_LE(values, bound) << name;
        EXPECT_TRUE(ordered) << name;
        EXPECT_TRUE(rotations) << name;
        EXPECT_TRUE(signs) << name;
    }
};

template <class T>
class SvdTest : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SvdTest, Reals);

template <class T>
void compareWithEigen(const Reference& a, const Reference& u, const Vec3T<T>& sigma, const Reference& v, Errors& errors) {
    errors.rotation(u);
    errors.rotation(v);
    const Eigen::Matrix<long double, 3, 1> s(sigma.x, sigma.y, sigma.z);
    errors.decomposition(a, u * s.asDiagonal() * v.transpose());
    errors.ordered = errors.ordered && sigma.x >= sigma.y && sigma.y >= std::abs(sigma.z);

    const auto expected = Eigen::JacobiSVD<Reference>(a).singularValues().eval();
    const long double largest = std::max(expected[0], std::numeric_limits<long double>::min());
    for (int i = 0; i < 3; ++i) errors.values = std::max(errors.values, std::abs(std::abs(s[i]) - expected[i]) / largest);
    const long double det = (a / largest).determinant();   // its sign is certain only beyond the rounding of both sides
    const bool certain = expected[2] > 64 * std::numeric_limits<T>::epsilon() * largest && std::abs(det) > 1e-17L;
    errors.signs = errors.signs && (!certain || (det > 0) == (s[2] > 0));
}

TYPED_TEST(SvdTest, agreesWithEigenOnAMillionMatrices) {
    using T = TypeParam;
    constexpr double kExtreme = sizeof(T) == 4 ? 1e30 : 1e150;
    constexpr std::uint64_t kPerKind = 100000;
    for (std::uint32_t kind = 0; kind < kKinds.size(); ++kind) {
        Errors errors;
        for (std::uint64_t n = 0; n < kPerKind; n += 8) {
            const WideMat3<T> a = eightMatrices<T>(kKinds[kind], kind, n, kExtreme);
            WideMat3<T> u, v;
            WideVec3<T> sigma;
            svd(a, u, sigma, v);
            for (int lane = 0; lane < 8; ++lane)
                compareWithEigen<T>(reference(a, lane), reference(u, lane), extractLane(sigma, lane), reference(v, lane), errors);
        }
        errors.expectWithin(4 * std::numeric_limits<T>::epsilon(), kKinds[kind].name);
    }
}

TYPED_TEST(SvdTest, ofZeroIsZero) {
    using T = TypeParam;
    Mat3T<T> u, v;
    Vec3T<T> sigma;
    svd(Mat3T<T>{}, u, sigma, v);
    EXPECT_EQ(sigma, (Vec3T<T>{}));
    EXPECT_EQ(u, Mat3T<T>::identity());
    EXPECT_EQ(v, Mat3T<T>::identity());
}

TYPED_TEST(SvdTest, ofADiagonalMatrixSortsIt) {
    using T = TypeParam;
    Mat3T<T> u, v;
    Vec3T<T> sigma;
    svd(Mat3T<T>::diagonal({T(0.25), T(-3), T(2)}), u, sigma, v);
    EXPECT_EQ(sigma, (Vec3T<T>{T(3), T(2), T(-0.25)}));
    EXPECT_EQ(u * Mat3T<T>::diagonal(sigma) * transpose(v), Mat3T<T>::diagonal({T(0.25), T(-3), T(2)}));
}

TYPED_TEST(SvdTest, aLaneDoesNotDependOnItsNeighbours) {
    using T = TypeParam;
    for (std::uint32_t kind = 0; kind < kKinds.size(); ++kind)
        for (std::uint64_t n = 0; n < 800; n += 8) {   // some of eight need more sweeps than others
            const WideMat3<T> a = eightMatrices<T>(kKinds[kind], kind, n, 1e15);
            WideMat3<T> u, v;
            WideVec3<T> sigma;
            svd(a, u, sigma, v);
            for (int lane = 0; lane < 8; ++lane) {
                Mat3T<T> uAlone, vAlone;
                Vec3T<T> sigmaAlone;
                svd(extractLane(a, lane), uAlone, sigmaAlone, vAlone);
                ASSERT_EQ(uAlone, extractLane(u, lane)) << kKinds[kind].name;
                ASSERT_EQ(sigmaAlone, extractLane(sigma, lane)) << kKinds[kind].name;
                ASSERT_EQ(vAlone, extractLane(v, lane)) << kKinds[kind].name;
            }
        }
}

TYPED_TEST(SvdTest, symmetricEigenAgreesWithEigen) {
    using T = TypeParam;
    constexpr double kExtreme = sizeof(T) == 4 ? 1e30 : 1e150;
    constexpr std::uint64_t kPerKind = 10000;
    for (std::uint32_t kind = 0; kind < kKinds.size(); ++kind) {
        Errors errors;
        for (std::uint64_t n = 0; n < kPerKind; n += 8) {
            const WideMat3<T> m = eightMatrices<T>(kKinds[kind], kind, n, kExtreme);
            const WideSym3<T> s{m(0, 0), m(1, 1), m(2, 2), m(0, 1), m(1, 2), m(0, 2)};
            const WideMat3<T> a{{s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz}};
            WideVec3<T> values;
            WideMat3<T> q;
            symmetricEigen(s, values, q);
            for (int lane = 0; lane < 8; ++lane) {
                const Reference exact = reference(a, lane), axes = reference(q, lane);
                const Vec3T<T> lambda = extractLane(values, lane);
                const Eigen::Matrix<long double, 3, 1> l(lambda.x, lambda.y, lambda.z);
                errors.rotation(axes);
                errors.decomposition(exact, axes * l.asDiagonal() * axes.transpose());
                errors.ordered = errors.ordered && lambda.x >= lambda.y && lambda.y >= lambda.z;
                const auto expected = Eigen::SelfAdjointEigenSolver<Reference>(exact, Eigen::EigenvaluesOnly).eigenvalues().eval();
                const long double norm = std::max(exact.norm(), std::numeric_limits<long double>::min());
                for (int i = 0; i < 3; ++i) errors.values = std::max(errors.values, std::abs(l[i] - expected[2 - i]) / norm);
            }
        }
        errors.expectWithin(4 * std::numeric_limits<T>::epsilon(), kKinds[kind].name);
    }
}

}  // namespace
}  // namespace talus
