// SPDX-License-Identifier: Apache-2.0
// Bodies as fine grains meet them: by signed distance, with friction and restitution. They push grains and feel nothing of them: the
// loads are the guides'.
#pragma once

#include "world/world.h"

#include <cstdint>
#include <span>
#include <vector>

namespace talus::upsampling {

/// A fine grain at a surface.
struct TouchingGrain {
    Vec3 position, velocity;     // [m], [m/s]
    double radius = 0;           // [m]
    int material = 0;
};

class BodySurfaces {
public:
    /// The bodies as they are at `time` [s]; approaches slower than `quiet` [m/s] do not bounce, as gravity alone gives that much in a step.
    void begin(const world::World&, double time, double quiet);

    bool anyMoves() const { return anyMoves_; }
    std::size_t count() const { return bodies_.size(); }
    /// Appends bodies that may be closer to the box than `margin` [m]; returns a lower bound for the distance of the fixed ones, if
    /// they are asked for (infinite without any).
    double near(const Aabb& box, double margin, bool fixedToo, std::vector<std::uint32_t>& found) const;
    /// Of up to eight points, bit i: point i is closer to the body than its radius.
    std::uint64_t touching(std::uint32_t body, std::span<const Vec3> points, std::span<const double> radii) const;

    /// Moves a grain out of these bodies and changes its velocity as they demand: in contact mode "separate" the approach is
    /// returned with the restitution e, and friction takes at most μ (1 + e) times the approach of the sliding; with "slip" what touches neither
    /// bounces nor leaves, with "sticky" it does not slide either.
    /// True where it is clear of all of them afterwards. `rooms[i]`: how far the grain may go before it can meet body i [m], which is not asked until then.
    bool push(std::span<const std::uint32_t> bodies, std::span<double> rooms, TouchingGrain&) const;
    bool inside(std::span<const std::uint32_t> bodies, const Vec3& x) const;

private:
    struct Law {
        double friction = 0, restitution = 0;
    };
    void respond(std::uint32_t body, const world::SurfacePoint&, TouchingGrain&) const;

    std::vector<world::BodySnapshot> bodies_;
    std::vector<bool> fixed_;
    std::vector<Law> laws_;      // of body b with material m at b materials + m
    std::size_t materials_ = 0;
    double quiet_ = 0;
    bool anyMoves_ = false;
};

}  // namespace talus::upsampling
