// SPDX-License-Identifier: Apache-2.0
#include "render/denoise.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace talus::render {

namespace {

constexpr int kPasses = 4;                       // holes of 1, 2, 4, 8 pixels
constexpr float kNormal = 12.0f, kAlbedo = 10.0f;   // weight of squared differences
constexpr float kDepth = 10.0f;                  // of squared relative differences, times 1000
constexpr float kVariances = 9.0f;               // squared difference of luminance allowed, in variances

using Plane = std::vector<float>;

/// Planes instead of pixels, so that rows of them are worked on eight at a time.
struct Planes {
    std::array<Plane, 3> colour;
    Plane variance;
};
struct Guides {
    std::array<Plane, 3> normal, albedo;
    Plane depth;
};

float luminance(float r, float g, float b) { return 0.2126f * r + 0.7152f * g + 0.0722f * b; }

std::array<Plane, 3> split(const std::vector<Vec3f>& pixels) {
    std::array<Plane, 3> planes;
    for (int k = 0; k < 3; ++k) {
        Plane& plane = planes[static_cast<std::size_t>(k)];
        plane.resize(pixels.size());
        for (std::size_t i = 0; i < pixels.size(); ++i) plane[i] = pixels[i][k];
    }
    return planes;
}

/// Four samples say little about a variance: its mean over the pixels around says more.
Plane spreadVariance(const Exec& exec, const Film& film) {
    Plane result(film.pixels());
    constexpr int kReach = 2;
    exec.forTasks(static_cast<std::size_t>(film.height), [&](std::size_t row, int) {
        const int y = static_cast<int>(row);
        for (int x = 0; x < film.width; ++x) {
            float sum = 0, weight = 0;
            for (int v = std::max(0, y - kReach); v <= std::min(film.height - 1, y + kReach); ++v)
                for (int u = std::max(0, x - kReach); u <= std::min(film.width - 1, x + kReach); ++u) {
                    const std::size_t j = static_cast<std::size_t>(v) * static_cast<std::size_t>(film.width) + static_cast<std::size_t>(u);
                    const float w = film.depth[j] > 0 ? 1.0f : 0.0f;
                    sum += w * film.variance[j];
                    weight += w;
                }
            result[row * static_cast<std::size_t>(film.width) + static_cast<std::size_t>(x)] = weight > 0 ? sum / weight : 0;
        }
    });
    return result;
}

/// One row of a pass, filled by a sweep along the row for every tap.
struct RowSums {
    std::array<Plane, 3> colour;
    Plane variance, weight;
    explicit RowSums(std::size_t width) : variance(width), weight(width) { for (Plane& p : colour) p.resize(width); }
    void clear() {
        for (Plane& p : colour) std::ranges::fill(p, 0.0f);
        std::ranges::fill(variance, 0.0f);
        std::ranges::fill(weight, 0.0f);
    }
};

void addTap(const Planes& in, const Guides& g, std::size_t here, std::size_t there, std::size_t length, float kernel, std::size_t begin, RowSums& sums) {
    const float *r0 = &in.colour[0][here], *g0 = &in.colour[1][here], *b0 = &in.colour[2][here], *v0 = &in.variance[here];
    const float *r1 = &in.colour[0][there], *g1 = &in.colour[1][there], *b1 = &in.colour[2][there], *v1 = &in.variance[there];
    const float *nx0 = &g.normal[0][here], *ny0 = &g.normal[1][here], *nz0 = &g.normal[2][here], *d0 = &g.depth[here];
    const float *nx1 = &g.normal[0][there], *ny1 = &g.normal[1][there], *nz1 = &g.normal[2][there], *d1 = &g.depth[there];
    const float *ar0 = &g.albedo[0][here], *ag0 = &g.albedo[1][here], *ab0 = &g.albedo[2][here];
    const float *ar1 = &g.albedo[0][there], *ag1 = &g.albedo[1][there], *ab1 = &g.albedo[2][there];
    float *sr = &sums.colour[0][begin], *sg = &sums.colour[1][begin], *sb = &sums.colour[2][begin], *sv = &sums.variance[begin], *sw = &sums.weight[begin];
    const auto square = [](float x) { return x * x; };
    for (std::size_t x = 0; x < length; ++x) {
        const float light = square(luminance(r1[x] - r0[x], g1[x] - g0[x], b1[x] - b0[x])) / (kVariances * (v0[x] + v1[x]) + 1e-6f);
        const float normal = kNormal * (square(nx1[x] - nx0[x]) + square(ny1[x] - ny0[x]) + square(nz1[x] - nz0[x]));
        const float albedo = kAlbedo * (square(ar1[x] - ar0[x]) + square(ag1[x] - ag0[x]) + square(ab1[x] - ab0[x]));
        const float depth = 1000 * kDepth * square((d1[x] - d0[x]) / (d1[x] + d0[x] + 1e-12f));
        const float fall = std::max(0.0f, 1 - 0.25f * (light + normal + albedo + depth));
        const float hit = d0[x] > 0 && d1[x] > 0 ? 1.0f : 0.0f;
        const float w = kernel * hit * fall * fall * fall;
        sr[x] += w * r1[x];
        sg[x] += w * g1[x];
        sb[x] += w * b1[x];
        sv[x] += w * w * v1[x];
        sw[x] += w;
    }
}

void pass(const Exec& exec, int width, int height, int step, const Guides& guides, const Planes& in, Planes& out) {
    const std::size_t w = static_cast<std::size_t>(width);
    constexpr std::size_t kRows = 8;
    exec.forBlocks(static_cast<std::size_t>(height), kRows, [&](std::size_t first, std::size_t last) {
        RowSums sums(w);
        for (std::size_t row = first; row < last; ++row) {
            sums.clear();
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx) {
                    const int y = static_cast<int>(row) + dy * step, shift = dx * step;
                    if (y < 0 || y >= height || std::abs(shift) >= width) continue;
                    const std::size_t begin = static_cast<std::size_t>(std::max(0, -shift)), length = w - static_cast<std::size_t>(std::abs(shift));
                    const std::size_t from = static_cast<std::size_t>(y) * w + static_cast<std::size_t>(std::max(0, shift));
                    const float kernel = (dx == 0 ? 1.0f : 0.5f) * (dy == 0 ? 1.0f : 0.5f);
                    addTap(in, guides, row * w + begin, from, length, kernel, begin, sums);
                }
            for (std::size_t x = 0; x < w; ++x) {
                const std::size_t i = row * w + x;
                const float weight = sums.weight[x], part = weight > 0 ? 1 / weight : 0;
                for (std::size_t k = 0; k < 3; ++k) out.colour[k][i] = weight > 0 ? sums.colour[k][x] * part : in.colour[k][i];
                out.variance[i] = sums.variance[x] * part * part;
            }
        }
    });
}

}  // namespace

void denoise(const Exec& exec, Film& film) {
    const Guides guides{split(film.normal), split(film.albedo), film.depth};
    Planes planes{split(film.irradiance), spreadVariance(exec, film)}, next = planes;
    for (int k = 0; k < kPasses; ++k) {
        pass(exec, film.width, film.height, 1 << k, guides, planes, next);
        std::swap(planes, next);
    }
    for (std::size_t i = 0; i < film.pixels(); ++i) film.irradiance[i] = {planes.colour[0][i], planes.colour[1][i], planes.colour[2][i]};
}

}  // namespace talus::render
