// SPDX-License-Identifier: Apache-2.0
// From a description to a shape, and what may stand in the way.
#include "geometry/lathe.h"
#include "geometry/operators.h"
#include "geometry/primitives.h"
#include "geometry/shape_description.h"

#include <numbers>
#include <stdexcept>
#include <string>

namespace talus::geometry {
namespace {

std::vector<ShapePtr> buildAll(const std::vector<ShapeDescription>& descriptions) {
    std::vector<ShapePtr> shapes;
    for (const ShapeDescription& d : descriptions) shapes.push_back(build(d));
    return shapes;
}

Profile profileOf(const LatheDescription& d) {
    constexpr double kTolerance = 5e-5;   // of the profile's extent: about 200 segments for an hourglass
    Profile points;
    double extent = 0;
    for (std::size_t i = 0; i + 1 < d.profile.size(); i += 2) {
        points.push_back({d.profile[i], d.profile[i + 1]});
        extent = std::max({extent, points.back().radius, std::abs(points.back().height - points.front().height)});
    }
    return d.smooth && extent > 0 ? smoothed(points, kTolerance * extent) : points;
}

/// The least rotation that takes z to the axis.
Quat fromZ(const Vec3& axis) {
    const Vec3 a = normalized(axis);
    if (a.z < -1 + 1e-12) return {0, 1, 0, 0};
    return Quat{1 + a.z, -a.y, a.x, 0}.normalizedQuat();
}

struct Builder {
    ShapePtr operator()(const BoxDescription& d) const {
        if (d.size) return std::make_shared<Box>(*d.size, d.rounding);
        return move(std::make_shared<Box>(*d.max - *d.min, d.rounding), {{}, 0.5 * (*d.min + *d.max)});
    }
    ShapePtr operator()(const PlaneDescription& d) const { return std::make_shared<Plane>(d.normal, Vec3{}); }
    ShapePtr operator()(const SphereDescription& d) const { return std::make_shared<Sphere>(d.radius); }
    ShapePtr operator()(const CylinderDescription& d) const {
        return along(d.axis, std::make_shared<Cylinder>(d.radius, d.height));
    }
    ShapePtr operator()(const CapsuleDescription& d) const {
        return along(d.axis, std::make_shared<Capsule>(d.radius, d.height));
    }
    ShapePtr operator()(const ConeDescription& d) const {
        return along(d.axis, std::make_shared<Cone>(d.radius, d.topRadius, d.height));
    }
    ShapePtr operator()(const LatheDescription& d) const {
        return along(d.axis, std::make_shared<Lathe>(profileOf(d), d.thickness));
    }
    ShapePtr operator()(const TorusDescription& d) const { return along(d.axis, std::make_shared<Torus>(d.radius, d.tubeRadius)); }
    ShapePtr operator()(const MeshDescription& d) const { return prepared(d.sampled); }
    ShapePtr operator()(const HeightFieldDescription& d) const { return prepared(d.sampled); }
    ShapePtr operator()(const UnionDescription& d) const { return std::make_shared<Union>(buildAll(d.parts)); }
    ShapePtr operator()(const IntersectionDescription& d) const { return std::make_shared<Intersection>(buildAll(d.parts)); }
    ShapePtr operator()(const DifferenceDescription& d) const {
        return std::make_shared<Difference>(build(d.from.front()), buildAll(d.minus));
    }
    ShapePtr operator()(const OffsetDescription& d) const { return std::make_shared<Offset>(build(d.of.front()), d.distance); }
    ShapePtr operator()(const ShellDescription& d) const { return std::make_shared<Shell>(build(d.of.front()), d.thickness); }

    static ShapePtr prepared(const SampledSolid& sampled) {
        if (!sampled.solid) throw std::logic_error("a mesh or height field is built before prepare()");
        return sampled.solid;
    }
    static ShapePtr along(const Vec3& axis, ShapePtr shape) { return move(std::move(shape), {fromZ(axis), {}}); }
    static ShapePtr move(ShapePtr shape, const RigidTransform& to) {
        if (to.rotation == Quat{} && to.translation == Vec3{}) return shape;
        return std::make_shared<Placed>(std::move(shape), to);
    }
};

struct Checker {
    std::string_view path;
    Problems& problems;

