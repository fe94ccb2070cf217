// SPDX-License-Identifier: Apache-2.0
// The light of the surroundings: sky, sun, area light; and the few shapes of random directions that they need.
#pragma once

#include "render/sampler.h"
#include "render/subject.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::render {

inline constexpr float kPi = std::numbers::pi_v<float>, kFar = 1e30f;

inline Vec3f mixed(const Vec3f& a, const Vec3f& b, float t) { return a * (1 - t) + b * t; }
inline float smooth(float low, float high, float x) {
    const float t = std::clamp((x - low) / (high - low), 0.0f, 1.0f);
    return t * t * (3 - 2 * t);
}

/// Two directions across n [Duff2017].
inline void across(const Vec3f& n, Vec3f& a, Vec3f& b) {
    const float sign = std::copysign(1.0f, n.z), p = -1 / (sign + n.z), q = n.x * n.y * p;
    a = {1 + sign * n.x * n.x * p, sign * q, -sign * n.x};
    b = {q, sign + n.y * n.y * p, -n.y};
}
/// Evenly on the unit disc: squares about the middle become circles [Shirley1997]. The angle stays below π/4, where
/// three terms of sine and four of cosine are good to 1e-5.
inline Point2 onDisc(Point2 s) {
    const float a = 2 * s.u - 1, b = 2 * s.v - 1;
    if (a == 0 && b == 0) return {0, 0};
    const bool wide = std::abs(a) > std::abs(b);
    const float r = wide ? a : b, x = 0.25f * kPi * (wide ? b / a : a / b), q = x * x;
    const float sine = x * (1 - q * (1.0f / 6 - q * (1.0f / 120 - q / 5040))), cosine = 1 - q * (0.5f - q * (1.0f / 24 - q / 720));
    return wide ? Point2{r * cosine, r * sine} : Point2{r * sine, r * cosine};
}

/// The light of the surroundings.
class Surroundings {
public:
    explicit Surroundings(const Lights& lights) : lights_(lights), sun_(normalized(lights.sunDirection)), sunSpread_(std::tan(lights.sunRadiusDegrees * kPi / 180)) {
        across(sun_, sunA_, sunB_);
        if (!lights.area) return;
        const Vec3f face = cross(lights.area->halfWidth, lights.area->halfHeight);
        areaNormal_ = normalized(face);
        area_ = 4 * norm(face);
    }

    Vec3f sky(const Vec3f& direction) const {
        if (direction.z < 0) return mixed(lights_.horizon, lights_.below, smooth(0, 0.25f, -direction.z));
        return mixed(lights_.horizon, lights_.zenith, std::sqrt(direction.z));
    }
    /// The sky with sun and area light in it, as glass shows them.
    Vec3f mirrored(const Vec3f& from, const Vec3f& direction) const {
        Vec3f light = sky(direction);
        const float angle = std::acos(std::clamp(dot(direction, sun_), -1.0f, 1.0f)), radius = lights_.sunRadiusDegrees * kPi / 180;
        light += lights_.sunIrradiance * (3.0f * (1 - smooth(radius, 2 * radius, angle)));
        if (const auto& area = lights_.area) {
            const float facing = dot(direction, areaNormal_), t = dot(area->centre - from, areaNormal_) / facing;
            const Vec3f d = from + direction * t - area->centre;
            if (facing < 0 && t > 0 && std::abs(dot(d, area->halfWidth)) < normSquared(area->halfWidth) && std::abs(dot(d, area->halfHeight)) < normSquared(area->halfHeight))
                light += area->radiance;
        }
        return light;
    }

    struct Sample {
        Vec3f direction;
        float distance = kFar;
        Vec3f light;            // irradiance over π on a surface with this normal, if nothing is in between
    };
    /// One direction towards the sun or, where there is an area light, half the time towards that.
    Sample sample(const Vec3f& at, const Vec3f& normal, Point2 s) const {
        if (lights_.area) {
            if (s.u < 0.5f) return sampleArea(at, normal, {2 * s.u, s.v}, 2);
            return sampleSun(normal, {2 * s.u - 1, s.v}, 2);
        }
        return sampleSun(normal, s, 1);
    }
    const Vec3f& sun() const { return sun_; }

private:
    Sample sampleSun(const Vec3f& normal, Point2 s, float weight) const {
        const Point2 d = onDisc(s);
        const Vec3f direction = normalized(sun_ + sunA_ * (sunSpread_ * d.u) + sunB_ * (sunSpread_ * d.v));
        return {direction, kFar, lights_.sunIrradiance * (weight * std::max(0.0f, dot(direction, normal)) / kPi)};
    }
    Sample sampleArea(const Vec3f& at, const Vec3f& normal, Point2 s, float weight) const {
        const AreaLight& area = *lights_.area;
        const Vec3f d = area.centre + area.halfWidth * (2 * s.u - 1) + area.halfHeight * (2 * s.v - 1) - at;
        const float distance = norm(d);
        const Vec3f direction = d / distance;
        const float geometry = std::max(0.0f, dot(direction, normal)) * std::max(0.0f, -dot(direction, areaNormal_)) / (distance * distance);
        return {direction, distance * 0.999f, area.radiance * (weight * geometry * area_ / kPi)};
    }

    const Lights& lights_;
    Vec3f sun_, sunA_, sunB_, areaNormal_;
    float sunSpread_, area_ = 0;
};

}  // namespace talus::render
