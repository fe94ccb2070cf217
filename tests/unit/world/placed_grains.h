// SPDX-License-Identifier: Apache-2.0
// Grains that a test puts where it wants them, with every promised field and a stress; a step moves them straight on.
#pragma once

#include "world/simulation.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <vector>

namespace talus::world {

struct PlacedGrain {
    Vec3 position{}, velocity{};
    double mass = 1, volume = 1, radius = 0.5;
    std::int64_t material = 0, source = 0;
    double birthTime = 0;
    std::array<double, 6> stress{};
    std::int64_t id = -1;
};

class PlacedGrains final : public Method {
public:
    std::vector<PlacedGrain> grains;
    std::function<void(World&, double dt)> touchBodies = [](World&, double) {};   // what a step does to bodies
    double longestStep = 0.01;

    Inserted insert(const Exec&, World&, const Fill&) override { return {}; }
    Removed erase(const Exec& exec, const Region& region, ChunkSink* taken) override {
        Removed removed;
        std::vector<PlacedGrain> out;
        std::erase_if(grains, [&](const PlacedGrain& g) {
            if (!region.contains(g.position)) return false;
            ++removed.count;
            removed.mass += g.mass;
            out.push_back(g);
            return true;
        });
        if (taken && !out.empty()) {
            PlacedGrains others;
            others.grains = out;
            others.read(exec, kPromisedNames, *taken);
        }
        return removed;
    }
    std::int64_t count() const override { return static_cast<std::int64_t>(grains.size()); }
    double stableStep(const World&) const override { return longestStep; }
    StepReport step(const Exec&, World& world, double dt) override {
        for (PlacedGrain& g : grains) g.position = world.domain.wrap(g.position + dt * g.velocity);
        touchBodies(world, dt);
        return Done{};
    }
    static constexpr std::array kFields{field::id,     field::position, field::velocity,  field::radius, field::mass,
                                        field::volume, field::material, field::source, field::birthTime, field::stress};
    std::span<const FieldInfo> fields() const override { return kFields; }

    void read(const Exec&, FieldNames names, ChunkSink& sink) const override {
        ++reads;
        constexpr std::size_t kChunk = 7;   // small, so that tests have several
        for (std::size_t begin = 0; begin < grains.size(); begin += kChunk) {
            const std::span part = std::span(grains).subspan(begin, std::min(kChunk, grains.size() - begin));
            std::vector<std::vector<double>> reals(names.size());
            std::vector<std::vector<std::int64_t>> integers(names.size());
            std::vector<FieldColumn> columns;
            for (std::size_t n = 0; n < names.size(); ++n) {
                for (std::size_t i = 0; i < part.size(); ++i) put(names[n], part[i], static_cast<std::int64_t>(begin + i), reals[n], integers[n]);
                columns.push_back({findField(kFields, names[n]), reals[n], integers[n]});
            }
            sink.take({part.size(), columns});
        }
    }
    void setClockBack(double) override {}
    void save(Archive&) const override {}
    void load(const Exec&, const Archive&) override {}

    mutable int reads = 0;

private:
    static void put(std::string_view name, const PlacedGrain& g, std::int64_t index, std::vector<double>& reals, std::vector<std::int64_t>& integers) {
        if (name == "id") integers.push_back(g.id < 0 ? index : g.id);
        else if (name == "material") integers.push_back(g.material);
        else if (name == "source") integers.push_back(g.source);
        else if (name == "position") reals.insert(reals.end(), {g.position.x, g.position.y, g.position.z});
        else if (name == "velocity") reals.insert(reals.end(), {g.velocity.x, g.velocity.y, g.velocity.z});
        else if (name == "radius") reals.push_back(g.radius);
        else if (name == "mass") reals.push_back(g.mass);
        else if (name == "volume") reals.push_back(g.volume);
        else if (name == "birth_time") reals.push_back(g.birthTime);
        else reals.insert(reals.end(), g.stress.begin(), g.stress.end());
    }
};

}  // namespace talus::world
