// SPDX-License-Identifier: Apache-2.0
// The smallest method: points that fly under gravity, with a stable step and reports that a test scripts.
#pragma once

#include "world/method.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <vector>

namespace talus::world {

class BallisticMethod final : public Method {
public:
    struct Point {
        std::int64_t id;
        Vec3 position, velocity;
        double mass;
    };
    std::vector<Point> points;
    std::function<double(const World&)> stable = [](const World&) { return 0.1; };
    std::function<StepReport(const World&, double dt)> answer = [](const World&, double) { return StepReport{Done{}}; };
    std::vector<double>* log = nullptr;   // dt of every step that was done
    double spacing = 0, grainMass = 2;    // [m], [kg]
    std::function<bool(const Vec3&)> hasRoom = [](const Vec3&) { return true; };

    double grainSpacing() const override { return spacing; }
    Inserted insert(const Exec&, World& world, const Fill& fill) override {
        if (fill.listed) return insertListed(world, *fill.listed);
        const Vec3 centre = fill.region->bounds().centre();
        points.push_back({world.nextId++, centre, fill.velocity, 2.0});
        return {1, 2.0};
    }
    Removed erase(const Exec&, const Region& region, ChunkSink*) override {
        Removed removed;
        std::erase_if(points, [&](const Point& p) {
            if (!region.contains(p.position)) return false;
            ++removed.count;
            removed.mass += p.mass;
            removed.momentum += p.mass * p.velocity;
            return true;
        });
        return removed;
    }
    std::int64_t count() const override { return static_cast<std::int64_t>(points.size()); }
    Inserted insertListed(World& world, const ListedGrains& list) {
        Inserted in;
        for (std::size_t i = 0; i < list.positions.size() && in.count < list.mostCount && in.mass + grainMass <= list.mostMass; ++i) {
            if (!hasRoom(list.positions[i])) continue;
            points.push_back({world.nextId++, list.positions[i], list.velocities[i], grainMass});
            ++in.count;
            in.mass += grainMass;
        }
        return in;
    }
    void setClockBack(double) override {}
    double stableStep(const World& world) const override { return stable(world); }
    StepReport step(const Exec&, World& world, double dt) override {
        const StepReport report = answer(world, dt);
        if (!std::holds_alternative<Done>(report)) return report;
        for (Point& p : points) {
            p.velocity += dt * world.gravity;
            p.position += dt * p.velocity;
        }
        if (log) log->push_back(dt);
        return report;
    }

    std::span<const FieldInfo> fields() const override {
        static constexpr std::array kFields{field::id, field::position, field::velocity, field::mass};
        return kFields;
    }
    void read(const Exec&, FieldNames names, ChunkSink& sink) const override {
        for (std::size_t begin = 0; begin < points.size(); begin += Chunk::kMostGrains) {
            const std::span part = std::span(points).subspan(begin, std::min(Chunk::kMostGrains, points.size() - begin));
            std::vector<std::vector<double>> reals(names.size());
            std::vector<std::int64_t> ids;
            std::vector<FieldColumn> columns;
            for (const Point& p : part) ids.push_back(p.id);
            for (std::size_t n = 0; n < names.size(); ++n) {
                for (const Point& p : part) {
                    if (names[n] == field::mass.name) reals[n].push_back(p.mass);
                    const Vec3& v = names[n] == field::position.name ? p.position : p.velocity;
                    if (names[n] == field::position.name || names[n] == field::velocity.name)
                        reals[n].insert(reals[n].end(), {v.x, v.y, v.z});
                }
                const FieldInfo* info = findField(fields(), names[n]);
                columns.push_back(
                    {info, reals[n],
                     info->type == FieldType::integer ? std::span<const std::int64_t>(ids) : std::span<const std::int64_t>{}});
            }
            sink.take({part.size(), columns});
        }
    }
    void save(Archive& archive) const override {
        std::vector<double> values;
        for (const Point& p : points)
            values.insert(values.end(), {static_cast<double>(p.id), p.position.x, p.position.y, p.position.z, p.velocity.x,
                                         p.velocity.y, p.velocity.z, p.mass});
        archive.put("points", values);
    }
    void load(const Exec&, const Archive& archive) override {
        const std::vector<double> v = archive.get<double>("points");
        points.clear();
        for (std::size_t i = 0; i < v.size(); i += 8)
            points.push_back(
                {static_cast<std::int64_t>(v[i]), {v[i + 1], v[i + 2], v[i + 3]}, {v[i + 4], v[i + 5], v[i + 6]}, v[i + 7]});
    }
};

}  // namespace talus::world
