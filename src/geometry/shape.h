// SPDX-License-Identifier: Apache-2.0
// Solids as signed distance. Every distance() is 1-Lipschitz and vanishes on its own surface, hence |distance()| never
// exceeds the true distance to that surface: it is safe to step or to skip by. Shapes are immutable and shared.
#pragma once

#include "core/vec.h"
#include "geometry/contact_features.h"
#include "geometry/mass_properties.h"

#include <memory>
#include <mutex>
#include <span>

namespace talus::geometry {

struct Surface {
    double distance;   // [m], negative inside
    Vec3 normal;       // unit, outward: the gradient of the distance; one of the possible ones where it jumps
};

struct Mesh;

class Shape {
public:
    virtual ~Shape() = default;

    virtual Surface surface(const Vec3& point) const = 0;
    virtual double distance(const Vec3& point) const { return surface(point).distance; }
    virtual void surfaces(std::span<const Vec3> points, std::span<Surface> out) const;

    /// distance() is the true distance everywhere. Otherwise it is a bound with the right sign: the corners of an
    /// intersection from outside, the inner edges of a union from inside.
    virtual bool exact() const { return true; }

    /// Contains the solid; ±infinity where it has no end.
    Aabb bounds() const { return levelBounds(0); }
    bool bounded() const;

    /// Contains {distance <= level}, which for a bound reaches further than `level` beyond the solid.
    virtual Aabb levelBounds(double level) const = 0;

    /// The triangles of a shape that is made of them; null for the others, which polygonise.h turns into triangles.
    virtual std::shared_ptr<const Mesh> ownMesh() const { return nullptr; }

    /// [m³]; infinite where unbounded. Found once and kept.
    double volume() const;

    /// Of unit density, for a bounded shape; in closed form where there is one.
    virtual MassProperties massProperties() const;

    /// What can touch first; none where the shape has no end. Found once and kept.
    const ContactFeatures& contactFeatures() const;

protected:
    /// In closed form where a shape has one. Here: deterministic adaptive quadrature, good to 1e-3 for parts thicker than
    /// 1/200 of the largest extent; up to a second of work.
    virtual double measureVolume() const;
    virtual ContactFeatures findContactFeatures() const;

private:
    mutable std::once_flag volumeMeasured_;
    mutable double volume_ = 0;
    mutable std::once_flag featuresFound_;
    mutable ContactFeatures features_;
};

using ShapePtr = std::shared_ptr<const Shape>;

inline Aabb grown(const Aabb& box, double by) { return {box.min - Vec3{by, by, by}, box.max + Vec3{by, by, by}}; }

}  // namespace talus::geometry
