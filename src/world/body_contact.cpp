// SPDX-License-Identifier: Apache-2.0
#include "world/body_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::world {
void push(ContactBody& body, const Vec3& point, const Vec3& impulse) {
    if (!body.free) return;
    const Vec6 change = body.mobility * Vec6{impulse, cross(point - body.pose.position, impulse)};
    body.pose.velocity += change.linear;
    body.pose.angularVelocity += change.angular;
}

namespace {

/// Bodies rest this part of the smaller body's thickness apart: outside, the normal of a signed distance has no ambiguity.
constexpr double kSkin = 1e-3;
constexpr int kSweeps = 40;             // of the impulse solver; it starts from the last step's impulses
constexpr double kSettled = 1e-9;       // relative change of impulses at which it may stop
constexpr std::size_t kMostTouches = 12;   // of a pair of bodies
constexpr int kSeparations = 4;
constexpr double kSeparatePart = 0.2;   // of the missing gap, in each of them

double thickness(const Body& body) { return body.shape->bounded() ? minComponent(body.shape->bounds().size()) : std::numeric_limits<double>::infinity(); }

Vec3 toWorld(const Pose& pose, const Vec3& local) { return pose.position + pose.rotation.rotate(local); }

bool mayMeet(const ContactBody& a, const ContactBody& b, double margin) {
    for (int axis = 0; axis < 3; ++axis)
        if (a.bounds.min[axis] - margin > b.bounds.max[axis] || b.bounds.min[axis] - margin > a.bounds.max[axis]) return false;
    return true;
}

/// Where along the line of a feature the other body is nearest: the best of a few points, then golden section around it.
double nearestPart(const BodySnapshot& other, const Vec3& from, const Vec3& to) {
    constexpr int kScan = 8;
    constexpr double kGolden = 0.6180339887498949;
    const auto distance = [&](double s) { return other.distance(from + s * (to - from)); };
    int best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= kScan; ++i)
        if (const double d = distance(static_cast<double>(i) / kScan); d < least) {
            least = d;
            best = i;
        }
    double low = std::max(0, best - 1) / static_cast<double>(kScan), high = std::min(kScan, best + 1) / static_cast<double>(kScan);
    double s1 = high - kGolden * (high - low), s2 = low + kGolden * (high - low), d1 = distance(s1), d2 = distance(s2);
    for (int i = 0; i < 24; ++i) {
        if (d1 < d2) {
            high = s2;
            s2 = s1;
            d2 = d1;
            s1 = high - kGolden * (high - low);
            d1 = distance(s1);
        } else {
            low = s1;
            s1 = s2;
            d1 = d2;
            s2 = low + kGolden * (high - low);
            d2 = distance(s2);
        }
    }
    return 0.5 * (low + high);
}

/// Features of a near the surface of b.
void touchesOf(std::uint32_t ia, std::uint32_t ib, std::span<const ContactBody> bodies, double time, double skin, double margin, std::vector<BodyTouch>& found) {
    const ContactBody &a = bodies[ia], &b = bodies[ib];
    const BodySnapshot other(*b.body, b.pose, time);
    const geometry::ContactFeatures& features = a.body->shape->contactFeatures();
    for (std::uint32_t f = 0; f < features.size(); ++f) {
        const geometry::ContactFeature& feature = features[f];
        Vec3 local = feature.from;
        if (!feature.point()) {
            const Vec3 from = toWorld(a.pose, feature.from), to = toWorld(a.pose, feature.to);
            const double length = norm(to - from);
            if (other.distance(0.5 * (from + to)) > margin + feature.radius + 0.5 * length) continue;
            const double s = nearestPart(other, from, to);
            local = feature.from + s * (feature.to - feature.from);
            const double ends = std::min(other.distance(from), other.distance(to));
            if (other.distance(toWorld(a.pose, local)) > ends - 1e-6 * length) continue;
        }
        const Vec3 x = toWorld(a.pose, local);
        const double distance = other.distance(x) - feature.radius;
        if (!(distance < margin)) continue;
        const SurfacePoint surface = other.surface(x);
        BodyTouch touch;
        touch.memory = {ia, ib, f, {}};
        touch.local = local;
        touch.radius = feature.radius;
        touch.skin = skin;
        touch.gap = distance - skin;
        touch.normal = surface.normal;
        touch.point = x - feature.radius * surface.normal;
        found.push_back(touch);
    }
}

