// SPDX-License-Identifier: Apache-2.0
#include "render/tracer.h"

#include "render/colour.h"
#include "render/sampler.h"
#include "render/surroundings.h"
#include "render/traced_geometry.h"

#include <embree3/rtcore.h>

#include <cmath>

namespace talus::render {

namespace {

constexpr int kLanes = 8;
constexpr int kTile = 16;              // pixels a side; the unit of work
constexpr int kMostGlass = 12;         // panes that a ray may pass
constexpr float kGlassIndex = 1.5f;

float luminance(const Vec3f& c) { return 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z; }
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

Vec3f checkered(const Surface& surface, const Vec3f& at) {
    if (surface.finish != Finish::checker) return surface.colour;
    const auto cell = [&](float x) { return static_cast<int>(std::floor(x / surface.checkerSize + 1e-3f)); };
    return ((cell(at.x) + cell(at.y) + cell(at.z)) & 1) ? surface.second : surface.colour;
}

/// What a ray met.
struct Hit {
    enum class What { nothing, surface, glass, catcher } what = What::nothing;
    Vec3f position, normal;     // normal towards where the ray came from
    Vec3f albedo;
    float distance = 0, offset = 0;   // by which to leave the surface
};

struct Ray {
    Vec3f origin, direction;
    float near = 0, time = 0;
    unsigned mask = kSolidMask | kGlassMask;
};

/// What one path adds to its pixel.
struct Contribution {
    Vec3f light, albedo, irradiance, normal;
    float depth = 0, alpha = 1;
};

class PathTracer {
public:
    PathTracer(const Subject& subject, RTCScene scene, unsigned spheresId, unsigned tubesId, unsigned firstInstance, const Camera& camera, const TraceSettings& settings)
        : subject_(subject), scene_(scene), spheresId_(spheresId), tubesId_(tubesId), firstInstance_(firstInstance),
          camera_(camera, static_cast<double>(settings.width) / settings.height), settings_(settings), surroundings_(subject.lights) {
        const double span = std::max(camera.heightAtTarget(), camera.distance());
        meshOffset_ = static_cast<float>(1e-5 * span);
        openGround_ = openGround();
    }

    void traceTile(int x0, int y0, Film& film) const {
        std::array<Contribution, kLanes> results;
        std::array<Job, kLanes> jobs;
        int count = 0;
        std::array<Vec3f, kTile * kTile> scattered{};   // albedo * irradiance
        std::array<float, kTile * kTile> sum{}, squares{};
        const int x1 = std::min(x0 + kTile, film.width), y1 = std::min(y0 + kTile, film.height);
        const auto flush = [&] {
            tracePaths(jobs, count, results);
            for (int lane = 0; lane < count; ++lane) {
                const Job& job = jobs[static_cast<std::size_t>(lane)];
                const Contribution& c = results[static_cast<std::size_t>(lane)];
                const std::size_t pixel = film.width * static_cast<std::size_t>(job.y) + static_cast<std::size_t>(job.x);
                const std::size_t local = static_cast<std::size_t>((job.y - y0) * kTile + job.x - x0);
                film.light[pixel] += c.light;
                film.albedo[pixel] += c.albedo;
                film.normal[pixel] += c.normal;
                film.depth[pixel] += c.depth;
                film.alpha[pixel] += c.alpha;
                scattered[local] += componentProduct(c.albedo, c.irradiance);
                const float l = luminance(c.irradiance);
                sum[local] += l;
                squares[local] += l * l;
            }
            count = 0;
        };
        for (int y = y0; y < y1; ++y)
            for (int x = x0; x < x1; ++x)
                for (int s = 0; s < settings_.samples; ++s) {
                    jobs[static_cast<std::size_t>(count++)] = {x, y, static_cast<std::uint32_t>(s)};
                    if (count == kLanes) flush();
                }
        if (count > 0) flush();
        for (int y = y0; y < y1; ++y)
            for (int x = x0; x < x1; ++x) {
                const std::size_t local = static_cast<std::size_t>((y - y0) * kTile + x - x0);
                average(film, film.width * static_cast<std::size_t>(y) + static_cast<std::size_t>(x), scattered[local], sum[local], squares[local]);
            }
    }

private:
    struct Job {
        int x, y;
        std::uint32_t sample;
    };
    template <class T>
    using Lanes = std::array<T, kLanes>;

