// SPDX-License-Identifier: Apache-2.0
#include "mpm/node_contact.h"

#include <algorithm>

namespace talus::mpm {
namespace {

/// Relative to the spacing: a node that round-off puts this far outside lies on the surface.
constexpr double kOnSurface = 1e-6;
/// Bodies that meet at a node are applied in turn until none changes the velocity any more, at most so often.
constexpr int kMostSweeps = 16;

double blockRadius(const GridFrame& frame) { return 0.5 * (kBlockSide - 1) * norm(frame.spacing); }

Vec3 blockCentre(const GridFrame& frame, const BlockCoord& block) {
    constexpr double kMiddle = 0.5 * (kBlockSide - 1);
    return frame.toWorld(block, {kMiddle, kMiddle, kMiddle});
}

}  // namespace

Vec3 contactChange(world::ContactMode mode, double friction, double distance, const Vec3& normal, const Vec3& relativeVelocity, double dt, double touchingDistance) {
    const double approach = dot(relativeVelocity, normal);
    const bool inside = distance <= touchingDistance;
    const double slowest = inside ? 0.0 : -distance / dt;   // normal velocity that just reaches the surface
    const bool collides = approach < slowest;
    if (mode == world::ContactMode::sticky) return inside || collides ? -relativeVelocity : Vec3{};
    if (!collides && !(mode == world::ContactMode::slip && inside)) return {};

    const double normalChange = slowest - approach;
    const Vec3 tangential = relativeVelocity - approach * normal;
    const double slip = norm(tangential), most = friction * std::abs(normalChange);
    const Vec3 rub = slip <= most ? -tangential : tangential * (-most / slip);
    return normalChange * normal + rub;
}

NodeContact::NodeContact(const Exec& exec, const GridFrame& frame, std::span<const NodeBlock> blocks, const world::World& world, int grainMaterial, double reach)
    : touchingDistance_(kOnSurface * frame.smallestSpacing()), first_(blocks.size() + 1) {
    for (const world::Body& body : world.bodies) bodies_.push_back({world::BodySnapshot(body, world.time), world.contacts.between(grainMaterial, body.material).friction});

    const double far = blockRadius(frame) + reach;
    std::vector<std::vector<std::uint32_t>> found(blocks.size());
    exec.forBlocks(blocks.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b) {
            const Vec3 centre = blockCentre(frame, blocks[b].coord);
            for (std::uint32_t i = 0; i < bodies_.size(); ++i)
                if (bodies_[i].surface.distance(centre) <= far) found[b].push_back(i);
        }
    });
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        for (const std::uint32_t body : found[b]) near_.push_back({body, {}});
        first_[b + 1] = near_.size();
    }
}

void NodeContact::apply(std::size_t block, double dt, MovingNode& node) {
    const std::span<Near> near(near_.data() + first_[block], first_[block + 1] - first_[block]);
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
        bool changed = false;
        for (Near& entry : near) {
            const GridBody& body = bodies_[entry.body];
            const world::SurfacePoint surface = body.surface.surface(node.position);
            const Vec3 relative = node.velocity - surface.velocity;
            const Vec3 change = contactChange(body.surface.body().contact, body.friction, surface.distance, surface.normal, relative, dt, touchingDistance_);
            if (change == Vec3{}) continue;
            node.velocity += change;
            changed = true;

            const Vec3 impulse = node.mass * change;   // on the grains
            const Vec3 slip = relative + change;       // after the contact
            entry.load.impulse -= impulse;
            entry.load.angularImpulse -= cross(node.position - body.surface.pose().position, impulse);
            entry.load.work += dot(impulse, surface.velocity);
            entry.load.slipWork -= dot(impulse - dot(impulse, surface.normal) * surface.normal, slip);
        }
        if (!changed || near.size() == 1) return;
    }
}

void NodeContact::addLoads(world::World& world) const {
    for (const Near& entry : near_) world.bodies[entry.body].load += entry.load;
}

}  // namespace talus::mpm
