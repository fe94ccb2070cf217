// SPDX-License-Identifier: Apache-2.0
#include "scene/build.h"

#include "geometry/operators.h"
#include "geometry/primitives.h"

#include <algorithm>
#include <numbers>

namespace talus::scene {

namespace {

constexpr double kDegree = std::numbers::pi / 180;   // [rad]

int materialIndex(const SceneDescription& scene, const std::string& name) {
    return static_cast<int>(std::ranges::find(scene.materials, name, &MaterialDescription::name) - scene.materials.begin());
}
int materialIndex(const SceneDescription& scene, const std::optional<std::string>& name) {
    return name ? materialIndex(scene, *name) : -1;
}

std::vector<Vec3> vectorsOf(const std::vector<double>& rows, std::size_t count, double unit) {
    std::vector<Vec3> vectors(count);
    for (std::size_t i = 0; i < rows.size() / 3; ++i) vectors[i] = unit * Vec3{rows[3 * i], rows[3 * i + 1], rows[3 * i + 2]};
    return vectors;
}

struct MotionBuilder {
    std::vector<world::MotionPart>& parts;

    void operator()(const FixedDescription&) const {}
    void operator()(const VelocityDescription& d) const { parts.push_back(world::Travel{d.velocity}); }
    void operator()(const SpinDescription& d) const { parts.push_back(world::Spin{normalized(d.axis), d.rate}); }
    void operator()(const OscillationDescription& d) const {
        const bool angular = d.amplitudeDeg.has_value();
        parts.push_back(
            world::Oscillation{angular ? kDegree * *d.amplitudeDeg : *d.amplitude, d.frequency, kDegree * d.phaseDeg, angular});
    }
    void operator()(const KeyframesDescription& d) const {
        const std::size_t count = d.times.size();
        parts.push_back(world::Keyframes{d.interpolation, d.times, vectorsOf(d.displacements, count, 1),
                                         vectorsOf(d.rotationsDeg, count, kDegree)});
    }
    void operator()(const PathDescription&) const {}   // is keyframes by now
    void operator()(const FreeDescription&) const {}   // has no part
};

/// The place of a copy at the start.
world::Pose placeOf(const BodyDescription& d, std::size_t copy) {
    const Quat turn = Quat::fromFixedAxes((static_cast<double>(copy) * kDegree) * d.copies.rotationStepDeg);
    return {d.position + d.copies.displacement(copy), turn * Quat::fromFixedAxes(kDegree * d.rotationDeg), {}, {}};
}

world::FreeBody buildFree(const SceneDescription& scene, const BodyDescription& body, const FreeDescription& d, const geometry::ShapePtr& shape, const world::Pose& place) {
    const geometry::MassProperties solid = shape->massProperties();
    // Of a body that reaches through a slab only the part inside moves; a mass that is given is that part's.
    const int axis = scene.domain.slabAxis();
    const double part = axis < 0 || d.mass ? 1 : std::min(1.0, (scene.domain.max - scene.domain.min)[axis] / geometry::Placed(shape, {place.rotation, place.position}).bounds().size()[axis]);
    const double ofMaterial = body.material ? *scene.materials[static_cast<std::size_t>(materialIndex(scene, *body.material))].density : 0;
    world::FreeBody free = world::freeBody(solid, d.mass ? *d.mass / solid.volume : part * d.density.value_or(ofMaterial));
    if (d.inertia) free.inertia = Mat3::diagonal(*d.inertia);
    if (d.centreOfMass) free.centre = *d.centreOfMass;
    free.force = d.force;
    free.torque = d.torque;
    free.at = d.at.value_or(free.centre);
    free.locked = d.locks();
    free.pose = place;
    free.pose.velocity = d.velocity;
    free.pose.angularVelocity = d.angularVelocity;
    return free;
}

std::optional<world::Belt> buildBelt(const BodyDescription& d) {
    if (d.surfaceVelocity.empty()) return {};
    const BeltDescription& belt = d.surfaceVelocity.front();
    if (const auto* along = std::get_if<BeltAlongDescription>(&belt.kind)) return world::Belt{world::BeltAlong{along->velocity}};
    const auto& about = std::get<BeltAboutDescription>(belt.kind);
    return world::Belt{world::BeltAbout{normalized(about.axis), about.centre, about.rate}};
}

/// A copy of a body, its shape aside.
world::Body buildBody(const SceneDescription& scene, std::size_t index, std::size_t copy, const geometry::ShapePtr& shape) {
    const BodyDescription& d = scene.bodies[index];
    std::vector<world::MotionPart> parts;
    for (const MotionDescription& motion : d.motion) std::visit(MotionBuilder{parts}, motion.kind);
    const world::Pose place = placeOf(d, copy);
    world::Body body{.name = nameOfCopy(d.name, d.copies, copy),
                     .material = materialIndex(scene, d.material),
                     .contact = d.contact,
                     .shape = shape,
                     .motion = world::Motion(place.position, place.rotation, std::move(parts)),
                     .belt = buildBelt(d),
                     .source = static_cast<int>(index),
                     .load = {}};
    if (const FreeDescription* free = d.free()) body.motion = buildFree(scene, d, *free, shape, place);
    if (!d.active.empty()) body.active.from = d.active[0];
    if (d.active.size() == 2) body.active.to = d.active[1];
    return body;
}

/// A body, or all of its copies.
void addBodies(const SceneDescription& scene, std::size_t index, std::vector<world::Body>& bodies) {
    const geometry::ShapePtr shape = geometry::build(scene.bodies[index].shape);
    for (std::size_t copy = 0; copy < scene.bodies[index].copies.size(); ++copy) bodies.push_back(buildBody(scene, index, copy, shape));
}

void buildMaterials(const SceneDescription& scene, world::World& world) {
    world.materials.clear();
    world.contacts = {};
    for (const MaterialDescription& m : scene.materials)
        world.materials.push_back({m.name, *m.density, *m.packingFraction, m.slope(), m.grainDiameter, m.cohesion});
    for (const ContactDescription& c : scene.contacts)
        world.contacts.set(materialIndex(scene, c.between[0]), materialIndex(scene, c.between[1]), {c.friction, c.restitution});
}

void buildGravity(const SceneDescription& scene, world::World& world) {
    world.gravityOverTime = scene.gravity;
    world.gravity = scene.gravity.at(0);
}

world::Domain buildDomain(const DomainDescription& d) {
    world::Domain domain{.min = d.min, .max = d.max, .faces = {}, .slab = d.slabAxis()};
    for (std::size_t face = 0; face < 6; ++face)
        domain.faces[face] = d.axes[face / 2].given ? d.axes[face / 2].type : d.faces[face].type;
    return domain;
}

/// The walls of the domain with what their keys say.
std::vector<world::Body> buildWalls(const SceneDescription& scene, const world::Domain& domain) {
    std::vector<world::Body> walls = world::domainFaces(domain);
    for (world::Body& wall : walls)
        for (std::size_t face = 0; face < 6; ++face)
            if (wall.name == "domain." + std::string(world::kFaceNames[face])) {
                wall.material = materialIndex(scene, scene.domain.faces[face].material);
                wall.contact = scene.domain.faces[face].contact;
            }
    return walls;
}

}  // namespace

geometry::ShapePtr insideDomain(const geometry::ShapePtr& shape, const DomainDescription& domain) {
    const Vec3 size = domain.max - domain.min;
    const double slack = 1e-9 * maxComponent(size);
    const Aabb box = shape->bounds(), most = geometry::grown({domain.min, domain.max}, slack);
    if (most.contains(box.min) && most.contains(box.max)) return shape;
    const geometry::ShapePtr whole = std::make_shared<geometry::Placed>(std::make_shared<geometry::Box>(size),
                                                                        RigidTransform{{}, 0.5 * (domain.min + domain.max)});
    return std::make_shared<geometry::Intersection>(std::vector<geometry::ShapePtr>{shape, whole});
}

geometry::ShapePtr acrossFaces(const geometry::ShapePtr& shape, const DomainDescription& domain) {
    std::vector<geometry::ShapePtr> images{shape};
    for (int axis = 0; axis < 3; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        if (!domain.axes[a].given || domain.axes[a].type != world::FaceType::periodic) continue;
        const Aabb box = shape->bounds();
        if (!std::isfinite(box.min[axis]) || !std::isfinite(box.max[axis])) continue;
        const double length = domain.max[axis] - domain.min[axis], slack = 1e-9 * length;
        const std::size_t known = images.size();
        for (const double shift : {-length, length}) {
            if (!(box.max[axis] + shift > domain.min[axis] + slack && box.min[axis] + shift < domain.max[axis] - slack)) continue;
            Vec3 by;
            by[axis] = shift;
            for (std::size_t i = 0; i < known; ++i) images.push_back(std::make_shared<geometry::Placed>(images[i], RigidTransform{{}, by}));
        }
    }
    return images.size() == 1 ? shape : std::make_shared<geometry::Union>(std::move(images));
}

world::World build(const SceneDescription& scene) {
    world::World world;
    world.domain = buildDomain(scene.domain);
    buildGravity(scene, world);
    world.resolution = {scene.resolution.grains, scene.resolution.size};
    world.seed = static_cast<std::uint64_t>(scene.seed);
    buildMaterials(scene, world);
    world.bodies = buildWalls(scene, world.domain);
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) addBodies(scene, i, world.bodies);
    for (const FillDescription& fill : scene.grains)
        world.fills.push_back({.region = fill.table ? nullptr : insideDomain(geometry::build(fill.region), scene.domain),
                               .material = materialIndex(scene, fill.material),
                               .source = static_cast<int>(world.fills.size()),
                               .velocity = fill.velocity,
                               .listed = fill.listed});
    buildFlows(scene, world);
    return world;
}

world::World buildChanged(const SceneDescription& scene, const world::World& whole) {
    world::World world = whole;
    buildGravity(scene, world);
    buildMaterials(scene, world);
    std::size_t b = 0;
    while (b < world.bodies.size() && world.bodies[b].source < 0) ++b;   // walls
    for (std::size_t i = 0; i < scene.bodies.size(); ++i)
        for (std::size_t copy = 0; copy < scene.bodies[i].copies.size(); ++copy, ++b) world.bodies[b] = buildBody(scene, i, copy, whole.bodies[b].shape);
    changeFlows(scene, world);
    return world;
}

}  // namespace talus::scene
