// SPDX-License-Identifier: Apache-2.0
#include "render/grains.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::render {

namespace {

/// The columns that say where a grain is and how it lies.
class GrainFields {
public:
    explicit GrainFields(const io::Frame& frame)
        : position_(requireField(frame, "position", "where the grains are")), radius_(requireField(frame, "radius", "how large the grains are")),
          velocity_(frame.find("velocity")), normal_(frame.find("normal")), template_(frame.find("template")), orientation_(frame.find("orientation")), orientationW_(frame.find("orientation_w")) {}

    Vec3f position(std::size_t i) const { return vector(position_, i); }
    Vec3f velocity(std::size_t i) const { return velocity_ != nullptr ? vector(*velocity_, i) : Vec3f{}; }
    /// Of a flat grain; zero where it is none.
    Vec3f normal(std::size_t i) const { return normal_ != nullptr && normal_->components == 3 ? vector(*normal_, i) : Vec3f{}; }
    float radius(std::size_t i) const { return radius_.reals[i]; }
    std::size_t clump(std::size_t i) const { return template_ != nullptr && template_->integers[i] > 0 ? static_cast<std::size_t>(template_->integers[i]) : 0; }
    Quat orientation(std::size_t i) const {
        if (orientation_ == nullptr || orientationW_ == nullptr) return {};
        const Vec3f v = vector(*orientation_, i);
        return Quat{orientationW_->reals[i], v.x, v.y, v.z}.normalizedQuat();
    }

private:
    static Vec3f vector(const io::FrameColumn& column, std::size_t i) { return {column.reals[3 * i], column.reals[3 * i + 1], column.reals[3 * i + 2]}; }
    const io::FrameColumn &position_, &radius_;
    const io::FrameColumn *velocity_, *normal_, *template_, *orientation_, *orientationW_;
};

Vec3f single(const Vec3& v) { return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)}; }
Vec3 twice(const Vec3f& v) { return {v.x, v.y, v.z}; }

void addSphere(Spheres& spheres, const Vec3f& at, const Vec3f& travel, float radius, std::uint32_t colour, bool blur) {
    const Vec3f a = blur ? at - travel * 0.5f : at, b = at + travel * 0.5f;
    spheres.open.push_back({a.x, a.y, a.z, radius});
    if (blur) spheres.close.push_back({b.x, b.y, b.z, radius});
    spheres.colours.push_back(colour);
}

/// A disc of the volume of a unit ball with its normal along z, a tenth as thick as wide.
TriangleMesh coin() {
    constexpr double kThickness = 0.1;
    constexpr std::uint32_t kCorners = 24;
    const double radius = std::cbrt(2 / (3 * kThickness)), half = kThickness * radius;
    TriangleMesh mesh;
    for (std::uint32_t i = 0; i < kCorners; ++i) {
        const double angle = 2 * std::numbers::pi * i / kCorners;
        for (const double z : {-half, half}) mesh.vertices.push_back(single({radius * std::cos(angle), radius * std::sin(angle), z}));
    }
    for (std::uint32_t i = 0; i < kCorners; ++i) {
        const std::uint32_t a = 2 * i, b = 2 * ((i + 1) % kCorners);
        mesh.triangles.insert(mesh.triangles.end(), {{a, b, b + 1}, {a, b + 1, a + 1}});   // rim
        if (i > 0 && b > 0) mesh.triangles.insert(mesh.triangles.end(), {{0, b, a}, {1, a + 1, b + 1}});   // faces, as fans
    }
    smoothCorners(mesh);
    return mesh;
}

/// Takes z to ±n: a coin has no upper side.
Quat laidFlat(const Vec3& normal) {
    const Vec3 n = (normal.z < 0 ? -1.0 : 1.0) * normalized(normal);
    return Quat{1 + n.z, -n.y, n.x, 0}.normalizedQuat();
}

}  // namespace

void addGrains(const Exec&, const RunFiles& run, const io::Frame& frame, std::vector<std::uint32_t> colours, const GrainShapes& shapes, Subject& subject) {
    if (frame.count == 0) return;
    const GrainFields fields(frame);
    const bool blur = shapes.shutter > 0;
    const auto& templates = run.templates();
    std::vector<std::size_t> meshOf(templates.size(), 0);
    for (std::size_t t = 0; t < templates.size(); ++t)
        if (shapes.meshes && !templates[t].mesh.triangles.empty()) {
            meshOf[t] = subject.meshes.size();
            subject.meshes.push_back(templates[t].mesh);
        }
    std::optional<std::size_t> coins;   // number of their mesh
    Spheres& spheres = subject.spheres;
    spheres.open.reserve(frame.count);
    if (blur) spheres.close.reserve(frame.count);
    spheres.colours.reserve(frame.count);
    for (std::size_t i = 0; i < frame.count; ++i) {
        const Vec3f at = fields.position(i);
        if (!std::ranges::all_of(shapes.clips, [&](const Clip& clip) { return clip.keeps(at); })) continue;
        const Vec3f travel = fields.velocity(i) * static_cast<float>(shapes.shutter);
        const float radius = shapes.scale * fields.radius(i);
        const Vec3 half = twice(travel) * (blur ? 0.5 : 0.0);
        if (const Vec3f normal = fields.normal(i); shapes.meshes && templates.empty() && dot(normal, normal) > 0.25f) {
            if (!coins) {
                coins = subject.meshes.size();
                subject.meshes.push_back(coin());
            }
            const Quat turn = laidFlat(twice(normal));
            subject.instances.push_back({*coins, {{turn, twice(at) - half}, {turn, twice(at) + half}, radius}, {Finish::plain, unpackColour(colours[i]), {}, 1}});
            continue;
        }
        if (templates.empty()) {
            addSphere(spheres, at, travel, radius, colours[i], blur);
            continue;
        }
        const std::size_t t = std::min(fields.clump(i), templates.size() - 1);
        const ClumpTemplate& clump = templates[t];
        const Quat turn = fields.orientation(i);
        const double scale = radius / clump.radius;
        if (shapes.meshes && !clump.mesh.triangles.empty()) {
            subject.instances.push_back({meshOf[t], {{turn, twice(at) - half}, {turn, twice(at) + half}, static_cast<float>(scale)}, {Finish::plain, unpackColour(colours[i]), {}, 1}});
            continue;
        }
        for (const auto& [x, y, z, r] : clump.spheres)
            addSphere(spheres, at + single(turn.rotate(scale * Vec3{x, y, z})), travel, static_cast<float>(scale * r), colours[i], blur);
    }
}

}  // namespace talus::render
