// SPDX-License-Identifier: Apache-2.0
// Singular values and eigenvalues of 3x3 matrices, eight at a time. A lane's result does not depend on the other lanes.
// Both are backward stable for any finite matrix, singular, inverted, zero, huge or tiny: the decomposition is exact for a
// matrix that differs from the given one by a few units of rounding of its norm. tests/unit/core/svd_test.cpp has the numbers.
#pragma once

#include "core/wide_mat.h"

namespace talus {

/// a = u diag(sigma) vᵀ with rotations u and v (determinant +1) and sigma.x >= sigma.y >= |sigma.z|; sigma.z has the sign of det a.
template <class T>
void svd(const WideMat3<T>& a, WideMat3<T>& u, WideVec3<T>& sigma, WideMat3<T>& v);
template <class T>
void svd(const Mat3T<T>& a, Mat3T<T>& u, Vec3T<T>& sigma, Mat3T<T>& v);

/// a = q diag(values) qᵀ with a rotation q, whose columns are the eigenvectors; values.x >= values.y >= values.z.
template <class T>
void symmetricEigen(const WideSym3<T>& a, WideVec3<T>& values, WideMat3<T>& q);

}  // namespace talus