    void operator()(const BoxDescription& d) const {
        if (d.size && (d.min || d.max)) return error("size", "give either size, or min and max");
        if (!d.size && !(d.min && d.max)) return error("size", "give size, or both min and max");
        const Vec3 size = d.size ? *d.size : *d.max - *d.min;
        if (d.size && !(minComponent(size) > 0)) return error("size", "every extent must be positive");
        if (!(minComponent(size) > 0)) return error("max", "must be greater than min along every axis");
        if (d.rounding > 0.5 * minComponent(size)) error("rounding", "must be at most half of the smallest extent of the box");
    }
    void operator()(const PlaneDescription& d) const { direction("normal", d.normal); }
    void operator()(const SphereDescription&) const {}
    void operator()(const CylinderDescription& d) const { direction("axis", d.axis); }
    void operator()(const CapsuleDescription& d) const { direction("axis", d.axis); }
    void operator()(const ConeDescription& d) const {
        direction("axis", d.axis);
        if (d.radius == 0 && d.topRadius == 0) error("radius", "radius and top_radius must not both be 0");
    }
    void operator()(const LatheDescription& d) const {
        direction("axis", d.axis);
        if (d.profile.size() < 4) return error("profile", "needs at least two points [radius, height]");
        for (std::size_t i = 0; i < d.profile.size(); i += 2)
            if (d.profile[i] < 0) return error("profile", "radius of point " + std::to_string(i / 2 + 1) + " is negative");
        const Profile profile = profileOf(d);
        if (d.thickness > 0) {
            if (profile == Profile(profile.size(), profile.front())) error("profile", "all points are the same");
        } else if (crossesItself(profile)) {
            error("profile", "the outline crosses itself; its ends are closed to the axis by level lines");
        } else if (!(Lathe(profile).volume() > 0)) {
            error("profile", "encloses no space between itself and the axis; give a thickness for a wall");
        }
    }
    void operator()(const TorusDescription& d) const {
        direction("axis", d.axis);
        if (d.tubeRadius >= d.radius) error("tube_radius", "must be less than radius, or the tube closes the hole");
    }
    void operator()(const MeshDescription&) const {}          // prepare() has looked at it
    void operator()(const HeightFieldDescription&) const {}
    void operator()(const UnionDescription& d) const { children("parts", d.parts); }
    void operator()(const IntersectionDescription& d) const { children("parts", d.parts); }
    void operator()(const DifferenceDescription& d) const {
        child("from", d.from);
        children("minus", d.minus);
    }
    void operator()(const OffsetDescription& d) const { child("of", d.of); }
    void operator()(const ShellDescription& d) const { child("of", d.of); }

    std::string at(std::string_view key) const {
        return path.empty() ? std::string(key) : std::string(path) + "." + std::string(key);
    }
    void error(std::string_view key, std::string message) const { problems.error(at(key), std::move(message)); }
    void direction(std::string_view key, const Vec3& v) const {
        if (!(norm(v) > 0)) error(key, "a direction must not be zero; write for example [0, 0, 1]");
    }
    void child(std::string_view key, const std::vector<ShapeDescription>& only) const {
        if (only.size() != 1) return error(key, "needs a shape");
        check(only.front(), at(key), problems);
    }
    void children(std::string_view key, const std::vector<ShapeDescription>& list) const {
        if (list.empty()) error(key, "needs at least one shape");
        for (std::size_t i = 0; i < list.size(); ++i) check(list[i], at(key) + "[" + std::to_string(i) + "]", problems);
    }
};

}  // namespace

void check(const ShapeDescription& description, std::string_view path, Problems& problems) {
    const std::size_t before = problems.errors().size();
    std::visit(Checker{path, problems}, description.kind);
    const bool shrinks = std::holds_alternative<OffsetDescription>(description.kind);
    const bool mayVanish = shrinks || std::holds_alternative<IntersectionDescription>(description.kind);
    if (mayVanish && problems.errors().size() == before && build(description)->bounds().empty())
        problems.error(path, shrinks ? "nothing is left of the shape: it is thinner than it is shrunk"
                                     : "nothing is left of the shape: its parts have no common space");
}

ShapePtr build(const ShapeDescription& description) {
    constexpr double kDegree = std::numbers::pi / 180;
    return Builder::move(std::visit(Builder{}, description.kind),
                         {Quat::fromFixedAxes(kDegree * description.rotationDeg), description.position});
}

}  // namespace talus::geometry
