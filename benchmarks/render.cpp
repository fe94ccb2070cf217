// SPDX-License-Identifier: Apache-2.0
// A heap of spheres as a picture: seconds to sort the spheres, to trace and to denoise, best of several rounds, and the bytes
// that the search structure takes for a sphere at most. Promised: 1,000,000 spheres, 1920x1080, 4 samples, 3 bounces in
// 3.5 s on 2 cores, at most 120 bytes a sphere.
//     benchmarks/render [spheres] [rounds] [threads]
#include "core/rng.h"
#include "render/colour.h"
#include "render/denoise.h"
#include "render/develop.h"
#include "render/tracer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>

using namespace talus;
using namespace talus::render;

namespace {

constexpr TraceSettings kSettings{1920, 1080, 4, 3, 1};

struct Clock {
    static double wall() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
    static double processor() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
};
struct Times {
    double wall = 1e300, processor = 1e300;

    template <class Action>
    void measure(const Action& action) {
        const double wallStart = Clock::wall(), start = Clock::processor();
        action();
        wall = std::min(wall, Clock::wall() - wallStart);
        processor = std::min(processor, Clock::processor() - start);
    }
    void print(const char* what) const { std::printf("%-10s %7.3f s, %7.3f s of processor time\n", what, wall, processor); }
};

/// A cone of 30 degrees, one high, filled with spheres at random to about the density of sand.
Subject heapOf(std::size_t count) {
    Subject subject;
    const double radiusOfCone = std::sqrt(3.0), volume = 3.14159265 * radiusOfCone * radiusOfCone / 3;
    const auto radius = static_cast<float>(std::cbrt(0.6 * volume / static_cast<double>(count) * 0.75 / 3.14159265));
    for (std::uint64_t i = 0; subject.spheres.count() < count; ++i) {
        Rng rng(1, 0, i);
        const double x = rng.uniform(-radiusOfCone, radiusOfCone), y = rng.uniform(-radiusOfCone, radiusOfCone), z = rng.uniform(0, 1);
        if (std::hypot(x, y) > radiusOfCone * (1 - z)) continue;
        subject.spheres.open.push_back({static_cast<float>(x), static_cast<float>(y), static_cast<float>(z) + radius, radius});
        subject.spheres.colours.push_back(packColour(mixedColour(sandMix(), static_cast<std::int64_t>(i))));
    }
    subject.ground.fade = 20;
    return subject;
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t count = argc > 1 ? static_cast<std::size_t>(std::atoll(argv[1])) : 1'000'000;
    const int rounds = argc > 2 ? std::atoi(argv[2]) : 3, threads = argc > 3 ? std::atoi(argv[3]) : 2;
    if (count < 1 || rounds < 1 || threads < 1) {
        std::fputs("usage: render [spheres] [rounds] [threads]\n", stderr);
        return 2;
    }
    const Exec exec(threads);
    const Subject subject = heapOf(count);
    const Camera camera = fitted("fit", {{-1.75, -1.75, 0}, {1.75, 1.75, 1}}, static_cast<double>(kSettings.width) / kSettings.height, false, 30);
    Times sorting, tracing, denoising, all;
    std::size_t bytes = 0;
    for (int round = 0; round < rounds; ++round)
        all.measure([&] {
            std::optional<TracedSubject> traced;
            std::optional<Film> film;
            sorting.measure([&] { traced.emplace(subject); });
            tracing.measure([&] { film.emplace(traced->trace(exec, camera, kSettings)); });
            denoising.measure([&] {
                denoise(exec, *film);
                develop(film->picture(), 1);
            });
            bytes = traced->mostBytes();
        });
    std::printf("%zu spheres, %dx%d pixels, %d samples, %d bounces, %d threads, best of %d\n", count, kSettings.width, kSettings.height, kSettings.samples, kSettings.bounces, threads, rounds);
    sorting.print("sorting");
    tracing.print("tracing");
    denoising.print("denoising");
    all.print("all");
    // Positions, radii and colours lie there as well: 20 bytes.
    std::printf("%.1f bytes a sphere at most while they are sorted, %.1f with the sphere itself\n", static_cast<double>(bytes) / static_cast<double>(count),
                static_cast<double>(bytes) / static_cast<double>(count) + 20);
    return 0;
}