    void average(Film& film, std::size_t pixel, const Vec3f& scattered, float sum, float squares) const {
        const float n = static_cast<float>(settings_.samples), part = 1 / n;
        film.light[pixel] *= part;
        film.albedo[pixel] *= part;
        film.normal[pixel] *= part;
        film.depth[pixel] *= part;
        film.alpha[pixel] *= part;
        const Vec3f a = film.albedo[pixel];
        const auto over = [&](float s, float albedo) { return albedo > 1e-6f ? s * part / albedo : 0.0f; };
        film.irradiance[pixel] = {over(scattered.x, a.x), over(scattered.y, a.y), over(scattered.z, a.z)};
        const float mean = sum * part;
        film.variance[pixel] = n > 1 ? std::max(0.0f, squares * part - mean * mean) / (n - 1) : mean * mean;
    }

    Ray cameraRay(const PixelSampler& sampler, const Job& job) const {
        const Point2 jitter = sampler.pair(job.sample, 0), lens = onDisc(sampler.pair(job.sample, 1));
        const float sx = 2 * (static_cast<float>(job.x) + jitter.u) / static_cast<float>(settings_.width) - 1;
        const float sy = 1 - 2 * (static_cast<float>(job.y) + jitter.v) / static_cast<float>(settings_.height);
        const Vec3f shift = camera_.right * sx + camera_.up * sy;
        Ray ray;
        ray.origin = camera_.orthographic ? camera_.origin + shift : camera_.origin;
        ray.direction = camera_.orthographic ? camera_.forward : camera_.forward + shift;
        const Vec3f sharp = ray.origin + ray.direction * camera_.focus;
        ray.origin += camera_.lensRight * lens.u + camera_.lensUp * lens.v;
        ray.direction = normalized(sharp - ray.origin);
        ray.time = sampler.pair(job.sample, 2).u;
        return ray;
    }

    /// The background behind a pixel at this height, 0 at the upper edge.
    Vec3f background(const Vec3f& direction, float down) const {
        const Background& b = subject_.background;
        return b.sky ? surroundings_.sky(direction) : mixed(b.top, b.bottom, smooth(0, 1, down));
    }

    void tracePaths(const Lanes<Job>& jobs, int count, Lanes<Contribution>& results) const;
    void intersect(const Lanes<Ray>& rays, const Lanes<bool>& active, int coherent, Lanes<Hit>& hits) const;
    Lanes<bool> occluded(const Lanes<Ray>& rays, const Lanes<float>& far, const Lanes<bool>& active) const;
    Hit resolve(const Ray& ray, const RTCRayHit8& packet, int lane) const;
    Hit onGround(const Ray& ray, float far) const;
    Vec3f openGround() const;

