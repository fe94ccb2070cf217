// SPDX-License-Identifier: Apache-2.0
#include "world/world.h"

#include <fmt/format.h>

#include <algorithm>

namespace talus::world {
namespace {

constexpr int kPerAxis = 16;   // of the lattice on which outlets are judged

/// Places of the emitter when it begins, in world coordinates.
std::vector<Vec3> samples(const World& world, const Emitter& e) {
    const Pose pose = e.body < 0 ? Pose{} : world.bodies[static_cast<std::size_t>(e.body)].pose(e.begin);
    std::vector<Vec3> places;
    const auto add = [&](const Vec3& x) { places.push_back(pose.position + pose.rotation.rotate(x)); };
    if (const auto* disc = std::get_if<Outlet>(&e.from)) {
        const Vec3 u = normalized(cross(disc->normal, std::abs(disc->normal.x) < 0.5 ? Vec3{1, 0, 0} : Vec3{0, 1, 0})), v = cross(disc->normal, u);
        for (int i = 0; i < kPerAxis * kPerAxis; ++i) {
            const double a = (2 * (i % kPerAxis) + 1.0) / kPerAxis - 1, b = (2 * (i / kPerAxis) + 1.0) / kPerAxis - 1;
            if (a * a + b * b < 1) add(disc->centre + disc->radius * (a * u + b * v));
        }
        return places;
    }
    const geometry::Shape& region = *std::get<1>(e.from);
    const Aabb box = region.bounds();
    for (int n = 0; n < kPerAxis * kPerAxis * kPerAxis; ++n) {
        const Vec3 part{n % kPerAxis + 0.5, n / kPerAxis % kPerAxis + 0.5, n / (kPerAxis * kPerAxis) + 0.5};
        const Vec3 x = box.min + componentProduct(box.size(), part) / kPerAxis;
        if (region.distance(x) <= 0) add(x);
    }
    return places;
}

bool outside(const Domain& domain, const Vec3& x) {
    for (int axis = 0; axis < 3; ++axis)
        if (!domain.periodic(axis) && (x[axis] < domain.min[axis] || x[axis] > domain.max[axis])) return true;
    return false;
}

void checkPlace(const World& world, const Emitter& e, const std::string& path, Problems& problems) {
    const std::vector<Vec3> places = samples(world, e);
    if (places.empty()) return;
    const std::vector<BodySnapshot> bodies = world.bodiesAt(e.begin);
    const auto beyond = std::ranges::count_if(places, [&](const Vec3& x) { return outside(world.domain, x); });
    const auto covered = std::ranges::count_if(places, [&](const Vec3& x) {
        return !outside(world.domain, x) && std::ranges::any_of(bodies, [&](const BodySnapshot& body) { return body.distance(x) < 0; });
    });
    const auto all = static_cast<std::ptrdiff_t>(places.size());
    const auto* disc = std::get_if<Outlet>(&e.from);
    if (beyond == all || (disc && !(openArea(world, e, *disc) > 0))) problems.error(path, "the emitter lies outside the domain, so no grain could come from it; move it inside");
    else if (beyond + covered == all) problems.error(path, "the emitter lies inside bodies, so no grain could come from it; move it or the bodies");
    else if (20 * (beyond + covered) > all)
        problems.warn(path, fmt::format("about {} % of the emitter lies inside bodies or outside the domain and stays closed", 100 * (beyond + covered) / all));
}

// What a disc passes at most: area x bulk density x velocity.
void checkRate(const World& world, const Emitter& e, const std::string& path, Problems& problems) {
    const auto* disc = std::get_if<Outlet>(&e.from);
    if (!disc || e.byCount || !e.rate.constant() || !e.velocity.constant()) return;
    double volumePerMass = 0;
    for (const EmitterPart& part : e.parts) volumePerMass += part.massFraction / world.materials[static_cast<std::size_t>(part.material)].bulkDensity();
    const double speed = dot(e.velocity.at(0), disc->normal), most = openArea(world, e, *disc) * speed / volumePerMass, rate = e.rate.at(0);
    if (rate > most * (1 + 1e-9))
        problems.error(path + ".rate", fmt::format("a rate of {:.4g} kg/s is more than the disc passes at {:.4g} m/s, area x bulk density x velocity = {:.4g} kg/s; "
                                                   "widen the disc, raise the speed to {:.4g} m/s or lower the rate",
                                                   rate, speed, most, 1.01 * speed * rate / most));
}

}  // namespace

void checkEmitters(const World& world, Problems& problems) {
    for (std::size_t i = 0; i < world.emitters.size(); ++i) {
        const Emitter& e = world.emitters[i];
        const std::string path = fmt::format("emitters[{}]", i);
        checkPlace(world, e, path + (std::holds_alternative<Outlet>(e.from) ? ".disc" : ".region"), problems);
        checkRate(world, e, path, problems);
    }
}

}  // namespace talus::world
