// SPDX-License-Identifier: Apache-2.0
#include "core/svd.h"

#include <limits>

namespace talus {
namespace {

// Jacobi converges quadratically; four to six sweeps are usual. A lane that has converged is rotated no more, so the
// sweeps that other lanes still need leave its bits alone.
constexpr int kMostSweeps = 16;
constexpr int kPairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};

template <class T>
struct Rotation {
    Wide<T> c, s;
};

/// The tangent of the smaller angle that makes the symmetric 2x2 matrix (app, apq; apq, aqq) diagonal; zero where not `active`.
template <class T>
[[gnu::always_inline]] inline Wide<T> jacobiTangent(const Wide<T>& app, const Wide<T>& apq, const Wide<T>& aqq,
                                                    const WideMask<T>& active) {
    const Wide<T> zeta = (aqq - app) / (apq + apq);
    return select(active, copysign(T(1), zeta) / (abs(zeta) + sqrt(mulAdd(zeta, zeta, T(1)))), T(0));
}
template <class T>
[[gnu::always_inline]] inline Rotation<T> rotationBy(const Wide<T>& tangent) {
    const Wide<T> c = T(1) / sqrt(mulAdd(tangent, tangent, T(1)));
    return {c, tangent * c};
}

/// (p, q) <- (c p - s q, s p + c q).
template <class T>
[[gnu::always_inline]] inline void rotate(const Rotation<T>& r, Wide<T>& p, Wide<T>& q) {
    const Wide<T> p0 = p;
    p = negMulAdd(r.s, q, r.c * p0);
    q = mulAdd(r.c, q, r.s * p0);
}
template <class T>
[[gnu::always_inline]] inline void rotate(const Rotation<T>& r, WideVec3<T>& p, WideVec3<T>& q) {
    rotate(r, p.x, q.x);
    rotate(r, p.y, q.y);
    rotate(r, p.z, q.z);
}

/// (p, q) <- (q, -p) where `mask`: a swap that keeps the determinant.
template <class T>
[[gnu::always_inline]] inline void swapColumns(const WideMask<T>& mask, WideVec3<T>& p, WideVec3<T>& q) {
    const WideVec3<T> p0 = p;
    p = select(mask, q, p0);
    q = select(mask, -p0, q);
}

/// One-sided Jacobi [Hestenes1958]: turns the columns of b = a v until they are orthogonal, b_p·b_q <= eps max(|b_p|², |b_q|²),
/// and v with them. Unlike Jacobi on aᵀa it does not square the condition number. Sorts the columns by length.
template <class T>
void orthogonalizeColumns(WideVec3<T> (&b)[3], WideVec3<T> (&v)[3]) {
    const T tolerance = T(0.5) * std::numeric_limits<T>::epsilon();
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
        WideMask<T> rotated = Wide<T>(T(0)) > Wide<T>(T(0));
        for (const auto& [p, q] : kPairs) {
            const Wide<T> pp = dot(b[p], b[p]), qq = dot(b[q], b[q]), pq = dot(b[p], b[q]);
            const WideMask<T> active = abs(pq) > tolerance * max(pp, qq);
            const Rotation<T> r = rotationBy(jacobiTangent(pp, pq, qq, active));
            rotate(r, b[p], b[q]);
            rotate(r, v[p], v[q]);
            rotated = rotated | active;
        }
        if (!any(rotated)) break;
    }
    Wide<T> length[3];
    for (int i = 0; i < 3; ++i) length[i] = dot(b[i], b[i]);
    for (const auto& [p, q] : kPairs) {
        const WideMask<T> wrong = length[p] < length[q];
        const Wide<T> shorter = min(length[p], length[q]);
        length[p] = max(length[p], length[q]);
        length[q] = shorter;
        swapColumns(wrong, v[p], v[q]);
    }
}

/// The rotation that takes (a, b) to (r, 0), r >= 0. Where both are too small to be squared b is as good as zero.
template <class T>
[[gnu::always_inline]] inline Rotation<T> givens(const Wide<T>& a, const Wide<T>& b) {
    const Wide<T> squared = mulAdd(a, a, b * b);
    const WideMask<T> negligible = squared < Wide<T>(std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon());
    const Wide<T> r = sqrt(squared);
    return {select(negligible, T(1), a / r), select(negligible, T(0), -b / r)};
}

/// One step of Newton-Schulz, q <- q + q (1 - qᵀq) / 2: takes a product of many rotations back to one.
template <class T>
[[gnu::always_inline]] inline WideMat3<T> orthonormalized(const WideMat3<T>& q) {
    const WideMat3<T> defect = WideMat3<T>::identity() - transpose(q) * q;
    return q + q * (T(0.5) * defect);
}

/// b = u r by Givens rotations; b becomes the upper triangular r, whose diagonal is what matters as b's columns are orthogonal.
template <class T>
void triangularize(WideMat3<T>& b, WideMat3<T>& u) {
    WideVec3<T> rows[3] = {b.row(0), b.row(1), b.row(2)};
    WideVec3<T> columns[3] = {{T(1), T(0), T(0)}, {T(0), T(1), T(0)}, {T(0), T(0), T(1)}};
    for (const auto& [p, q] : kPairs) {
        const Rotation<T> r = givens(rows[p][p], rows[q][p]);
        rotate(r, rows[p], rows[q]);
        rotate(r, columns[p], columns[q]);
    }
    u = orthonormalized(WideMat3<T>::fromColumns(columns[0], columns[1], columns[2]));
    b = {{rows[0].x, rows[0].y, rows[0].z, rows[1].x, rows[1].y, rows[1].z, rows[2].x, rows[2].y, rows[2].z}};
}