    const Subject& subject_;
    RTCScene scene_;
    unsigned spheresId_, tubesId_, firstInstance_;
    CameraFrame camera_;
    TraceSettings settings_;
    Surroundings surroundings_;
    float meshOffset_ = 0;
    Vec3f openGround_;          // irradiance over π of the ground where nothing stands
};

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

Hit PathTracer::onGround(const Ray& ray, float far) const {
    const Ground& ground = subject_.ground;
    Hit hit;
    if (ground.kind == GroundKind::none || ray.direction.z >= 0) return hit;
    const float t = (ground.height - ray.origin.z) / ray.direction.z;
    if (t <= ray.near || t >= far) return hit;
    hit.what = ground.kind == GroundKind::catcher ? Hit::What::catcher : Hit::What::surface;
    hit.position = ray.origin + ray.direction * t;
    hit.position.z = ground.height;
    hit.normal = {0, 0, 1};
    hit.distance = t;
    hit.offset = meshOffset_;
    hit.albedo = checkered(ground.surface, {hit.position.x, hit.position.y, 0});
    return hit;
}

Hit PathTracer::resolve(const Ray& ray, const RTCRayHit8& packet, int lane) const {
    const unsigned id = packet.hit.geomID[lane];
    const float t = packet.ray.tfar[lane];
    if (id == RTC_INVALID_GEOMETRY_ID) return onGround(ray, kFar);
    // What lies flat on the ground is not seen from above.
    if (const Hit ground = onGround(ray, t + 4 * meshOffset_ + 1e-5f * t); ground.what != Hit::What::nothing) return ground;
    Hit hit;
    hit.what = Hit::What::surface;
    hit.distance = t;
    hit.position = ray.origin + ray.direction * t;
    Vec3f normal{packet.hit.Ng_x[lane], packet.hit.Ng_y[lane], packet.hit.Ng_z[lane]};
    const unsigned primitive = packet.hit.primID[lane], instance = packet.hit.instID[0][lane];
    hit.offset = meshOffset_;
    if (instance != RTC_INVALID_GEOMETRY_ID) {
        const Instance& in = subject_.instances[instance - firstInstance_];
        const TriangleMesh& mesh = subject_.meshes[in.mesh];
        const RigidTransform& pose = ray.time < 0.5f ? in.placement.open : in.placement.close;
        const auto turned = [&](const Vec3f& v) {
            const Vec3 w = pose.rotation.rotate({v.x, v.y, v.z});
            return Vec3f{static_cast<float>(w.x), static_cast<float>(w.y), static_cast<float>(w.z)};
        };
        if (!mesh.cornerNormals.empty()) {
            const float u = packet.hit.u[lane], v = packet.hit.v[lane];
            const Vec3f* n = &mesh.cornerNormals[3 * std::size_t{primitive}];
            normal = n[0] * (1 - u - v) + n[1] * u + n[2] * v;
        }
        normal = turned(normal);
        if (in.surface.finish == Finish::glass) hit.what = Hit::What::glass;
        hit.albedo = in.surface.colour;
        if (!mesh.vertexColours.empty()) {
            const float u = packet.hit.u[lane], v = packet.hit.v[lane];
            const auto& [a, b, c] = mesh.triangles[primitive];
            hit.albedo = unpackColour(mesh.vertexColours[a]) * (1 - u - v) + unpackColour(mesh.vertexColours[b]) * u + unpackColour(mesh.vertexColours[c]) * v;
        }
        if (in.surface.finish == Finish::checker) {   // fixed to the body
            const Vec3 local = pose.applyInverse({hit.position.x, hit.position.y, hit.position.z});
            hit.albedo = checkered(in.surface, {static_cast<float>(local.x), static_cast<float>(local.y), static_cast<float>(local.z)});
        }
    } else if (id == spheresId_) {
        hit.albedo = unpackColour(subject_.spheres.colours[primitive]);
        hit.offset = 2e-3f * subject_.spheres.open[primitive][3];
    } else if (id == tubesId_) {
        hit.albedo = unpackColour(subject_.tubes[primitive].colour);
        hit.offset = 1e-2f * subject_.tubes[primitive].radius;
    }
    normal = normalized(normal);
    hit.normal = dot(normal, ray.direction) > 0 ? -normal : normal;
    return hit;
}

void PathTracer::intersect(const Lanes<Ray>& rays, const Lanes<bool>& active, int coherent, Lanes<Hit>& hits) const {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = coherent ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
    RTCRayHit8 packet;
    alignas(32) std::array<int, kLanes> valid;
    for (std::size_t i = 0; i < kLanes; ++i) {
        const Ray& ray = rays[i];
        valid[i] = active[i] ? -1 : 0;
        packet.ray.org_x[i] = ray.origin.x, packet.ray.org_y[i] = ray.origin.y, packet.ray.org_z[i] = ray.origin.z;
        packet.ray.dir_x[i] = ray.direction.x, packet.ray.dir_y[i] = ray.direction.y, packet.ray.dir_z[i] = ray.direction.z;
        packet.ray.tnear[i] = ray.near, packet.ray.tfar[i] = kFar, packet.ray.time[i] = ray.time;
        packet.ray.mask[i] = ray.mask, packet.ray.id[i] = 0, packet.ray.flags[i] = 0;
        packet.hit.geomID[i] = RTC_INVALID_GEOMETRY_ID;
        packet.hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
    }
    rtcIntersect8(valid.data(), scene_, &context, &packet);
    for (std::size_t i = 0; i < kLanes; ++i)
        if (active[i]) hits[i] = resolve(rays[i], packet, static_cast<int>(i));
}

PathTracer::Lanes<bool> PathTracer::occluded(const Lanes<Ray>& rays, const Lanes<float>& far, const Lanes<bool>& active) const {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    RTCRay8 packet;
    alignas(32) std::array<int, kLanes> valid;
    for (std::size_t i = 0; i < kLanes; ++i) {
        const Ray& ray = rays[i];
        valid[i] = active[i] ? -1 : 0;
        packet.org_x[i] = ray.origin.x, packet.org_y[i] = ray.origin.y, packet.org_z[i] = ray.origin.z;
        packet.dir_x[i] = ray.direction.x, packet.dir_y[i] = ray.direction.y, packet.dir_z[i] = ray.direction.z;
        packet.tnear[i] = ray.near, packet.tfar[i] = far[i], packet.time[i] = ray.time;
        packet.mask[i] = kSolidMask, packet.id[i] = 0, packet.flags[i] = 0;
    }
    rtcOccluded8(valid.data(), scene_, &context, &packet);
    Lanes<bool> blocked{};
    for (std::size_t i = 0; i < kLanes; ++i) blocked[i] = active[i] && packet.tfar[i] < 0;
    return blocked;
}

void PathTracer::tracePaths(const Lanes<Job>& jobs, int count, Lanes<Contribution>& results) const {
    Lanes<Ray> rays;
    Lanes<Hit> hits;
    Lanes<bool> active{}, caught{};
    Lanes<Vec3f> through, carried;
    Lanes<PixelSampler> samplers{PixelSampler(0), PixelSampler(0), PixelSampler(0), PixelSampler(0), PixelSampler(0), PixelSampler(0), PixelSampler(0), PixelSampler(0)};
    for (std::size_t i = 0; i < kLanes; ++i) {
        active[i] = static_cast<int>(i) < count;
        results[i] = {};
        through[i] = carried[i] = {1, 1, 1};
        if (!active[i]) continue;
        const std::uint64_t pixel = static_cast<std::uint64_t>(jobs[i].y) << 32 | static_cast<std::uint64_t>(jobs[i].x);
        samplers[i] = PixelSampler(pixel ^ settings_.seed << 20);
        rays[i] = cameraRay(samplers[i], jobs[i]);
    }

    // Through the panes to the first thing that is not glass.
    Lanes<bool> open = active;
    for (int pane = 0; pane <= kMostGlass; ++pane) {
        intersect(rays, open, 1, hits);
        bool more = false;
        for (std::size_t i = 0; i < kLanes; ++i) {
            if (!open[i]) continue;
            open[i] = hits[i].what == Hit::What::glass && pane < kMostGlass;
            if (!open[i]) continue;
            more = true;
            const Hit& hit = hits[i];
            const float cosine = -dot(rays[i].direction, hit.normal), reflected = fresnel(cosine);
            results[i].light += componentProduct(through[i], surroundings_.mirrored(hit.position, rays[i].direction + hit.normal * (2 * cosine))) * reflected;
            through[i] = componentProduct(through[i], hit.albedo) * (1 - reflected);
            rays[i].near = hit.distance + hit.offset;
        }
        if (!more) break;
    }

    for (std::size_t i = 0; i < kLanes; ++i) {
        if (!active[i]) continue;
        Contribution& c = results[i];
        const Hit& hit = hits[i];
        const float down = (static_cast<float>(jobs[i].y) + 0.5f) / static_cast<float>(settings_.height);
        if (hit.what == Hit::What::nothing || hit.what == Hit::What::glass) {
            if (subject_.background.transparent) c.alpha = 1 - std::min(1.0f, luminance(through[i]));
            else c.light += componentProduct(through[i], background(rays[i].direction, down));
            active[i] = false;
            continue;
        }
        c.normal = hit.normal;
        c.depth = hit.distance;
        if (hit.what == Hit::What::catcher) {
            caught[i] = true;
            c.albedo = componentProduct(through[i], background(rays[i].direction, down));
            for (int k = 0; k < 3; ++k) carried[i][k] = 1 / std::max(openGround_[k], 1e-6f);
        } else {
            // Far away the ground becomes the background, so that there is no hard horizon.
            const bool ground = hit.normal.z == 1 && hit.position.z == subject_.ground.height;
            const float fade = ground ? smooth(0.35f, 1, norm(hit.position - subject_.ground.centre) / subject_.ground.fade) : 0;
            c.albedo = componentProduct(through[i], hit.albedo) * (1 - fade);
            if (fade > 0 && !subject_.background.transparent) c.light += componentProduct(through[i], background(rays[i].direction, down)) * fade;
            if (fade >= 1) active[i] = false;
        }
    }

    for (int bounce = 0; bounce < settings_.bounces; ++bounce) {
        Lanes<Ray> shadow, next;
        Lanes<float> far;
        Lanes<Surroundings::Sample> lights;
        Lanes<bool> asks{};
        bool any = false;
        for (std::size_t i = 0; i < kLanes; ++i) {
            if (!active[i]) continue;
            any = true;
            const Hit& hit = hits[i];
            const std::uint32_t pair = 3 + 2 * static_cast<std::uint32_t>(bounce), sample = jobs[i].sample;
            const Vec3f start = hit.position + hit.normal * hit.offset;
            lights[i] = surroundings_.sample(hit.position, hit.normal, samplers[i].pair(sample, pair));
            asks[i] = luminance(lights[i].light) > 0;
            far[i] = lights[i].distance;
            shadow[i] = {start, lights[i].direction, 0, rays[i].time, kSolidMask};
            next[i] = {start, cosineDirection(hit.normal, samplers[i].pair(sample, pair + 1)), 0, rays[i].time, kSolidMask};
        }
        if (!any) break;
        const Lanes<bool> blocked = occluded(shadow, far, asks);
        for (std::size_t i = 0; i < kLanes; ++i)
            if (asks[i] && !blocked[i]) results[i].irradiance += componentProduct(carried[i], lights[i].light);
        rays = next;
        intersect(rays, active, 0, hits);
        for (std::size_t i = 0; i < kLanes; ++i) {
            if (!active[i]) continue;
            if (hits[i].what == Hit::What::nothing) {
                results[i].irradiance += componentProduct(carried[i], surroundings_.sky(rays[i].direction));
                active[i] = false;
            } else if (hits[i].what == Hit::What::catcher) {   // not there, but it returns some light
                results[i].irradiance += componentProduct(carried[i], openGround_ * 0.5f);
                active[i] = false;
            } else {
                carried[i] = componentProduct(carried[i], hits[i].albedo);
            }
        }
    }
    if (!subject_.background.transparent) return;
    for (std::size_t i = 0; i < kLanes; ++i)
        if (caught[i]) {   // a shadow is black and as opaque as it is dark
            results[i].alpha = 1 - std::clamp(luminance(results[i].irradiance), 0.0f, 1.0f);
            results[i].albedo = results[i].irradiance = {};
        }
}

}  // namespace

Film::Film(int w, int h) : width(w), height(h) {
    const std::size_t n = static_cast<std::size_t>(w) * static_cast<std::size_t>(h);
    for (auto* plane : {&irradiance, &albedo, &light, &normal}) plane->resize(n);
    for (auto* plane : {&depth, &variance, &alpha}) plane->resize(n);
}

Image Film::picture() const {
    Image image(width, height);
    for (std::size_t i = 0; i < pixels(); ++i) image.colour[i] = light[i] + componentProduct(albedo[i], irradiance[i]);
    image.alpha = alpha;
    return image;
}

TracedSubject::TracedSubject(const Subject& subject) : geometry_(std::make_unique<Geometry>(subject)) {}
TracedSubject::~TracedSubject() = default;

std::size_t TracedSubject::mostBytes() const { return static_cast<std::size_t>(geometry_->mostMemory.load()); }

Film TracedSubject::trace(const Exec& exec, const Camera& camera, const TraceSettings& settings) const {
    Film film(settings.width, settings.height);
    const PathTracer tracer(geometry_->subject, geometry_->scene, geometry_->spheresId, geometry_->tubesId, geometry_->firstInstanceId, camera, settings);
    const std::size_t columns = static_cast<std::size_t>((settings.width + kTile - 1) / kTile), rows = static_cast<std::size_t>((settings.height + kTile - 1) / kTile);
    exec.forTasks(columns * rows, [&](std::size_t tile, int) {
        tracer.traceTile(static_cast<int>(tile % columns) * kTile, static_cast<int>(tile / columns) * kTile, film);
    });
    return film;
}

}  // namespace talus::render
