// SPDX-License-Identifier: Apache-2.0
#include "contract/method_contract.h"

#include "contract/inspect.h"
#include "world/simulation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace talus::contract {

using namespace world;

World thrownBlock(double size) {
    World world;
    world.domain.max = 16 * size * Vec3{1, 1, 1};
    world.resolution.size = size;
    world.materials = {Material{.name = "sand"}};
    world.bodies = domainFaces(world.domain);
    world.fills = {{box(size * Vec3{4, 4, 0}, size * Vec3{12, 12, 8}), 0, 0, {1, 0.3, -1}}};
    return world;
}

std::unique_ptr<Method> create(const MethodCase& c, const World& world) {
    return c.info->create(*c.info->settings(), world, c.precision);
}

std::string difference(const MemoryArchive& a, const MemoryArchive& b) {
    std::string names;
    for (const auto& [name, entry] : a.entries())
        if (const auto found = b.entries().find(name); found == b.entries().end() || found->second != entry) names += name + " ";
    for (const auto& [name, entry] : b.entries())
        if (!a.entries().contains(name)) names += name + " ";
    return names;
}

LiveWorld::LiveWorld(const MethodCase& c, World w, const Exec& exec) : world(std::move(w)), method(create(c, world)) {
    for (const Fill& fill : world.fills) {
        const Inserted part = method->insert(exec, world, fill);
        inserted.count += part.count;
        inserted.mass += part.mass;
    }
}

LiveWorld::LiveWorld(const MethodCase& c, World w, const MemoryArchive& archive) : world(std::move(w)), method(create(c, world)) {
    load(archive);
}

void LiveWorld::steps(const Exec& exec, int count) {
    double longest = std::numeric_limits<double>::infinity();
    for (int done = 0; done < count;) {
        const double dt = std::min(longest, method->stableStep(world));
        ASSERT_TRUE(dt > kSmallestStep) << "after " << done << " steps";
        const StepReport report = method->step(exec, world, dt);
        if (const auto* failed = std::get_if<Failed>(&report)) FAIL() << failed->what << ", grain " << failed->grain;
        if (const auto* rejected = std::get_if<Rejected>(&report)) {
            longest = rejected->dt;
            continue;
        }
        world.time += dt;
        longest = std::numeric_limits<double>::infinity();
        ++done;
    }
}

MemoryArchive LiveWorld::save() const {
    MemoryArchive archive;
    {
        const auto group = archive.group("world");
        world.save(archive);
    }
    const auto group = archive.group("method");
    method->save(archive);
    return archive;
}

void LiveWorld::load(const MemoryArchive& archive) {
    {
        const auto group = archive.group("world");
        world.load(archive);
    }
    const auto group = archive.group("method");
    method->load(Exec(1), archive);
}

}  // namespace talus::contract
