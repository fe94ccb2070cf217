// SPDX-License-Identifier: Apache-2.0
#include "upsampling/sampling.h"

#include "core/rng.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::upsampling {
namespace {

/// What random numbers of guides are for: no fill or emitter has this number.
constexpr std::uint32_t kStream = 0x67756964;
/// Points that bodies may reject before one is moved out of them instead.
constexpr int kMostTries = 64;
/// Passes over the bodies: a point moved out of one may be in the next.
constexpr int kMostPasses = 8;

Vec3 moveOut(Vec3 x, double clearance, std::span<const world::BodySnapshot> bodies) {
    for (int pass = 0; pass < kMostPasses; ++pass) {
        bool clear = true;
        for (const world::BodySnapshot& body : bodies) {
            if (!body.active()) continue;
            const world::SurfacePoint surface = body.surface(x);
            if (surface.distance >= clearance) continue;
            x += (clearance - surface.distance) * surface.normal;
            clear = false;
        }
        if (clear) break;
    }
    return x;
}

}  // namespace

namespace {

bool offers(const world::Method& method, std::string_view name, int components) {
    const world::FieldInfo* field = world::findField(method.fields(), name);
    return field != nullptr && field->components == components && field->type == world::FieldType::real;
}

}  // namespace

std::size_t frameComponents(const world::Method& method) { return offers(method, kFrameField, 9) ? 9 : offers(method, kFrameField, 6) ? 6 : 0; }
bool offersNormals(const world::Method& method) { return offers(method, kNormalField, 3); }
bool offersLags(const world::Method& method) { return offers(method, kLagField, 3); }

Orientations orientationsOf(const Exec& exec, const world::Method& method, const world::Region* in) {
    Orientations found;
    if (!offers(method, kOrientationField, 6)) return found;
    world::FieldTable table;
    method.read(exec, std::array{world::field::id.name, world::field::position.name, kOrientationField}, table);
    for (std::size_t i = 0; i < table.count(); ++i) {
        const std::span<const double> moment = table.reals(kOrientationField).subspan(6 * i, 6), x = table.reals("position").subspan(3 * i, 3);
        if (moment[0] + moment[1] + moment[2] == 0 || (in && !in->contains({x[0], x[1], x[2]}))) continue;
        std::ranges::copy(moment, found[table.integers("id")[i]].begin());
    }
    return found;
}

Origin originOf(const Birth& guide, double grainDensity, std::int64_t factor) {
    const double mass = guide.mass / static_cast<double>(factor);
    return {.guide = guide.id, .mass = mass, .radius = std::cbrt(0.75 / std::numbers::pi * mass / grainDensity), .volume = guide.volume / static_cast<double>(factor),
            .birthTime = guide.time, .material = guide.material, .source = guide.source};
}

SampledVolume sampledVolume(double radius, double volume, const std::optional<Mat3>& frame, bool continuum) {
    if (frame) return {false, *frame};
    const double size = continuum ? 0.5 * std::cbrt(volume) : radius;
    return {continuum, Mat3::diagonal({size, size, size})};
}

double SampledVolume::outness(const Mat3& inverse, const Vec3& x) const {
    const Vec3 u = inverse * x;
    return cube ? maxComponent(talus::max(u, -u)) : norm(u);
}

// |A u| ≤ |A|_F |u|, with equality for no less than a line; a ball is told from that.
double SampledVolume::extent() const {
    const double longest = std::sqrt(std::max({normSquared(axes.column(0)), normSquared(axes.column(1)), normSquared(axes.column(2))}));
    return std::min(std::numbers::sqrt3 * longest, frobeniusNorm(axes));
}

// Any A with A Aᵀ = Σ a aᵀ takes the unit ball to the same ellipsoid: of six numbers, Cholesky's.
std::optional<Mat3> frameOf(std::span<const double> numbers) {
    Mat3 frame;
    if (numbers.size() == 9) {
        std::ranges::copy(numbers, frame.m.begin());
    } else {
        const double xx = numbers[0], yy = numbers[1], zz = numbers[2], xy = numbers[3], yz = numbers[4], xz = numbers[5];
        const double a = std::sqrt(xx), b = xy / a, c = xz / a, d = std::sqrt(yy - b * b), e = (yz - b * c) / d;
        frame = {{a, 0, 0, b, d, 0, c, e, std::sqrt(zz - c * c - e * e)}};
    }
    const double size = frobeniusNorm(frame);
    constexpr double kFlat = 1e-9;   // thinner against its length than any ellipsoid of grains
    return std::isfinite(size) && std::abs(determinant(frame)) > kFlat * size * size * size ? std::optional(frame) : std::nullopt;
}

void sample(std::uint64_t seed, const Birth& guide, const SampledVolume& volume, double clearance, std::span<const world::BodySnapshot> bodies, std::span<Vec3> places) {
    Rng rng(seed, kStream, static_cast<std::uint64_t>(guide.id));
    std::vector<const world::BodySnapshot*> near;
    for (const world::BodySnapshot& body : bodies)
        if (body.distance(guide.position) < volume.extent() + clearance) near.push_back(&body);
    const auto blocked = [&](const Vec3& x) { return std::ranges::any_of(near, [&](const world::BodySnapshot* body) { return body->distance(x) < clearance; }); };
    for (Vec3& place : places)
        for (int tries = 1;;) {
            Vec3 offset;
            do offset = {rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)};
            while (!volume.cube && normSquared(offset) > 1);
            place = guide.position + volume.axes * offset;
            if (!blocked(place)) break;
            if (++tries <= kMostTries) continue;
            place = moveOut(place, clearance, bodies);
            break;
        }
}

}  // namespace talus::upsampling
