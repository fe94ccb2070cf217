// SPDX-License-Identifier: Apache-2.0
// How full a place is: the packed volume of points, spread to nodes and back with the quadratic B-spline, over the volume of a
// cell. It is 1 inside a packing and 1/2 on its surface.
#pragma once

#include "mpm/frame.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <unordered_map>

namespace talus::mpm {

class Room {
public:
    explicit Room(const GridFrame& frame) : frame_(frame) {}

    void take(const Vec3& x, double volume) {
        const Weights w(frame_, x);
        for (int n = 0; n < 27; ++n) volumes_[w.node(frame_, n)] += w.weight(n) * volume;
    }
    /// With a point of that volume put there.
    double fullnessWith(const Vec3& x, double volume) const {
        const Weights w(frame_, x);
        double sum = 0;
        for (int n = 0; n < 27; ++n) {
            const auto found = volumes_.find(w.node(frame_, n));
            sum += w.weight(n) * ((found == volumes_.end() ? 0 : found->second) + w.weight(n) * volume);
        }
        return sum / frame_.cellVolume();
    }

private:
    struct Weights {
        Weights(const GridFrame& frame, const Vec3& x) {
            for (int axis = 0; axis < 3; ++axis) {
                const double p = (x[axis] - frame.origin[axis]) / frame.spacing[axis], nearest = std::floor(p + 0.5), f = p - nearest;
                first[axis] = static_cast<int>(nearest) - 1;
                along[static_cast<std::size_t>(axis)] = {0.5 * (0.5 - f) * (0.5 - f), 0.75 - f * f, 0.5 * (0.5 + f) * (0.5 + f)};
            }
        }
        double weight(int n) const { return along[0][static_cast<std::size_t>(n / 9)] * along[1][static_cast<std::size_t>(n / 3 % 3)] * along[2][static_cast<std::size_t>(n % 3)]; }
        std::uint64_t node(const GridFrame& frame, int n) const {
            const std::array<int, 3> at{first.x + n / 9, first.y + n / 3 % 3, first.z + n % 3};
            BlockCoord block;
            int cell = 0;
            for (int axis = 0; axis < 3; ++axis) {
                const int i = at[static_cast<std::size_t>(axis)], b = i >= 0 ? i / kBlockSide : (i + 1) / kBlockSide - 1;
                block[axis] = frame.wrap(b, axis);
                cell = kBlockSide * cell + (i - kBlockSide * b);
            }
            return cellKey(block, cell);
        }
        Vec3i first;
        std::array<std::array<double, 3>, 3> along;
    };

    GridFrame frame_;
    std::unordered_map<std::uint64_t, double> volumes_;   // per node, looked up only: never in the order of the table
};

}  // namespace talus::mpm
