// SPDX-License-Identifier: Apache-2.0
#include "render/traced_geometry.h"

#include "geometry/embree_config.h"

#include <embree3/rtcore.h>
#include <fmt/format.h>

#include <new>
#include <stdexcept>

namespace talus::render {

namespace {

std::array<float, 12> columnsOf(const RigidTransform& transform, float scale) {
    const Mat3 r = transform.rotation.matrix();
    std::array<float, 12> columns{};
    for (int column = 0; column < 3; ++column)
        for (int row = 0; row < 3; ++row) columns[static_cast<std::size_t>(3 * column + row)] = scale * static_cast<float>(r(row, column));
    for (int row = 0; row < 3; ++row) columns[static_cast<std::size_t>(9 + row)] = static_cast<float>(transform.translation[row]);
    return columns;
}

unsigned attach(RTCScene scene, RTCGeometry geometry) {
    rtcCommitGeometry(geometry);
    const unsigned id = rtcAttachGeometry(scene, geometry);
    rtcReleaseGeometry(geometry);
    return id;
}

}  // namespace

TracedSubject::Geometry::Geometry(const Subject& s) : subject(s) {
    device = rtcNewDevice(geometry::kEmbreeConfig);
    if (device == nullptr) throw std::runtime_error("Embree cannot start");
    rtcSetDeviceMemoryMonitorFunction(
        device,
        [](void* self, ssize_t bytes, bool) {
            Geometry& geometry = *static_cast<Geometry*>(self);
            const std::ptrdiff_t now = geometry.memory += bytes;
            for (std::ptrdiff_t most = geometry.mostMemory; now > most && !geometry.mostMemory.compare_exchange_weak(most, now);) {}
            return true;
        },
        this);
    scene = rtcNewScene(device);
    rtcSetSceneFlags(scene, RTC_SCENE_FLAG_COMPACT);
    addSpheres();
    addTubes();
    addInstances();
    rtcCommitScene(scene);
    const RTCError error = rtcGetDeviceError(device);
    if (error == RTC_ERROR_NONE) return;
    release();
    if (error == RTC_ERROR_OUT_OF_MEMORY) throw std::bad_alloc();
    throw std::runtime_error(fmt::format("Embree reports error {} while it sorts the picture's geometry", static_cast<int>(error)));
}

TracedSubject::Geometry::~Geometry() { release(); }

void TracedSubject::Geometry::release() {
    if (scene != nullptr) rtcReleaseScene(scene);
    for (RTCScene mesh : meshScenes) rtcReleaseScene(mesh);
    if (device != nullptr) rtcReleaseDevice(device);
}

void TracedSubject::Geometry::addSpheres() {
    const Spheres& spheres = subject.spheres;
    if (spheres.count() == 0) return;
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
    const bool moving = !spheres.close.empty();
    rtcSetGeometryTimeStepCount(geometry, moving ? 2 : 1);
    for (unsigned step = 0; step < (moving ? 2u : 1u); ++step)
        rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, step, RTC_FORMAT_FLOAT4, (step == 0 ? spheres.open : spheres.close).data(), 0,
                                   sizeof(spheres.open[0]), spheres.count());
    rtcSetGeometryMask(geometry, kSolidMask);
    spheresId = attach(scene, geometry);
}

void TracedSubject::Geometry::addTubes() {
    if (subject.tubes.empty()) return;
    for (const Tube& tube : subject.tubes) {
        tubeStarts.push_back(static_cast<unsigned>(tubeEnds.size()));
        tubeEnds.push_back({tube.from.x, tube.from.y, tube.from.z, tube.radius});
        tubeEnds.push_back({tube.to.x, tube.to.y, tube.to.z, tube.radius});
    }
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, tubeEnds.data(), 0, sizeof(tubeEnds[0]), tubeEnds.size());
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT, tubeStarts.data(), 0, sizeof(unsigned), tubeStarts.size());
    rtcSetGeometryMask(geometry, kSolidMask);
    tubesId = attach(scene, geometry);
}

RTCSceneTy* TracedSubject::Geometry::meshScene(const TriangleMesh& mesh) {
    RTCScene inner = rtcNewScene(device);
    rtcSetSceneFlags(inner, RTC_SCENE_FLAG_ROBUST);
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    // Copied, because Embree reads up to 16 bytes from the last vertex on.
    void* vertices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, sizeof(Vec3f), mesh.vertices.size());
    std::copy(mesh.vertices.begin(), mesh.vertices.end(), static_cast<Vec3f*>(vertices));
    void* triangles = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, sizeof(mesh.triangles[0]), mesh.triangles.size());
    std::copy(mesh.triangles.begin(), mesh.triangles.end(), static_cast<std::array<std::uint32_t, 3>*>(triangles));
    rtcSetGeometryMask(geometry, kSolidMask | kGlassMask);
    attach(inner, geometry);
    rtcCommitScene(inner);
    return inner;
}

void TracedSubject::Geometry::addInstances() {
    for (const TriangleMesh& mesh : subject.meshes) meshScenes.push_back(meshScene(mesh));
    firstInstanceId = (spheresId != ~0u ? 1u : 0u) + (tubesId != ~0u ? 1u : 0u);
    for (const Instance& instance : subject.instances) {
        RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_INSTANCE);
        rtcSetGeometryInstancedScene(geometry, meshScenes[instance.mesh]);
        const Placement& placement = instance.placement;
        const bool moving = placement.open.translation != placement.close.translation || placement.open.rotation != placement.close.rotation;
        rtcSetGeometryTimeStepCount(geometry, moving ? 2 : 1);
        for (unsigned step = 0; step < (moving ? 2u : 1u); ++step) {
            const auto columns = columnsOf(step == 0 ? placement.open : placement.close, placement.scale);
            rtcSetGeometryTransform(geometry, step, RTC_FORMAT_FLOAT3X4_COLUMN_MAJOR, columns.data());
        }
        rtcSetGeometryMask(geometry, instance.surface.finish == Finish::glass ? kGlassMask : kSolidMask);
        attach(scene, geometry);
    }
}

}  // namespace talus::render
