// SPDX-License-Identifier: Apache-2.0
#include "render/path_tracer.h"

#include "render/traced_geometry.h"

#include <algorithm>
#include <cmath>

namespace talus::render {

namespace {

constexpr int kMostGlass = 12;         // panes that a ray may pass
constexpr float kGlassIndex = 1.5f;

Vec3f cosineDirection(const Vec3f& n, Point2 s) {
    Vec3f a, b;
    across(n, a, b);
    const Point2 d = onDisc(s);
    return d.u * a + d.v * b + std::sqrt(std::max(0.0f, 1 - d.u * d.u - d.v * d.v)) * n;
}

/// Light reflected by a pane, both its faces counted once each: Fresnel's equations for unpolarised light.
float fresnel(float cosine) {
    const float sine = std::sqrt(std::max(0.0f, 1 - cosine * cosine)) / kGlassIndex, inner = std::sqrt(1 - sine * sine);
    const float s = (cosine - kGlassIndex * inner) / (cosine + kGlassIndex * inner), p = (inner - kGlassIndex * cosine) / (inner + kGlassIndex * cosine);
    return 0.5f * (s * s + p * p);
}

}  // namespace

/// Where eight paths are.
struct PathTracer::Paths {
    Lanes<Ray> rays;
    Lanes<Hit> hits;
    Lanes<bool> active{}, caught{};        // caught: the first thing hit is the catcher of shadows
    Lanes<Vec3f> through, carried;         // part of the light that passes the glass; that the next surface adds to the first
    Lanes<PixelSampler> samplers{PixelSampler(0), PixelSampler(0), PixelSampler(0), PixelSampler(0), PixelSampler(0), PixelSampler(0), PixelSampler(0), PixelSampler(0)};

