// SPDX-License-Identifier: Apache-2.0
// A method for tests of everything around methods: grains that fall, bounce on z = 0 and lose a tenth of their speed.
#pragma once

#include "geometry/primitives.h"
#include "world/simulation.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace talus::test {

/// Steps between the places where a test interrupts a run: every step; under a sanitizer, which looks for other mistakes and is
/// ten times slower, every eleventh.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr std::int64_t kBetweenInterruptions = 11;
#else
inline constexpr std::int64_t kBetweenInterruptions = 1;
#endif

class FallingGrains final : public world::Method {
public:
    FallingGrains(double failTime, bool loadable) : failTime_(failTime), loadable_(loadable) {}

    world::Inserted insert(const Exec&, world::World& world, const world::Fill&) override {
        for (int i = 0; i < 10; ++i) {
            id_.push_back(world.nextId++);
            height_.push_back(0.1 + 0.01 * i);
            speed_.push_back(0);
        }
        return {10, 10};
    }
    world::Removed erase(const Exec&, const world::Region&, world::ChunkSink*) override { return {}; }
    std::int64_t count() const override { return static_cast<std::int64_t>(id_.size()); }
    void setClockBack(double) override {}
    double stableStep(const world::World&) const override { return 0.004 / (1 + std::abs(speed_.empty() ? 0 : speed_[0])); }

    world::StepReport step(const Exec&, world::World& world, double dt) override {
        if (world.time + dt > failTime_) return world::Failed{"the velocity is not finite", 3, {1, 2, 3}, "velocity"};
        for (std::size_t i = 0; i < id_.size(); ++i) {
            speed_[i] += dt * world.gravity.z;
            height_[i] += dt * speed_[i];
            if (height_[i] < 0) { height_[i] = -height_[i]; speed_[i] *= -0.9; }
        }
        ++iterations_;
        stepped_ = true;
        return world::Done{};
    }

    std::span<const world::FieldInfo> fields() const override { return kFields; }
    void read(const Exec&, world::FieldNames names, world::ChunkSink& sink) const override {
        const std::size_t n = id_.size();
        std::vector<std::vector<double>> reals;
        std::vector<world::FieldColumn> columns;
        reals.reserve(names.size());
        for (const std::string_view name : names) {
            std::vector<double>& values = reals.emplace_back();
            for (std::size_t i = 0; i < n; ++i) {
                if (name == "position") values.insert(values.end(), {static_cast<double>(i), 0, height_[i]});
                if (name == "velocity") values.insert(values.end(), {0, 0, speed_[i]});
                if (name == "mass") values.push_back(1);
                if (name == "elastic_energy") values.push_back(0);
            }
            columns.push_back({world::findField(kFields, name), values, name == "id" ? std::span(id_) : std::span<const std::int64_t>{}});
        }
        sink.take({n, columns});
    }
    /// Heights, of the steps since the grains were loaded: none before the first.
    void readSecond(const world::SecondOutput& output, world::ChunkSink& sink) const override {
        if (!stepped_) return;
        std::vector<double> top, foot;
        for (std::size_t i = 0; i < id_.size(); ++i) {
            top.insert(top.end(), {static_cast<double>(i), 0, height_[i]});
            foot.insert(foot.end(), {static_cast<double>(i), 0, 0});
        }
        std::vector<world::FieldColumn> columns;
        for (const world::FieldInfo& field : output.fields) columns.push_back({&field, field.components == 1 ? height_ : field.name == "to" ? foot : top, {}});
        sink.take({id_.size(), columns});
    }
    std::vector<world::Metric> metrics() const override { return {{"iterations", static_cast<double>(iterations_)}}; }
    std::vector<world::Metric> fallbacks() const override { return {{"tunnelled", 0}}; }

    void save(Archive& archive) const override {
        archive.put("id", id_);
        archive.put("height", height_);
        archive.put("speed", speed_);
        archive.put("iterations", iterations_);
    }
    void load(const Exec&, const Archive& archive) override {
        id_ = archive.get<std::int64_t>("id");
        height_ = archive.get<double>("height");
        speed_ = archive.get<double>("speed");
        stepped_ = false;
        iterations_ = archive.value<std::int64_t>(loadable_ ? "iterations" : "what no archive holds");
    }

    static constexpr std::array kFields{world::field::id, world::field::position, world::field::velocity, world::field::mass, world::field::elasticEnergy};
    static constexpr world::FieldInfo kHeight{"height", "m"};
    static constexpr std::array kLineFields{world::FieldInfo{"from", "m", world::FieldType::real, 3}, world::FieldInfo{"to", "m", world::FieldType::real, 3}, kHeight};
    static constexpr std::array kPointFields{world::field::position, kHeight};
    static constexpr std::array kSecondOutputs{world::SecondOutput{"contacts", "", kLineFields, true}, world::SecondOutput{"nodes", "", kPointFields}};   // names that runs clear away

private:
    std::vector<std::int64_t> id_;
    std::vector<double> height_, speed_;
    std::int64_t iterations_ = 0;
    double failTime_;
    bool loadable_, stepped_ = false;
};

inline world::Simulation fallingGrains(double failTime = 1e300, bool loadable = true) {
    world::World world;
    world.fills.resize(1);
    world::Body& cup = world.bodies.emplace_back();
    cup.shape = std::make_shared<geometry::Sphere>(0.1);
    cup.name = "cup, \"left\"";
    cup.motion = world::Motion({1, 2, 3}, {}, {world::Travel{Vec3{1, 0, 0}}});
    return {std::move(world), std::make_unique<FallingGrains>(failTime, loadable)};
}

}  // namespace talus::test
