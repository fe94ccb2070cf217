// SPDX-License-Identifier: Apache-2.0
// The subject as Embree holds it.
#pragma once

#include "core/exec.h"
#include "render/subject.h"
#include "render/tracer.h"

#include <atomic>
#include <cstddef>
#include <vector>

struct RTCDeviceTy;
struct RTCSceneTy;

namespace talus::render {

inline constexpr unsigned kSolidMask = 1, kGlassMask = 2;

struct TracedSubject::Geometry {
    explicit Geometry(const Subject&);
    ~Geometry();
    Geometry(const Geometry&) = delete;
    Geometry& operator=(const Geometry&) = delete;

    const Subject& subject;
    RTCDeviceTy* device = nullptr;
    RTCSceneTy* scene = nullptr;
    std::vector<RTCSceneTy*> meshScenes;
    std::atomic<std::ptrdiff_t> memory{0}, mostMemory{0};   // [bytes]
    std::vector<std::array<float, 4>> tubeEnds;
    std::vector<unsigned> tubeStarts;
    // Geometry ids in `scene`: spheres, tubes, then instances in order.
    unsigned spheresId = ~0u, tubesId = ~0u, firstInstanceId = 0;

private:
    void release();
    void addSpheres();
    void addTubes();
    void addInstances();
    RTCSceneTy* meshScene(const TriangleMesh&);
};

}  // namespace talus::render
