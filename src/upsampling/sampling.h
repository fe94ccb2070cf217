// SPDX-License-Identifier: Apache-2.0
// Fine grains inside a guide [Alduan2009, §4.2].
#pragma once

#include "core/vec.h"
#include "world/body.h"
#include "world/method.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

namespace talus::upsampling {

/// A guide when it comes into the world.
struct Birth {
    std::int64_t id = 0;
    Vec3 position, velocity;     // [m], [m/s]
    double radius = 0;           // of its bounding sphere [m]
    double mass = 0;             // [kg]
    double volume = 0;           // that it takes up, pores included [m³]
    double time = 0;             // [s]
    int material = 0, source = 0;
    std::optional<Mat3> frame = {};   // columns: semi-axes of its ellipsoid [m], where it has one
};

/// What the fine grains of a guide have in common. The solid volume of a guide is shared out equally, and so is its mass.
struct Origin {
    std::int64_t guide = 0;      // id
    double mass = 0;             // of a fine grain [kg]
    double radius = 0;           // of the sphere of its solid volume [m]
    double volume = 0;           // pores included [m³]
    double birthTime = 0;        // [s]
    std::int32_t material = 0, source = 0;
};
Origin originOf(const Birth&, double grainDensity, std::int64_t factor);

/// Where fine grains of a guide may lie, A times a unit ball or a cube of sides 2 about it: anywhere in its bounding sphere; for a material
/// point, in the cube of its volume, since cubes of points on a lattice fill space without gaps; and in the ellipsoid of a guide that has one.
struct SampledVolume {
    bool cube = false;
    Mat3 axes;                   // A [m]

    /// How far x, seen from the guide, is out: 1 on the surface, less inside. `inverse` is that of A.
    double outness(const Mat3& inverse, const Vec3& x) const;
    /// No point of it is further away [m].
    double extent() const;
};
SampledVolume sampledVolume(double radius, double volume, const std::optional<Mat3>& frame, bool continuum);
inline SampledVolume sampledVolume(const Birth& guide, bool continuum) { return sampledVolume(guide.radius, guide.volume, guide.frame, continuum); }
/// Fields that guides may offer: the ellipsoid of a guide, nine numbers, row by row the matrix whose columns are its semi-axes a [m], or six, the tensor Σ a aᵀ
/// (xx, yy, zz, xy, yz, xz) [m²]; the normal of flat grains, or the second moment of the normals of many (in the same order); and
/// by how much the way of a guide in its last step differs from velocity times step [m], where its velocity is that of the instant.
inline constexpr std::string_view kFrameField = "frame", kNormalField = "normal", kOrientationField = "orientation", kLagField = "lag";
std::size_t frameComponents(const world::Method&);   // 9, 6, or 0: there is no such field
bool offersNormals(const world::Method&);
/// Second moments of normals by id of the guide, of those in a region if one is given; none of guides whose grains are not flat.
using Orientations = std::map<std::int64_t, std::array<double, 6>>;
Orientations orientationsOf(const Exec&, const world::Method&, const world::Region* in = nullptr);
bool offersLags(const world::Method&);
/// None where the frame encloses nothing.
std::optional<Mat3> frameOf(std::span<const double> numbers);

/// places.size() points about the guide, by rejection from the cube around it: a function of seed and the guide's id alone.
/// A point closer to a body than `clearance` [m] is rejected too; where bodies leave hardly any room it is moved out of them.
void sample(std::uint64_t seed, const Birth&, const SampledVolume&, double clearance, std::span<const world::BodySnapshot>, std::span<Vec3> places);

}  // namespace talus::upsampling
