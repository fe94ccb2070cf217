// SPDX-License-Identifier: Apache-2.0
// The free bodies during a step. A method advances them in its grains' own scheme: it begins a step, adds what its grains do,
// lets bodies meet each other, and commits when the step is accepted. Until then the world is as before.
#pragma once

#include "world/body_contact.h"
#include "world/world.h"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace talus::world {

/// Longest step in which contacts of bodies stay accurate [s]; without free bodies there is none.
double longestBodyStep(const World&);

class FreeBodies {
public:
    /// Velocities get what gravity, applied loads and the last step's contacts give in dt.
    void begin(const World&, double dt);

    std::size_t size() const { return free_.size(); }
    bool touching() const { return !touches_.empty(); }
    std::uint32_t body(std::size_t k) const { return free_[k]; }                       // index in World::bodies
    const Pose& pose(std::size_t k) const { return bodies_[free_[k]].pose; }
    Vec6 velocity(std::size_t k) const { return {pose(k).velocity, pose(k).angularVelocity}; }
    const Mat6& mobility(std::size_t k) const { return bodies_[free_[k]].mobility; }
    const FreeBody& constants(std::size_t k) const { return *bodies_[free_[k]].body->free(); }
    /// Any body at the trial pose.
    BodySnapshot snapshot(std::uint32_t body, double time) const { return {*bodies_[body].body, bodies_[body].pose, time}; }

    void setVelocity(std::size_t k, const Vec6&);
    /// An impulse and its moment about the body's position.
    void push(std::size_t k, const Vec6& impulse) { setVelocity(k, velocity(k) + mobility(k) * impulse); }
    /// Bodies that touch push each other.
    void meet();
    /// Moves them with their velocities for the step, and those that overlap apart.
    void move();
    /// The same to poses that the method has found for the end of the step itself.
    void moveTo(std::span<const Pose> poses);
    void commit(World&) const;

private:
    void endStep();
    void startFrom(const std::vector<BodyContact>& before);

    double dt_ = 0, time_ = 0;
    std::vector<ContactBody> bodies_;      // all of the world's
    std::vector<std::uint32_t> free_;      // those that move freely and are active
    std::vector<BodyTouch> touches_;
};

}  // namespace talus::world
