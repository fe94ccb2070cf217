// SPDX-License-Identifier: Apache-2.0
// Paths of light, eight at a time: from the camera through glass to a first surface, then from surface to surface.
#pragma once

#include "render/sampler.h"
#include "render/surroundings.h"
#include "render/tracer.h"

#include <array>

struct RTCRayHit8;
struct RTCSceneTy;

namespace talus::render {

inline constexpr int kLanes = 8;
template <class T>
using Lanes = std::array<T, kLanes>;

inline float luminance(const Vec3f& c) { return 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z; }

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
    unsigned mask = 0;
};

/// A sample of a pixel.
struct PathJob {
    int x, y;
    std::uint32_t sample;
};
/// What one path adds to its pixel.
struct Contribution {
    Vec3f light, albedo, irradiance, normal;
    float depth = 0, alpha = 1;
};

class PathTracer {
public:
    PathTracer(const TracedSubject::Geometry&, const Camera&, const TraceSettings&);

    void trace(const Lanes<PathJob>&, int count, Lanes<Contribution>& results) const;

private:
    struct Paths;
    void start(const Lanes<PathJob>&, int count, Paths&) const;
    void passGlass(Paths&, Lanes<Contribution>&) const;
    void beginAtFirstHits(const Lanes<PathJob>&, Paths&, Lanes<Contribution>&) const;
    Lanes<Ray> lightHits(const Lanes<PathJob>&, int bounce, const Paths&, Lanes<Contribution>&) const;
    void scatter(const Lanes<Ray>& next, Paths&, Lanes<Contribution>&) const;
    void leave(const Lanes<Ray>& last, const Paths&, Lanes<Contribution>&) const;

    Ray cameraRay(const PixelSampler&, const PathJob&) const;
    Vec3f background(const Vec3f& direction, float down) const;
    Vec3f openGround() const;

    void intersect(const Lanes<Ray>& rays, const Lanes<bool>& active, bool coherent, Lanes<Hit>& hits) const;
    Lanes<bool> occluded(const Lanes<Ray>& rays, const Lanes<float>& far, const Lanes<bool>& active, bool coherent) const;
    Hit resolve(const Ray& ray, const RTCRayHit8& packet, int lane) const;
    Hit onGround(const Ray& ray, float far) const;

    const Subject& subject_;
    RTCSceneTy* scene_;
    unsigned spheresId_, tubesId_, firstInstance_;
    CameraFrame camera_;
    TraceSettings settings_;
    Surroundings surroundings_;
    float meshOffset_ = 0;
    Vec3f openGround_;          // irradiance over π of the ground where nothing stands
};

}  // namespace talus::render
