// SPDX-License-Identifier: Apache-2.0
// Light along paths: matte surfaces under a sky, a sun and an area light; thin glass that does not bend rays.
#pragma once

#include "core/exec.h"
#include "render/camera.h"
#include "render/image.h"
#include "render/subject.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace talus::render {

struct TraceSettings {
    int width = 1280, height = 720;
    int samples = 16;             // per pixel
    int bounces = 3;              // places where a path may scatter
    std::uint64_t seed = 1;
};

/// What the samples of each pixel came to. The picture is light + albedo * irradiance; only the irradiance is noisy.
struct Film {
    int width = 0, height = 0;
    std::vector<Vec3f> irradiance;   // over π, as a white surface would shine
    std::vector<Vec3f> albedo;
    std::vector<Vec3f> light;        // background, reflections in glass
    std::vector<Vec3f> normal;
    std::vector<float> depth;        // [m] along the ray, 0 where nothing is hit
    std::vector<float> variance;     // of the luminance of irradiance, of the mean
    std::vector<float> alpha;

    Film(int w, int h);
    std::size_t pixels() const { return irradiance.size(); }
    Image picture() const;
};

/// The subject's geometry, ready to be hit by rays. Refers to the subject, which must outlive it and stay as it is.
class TracedSubject {
public:
    explicit TracedSubject(const Subject&);
    ~TracedSubject();
    TracedSubject(const TracedSubject&) = delete;
    TracedSubject& operator=(const TracedSubject&) = delete;

    Film trace(const Exec&, const Camera&, const TraceSettings&) const;
    /// Memory that the search structure took at most, while it was built [bytes].
    std::size_t mostBytes() const;

    struct Geometry;

private:
    std::unique_ptr<Geometry> geometry_;
};

}  // namespace talus::render