/// The deepest, then always the one furthest from those kept: they span the patch.
void keepFew(std::vector<BodyTouch>& touches, std::size_t first) {
    if (touches.size() - first <= kMostTouches) return;
    const auto begin = touches.begin() + static_cast<std::ptrdiff_t>(first);
    std::iter_swap(begin, std::min_element(begin, touches.end(), [](const BodyTouch& p, const BodyTouch& q) { return p.gap < q.gap; }));
    std::vector<double> apart(touches.size(), std::numeric_limits<double>::infinity());
    for (std::size_t kept = first + 1; kept < first + kMostTouches; ++kept) {
        std::size_t furthest = kept;
        for (std::size_t i = kept; i < touches.size(); ++i) {
            // A touch with room to spare matters less than one that is nearly closed.
            apart[i] = std::min(apart[i], norm(touches[i].point - touches[kept - 1].point) - 10 * std::max(0.0, touches[i].gap));
            if (apart[i] > apart[furthest]) furthest = i;
        }
        std::swap(touches[kept], touches[furthest]);
        std::swap(apart[kept], apart[furthest]);
    }
    touches.resize(first + kMostTouches);
    std::sort(touches.begin() + static_cast<std::ptrdiff_t>(first), touches.end(), [](const BodyTouch& p, const BodyTouch& q) { return p.memory.key() < q.memory.key(); });
}

/// Velocity of the surfaces against each other per impulse between them: Σ J W Jᵀ.
void addResponse(const ContactBody& body, const Vec3& point, Mat3& k) {
    if (!body.free) return;
    const Vec3 arm = point - body.pose.position;
    for (int j = 0; j < 3; ++j) {
        Vec3 unit;
        unit[j] = 1;
        const Vec6 change = body.mobility * Vec6{unit, cross(arm, unit)};
        const Vec3 v = change.linear + cross(change.angular, arm);
        for (int i = 0; i < 3; ++i) k(i, j) += v[i];
    }
}

Vec3 relativeVelocity(const BodyTouch& t, std::span<const ContactBody> bodies) {
    return bodies[t.memory.a].pose.velocityAt(t.point) - bodies[t.memory.b].pose.velocityAt(t.point) + t.surfaceVelocity;
}

void pushBoth(const BodyTouch& t, const Vec3& impulse, std::span<ContactBody> bodies) {
    push(bodies[t.memory.a], t.point, impulse);
    push(bodies[t.memory.b], t.point, -impulse);
}

/// Largest response along the plane of the contact. Friction changes against the sliding by −v_t over it: a step that stopped the
/// sliding exactly would turn away from it where the response differs along the plane, and friction at its limit with it.
double slidingResponse(const BodyTouch& t) {
    const Vec3 e1 = normalized(cross(t.normal, std::abs(t.normal.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0})), e2 = cross(t.normal, e1);
    const double k11 = dot(e1, t.response * e1), k12 = dot(e1, t.response * e2), k22 = dot(e2, t.response * e2);
    return 0.5 * (k11 + k22) + std::hypot(0.5 * (k11 - k22), k12);
}

/// One contact made right against the present velocities; returns the size of the change.
double solveOne(BodyTouch& t, std::span<ContactBody> bodies, double dt) {
    const double k = dot(t.normal, t.response * t.normal);
    if (!(k > 0)) return 0;
    const Vec3 before = t.impulse;
    const double normalBefore = dot(before, t.normal);
    // v·n ≥ −gap/Δt lets the gap close and no more; an impact ends in v·n ≥ bounce.
    const double least = t.bounce > 0 ? t.bounce : -std::max(t.gap, 0.0) / dt;
    const double normal = std::max(0.0, normalBefore + (least - dot(relativeVelocity(t, bodies), t.normal)) / k);
    pushBoth(t, (normal - normalBefore) * t.normal, bodies);

    const Vec3 v = relativeVelocity(t, bodies), slide = v - dot(v, t.normal) * t.normal;
    const Vec3 frictionBefore = before - normalBefore * t.normal;
    const double sliding = slidingResponse(t);
    Vec3 friction = sliding > 0 ? frictionBefore - slide / sliding : frictionBefore;
    if (const double size = norm(friction), most = t.friction * normal; size > most) friction *= most / size;
    pushBoth(t, friction - frictionBefore, bodies);
    t.impulse = normal * t.normal + friction;
    return norm(t.impulse - before);
}

}  // namespace

