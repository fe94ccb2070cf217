// SPDX-License-Identifier: Apache-2.0
// Cost of the distance to a mesh: how long bricks take to build, and distance and gradient of points near the surface, from
// bricks (eight at a time, one at a time) and exactly. Best of several rounds; one thread asks, and its processor time counts,
// so that a busy machine shows less.
//     benchmarks/geometry [points] [rounds]
#include "core/rng.h"
#include "geometry/mesh_primitives.h"
#include "geometry/mesh_shape.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

using namespace talus;
using namespace talus::geometry;

namespace {

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
double threadSeconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Points within the band, as grains at a wall are: in random order, or sorted by blocks of 4 voxels.
std::vector<Vec3> pointsNear(const MeshShape& shape, std::size_t count, bool sorted) {
    std::vector<Vec3> points;
    const Aabb box = grown(shape.bounds(), 0.5 * shape.band());
    for (std::uint64_t i = 0; points.size() < count; ++i) {
        Rng rng(1, 0, i);
        const Vec3 p{rng.uniform(box.min.x, box.max.x), rng.uniform(box.min.y, box.max.y), rng.uniform(box.min.z, box.max.z)};
        if (std::abs(shape.distance(p)) < 0.5 * shape.band()) points.push_back(p);
    }
    const double block = 4 * shape.voxel();
    const auto key = [&](const Vec3& p) {
        const auto cell = [&](double x, double min) { return static_cast<long>((x - min) / block); };
        return (cell(p.z, box.min.z) * 4096 + cell(p.y, box.min.y)) * 4096 + cell(p.x, box.min.x);
    };
    if (sorted) std::stable_sort(points.begin(), points.end(), [&](const Vec3& a, const Vec3& b) { return key(a) < key(b); });
    return points;
}

template <class Ask>
void measure(const char* what, std::size_t count, int rounds, const Ask& ask) {
    double best = 1e300;
    for (int r = 0; r < rounds; ++r) {
        const double start = threadSeconds();
        ask();
        best = std::min(best, threadSeconds() - start);
    }
    std::printf("%-44s %8.1f ns a point\n", what, 1e9 * best / static_cast<double>(count));
}

void measureMesh(const char* name, Mesh mesh, std::size_t count, int rounds) {
    const Exec exec;
    const double start = seconds();
    const MeshShape shape(exec, std::make_shared<const Mesh>(std::move(mesh)));
    std::printf("%s: %zu triangles, voxel %.4g of the extent, %.1f MB, built in %.2f s with %d threads\n", name, shape.mesh().triangles.size(),
                shape.voxel() / maxComponent(shape.bounds().size()), 1e-6 * static_cast<double>(shape.bytes()), seconds() - start, exec.threads());
    for (const bool sorted : {true, false}) {
        const std::vector<Vec3> points = pointsNear(shape, count, sorted);
        std::vector<Surface> out(points.size());
        const std::string order = sorted ? ", sorted by place" : ", in random order";
        measure(("  bricks, batches" + order).c_str(), count, rounds, [&] { shape.surfaces(points, out); });
        measure(("  bricks, single" + order).c_str(), count, rounds, [&] {
            for (std::size_t i = 0; i < points.size(); ++i) out[i] = shape.surface(points[i]);
        });
        const std::size_t few = std::min<std::size_t>(count, 20000);
        measure(("  exact" + order).c_str(), few, 2, [&] {
            for (std::size_t i = 0; i < few; ++i) out[i] = shape.exactSurface(points[i]);
        });
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 200000;
    const int rounds = argc > 2 ? std::atoi(argv[2]) : 20;
    measureMesh("sphere", icosphere(6), count, rounds);
    measureMesh("torus", torusMesh(1, 0.25, 64, 32), count, rounds);
    measureMesh("box", boxMesh({0, 0, 0}, {1, 2, 3}), count, rounds);
}
