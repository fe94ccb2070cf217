// SPDX-License-Identifier: Apache-2.0
// Guides that move as they are told: a method without forces, so that what fine grains do is known in closed form.
#pragma once

#include "geometry/operators.h"
#include "geometry/primitives.h"
#include "upsampling/guided_method.h"
#include "world/method.h"

#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>
#include <vector>

namespace talus::upsampling::test {

using VelocityField = std::function<Vec3(const Vec3& x, double time)>;

class KinematicGuides final : public world::Method {
public:
    KinematicGuides(VelocityField field, double radius, double dt) : field_(std::move(field)), radius_(radius), dt_(dt) {}

    world::Inserted insert(const Exec&, world::World& world, const world::Fill& fill) override {
        for (const Vec3& x : fill.listed->positions) {
            if (static_cast<std::int64_t>(ids.size()) >= fill.listed->mostCount) break;
            ids.push_back(world.nextId++);
            positions.push_back(x);
            velocities.push_back(field_(x, world.time));
            births_.push_back(world.time);
        }
        return {static_cast<std::int64_t>(positions.size()), 0};
    }
    world::Removed erase(const Exec&, const world::Region& region, world::ChunkSink*) override {
        world::Removed removed;
        for (std::size_t i = ids.size(); i-- > 0;) {
            if (!region.contains(positions[i])) continue;
            ++removed.count;
            const auto at = static_cast<std::ptrdiff_t>(i);
            ids.erase(ids.begin() + at);
            positions.erase(positions.begin() + at);
            velocities.erase(velocities.begin() + at);
            births_.erase(births_.begin() + at);
        }
        return removed;
    }
    std::int64_t count() const override { return static_cast<std::int64_t>(ids.size()); }
    double grainSpacing() const override { return 2 * radius_; }
    void setClockBack(double) override {}
    double stableStep(const world::World&) const override { return dt_; }
    world::StepReport step(const Exec&, world::World& world, double dt) override {
        lastStep_ = dt;
        for (std::size_t i = 0; acceleration && i < ids.size(); ++i) {   // exact too, with velocities of the instant
            positions[i] += dt * velocities[i] + 0.5 * dt * dt * *acceleration;
            velocities[i] += dt * *acceleration;
        }
        if (acceleration) return world::Done{};
        for (std::size_t i = 0; i < ids.size(); ++i) {   // exact for a field that is linear in nothing but time of flight
            velocities[i] = field_(positions[i], world.time);
            positions[i] = world.domain.wrap(positions[i] + dt * velocities[i]);
        }
        return world::Done{};
    }
    std::span<const world::FieldInfo> fields() const override {
        static const auto kAll = [] {
            std::vector<world::FieldInfo> all(world::kPromisedFields.begin(), world::kPromisedFields.end());
            all.push_back({"frame", "m", world::FieldType::real, 9, ""});
            all.push_back({"normal", "1", world::FieldType::real, 3, ""});
            return all;
        }();
        static const auto kLagging = [] {
            std::vector<world::FieldInfo> all(world::kPromisedFields.begin(), world::kPromisedFields.end());
            all.push_back({"lag", "m", world::FieldType::real, 3, ""});
            return all;
        }();
        static const auto kOfFlatGrains = [] {
            std::vector<world::FieldInfo> all(world::kPromisedFields.begin(), world::kPromisedFields.end());
            all.push_back({"orientation", "1", world::FieldType::real, 6, ""});
            return all;
        }();
        if (acceleration) return kLagging;
        if (orientation) return kOfFlatGrains;
        return frame ? std::span<const world::FieldInfo>(kAll) : std::span<const world::FieldInfo>(world::kPromisedFields);
    }
    void read(const Exec&, world::FieldNames names, world::ChunkSink& sink) const override {
        if (ids.empty()) return;
        const double volume = 4 * std::numbers::pi / 3 * radius_ * radius_ * radius_;
        for (std::size_t begin = 0; begin < ids.size(); begin += world::Chunk::kMostGrains) {
            const std::size_t count = std::min(world::Chunk::kMostGrains, ids.size() - begin);
            std::vector<std::vector<double>> reals(names.size());
            std::vector<std::vector<std::int64_t>> integers(names.size());
            std::vector<world::FieldColumn> columns;
            for (std::size_t n = 0; n < names.size(); ++n) {
                for (std::size_t i = begin; i < begin + count; ++i) {
                    const auto vector = [&](const Vec3& v) { reals[n].insert(reals[n].end(), {v.x, v.y, v.z}); };
                    if (names[n] == "id") integers[n].push_back(ids[i]);
                    else if (names[n] == "position") vector(positions[i]);
                    else if (names[n] == "velocity") vector(velocities[i]);
                    else if (names[n] == "radius") reals[n].push_back(radius_);
                    else if (names[n] == "mass") reals[n].push_back(2600 * volume);
                    else if (names[n] == "volume") reals[n].push_back(volume / 0.6);
                    else if (names[n] == "frame") reals[n].insert(reals[n].end(), frame->m.begin(), frame->m.end());
                    else if (names[n] == "orientation") reals[n].insert(reals[n].end(), orientation->begin(), orientation->end());
                    else if (names[n] == "lag") vector(-0.5 * lastStep_ * lastStep_ * *acceleration);
                    else if (names[n] == "normal") vector(normalized(Vec3{static_cast<double>(ids[i]), 1, 2}));
                    else if (names[n] == "birth_time") reals[n].push_back(births_[i]);
                    else integers[n].push_back(0);
                }
                columns.push_back({world::findField(fields(), names[n]), reals[n], integers[n]});
            }
            sink.take({count, columns});
        }
    }
    void save(Archive&) const override {}
    void load(const Exec&, const Archive&) override {}

