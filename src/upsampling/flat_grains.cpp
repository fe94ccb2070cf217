// SPDX-License-Identifier: Apache-2.0
#include "upsampling/flat_grains.h"

#include "core/rng.h"
#include "core/svd.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace talus::upsampling {
namespace {

/// What random numbers of normals are for: no fill or emitter has this number, nor has the sampling of guides.
constexpr std::uint32_t kStream = 0x636f696e;
/// Parts of ν₂ below this count as this: normals that all point one way.
constexpr double kLeastPart = 1e-8;

/// Carlson's integral R_D(x, y, z) = (3/2) ∫ ds / ((z + s) √((x + s)(y + s)(z + s))) by duplication [Carlson1979], to 1e-11.
double carlsonD(double x, double y, double z) {
    double sum = 0, factor = 1, mean = 0;
    std::array<double, 3> d{};
    for (int i = 0; i < 40; ++i) {
        const double lambda = std::sqrt(x * y) + std::sqrt(y * z) + std::sqrt(x * z);
        sum += factor / (std::sqrt(z) * (z + lambda));
        factor *= 0.25;
        x = 0.25 * (x + lambda);
        y = 0.25 * (y + lambda);
        z = 0.25 * (z + lambda);
        mean = (x + y + 3 * z) / 5;
        d = {(mean - x) / mean, (mean - y) / mean, (mean - z) / mean};
        if (std::max({std::abs(d[0]), std::abs(d[1]), std::abs(d[2])}) < 0.01) break;
    }
    const double a = d[0] * d[1], b = d[2] * d[2], c = a - b, e = a - 6 * b, f = e + 2 * c;
    const double series = 1 + e * (-3.0 / 14 + 9.0 / 88 * e - 4.5 / 26 * d[2] * f) + d[2] * (f / 6 + d[2] * (-9.0 / 22 * c + d[2] * 3.0 / 26 * a));
    return 3 * sum + factor * series / (mean * std::sqrt(mean));
}

/// ⟨n_k²⟩ for A = diag(√s_k).
Vec3 momentOf(const Vec3& s) {
    const Vec3 b{1 / s.x, 1 / s.y, 1 / s.z};
    const double scale = std::sqrt(b.x * b.y * b.z) / 3;
    return scale * Vec3{carlsonD(b.y, b.z, b.x), carlsonD(b.x, b.z, b.y), carlsonD(b.x, b.y, b.z)};
}

/// The s_k, largest 1, whose moment is `parts`. Each ⟨n_k²⟩ grows with a power of s_k between a half and one, so this contracts by a third or better.
Vec3 squaresFor(const Vec3& parts) {
    constexpr int kMostRounds = 60;
    constexpr double kPower = 1 / 0.75, kTolerance = 1e-9;
    Vec3 s{std::pow(parts.x, 1.8), std::pow(parts.y, 1.8), std::pow(parts.z, 1.8)};
    for (int round = 0; round < kMostRounds; ++round) {
        const Vec3 moment = momentOf(s);
        double worst = 0;
        for (int k = 0; k < 3; ++k) {
            const double ratio = parts[k] / moment[k];
            worst = std::max(worst, std::abs(ratio - 1));
            s[k] *= std::pow(ratio, kPower);
        }
        s = s / maxComponent(s);
        if (worst < kTolerance) break;
    }
    return s;
}

}  // namespace

Mat3 spreadOfNormals(std::span<const double, 6> m) {
    Mat3 axes, same;
    Vec3 parts;
    svd(Mat3{{m[0], m[3], m[5], m[3], m[1], m[4], m[5], m[4], m[2]}}, axes, parts, same);
    for (int k = 0; k < 3; ++k) parts[k] = std::max(std::abs(parts[k]), kLeastPart);
    const double sum = parts.x + parts.y + parts.z;
    if (!std::isfinite(sum)) return Mat3::identity();
    const Vec3 s = squaresFor(parts / sum);
    return axes * Mat3::diagonal({std::sqrt(s.x), std::sqrt(s.y), std::sqrt(s.z)}) * transpose(axes);
}

Vec3 drawnNormal(std::uint64_t seed, std::int64_t id, const Mat3& spread) {
    Rng rng(seed, kStream, static_cast<std::uint64_t>(id));
    Vec3 u;
    double size = 0;
    do {
        u = {rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)};
        size = normSquared(u);
    } while (size > 1 || size < 1e-6);
    return normalized(spread * u);
}

}  // namespace talus::upsampling
