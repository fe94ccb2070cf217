// SPDX-License-Identifier: Apache-2.0
// Objects with a surface. A method asks a body only for its surface at a point and an instant.
#pragma once

#include "core/vec.h"
#include "geometry/shape.h"
#include "world/belt.h"
#include "world/free_body.h"
#include "world/motion.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace talus::world {

/// What grains may do at a surface: leave it and slide with friction; slide only; neither.
enum class ContactMode { separate, slip, sticky };
inline constexpr std::array<std::string_view, 3> kContactModeNames{"separate", "slip", "sticky"};

struct SurfacePoint {
    double distance = 0;     // [m], negative inside; a bound where the shape's distance is one
    Vec3 normal;             // outward
    Vec3 velocity;           // of the surface [m/s]
    int material = -1;       // of the body
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

/// When a body is there. Outside it has no surface, and a free one stays where it is.
struct TimeWindow {
    double from = -std::numeric_limits<double>::infinity(), to = std::numeric_limits<double>::infinity();   // [s]; `to` is out
    bool contains(double time) const { return time >= from && time < to; }
    bool always() const { return *this == TimeWindow{}; }
    TimeWindow later(double by) const { return {from + by, to + by}; }
    friend bool operator==(const TimeWindow&, const TimeWindow&) = default;
};

struct Body {
    std::string name;
    int material = -1;       // index into World::materials; -1: none named, default contact
    ContactMode contact = ContactMode::separate;
    std::shared_ptr<const geometry::Shape> shape;   // in the body's own coordinates
    std::variant<Motion, FreeBody> motion;          // prescribed, or by the forces on it
    TimeWindow active = {};
    std::optional<Belt> belt = {};
    int source = -1;         // index in the scene's list of bodies; -1: a face of the domain
    BodyLoad load;

    const FreeBody* free() const { return std::get_if<FreeBody>(&motion); }
    /// Stands still with all of its surface, always.
    bool fixed() const {
        const Motion* scripted = std::get_if<Motion>(&motion);
        return scripted && scripted->fixed() && active.always() && !belt;
    }
    bool activeAt(double time) const { return active.contains(time); }
    /// A free body knows its present pose only.
    Pose pose(double time) const {
        if (const FreeBody* body = free()) return activeAt(time) ? body->pose : Pose{body->pose.position, body->pose.rotation, {}, {}};
        return std::get<Motion>(motion).at(time);
    }
    /// What the belt adds to the velocity of the surface at a point with an outward normal [m/s].
    Vec3 beltVelocity(const Pose& pose, const Vec3& x, const Vec3& normal, double time) const {
        if (!belt) return {};
        const Quat back = pose.rotation.conjugate();
        return pose.rotation.rotate(belt->velocity(back.rotate(x - pose.position), back.rotate(normal), time));
    }

    /// Bounds on the speed of its surface [m/s], of all of it or inside a box of the world.
    double fastest(const Pose& pose, double time) const { return speed(pose, time, farthest(shape->bounds())); }
    double fastest(double time, const Aabb& where) const {
        if (!activeAt(time)) return 0;
        const Pose now = pose(time);
        return speed(now, time, std::min(farthest(shape->bounds()), farthest({where.min - now.position, where.max - now.position})));
    }

private:
    static double farthest(const Aabb& box) { return norm(talus::max(talus::max(box.min, -box.min), talus::max(box.max, -box.max))); }
    double speed(const Pose& pose, double time, double arm) const {
        const double spin = norm(pose.angularVelocity);
        return norm(pose.velocity) + (spin == 0 ? 0 : spin * arm) + (belt ? belt->fastest(time, arm) : 0);
    }
};

/// A body at an instant. One that is not active has no surface: it is infinitely far away.
class BodySnapshot {
public:
    BodySnapshot(const Body& body, double time) : BodySnapshot(body, body.pose(time), time) {}
    BodySnapshot(const Body& body, const Pose& pose, double time) : body_(&body), pose_(pose), time_(time), active_(body.activeAt(time)) {}

    const Body& body() const { return *body_; }
    const Pose& pose() const { return pose_; }
    bool active() const { return active_; }
    /// The same place with other velocities: those a method is about to give a free body.
    void setVelocity(const Vec3& velocity, const Vec3& angularVelocity) {
        pose_.velocity = velocity;
        pose_.angularVelocity = angularVelocity;
    }

    double distance(const Vec3& x) const { return active_ ? body_->shape->distance(toLocal(x)) : std::numeric_limits<double>::infinity(); }
    SurfacePoint surface(const Vec3& x) const {
        if (!active_) return {std::numeric_limits<double>::infinity(), {0, 0, 1}, {}, body_->material};
        const geometry::Surface local = body_->shape->surface(toLocal(x));
        const Vec3 normal = pose_.rotation.rotate(local.normal);
        return {local.distance, normal, velocity(x, normal), body_->material};
    }
    /// Of the surface near x, whose outward normal there is given [m/s].
    Vec3 velocity(const Vec3& x, const Vec3& normal) const {
        const Vec3 rigid = pose_.velocityAt(x);
        return body_->belt ? rigid + body_->beltVelocity(pose_, x, normal, time_) : rigid;
    }

    /// In coordinates of the body.
    Vec3 toLocal(const Vec3& x) const { return pose_.rotation.conjugate().rotate(x - pose_.position); }

private:
    const Body* body_;
    Pose pose_;
    double time_;
    bool active_;
};

/// The box around a body in world coordinates; endless where its shape is.
Aabb worldBounds(const BodySnapshot&);

}  // namespace talus::world
