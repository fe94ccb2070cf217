// SPDX-License-Identifier: Apache-2.0
#include "render/tracer.h"

#include "render/path_tracer.h"
#include "render/traced_geometry.h"

#include <algorithm>

namespace talus::render {

namespace {

constexpr int kTile = 16;              // pixels a side; the unit of work

/// Sums over the samples of a pixel become means.
void average(Film& film, int samples, std::size_t pixel, const Vec3f& scattered, float sum, float squares) {
    const float n = static_cast<float>(samples), part = 1 / n;
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

/// The samples of a square of pixels.
void traceTile(const PathTracer& tracer, int samples, int x0, int y0, Film& film) {
    std::array<Contribution, kLanes> results;
    std::array<PathJob, kLanes> jobs;
    int count = 0;
    std::array<Vec3f, kTile * kTile> scattered{};   // albedo * irradiance
    std::array<float, kTile * kTile> sum{}, squares{};
    const int x1 = std::min(x0 + kTile, film.width), y1 = std::min(y0 + kTile, film.height);
    const auto flush = [&] {
        tracer.trace(jobs, count, results);
        for (int lane = 0; lane < count; ++lane) {
            const PathJob& job = jobs[static_cast<std::size_t>(lane)];
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
            for (int s = 0; s < samples; ++s) {
                jobs[static_cast<std::size_t>(count++)] = {x, y, static_cast<std::uint32_t>(s)};
                if (count == kLanes) flush();
            }
    if (count > 0) flush();
    for (int y = y0; y < y1; ++y)
        for (int x = x0; x < x1; ++x) {
            const std::size_t local = static_cast<std::size_t>((y - y0) * kTile + x - x0);
            average(film, samples, film.width * static_cast<std::size_t>(y) + static_cast<std::size_t>(x), scattered[local], sum[local], squares[local]);
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
    const PathTracer tracer(*geometry_, camera, settings);
    const std::size_t columns = static_cast<std::size_t>((settings.width + kTile - 1) / kTile), rows = static_cast<std::size_t>((settings.height + kTile - 1) / kTile);
    exec.forTasks(columns * rows, [&](std::size_t tile, int) {
        traceTile(tracer, settings.samples, static_cast<int>(tile % columns) * kTile, static_cast<int>(tile / columns) * kTile, film);
    });
    return film;
}

}  // namespace talus::render
