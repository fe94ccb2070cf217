// SPDX-License-Identifier: Apache-2.0
// Small vectors, matrices and quaternions: plain structs, row-major, no expression templates.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace talus {

template <class T>
struct Vec3T {
    T x{}, y{}, z{};

    constexpr T& operator[](int axis) { return axis == 0 ? x : axis == 1 ? y : z; }
    constexpr const T& operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }

    constexpr Vec3T& operator+=(const Vec3T& b) { x += b.x; y += b.y; z += b.z; return *this; }
    constexpr Vec3T& operator-=(const Vec3T& b) { x -= b.x; y -= b.y; z -= b.z; return *this; }
    constexpr Vec3T& operator*=(T s) { x *= s; y *= s; z *= s; return *this; }

    friend constexpr Vec3T operator+(Vec3T a, const Vec3T& b) { return a += b; }
    friend constexpr Vec3T operator-(Vec3T a, const Vec3T& b) { return a -= b; }
    friend constexpr Vec3T operator-(const Vec3T& a) { return {-a.x, -a.y, -a.z}; }
    friend constexpr Vec3T operator*(Vec3T a, T s) { return a *= s; }
    friend constexpr Vec3T operator*(T s, Vec3T a) { return a *= s; }
    friend constexpr Vec3T operator/(const Vec3T& a, T s) { return {a.x / s, a.y / s, a.z / s}; }
    friend constexpr bool operator==(const Vec3T&, const Vec3T&) = default;
};

using Vec3 = Vec3T<double>;
using Vec3f = Vec3T<float>;
using Vec3i = Vec3T<int>;

template <class T>
constexpr T dot(const Vec3T<T>& a, const Vec3T<T>& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
template <class T>
constexpr Vec3T<T> cross(const Vec3T<T>& a, const Vec3T<T>& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
constexpr T normSquared(const Vec3T<T>& a) { return dot(a, a); }
template <class T>
T norm(const Vec3T<T>& a) { return std::sqrt(dot(a, a)); }
/// a / |a|; `fallback` where a is zero.
template <class T>
Vec3T<T> normalized(const Vec3T<T>& a, const Vec3T<T>& fallback = {T(0), T(0), T(1)}) {
    const T length = norm(a);
    return length > T(0) ? a / length : fallback;
}
template <class T>
constexpr Vec3T<T> componentProduct(const Vec3T<T>& a, const Vec3T<T>& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
template <class T>
constexpr Vec3T<T> min(const Vec3T<T>& a, const Vec3T<T>& b) { return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)}; }
template <class T>
constexpr Vec3T<T> max(const Vec3T<T>& a, const Vec3T<T>& b) { return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)}; }
template <class T>
constexpr T maxComponent(const Vec3T<T>& a) { return std::max(a.x, std::max(a.y, a.z)); }
template <class T>
constexpr T minComponent(const Vec3T<T>& a) { return std::min(a.x, std::min(a.y, a.z)); }
template <class T>
bool isFinite(const Vec3T<T>& a) { return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z); }

template <class T>
struct Mat3T {
    std::array<T, 9> m{};   // row-major

    constexpr T& operator()(int row, int column) { return m[static_cast<std::size_t>(3 * row + column)]; }
    constexpr const T& operator()(int row, int column) const { return m[static_cast<std::size_t>(3 * row + column)]; }

    static constexpr Mat3T diagonal(const Vec3T<T>& d) { return {{d.x, 0, 0, 0, d.y, 0, 0, 0, d.z}}; }
    static constexpr Mat3T identity() { return diagonal({T(1), T(1), T(1)}); }
    static constexpr Mat3T outer(const Vec3T<T>& a, const Vec3T<T>& b) {
        return {{a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x, a.z * b.y, a.z * b.z}};
    }

    constexpr Vec3T<T> row(int i) const { return {(*this)(i, 0), (*this)(i, 1), (*this)(i, 2)}; }
    constexpr Vec3T<T> column(int j) const { return {(*this)(0, j), (*this)(1, j), (*this)(2, j)}; }

