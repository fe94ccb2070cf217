// SPDX-License-Identifier: Apache-2.0
#include "dem/cover.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus::dem {
namespace {

constexpr double kMostSpheres = 2e7;   // of all covers

/// A body has the name of an entry, or is one of the copies NAME-1, NAME-2, …
bool isNamed(const world::Body& body, const std::string& name) {
    return body.name == name || (body.name.starts_with(name + "-") && std::ranges::all_of(body.name.substr(name.size() + 1), [](char c) { return c >= '0' && c <= '9'; }));
}

/// The shape where it stands in the world.
class Standing final : public geometry::Shape {
public:
    Standing(const geometry::Shape& shape, const world::Pose& pose) : shape_(shape), pose_(pose) {}
    geometry::Surface surface(const Vec3& x) const override {
        const geometry::Surface s = shape_.surface(pose_.rotation.conjugate().rotate(x - pose_.position));
        return {s.distance, pose_.rotation.rotate(s.normal)};
    }
    double distance(const Vec3& x) const override { return shape_.distance(pose_.rotation.conjugate().rotate(x - pose_.position)); }
    bool exact() const override { return shape_.exact(); }
    Aabb levelBounds(double) const override { return {}; }

private:
    const geometry::Shape& shape_;
    world::Pose pose_;
};

std::vector<TemplateSphere> spheresOn(const CoverPlace& place, const CoverSettings& settings) {
    std::vector<TemplateSphere> spheres;
    for (const Vec3& x : evenPoints(place, settings.depth(), settings.distance())) spheres.push_back({x, settings.radius});
    if (settings.rough)
        for (const Vec3& x : scatteredPoints(place, *settings.rough, 2 * *settings.rough, settings.roughShare)) spheres.push_back({x, *settings.rough});
    return spheres;
}

/// Where a body begins: a stage may give it another motion later, its cover stays.
world::Pose startOf(const world::Body& body) {
    if (const world::FreeBody* free = body.free()) return free->pose;
    const world::Motion& motion = std::get<world::Motion>(body.motion);
    return {motion.startPosition(), motion.startRotation(), {}, {}};
}

/// Axes along which it reaches from one periodic face to the other.
std::array<bool, 3> spannedAxes(const world::Body& body, const world::Domain& domain) {
    const Aabb box = world::worldBounds(world::BodySnapshot(body, startOf(body), 0));
    std::array<bool, 3> spans{};
    for (int axis = 0; axis < 3; ++axis) spans[static_cast<std::size_t>(axis)] = domain.periodic(axis) && box.min[axis] <= domain.min[axis] && box.max[axis] >= domain.max[axis];
    return spans;
}

/// In the coordinates of the body: all of it, or of one without end what lies near the domain, and along periodic axes that it spans one period.
std::vector<TemplateSphere> coverBody(const world::Body& body, const CoverSettings& settings, const world::World& world, const std::array<bool, 3>& spans) {
    if (body.shape->bounded() && !spans[0] && !spans[1] && !spans[2]) return spheresOn({*body.shape, body.shape->bounds(), {}, world.seed}, settings);
    const world::Pose pose = startOf(body);
    const Standing shape(*body.shape, pose);
    const Aabb near = geometry::grown({world.domain.min, world.domain.max}, 2 * (settings.depth() + settings.distance()));
    CoverPlace place{shape, body.shape->bounded() ? world::worldBounds(world::BodySnapshot(body, pose, 0)) : near, spans, world.seed};
    for (int axis = 0; axis < 3; ++axis) {
        if (!spans[static_cast<std::size_t>(axis)]) continue;
        place.box.min[axis] = world.domain.min[axis];
        place.box.max[axis] = world.domain.max[axis];
    }
    std::vector<TemplateSphere> spheres = spheresOn(place, settings);
    for (TemplateSphere& s : spheres) s.centre = pose.rotation.conjugate().rotate(s.centre - pose.position);
    return spheres;
}

}  // namespace

void CoverSettings::keys(KeyVisitor& v) {
    v.text({.name = "body", .help = "name of the body, or of a face such as \"domain.z_min\"", .required = true}, body);
    v.number({.name = "radius", .help = "of the spheres", .dimension = Dimension::length, .range = positive(), .required = true}, radius);
    v.number({"spacing", "distance of neighbouring centres; 1.5 radii unless given", Dimension::length, positive()}, spacing);
    v.number({"rough", "radius of the spheres of a second, random layer", Dimension::length, positive()}, rough);
    v.number({"rough_share", "part of the surface that the second layer covers", Dimension::none, between(0.01, 0.4)}, roughShare);
}

Covers::Covers(std::span<const CoverSettings> settings, const world::World& world) : ofBody_(settings.empty() ? 0 : world.bodies.size(), -1) {
    for (std::uint32_t b = 0; b < ofBody_.size(); ++b) {
        const world::Body& body = world.bodies[b];
        const auto entry = std::ranges::find_if(settings, [&](const CoverSettings& s) { return isNamed(body, s.body); });
        if (entry == settings.end()) continue;
        const std::array<bool, 3> spans = spannedAxes(body, world.domain);
        const std::vector<TemplateSphere> spheres = coverBody(body, *entry, world, spans);
        const bool periodic = spans[0] || spans[1] || spans[2];
        std::vector<Vec3> centres;
        for (const TemplateSphere& s : spheres) centres.push_back(s.centre);
        ofBody_[b] = static_cast<std::int32_t>(list_.size());
        list_.push_back({static_cast<std::uint32_t>(spheres_.size()), static_cast<std::uint32_t>(spheres.size()), std::max(entry->radius, entry->rough.value_or(0)), periodic,
                         PointCells(centres, 2 * entry->distance())});
        for (const TemplateSphere& s : spheres) spheres_.push_back({s, b, periodic});
    }
}

