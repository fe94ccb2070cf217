// SPDX-License-Identifier: Apache-2.0
// Mass properties of the primitives in closed form, and what of them touches first.
#include "geometry/primitives.h"

#include <algorithm>
#include <numbers>

namespace talus::geometry {
namespace {

constexpr double pi = std::numbers::pi;

/// From second moments ∫ x² dV, … about the centre.
MassProperties solid(double volume, const Vec3& centre, const Vec3& squares) {
    return {volume, centre, Mat3::diagonal({squares.y + squares.z, squares.z + squares.x, squares.x + squares.y})};
}

/// A circle of sharp edge about the z axis.
void addRim(double radius, double z, ContactFeatures& features) {
    constexpr int kPoints = 48;   // a wheel that rolls on them is uneven by 0.2 % of its radius
    if (radius == 0) return features.push_back({{0, 0, z}, {0, 0, z}, 0});
    for (int i = 0; i < kPoints; ++i) {
        const double angle = 2 * pi * i / kPoints;
        const Vec3 x{radius * std::cos(angle), radius * std::sin(angle), z};
        features.push_back({x, x, 0});
    }
}

}  // namespace

MassProperties Box::massProperties() const {
    if (rounding_ > 0) return measuredMassProperties(*this);
    const double volume = 8 * half_.x * half_.y * half_.z;
    return solid(volume, {}, volume / 3 * componentProduct(half_, half_));
}

ContactFeatures Box::findContactFeatures() const {
    const Vec3 h = half_ - Vec3{rounding_, rounding_, rounding_};
    const auto corner = [&](int i) { return Vec3{i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z}; };
    ContactFeatures features;
    for (int i = 0; i < 8; ++i) features.push_back({corner(i), corner(i), rounding_});
    for (int i = 0; i < 8; ++i)
        for (const int axis : {1, 2, 4})
            if (!(i & axis) && corner(i) != corner(i | axis)) features.push_back({corner(i), corner(i | axis), rounding_});
    return features;
}

MassProperties Sphere::massProperties() const {
    const double volume = measureVolume(), square = volume * radius_ * radius_ / 5;
    return solid(volume, {}, {square, square, square});
}

ContactFeatures Sphere::findContactFeatures() const { return {{{}, {}, radius_}}; }

MassProperties Cylinder::massProperties() const {
    const double volume = measureVolume(), across = volume * radius_ * radius_ / 4;
    return solid(volume, {0, 0, 0.5 * height_}, {across, across, volume * height_ * height_ / 12});
}

ContactFeatures Cylinder::findContactFeatures() const {
    ContactFeatures features;
    addRim(radius_, 0, features);
    addRim(radius_, height_, features);
    if (height_ > 2 * radius_) {
        const Vec3 low{0, 0, radius_}, high{0, 0, height_ - radius_};
        features.insert(features.end(), {{low, low, radius_}, {high, high, radius_}, {low, high, radius_}});
    }
    return features;
}

MassProperties Capsule::massProperties() const {
    const double r = radius_, h = halfHeight_, shaft = pi * r * r * 2 * h, ball = 4 * pi / 3 * r * r * r;
    // Of the two half balls together: ∫ z² = V (r²/5 + 3/4 h r + h²), their centres lying 3/8 r beyond ±h.
    const double along = shaft * h * h / 3 + ball * (r * r / 5 + 0.75 * h * r + h * h), across = shaft * r * r / 4 + ball * r * r / 5;
    return solid(shaft + ball, {}, {across, across, along});
}

ContactFeatures Capsule::findContactFeatures() const {
    const Vec3 low{0, 0, -halfHeight_}, high{0, 0, halfHeight_};
    ContactFeatures features{{low, low, radius_}, {high, high, radius_}};
    if (halfHeight_ > 0) features.push_back({low, high, radius_});
    return features;
}

MassProperties Cone::massProperties() const {
    // With r(z) = a + (b − a) z/h: ∫ r² zⁿ dz and ∫ r⁴ dz are polynomials.
    const double a = bottom_, b = top_, h = height_, volume = measureVolume();
    const double z1 = pi * h * h / 12 * (a * a + 2 * a * b + 3 * b * b) / volume;
    const double z2 = pi * h * h * h / 30 * (a * a + 3 * a * b + 6 * b * b);
    const double across = pi * h / 20 * (a * a * a * a + a * a * a * b + a * a * b * b + a * b * b * b + b * b * b * b);
    return solid(volume, {0, 0, z1}, {across, across, z2 - volume * z1 * z1});
}

ContactFeatures Cone::findContactFeatures() const {
    ContactFeatures features;
    addRim(bottom_, 0, features);
    addRim(top_, height_, features);
    return features;
}

}  // namespace talus::geometry
