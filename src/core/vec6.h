// SPDX-License-Identifier: Apache-2.0
// Vectors of space and of rotation side by side: velocity and angular velocity of a rigid body, or impulse and moment.
#pragma once

#include "core/vec.h"

#include <array>
#include <cstddef>
#include <utility>

namespace talus {

struct Vec6 {
    Vec3 linear, angular;

    double& operator[](int i) { return i < 3 ? linear[i] : angular[i - 3]; }
    const double& operator[](int i) const { return i < 3 ? linear[i] : angular[i - 3]; }
    Vec6& operator+=(const Vec6& b) { linear += b.linear; angular += b.angular; return *this; }
    friend Vec6 operator+(Vec6 a, const Vec6& b) { return a += b; }
    friend Vec6 operator-(const Vec6& a, const Vec6& b) { return {a.linear - b.linear, a.angular - b.angular}; }
    friend Vec6 operator*(double s, const Vec6& a) { return {s * a.linear, s * a.angular}; }
    friend bool operator==(const Vec6&, const Vec6&) = default;
};

struct Mat6 {
    std::array<double, 36> m{};   // row-major

    double& operator()(int row, int column) { return m[static_cast<std::size_t>(6 * row + column)]; }
    double operator()(int row, int column) const { return m[static_cast<std::size_t>(6 * row + column)]; }
    Mat6& operator+=(const Mat6& b) { for (std::size_t i = 0; i < 36; ++i) m[i] += b.m[i]; return *this; }
    friend Mat6 operator+(Mat6 a, const Mat6& b) { return a += b; }
    friend Vec6 operator*(const Mat6& a, const Vec6& v) {
        Vec6 product;
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j) product[i] += a(i, j) * v[j];
        return product;
    }
    /// Four blocks of three.
    static Mat6 blocks(const Mat3& a, const Mat3& b, const Mat3& c, const Mat3& d) {
        Mat6 result;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                result(i, j) = a(i, j);
                result(i, j + 3) = b(i, j);
                result(i + 3, j) = c(i, j);
                result(i + 3, j + 3) = d(i, j);
            }
        return result;
    }
};

/// a× as a matrix.
inline Mat3 crossMatrix(const Vec3& a) { return {{0, -a.z, a.y, a.z, 0, -a.x, -a.y, a.x, 0}}; }

/// The inverse of the rows and columns that are not `locked`; zero in the others. Gauss–Jordan with partial pivoting.
inline Mat6 inverseWithout(const std::array<bool, 6>& locked, Mat6 a) {
    Mat6 inverse;
    for (int i = 0; i < 6; ++i) {
        inverse(i, i) = 1;
        if (!locked[static_cast<std::size_t>(i)]) continue;
        for (int j = 0; j < 6; ++j) a(i, j) = a(j, i) = i == j;
    }
    for (int k = 0; k < 6; ++k) {
        int pivot = k;
        for (int i = k + 1; i < 6; ++i)
            if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
        for (int j = 0; j < 6; ++j) {
            std::swap(a(k, j), a(pivot, j));
            std::swap(inverse(k, j), inverse(pivot, j));
        }
        const double scale = 1 / a(k, k);
        for (int j = 0; j < 6; ++j) {
            a(k, j) *= scale;
            inverse(k, j) *= scale;
        }
        for (int i = 0; i < 6; ++i) {
            if (i == k) continue;
            const double factor = a(i, k);
            for (int j = 0; j < 6; ++j) {
                a(i, j) -= factor * a(k, j);
                inverse(i, j) -= factor * inverse(k, j);
            }
        }
    }
    for (int i = 0; i < 6; ++i)
        if (locked[static_cast<std::size_t>(i)])
            for (int j = 0; j < 6; ++j) inverse(i, j) = inverse(j, i) = 0;
    return inverse;
}

}  // namespace talus