geometry::Surface Covers::surface(std::uint32_t partner, const world::Pose& pose, const world::Domain& domain, const Vec3& x) const {
    const Sphere& s = spheres_[partner - kFirst];
    Vec3 apart = x - (pose.position + pose.rotation.rotate(s.sphere.centre));
    if (s.periodic) apart = domain.nearestImage(apart);
    const double distance = norm(apart);
    return {distance - s.sphere.radius, distance > 0 ? apart / distance : Vec3{0, 0, 1}};
}

void Covers::near(std::uint32_t body, const world::Pose& pose, const world::Domain& domain, const Vec3& x, double reach, std::vector<std::uint32_t>& partners) const {
    const Cover& cover = list_[static_cast<std::size_t>(ofBody_[body])];
    const double far = reach + cover.largest;
    std::vector<std::uint32_t> found;
    // Cells may be narrower than the reach: look from places a cell apart within it, at all images that are near.
    const auto steps = static_cast<int>(std::ceil(far / cover.cells.cell() - 1 + 1e-9));
    for (int image = 0; image < 27; ++image) {
        Vec3 at = x;
        bool is = true;
        for (int axis = 0, code = image; axis < 3; ++axis, code /= 3) {
            const int side = code % 3 - 1;
            if (side == 0) continue;
            const double length = domain.max[axis] - domain.min[axis];
            is = is && cover.periodic && domain.periodic(axis) && (side > 0 ? x[axis] - domain.min[axis] < far : domain.max[axis] - x[axis] < far);
            at[axis] += side * length;
        }
        if (!is) continue;
        const Vec3 local = pose.rotation.conjugate().rotate(at - pose.position);
        for (int i = -steps; i <= steps; ++i)
            for (int j = -steps; j <= steps; ++j)
                for (int k = -steps; k <= steps; ++k) cover.cells.around(local + cover.cells.cell() * Vec3{1.0 * i, 1.0 * j, 1.0 * k}, found);
    }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    for (const std::uint32_t s : found)
        if (surface(kFirst + cover.first + s, pose, domain, x).distance < reach) partners.push_back(kFirst + cover.first + s);
}

std::vector<TemplateSphere> Covers::spheresOf(std::uint32_t body) const {
    std::vector<TemplateSphere> spheres;
    if (!covers(body)) return spheres;
    const Cover& cover = list_[static_cast<std::size_t>(ofBody_[body])];
    for (std::uint32_t s = 0; s < cover.count; ++s) spheres.push_back(spheres_[cover.first + s].sphere);
    return spheres;
}

void checkCovers(std::span<const CoverSettings> settings, const world::World& world, double smallestRadius, Problems& problems) {
    double all = 0;
    for (std::size_t i = 0; i < settings.size(); ++i) {
        const CoverSettings& s = settings[i];
        const std::string path = fmt::format("dem.covered[{}]", i);
        std::string known;
        bool found = false;
        for (const world::Body& body : world.bodies) {
            known += (known.empty() ? "'" : ", '") + body.name + "'";
            if (!isNamed(body, s.body)) continue;
            found = true;
            const world::Motion* motion = std::get_if<world::Motion>(&body.motion);
            const Vec3 size = talus::min(body.shape->bounds().size(), world.domain.size());
            if (!body.shape->bounded() && !(motion && motion->fixed())) problems.error(path + ".body", fmt::format("body '{}' moves and has no end, so that it cannot be covered with spheres; give it a bounded shape", body.name));
            else if (body.contact != world::ContactMode::separate) problems.error(path + ".body", fmt::format("body '{}' has contact = \"{}\"; grains touch the spheres of a cover with friction: take \"separate\"", body.name, world::kContactModeNames[static_cast<std::size_t>(body.contact)]));
            else if (body.shape->bounded() && minComponent(body.shape->bounds().size()) < 2 * s.depth())
                problems.error(path + ".radius", fmt::format("body '{}' is {:.3g} m thick, too thin for spheres of {:.3g} m that lie inside it; their radius may be {:.3g} m at most", body.name, minComponent(body.shape->bounds().size()),
                                                             s.radius, 0.5 * minComponent(body.shape->bounds().size()) - s.rough.value_or(0)));
            else all += 2 * (size.x * size.y + size.y * size.z + size.z * size.x) / (s.distance() * s.distance());
        }
        if (!found) problems.error(path + ".body", fmt::format("there is no body '{}'; there are {}", s.body, known.empty() ? "none" : known));
        for (std::size_t j = 0; j < i; ++j)
            if (settings[j].body == s.body) problems.error(path + ".body", fmt::format("body '{}' is covered twice; keep one entry of it", s.body));
        if (const double widest = (s.radius + smallestRadius) / kCoverReach; s.distance() > widest)
            problems.error(path + (s.spacing ? ".spacing" : ".radius"), fmt::format("spheres {:.3g} m apart leave holes that a sphere of {:.3g} m of a grain could slip through; they may be {:.3g} m apart at most", s.distance(), smallestRadius, widest));
    }
    if (all > kMostSpheres) problems.error("dem.covered", fmt::format("the covers would have about {:.2g} spheres, more than {:.0g}; take larger ones", all, kMostSpheres));
}

}  // namespace talus::dem