    std::vector<std::int64_t> ids;
    std::vector<Vec3> positions, velocities;
    std::optional<Vec3> acceleration;   // of all of them [m/s²]: they fly, and offer lags
    std::optional<Mat3> frame;   // of all of them; with it they offer frames and normals
    std::optional<std::array<double, 6>> orientation;   // of all of them; with it they offer second moments of normals

private:
    VelocityField field_;
    double radius_, dt_, lastStep_ = 0;
    std::vector<double> births_;
};

/// A world and fine grains carried through it by guides of radius R on a cubic lattice of touching spheres.
struct CarriedWorld {
    static constexpr double kRadius = 0.01;   // of guides [m]
    static constexpr double kStep = 1e-3;     // [s]

    explicit CarriedWorld(VelocityField field, Settings given = {}, Vec3 from = {0.3, 0.3, 0.3}, Vec3i guidesAlong = {6, 6, 6}, double spacing = 2 * kRadius)
        : settings(given) {
        world.domain = {{0, 0, 0}, {1, 1, 1}, {}};
        world.materials = {world::Material{.name = "sand"}};
        world.bodies = world::domainFaces(world.domain);
        auto own = std::make_unique<KinematicGuides>(std::move(field), kRadius, kStep);
        guides = own.get();
        method = std::make_unique<GuidedMethod<double>>(settings, world, std::move(own), false);
        auto list = std::make_shared<world::ListedGrains>();
        for (int k = 0; k < guidesAlong.z; ++k)
            for (int j = 0; j < guidesAlong.y; ++j)
                for (int i = 0; i < guidesAlong.x; ++i) list->positions.push_back(from + spacing * Vec3{static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)});
        fill = {.region = {}, .material = 0, .source = 0, .velocity = {}, .listed = list};
    }
    world::Inserted insert(const Exec& exec = Exec(1)) { return method->insert(exec, world, fill); }
    void steps(const Exec& exec, int count, double dt = kStep) {
        for (int i = 0; i < count; ++i) {
            const world::StepReport report = method->step(exec, world, dt);
            if (!std::holds_alternative<world::Done>(report)) throw std::runtime_error("a step was not done");
            world.time += dt;
        }
    }
    world::FieldTable read() const {
        world::FieldTable table;
        std::vector<std::string_view> names;
        for (const world::FieldInfo& field : method->fields()) names.push_back(field.name);
        method->read(Exec(1), names, table);
        return table;
    }

    Settings settings;
    world::World world;
    KinematicGuides* guides = nullptr;
    std::unique_ptr<GuidedMethod<double>> method;
    world::Fill fill;
};

inline Vec3 at(std::span<const double> values, std::size_t i) { return {values[3 * i], values[3 * i + 1], values[3 * i + 2]}; }

}  // namespace talus::upsampling::test
