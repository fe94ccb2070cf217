// SPDX-License-Identifier: Apache-2.0
// Vectors and matrices of eight grains at a time, named like those of core/vec.h. Products are fused.
#pragma once

#include "core/vec.h"
#include "core/wide.h"

#include <array>
#include <cstddef>

namespace talus {

template <class T>
struct WideVec3 {
    Wide<T> x, y, z;

    [[gnu::always_inline]] Wide<T>& operator[](int axis) { return axis == 0 ? x : axis == 1 ? y : z; }
    [[gnu::always_inline]] const Wide<T>& operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }

    [[gnu::always_inline]] friend WideVec3 operator+(const WideVec3& a, const WideVec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
    [[gnu::always_inline]] friend WideVec3 operator-(const WideVec3& a, const WideVec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
    [[gnu::always_inline]] friend WideVec3 operator-(const WideVec3& a) { return {-a.x, -a.y, -a.z}; }
    [[gnu::always_inline]] friend WideVec3 operator*(const WideVec3& a, const Wide<T>& s) { return {a.x * s, a.y * s, a.z * s}; }
    [[gnu::always_inline]] friend WideVec3 operator*(const Wide<T>& s, const WideVec3& a) { return a * s; }

    /// s a + b.
    [[gnu::always_inline]] friend WideVec3 mulAdd(const Wide<T>& s, const WideVec3& a, const WideVec3& b) {
        return {mulAdd(s, a.x, b.x), mulAdd(s, a.y, b.y), mulAdd(s, a.z, b.z)};
    }
    [[gnu::always_inline]] friend WideVec3 select(const WideMask<T>& m, const WideVec3& yes, const WideVec3& no) {
        return {select(m, yes.x, no.x), select(m, yes.y, no.y), select(m, yes.z, no.z)};
    }
};

template <class T>
[[gnu::always_inline]] inline Wide<T> dot(const WideVec3<T>& a, const WideVec3<T>& b) {
    return mulAdd(a.z, b.z, mulAdd(a.y, b.y, a.x * b.x));
}
template <class T>
[[gnu::always_inline]] inline WideVec3<T> cross(const WideVec3<T>& a, const WideVec3<T>& b) {
    return {negMulAdd(a.z, b.y, a.y * b.z), negMulAdd(a.x, b.z, a.z * b.x), negMulAdd(a.y, b.x, a.x * b.y)};
}

template <class T>
struct WideMat3 {
    std::array<Wide<T>, 9> m;   // row-major

    [[gnu::always_inline]] Wide<T>& operator()(int row, int column) { return m[static_cast<std::size_t>(3 * row + column)]; }
    [[gnu::always_inline]] const Wide<T>& operator()(int row, int column) const { return m[static_cast<std::size_t>(3 * row + column)]; }

    [[gnu::always_inline]] static WideMat3 fromColumns(const WideVec3<T>& a, const WideVec3<T>& b, const WideVec3<T>& c) {
        return {{a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z}};
    }
    [[gnu::always_inline]] static WideMat3 diagonal(const WideVec3<T>& d) {
        const Wide<T> o = T(0);
        return {{d.x, o, o, o, d.y, o, o, o, d.z}};
    }
    [[gnu::always_inline]] static WideMat3 identity() { return diagonal({T(1), T(1), T(1)}); }

    [[gnu::always_inline]] WideVec3<T> row(int i) const { return {(*this)(i, 0), (*this)(i, 1), (*this)(i, 2)}; }
    [[gnu::always_inline]] WideVec3<T> column(int j) const { return {(*this)(0, j), (*this)(1, j), (*this)(2, j)}; }

    [[gnu::always_inline]] friend WideMat3 operator+(const WideMat3& a, const WideMat3& b) {
        WideMat3 c;
        for (std::size_t i = 0; i < 9; ++i) c.m[i] = a.m[i] + b.m[i];
        return c;
    }
    [[gnu::always_inline]] friend WideMat3 operator-(const WideMat3& a, const WideMat3& b) {
        WideMat3 c;
        for (std::size_t i = 0; i < 9; ++i) c.m[i] = a.m[i] - b.m[i];
        return c;
    }
    [[gnu::always_inline]] friend WideMat3 operator*(const WideMat3& a, const Wide<T>& s) {
        WideMat3 c;
        for (std::size_t i = 0; i < 9; ++i) c.m[i] = a.m[i] * s;
        return c;
    }
    [[gnu::always_inline]] friend WideMat3 operator*(const Wide<T>& s, const WideMat3& a) { return a * s; }
    [[gnu::always_inline]] friend WideVec3<T> operator*(const WideMat3& a, const WideVec3<T>& v) {
        return {dot(a.row(0), v), dot(a.row(1), v), dot(a.row(2), v)};
    }
    [[gnu::always_inline]] friend WideMat3 operator*(const WideMat3& a, const WideMat3& b) {
        WideMat3 c;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) c(i, j) = dot(a.row(i), b.column(j));
        return c;
    }
    [[gnu::always_inline]] friend WideMat3 select(const WideMask<T>& mask, const WideMat3& yes, const WideMat3& no) {
        WideMat3 c;
        for (std::size_t i = 0; i < 9; ++i) c.m[i] = select(mask, yes.m[i], no.m[i]);
        return c;
    }
};

template <class T>
[[gnu::always_inline]] inline WideMat3<T> transpose(const WideMat3<T>& a) {
    return {{a.m[0], a.m[3], a.m[6], a.m[1], a.m[4], a.m[7], a.m[2], a.m[5], a.m[8]}};
}
template <class T>
[[gnu::always_inline]] inline Wide<T> trace(const WideMat3<T>& a) { return a.m[0] + a.m[4] + a.m[8]; }
template <class T>
[[gnu::always_inline]] inline Wide<T> determinant(const WideMat3<T>& a) { return dot(a.row(0), cross(a.row(1), a.row(2))); }

/// A symmetric matrix by its six different entries.
template <class T>
struct WideSym3 {
    Wide<T> xx, yy, zz, xy, yz, xz;   // in the order of a six-component field
};

/// The matrix of lane `lane`, and the reverse; slow, for tests and rare lanes.
template <class T>
Mat3T<T> extractLane(const WideMat3<T>& a, int lane) {
    Mat3T<T> result;
    for (std::size_t i = 0; i < 9; ++i) result.m[i] = a.m[i].lane(lane);
    return result;
}
template <class T>
Vec3T<T> extractLane(const WideVec3<T>& a, int lane) { return {a.x.lane(lane), a.y.lane(lane), a.z.lane(lane)}; }

/// The same matrix in all lanes.
template <class T>
WideMat3<T> broadcast(const Mat3T<T>& a) {
    WideMat3<T> result;
    for (std::size_t i = 0; i < 9; ++i) result.m[i] = a.m[i];
    return result;
}

}  // namespace talus