    bool any() const { return std::ranges::find(active, true) != active.end(); }
};

PathTracer::PathTracer(const TracedSubject::Geometry& geometry, const Camera& camera, const TraceSettings& settings)
    : subject_(geometry.subject), scene_(geometry.scene), spheresId_(geometry.spheresId), tubesId_(geometry.tubesId), firstInstance_(geometry.firstInstanceId),
      camera_(camera, static_cast<double>(settings.width) / settings.height), settings_(settings), surroundings_(geometry.subject.lights) {
    const double span = std::max(camera.heightAtTarget(), camera.distance());
    meshOffset_ = static_cast<float>(1e-5 * span);
    openGround_ = openGround();
}

// Sky over a horizontal plane, by quadrature in cos² θ, and the sun.
Vec3f PathTracer::openGround() const {
    Vec3f light;
    constexpr int kRings = 64;
    for (int i = 0; i < kRings; ++i) {
        const float cosine = std::sqrt((static_cast<float>(i) + 0.5f) / kRings);
        light += surroundings_.sky({std::sqrt(1 - cosine * cosine), 0, cosine}) / static_cast<float>(kRings);
    }
    light += subject_.lights.sunIrradiance * (std::max(0.0f, surroundings_.sun().z) / kPi);
    if (const auto& area = subject_.lights.area) light += area->radiance * 1e-3f;
    return light;
}

Ray PathTracer::cameraRay(const PixelSampler& sampler, const PathJob& job) const {
    const Point2 jitter = sampler.pair(job.sample, 0), lens = onDisc(sampler.pair(job.sample, 1));
    const float sx = 2 * (static_cast<float>(job.x) + jitter.u) / static_cast<float>(settings_.width) - 1;
    const float sy = 1 - 2 * (static_cast<float>(job.y) + jitter.v) / static_cast<float>(settings_.height);
    const Vec3f shift = camera_.right * sx + camera_.up * sy;
    Ray ray;
    ray.mask = kSolidMask | kGlassMask;
    ray.origin = camera_.orthographic ? camera_.origin + shift : camera_.origin;
    ray.direction = camera_.orthographic ? camera_.forward : camera_.forward + shift;
    const Vec3f sharp = ray.origin + ray.direction * camera_.focus;
    ray.origin += camera_.lensRight * lens.u + camera_.lensUp * lens.v;
    ray.direction = normalized(sharp - ray.origin);
    ray.time = sampler.pair(job.sample, 2).u;
    return ray;
}

/// The background behind a pixel at this height, 0 at the upper edge.
Vec3f PathTracer::background(const Vec3f& direction, float down) const {
    const Background& b = subject_.background;
    return b.sky ? surroundings_.sky(direction) : mixed(b.top, b.bottom, smooth(0, 1, down));
}

void PathTracer::trace(const Lanes<PathJob>& jobs, int count, Lanes<Contribution>& results) const {
    Paths paths;
    results.fill({});
    start(jobs, count, paths);
    passGlass(paths, results);
    beginAtFirstHits(jobs, paths, results);
    for (int bounce = 0; bounce < settings_.bounces && paths.any(); ++bounce) {
        const Lanes<Ray> next = lightHits(jobs, bounce, paths, results);
        if (bounce + 1 < settings_.bounces) scatter(next, paths, results);
        else leave(next, paths, results);
    }
    if (!subject_.background.transparent) return;
    for (std::size_t i = 0; i < kLanes; ++i)
        if (paths.caught[i]) {   // a shadow is black and as opaque as it is dark
            results[i].alpha = 1 - std::clamp(luminance(results[i].irradiance), 0.0f, 1.0f);
            results[i].albedo = results[i].irradiance = {};
        }
}

void PathTracer::start(const Lanes<PathJob>& jobs, int count, Paths& p) const {
    for (std::size_t i = 0; i < kLanes; ++i) {
        p.active[i] = static_cast<int>(i) < count;
        p.through[i] = p.carried[i] = {1, 1, 1};
        if (!p.active[i]) continue;
        const std::uint64_t pixel = static_cast<std::uint64_t>(jobs[i].y) << 32 | static_cast<std::uint64_t>(jobs[i].x);
        p.samplers[i] = PixelSampler(pixel ^ settings_.seed << 20);
        p.rays[i] = cameraRay(p.samplers[i], jobs[i]);
    }
}

/// Through the panes to the first thing that is not glass.
void PathTracer::passGlass(Paths& p, Lanes<Contribution>& results) const {
    Lanes<bool> open = p.active;
    for (int pane = 0; pane <= kMostGlass; ++pane) {
        intersect(p.rays, open, true, p.hits);
        bool more = false;
        for (std::size_t i = 0; i < kLanes; ++i) {
            if (!open[i]) continue;
            open[i] = p.hits[i].what == Hit::What::glass && pane < kMostGlass;
            if (!open[i]) continue;
            more = true;
            const Hit& hit = p.hits[i];
            const float cosine = -dot(p.rays[i].direction, hit.normal), reflected = fresnel(cosine);
            results[i].light += componentProduct(p.through[i], surroundings_.mirrored(hit.position, p.rays[i].direction + hit.normal * (2 * cosine))) * reflected;
            p.through[i] = componentProduct(p.through[i], hit.albedo) * (1 - reflected);
            p.rays[i].near = hit.distance + hit.offset;
        }
        if (!more) break;
    }
}

void PathTracer::beginAtFirstHits(const Lanes<PathJob>& jobs, Paths& p, Lanes<Contribution>& results) const {
    for (std::size_t i = 0; i < kLanes; ++i) {
        if (!p.active[i]) continue;
        Contribution& c = results[i];
        const Hit& hit = p.hits[i];
        const float down = (static_cast<float>(jobs[i].y) + 0.5f) / static_cast<float>(settings_.height);
        if (hit.what == Hit::What::nothing || hit.what == Hit::What::glass) {
            if (subject_.background.transparent) c.alpha = 1 - std::min(1.0f, luminance(p.through[i]));
            else c.light += componentProduct(p.through[i], background(p.rays[i].direction, down));
            p.active[i] = false;
            continue;
        }
        c.normal = hit.normal;
        c.depth = hit.distance;
        if (hit.what == Hit::What::catcher) {
            p.caught[i] = true;
            c.albedo = componentProduct(p.through[i], background(p.rays[i].direction, down));
            for (int k = 0; k < 3; ++k) p.carried[i][k] = 1 / std::max(openGround_[k], 1e-6f);
        } else {
            // Far away the ground becomes the background, so that there is no hard horizon.
            const bool ground = hit.normal.z == 1 && hit.position.z == subject_.ground.height;
            const float fade = ground ? smooth(0.35f, 1, norm(hit.position - subject_.ground.centre) / subject_.ground.fade) : 0;
            c.albedo = componentProduct(p.through[i], hit.albedo) * (1 - fade);
            if (fade > 0 && !subject_.background.transparent) c.light += componentProduct(p.through[i], background(p.rays[i].direction, down)) * fade;
            if (fade >= 1) p.active[i] = false;
        }
    }
}

/// Adds the light that falls straight on what was hit; returns where the paths go on.
Lanes<Ray> PathTracer::lightHits(const Lanes<PathJob>& jobs, int bounce, const Paths& p, Lanes<Contribution>& results) const {
    Lanes<Ray> shadow, next;
    Lanes<float> far{};
    Lanes<Surroundings::Sample> lights;
    Lanes<bool> asks{};
    for (std::size_t i = 0; i < kLanes; ++i) {
        if (!p.active[i]) continue;
        const Hit& hit = p.hits[i];
        const std::uint32_t pair = 3 + 2 * static_cast<std::uint32_t>(bounce), sample = jobs[i].sample;
        const Vec3f from = hit.position + hit.normal * hit.offset;
        lights[i] = surroundings_.sample(hit.position, hit.normal, p.samplers[i].pair(sample, pair));
        asks[i] = luminance(lights[i].light) > 0;
        far[i] = lights[i].distance;
        shadow[i] = {from, lights[i].direction, 0, p.rays[i].time, kSolidMask};
        next[i] = {from, cosineDirection(hit.normal, p.samplers[i].pair(sample, pair + 1)), 0, p.rays[i].time, kSolidMask};
    }
    const Lanes<bool> blocked = occluded(shadow, far, asks, true);
    for (std::size_t i = 0; i < kLanes; ++i)
        if (asks[i] && !blocked[i]) results[i].irradiance += componentProduct(p.carried[i], lights[i].light);
    return next;
}

void PathTracer::scatter(const Lanes<Ray>& next, Paths& p, Lanes<Contribution>& results) const {
    p.rays = next;
    intersect(p.rays, p.active, false, p.hits);
    for (std::size_t i = 0; i < kLanes; ++i) {
        if (!p.active[i]) continue;
        if (p.hits[i].what == Hit::What::nothing) {
            results[i].irradiance += componentProduct(p.carried[i], surroundings_.sky(p.rays[i].direction));
            p.active[i] = false;
        } else if (p.hits[i].what == Hit::What::catcher) {   // not there, but it returns some light
            results[i].irradiance += componentProduct(p.carried[i], openGround_ * 0.5f);
            p.active[i] = false;
        } else {
            p.carried[i] = componentProduct(p.carried[i], p.hits[i].albedo);
        }
    }
}

/// After the last bounce only the sky counts, so it is enough to know whether anything is in the way.
void PathTracer::leave(const Lanes<Ray>& last, const Paths& p, Lanes<Contribution>& results) const {
    Lanes<Hit> ground;
    Lanes<float> far{};
    for (std::size_t i = 0; i < kLanes; ++i)
        if (p.active[i]) {
            ground[i] = onGround(last[i], kFar);
            far[i] = ground[i].what == Hit::What::nothing ? kFar : ground[i].distance;
        }
    const Lanes<bool> blocked = occluded(last, far, p.active, false);
    for (std::size_t i = 0; i < kLanes; ++i) {
        if (!p.active[i] || blocked[i]) continue;
        if (ground[i].what == Hit::What::nothing) results[i].irradiance += componentProduct(p.carried[i], surroundings_.sky(last[i].direction));
        else if (ground[i].what == Hit::What::catcher) results[i].irradiance += componentProduct(p.carried[i], openGround_ * 0.5f);
    }
}

}  // namespace talus::render
