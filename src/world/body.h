// SPDX-License-Identifier: Apache-2.0
// Objects with a surface. A method asks a body only for its surface at a point and an instant.
#pragma once

#include "core/vec.h"
#include "geometry/shape.h"
#include "world/motion.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace talus::world {

/// What grains may do at a surface: leave it and slide with friction; slide only; neither.
enum class ContactMode { separate, slip, sticky };
inline constexpr std::array<std::string_view, 3> kContactModeNames{"separate", "slip", "sticky"};

struct SurfacePoint {
    double distance = 0;     // [m], negative inside; a bound where the shape's distance is one
    Vec3 normal;             // outward
    Vec3 velocity;           // of the surface [m/s]
};

/// What grains did to a body, added up since the start of the run.
struct BodyLoad {
    Vec3 impulse;            // on the body [N s]
    Vec3 angularImpulse;     // about the body's position [N m s]
    double work = 0;         // done by the body on the grains [J]
    double slipWork = 0;     // dissipated by sliding on it [J]

    BodyLoad& operator+=(const BodyLoad& b) {
        impulse += b.impulse;
        angularImpulse += b.angularImpulse;
        work += b.work;
        slipWork += b.slipWork;
        return *this;
    }
};

struct Body {
    std::string name;
    int material = -1;       // index into World::materials; -1: none named, default contact
    ContactMode contact = ContactMode::separate;
    std::shared_ptr<const geometry::Shape> shape;   // in the body's own coordinates
    Motion motion;
    BodyLoad load;
    bool active = true;      // false: it is nowhere, until a stage brings it in

    /// Bound on the speed of its surface inside a box of the world [m/s].
    double fastest(double time, const Aabb& where) const {
        if (!active) return 0;
        const Pose pose = motion.at(time);
        const double spin = norm(pose.angularVelocity);
        if (spin == 0) return norm(pose.velocity);
        const auto farthest = [](const Aabb& box) { return norm(talus::max(talus::max(box.min, -box.min), talus::max(box.max, -box.max))); };
        const double arm = std::min(farthest(shape->bounds()), farthest({where.min - pose.position, where.max - pose.position}));
        return norm(pose.velocity) + spin * arm;
    }
};

/// A body at an instant.
class BodySnapshot {
public:
    BodySnapshot(const Body& body, double time) : body_(&body), pose_(body.motion.at(time)) {}

    const Body& body() const { return *body_; }
    const Pose& pose() const { return pose_; }
    /// Infinite where the body is not active.
    double distance(const Vec3& x) const { return body_->active ? body_->shape->distance(toLocal(x)) : kNowhere; }
    SurfacePoint surface(const Vec3& x) const {
        if (!body_->active) return {kNowhere, {0, 0, 1}, {}};
        const geometry::Surface local = body_->shape->surface(toLocal(x));
        return {local.distance, pose_.rotation.rotate(local.normal), velocity(x)};
    }
    /// Of the surface near x [m/s].
    Vec3 velocity(const Vec3& x) const { return pose_.velocityAt(x); }

private:
    static constexpr double kNowhere = std::numeric_limits<double>::infinity();
    Vec3 toLocal(const Vec3& x) const { return pose_.rotation.conjugate().rotate(x - pose_.position); }
    const Body* body_;
    Pose pose_;
};

}  // namespace talus::world