    constexpr Mat3T& operator+=(const Mat3T& b) { for (std::size_t i = 0; i < 9; ++i) m[i] += b.m[i]; return *this; }
    constexpr Mat3T& operator-=(const Mat3T& b) { for (std::size_t i = 0; i < 9; ++i) m[i] -= b.m[i]; return *this; }
    constexpr Mat3T& operator*=(T s) { for (T& e : m) e *= s; return *this; }
    friend constexpr Mat3T operator+(Mat3T a, const Mat3T& b) { return a += b; }
    friend constexpr Mat3T operator-(Mat3T a, const Mat3T& b) { return a -= b; }
    friend constexpr Mat3T operator*(Mat3T a, T s) { return a *= s; }
    friend constexpr Mat3T operator*(T s, Mat3T a) { return a *= s; }
    friend constexpr Vec3T<T> operator*(const Mat3T& a, const Vec3T<T>& v) { return {dot(a.row(0), v), dot(a.row(1), v), dot(a.row(2), v)}; }
    friend constexpr Mat3T operator*(const Mat3T& a, const Mat3T& b) {
        Mat3T c;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) c(i, j) = dot(a.row(i), b.column(j));
        return c;
    }
    friend constexpr bool operator==(const Mat3T&, const Mat3T&) = default;
};

using Mat3 = Mat3T<double>;
using Mat3f = Mat3T<float>;

template <class T>
constexpr Mat3T<T> transpose(const Mat3T<T>& a) {
    return {{a.m[0], a.m[3], a.m[6], a.m[1], a.m[4], a.m[7], a.m[2], a.m[5], a.m[8]}};
}
template <class T>
constexpr T trace(const Mat3T<T>& a) { return a.m[0] + a.m[4] + a.m[8]; }
template <class T>
constexpr T determinant(const Mat3T<T>& a) { return dot(a.row(0), cross(a.row(1), a.row(2))); }
template <class T>
constexpr Mat3T<T> inverse(const Mat3T<T>& a) {
    const Vec3T<T> c0 = cross(a.row(1), a.row(2)), c1 = cross(a.row(2), a.row(0)), c2 = cross(a.row(0), a.row(1));
    const T s = T(1) / dot(a.row(0), c0);
    return Mat3T<T>{{c0.x, c1.x, c2.x, c0.y, c1.y, c2.y, c0.z, c1.z, c2.z}} * s;
}
template <class T>
T frobeniusNorm(const Mat3T<T>& a) {
    T sum = 0;
    for (const T e : a.m) sum += e * e;
    return std::sqrt(sum);
}

/// Unit quaternion w + xi + yj + zk for a rotation.
struct Quat {
    double w = 1, x = 0, y = 0, z = 0;

    static Quat fromAxisAngle(const Vec3& axis, double angle) {
        const Vec3 n = normalized(axis) * std::sin(0.5 * angle);
        return {std::cos(0.5 * angle), n.x, n.y, n.z};
    }
    /// The rotation by |v| about v.
    static Quat fromRotationVector(const Vec3& v) { return fromAxisAngle(v, norm(v)); }
    /// By these angles about the fixed axes x, then y, then z.
    static Quat fromFixedAxes(const Vec3& angles) {
        return fromAxisAngle({0, 0, 1}, angles.z) * fromAxisAngle({0, 1, 0}, angles.y) * fromAxisAngle({1, 0, 0}, angles.x);
    }

    constexpr Quat conjugate() const { return {w, -x, -y, -z}; }
    Quat normalizedQuat() const {
        const double s = 1.0 / std::sqrt(w * w + x * x + y * y + z * z);
        return {w * s, x * s, y * s, z * s};
    }
    friend constexpr Quat operator*(const Quat& a, const Quat& b) {
        return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
    }
    constexpr Vec3 rotate(const Vec3& v) const {
        const Vec3 q{x, y, z};
        const Vec3 t = 2.0 * cross(q, v);
        return v + w * t + cross(q, t);
    }
    constexpr Mat3 matrix() const {
        const Vec3 a = rotate({1, 0, 0}), b = rotate({0, 1, 0}), c = rotate({0, 0, 1});
        return {{a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z}};
    }
    friend constexpr bool operator==(const Quat&, const Quat&) = default;
};

/// x ↦ rotation x + translation.
struct RigidTransform {
    Quat rotation;
    Vec3 translation;

    constexpr Vec3 apply(const Vec3& x) const { return rotation.rotate(x) + translation; }
    constexpr Vec3 applyInverse(const Vec3& x) const { return rotation.conjugate().rotate(x - translation); }
};

/// Axis-aligned box; empty while min > max.
struct Aabb {
    Vec3 min{1e300, 1e300, 1e300}, max{-1e300, -1e300, -1e300};

    constexpr bool empty() const { return min.x > max.x || min.y > max.y || min.z > max.z; }
    constexpr void extend(const Vec3& p) { min = talus::min(min, p); max = talus::max(max, p); }
    constexpr bool contains(const Vec3& p) const {
        return p.x >= min.x && p.x <= max.x && p.y >= min.y && p.y <= max.y && p.z >= min.z && p.z <= max.z;
    }
    constexpr Vec3 size() const { return max - min; }
    constexpr Vec3 centre() const { return 0.5 * (min + max); }
};

}  // namespace talus
