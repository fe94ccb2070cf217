// SPDX-License-Identifier: Apache-2.0
// What rays meet.
#include "render/colour.h"
#include "render/path_tracer.h"
#include "render/traced_geometry.h"

#include <embree3/rtcore.h>

#include <cmath>

namespace talus::render {

namespace {

Vec3f checkered(const Surface& surface, const Vec3f& at) {
    if (surface.finish != Finish::checker) return surface.colour;
    const auto cell = [&](float x) { return static_cast<int>(std::floor(x / surface.checkerSize + 1e-3f)); };
    return ((cell(at.x) + cell(at.y) + cell(at.z)) & 1) ? surface.second : surface.colour;
}

/// What Embree is told beside the rays.
struct Query {
    RTCIntersectContext context;
    alignas(32) std::array<int, kLanes> valid;
};
/// All of the rays but how far they go and what they may meet.
void fill(const Lanes<Ray>& rays, const Lanes<bool>& active, bool coherent, Query& query, RTCRay8& packet) {
    rtcInitIntersectContext(&query.context);
    query.context.flags = coherent ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
    for (std::size_t i = 0; i < kLanes; ++i) {
        const Ray& ray = rays[i];
        query.valid[i] = active[i] ? -1 : 0;
        packet.org_x[i] = ray.origin.x, packet.org_y[i] = ray.origin.y, packet.org_z[i] = ray.origin.z;
        packet.dir_x[i] = ray.direction.x, packet.dir_y[i] = ray.direction.y, packet.dir_z[i] = ray.direction.z;
        packet.tnear[i] = ray.near, packet.time[i] = ray.time;
        packet.id[i] = 0, packet.flags[i] = 0;
    }
}

}  // namespace

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

void PathTracer::intersect(const Lanes<Ray>& rays, const Lanes<bool>& active, bool coherent, Lanes<Hit>& hits) const {
    Query query;
    RTCRayHit8 packet;
    fill(rays, active, coherent, query, packet.ray);
    for (std::size_t i = 0; i < kLanes; ++i) {
        packet.ray.tfar[i] = kFar, packet.ray.mask[i] = rays[i].mask;
        packet.hit.geomID[i] = RTC_INVALID_GEOMETRY_ID;
        packet.hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
    }
    rtcIntersect8(query.valid.data(), scene_, &query.context, &packet);
    for (std::size_t i = 0; i < kLanes; ++i)
        if (active[i]) hits[i] = resolve(rays[i], packet, static_cast<int>(i));
}

Lanes<bool> PathTracer::occluded(const Lanes<Ray>& rays, const Lanes<float>& far, const Lanes<bool>& active, bool coherent) const {
    Query query;
    RTCRay8 packet;
    fill(rays, active, coherent, query, packet);
    for (std::size_t i = 0; i < kLanes; ++i) packet.tfar[i] = far[i], packet.mask[i] = kSolidMask;
    rtcOccluded8(query.valid.data(), scene_, &query.context, &packet);
    Lanes<bool> blocked{};
    for (std::size_t i = 0; i < kLanes; ++i) blocked[i] = active[i] && packet.tfar[i] < 0;
    return blocked;
}

}  // namespace talus::render