std::vector<BodyTouch> findTouches(std::span<const ContactBody> bodies, const ContactTable& contacts, double time, double dt, double restSpeed) {
    std::vector<BodyTouch> found;
    struct Size {
        bool active;
        double thickness, fastest;
    };
    std::vector<Size> sizes;
    for (const ContactBody& body : bodies) {
        const bool active = body.body->activeAt(time);
        sizes.push_back({active, thickness(*body.body), active ? body.body->fastest(body.pose, time) : 0});
    }
    for (std::uint32_t i = 0; i < bodies.size(); ++i)
        for (std::uint32_t j = i + 1; j < bodies.size(); ++j) {
            const ContactBody &a = bodies[i], &b = bodies[j];
            if (!(a.free || b.free) || !sizes[i].active || !sizes[j].active) continue;
            const double skin = kSkin * std::min(sizes[i].thickness, sizes[j].thickness);
            const double margin = 2 * skin + dt * (sizes[i].fastest + sizes[j].fastest);
            if (!mayMeet(a, b, margin)) continue;
            const std::size_t first = found.size();
            touchesOf(i, j, bodies, time, skin, margin, found);
            touchesOf(j, i, bodies, time, skin, margin, found);
            keepFew(found, first);
            const Contact& rub = contacts.between(a.body->material, b.body->material);
            for (std::size_t n = first; n < found.size(); ++n) {
                BodyTouch& t = found[n];
                const ContactBody &p = bodies[t.memory.a], &q = bodies[t.memory.b];
                t.friction = rub.friction;
                t.restitution = rub.restitution.value_or(0);
                t.surfaceVelocity = p.body->beltVelocity(p.pose, t.point, -t.normal, time) - q.body->beltVelocity(q.pose, t.point, t.normal, time);
                addResponse(p, t.point, t.response);
                addResponse(q, t.point, t.response);
                const double approach = -dot(relativeVelocity(t, bodies), t.normal);
                if (approach > restSpeed && approach * dt > t.gap) t.bounce = t.restitution * approach;
            }
        }
    return found;
}

void solveTouches(std::span<BodyTouch> touches, std::span<ContactBody> bodies, double dt) {
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
        double change = 0, size = 0;
        // Forth and back: what a stack needs goes up and down in one round.
        for (std::size_t i = 0; i < touches.size(); ++i) {
            BodyTouch& t = touches[sweep % 2 == 0 ? i : touches.size() - 1 - i];
            change = std::max(change, solveOne(t, bodies, dt));
            size = std::max(size, norm(t.impulse));
        }
        if (change <= kSettled * size) return;
    }
}

void separate(std::span<const BodyTouch> touches, std::span<ContactBody> bodies) {
    for (int round = 0; round < kSeparations; ++round)
        for (const BodyTouch& t : touches) {
            ContactBody &a = bodies[t.memory.a], &b = bodies[t.memory.b];
            const Vec3 x = toWorld(a.pose, t.local);
            const geometry::Surface surface = b.body->shape->surface(b.pose.rotation.conjugate().rotate(x - b.pose.position));   // it is there: they touched
            const double missing = 0.9 * t.skin - (surface.distance - t.radius);
            if (!(missing > 0)) continue;
            const Vec3 normal = b.pose.rotation.rotate(surface.normal), point = x - t.radius * normal;
            Mat3 response;
            addResponse(a, point, response);
            addResponse(b, point, response);
            const double k = dot(normal, response * normal);
            if (!(k > 0)) continue;
            const Vec3 shift = (kSeparatePart * missing / k) * normal;
            for (ContactBody* body : {&a, &b}) {
                if (!body->free) continue;
                const Vec3 way = body == &a ? shift : -shift;
                const Vec6 change = body->mobility * Vec6{way, cross(point - body->pose.position, way)};
                body->pose.position += change.linear;
                body->pose.rotation = (Quat::fromRotationVector(change.angular) * body->pose.rotation).normalizedQuat();
            }
        }
}

}  // namespace talus::world