/// The power of two to divide a matrix by so that its largest entry is in [1, 2).
template <class T>
[[gnu::always_inline]] inline Wide<T> scaleOf(const Wide<T>& largest) {
    return max(powerOfTwoBelow(largest), std::numeric_limits<T>::min());
}

}  // namespace

template <class T>
void svd(const WideMat3<T>& a, WideMat3<T>& u, WideVec3<T>& sigma, WideMat3<T>& v) {
    Wide<T> largest = abs(a.m[0]);
    for (std::size_t i = 1; i < 9; ++i) largest = max(largest, abs(a.m[i]));
    const Wide<T> scale = scaleOf(largest);
    WideMat3<T> scaled;
    for (std::size_t i = 0; i < 9; ++i) scaled.m[i] = a.m[i] / scale;

    WideVec3<T> b[3] = {scaled.column(0), scaled.column(1), scaled.column(2)};
    WideVec3<T> axes[3] = {{T(1), T(0), T(0)}, {T(0), T(1), T(0)}, {T(0), T(0), T(1)}};
    orthogonalizeColumns(b, axes);
    v = orthonormalized(WideMat3<T>::fromColumns(axes[0], axes[1], axes[2]));

    WideMat3<T> r = scaled * v;   // afresh, without the rounding of the sweeps
    triangularize(r, u);
    // Equal singular values may be out of order by their rounding.
    const Wide<T> x = abs(r(0, 0)), y = abs(r(1, 1)), z = abs(r(2, 2));
    const Wide<T> low = min(x, y), high = max(x, y);
    sigma.x = max(high, z) * scale;
    sigma.y = max(low, min(high, z)) * scale;
    sigma.z = copysign(min(low, z), r(2, 2)) * scale;
}

template <class T>
void svd(const Mat3T<T>& a, Mat3T<T>& u, Vec3T<T>& sigma, Mat3T<T>& v) {
    WideMat3<T> wideU, wideV;
    WideVec3<T> wideSigma;
    svd(broadcast(a), wideU, wideSigma, wideV);
    u = extractLane(wideU, 0);
    sigma = extractLane(wideSigma, 0);
    v = extractLane(wideV, 0);
}

template <class T>
void symmetricEigen(const WideSym3<T>& a, WideVec3<T>& values, WideMat3<T>& q) {
    const Wide<T> largest = max(max(max(abs(a.xx), abs(a.yy)), abs(a.zz)), max(max(abs(a.yz), abs(a.xz)), abs(a.xy)));
    const Wide<T> scale = scaleOf(largest);
    // off[k] couples the two axes other than k.
    Wide<T> diagonal[3] = {a.xx / scale, a.yy / scale, a.zz / scale}, off[3] = {a.yz / scale, a.xz / scale, a.xy / scale};
    WideVec3<T> axes[3] = {{T(1), T(0), T(0)}, {T(0), T(1), T(0)}, {T(0), T(0), T(1)}};
    const T tolerance = T(0.125) * std::numeric_limits<T>::epsilon();
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
        WideMask<T> rotated = Wide<T>(T(0)) > Wide<T>(T(0));
#pragma GCC unroll 3   // indices become constants: 55 -> 49 ns a matrix in float, 230 -> 177 in double
        for (const auto& [p, r] : kPairs) {
            const int other = 3 - p - r;
            const WideMask<T> active = abs(off[other]) > Wide<T>(tolerance);
            const Wide<T> tangent = jacobiTangent(diagonal[p], off[other], diagonal[r], active);
            const Rotation<T> rotation = rotationBy(tangent);
            diagonal[p] = negMulAdd(tangent, off[other], diagonal[p]);
            diagonal[r] = mulAdd(tangent, off[other], diagonal[r]);
            off[other] = select(active, T(0), off[other]);
            rotate(rotation, off[r], off[p]);   // off[r] couples p with the other axis, off[p] couples r
            rotate(rotation, axes[p], axes[r]);
            rotated = rotated | active;
        }
        if (!any(rotated)) break;
    }
    for (const auto& [p, r] : kPairs) {
        swapColumns(diagonal[p] < diagonal[r], axes[p], axes[r]);
        const Wide<T> smaller = min(diagonal[p], diagonal[r]);
        diagonal[p] = max(diagonal[p], diagonal[r]);
        diagonal[r] = smaller;
    }
    values = {diagonal[0] * scale, diagonal[1] * scale, diagonal[2] * scale};
    q = orthonormalized(WideMat3<T>::fromColumns(axes[0], axes[1], axes[2]));
}

template void svd(const WideMat3<float>&, WideMat3<float>&, WideVec3<float>&, WideMat3<float>&);
template void svd(const WideMat3<double>&, WideMat3<double>&, WideVec3<double>&, WideMat3<double>&);
template void svd(const Mat3f&, Mat3f&, Vec3f&, Mat3f&);
template void svd(const Mat3&, Mat3&, Vec3&, Mat3&);
template void symmetricEigen(const WideSym3<float>&, WideVec3<float>&, WideMat3<float>&);
template void symmetricEigen(const WideSym3<double>&, WideVec3<double>&, WideMat3<double>&);

}  // namespace talus
