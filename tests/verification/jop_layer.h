// SPDX-License-Identifier: Apache-2.0
// A layer of 40 grain diameters on a rough slope of 24°, from rest, with the friction μ(I) of [Jop2006], by any method.
#pragma once

#include "csv.h"
#include "verification/bed.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace talus::test {

constexpr double kJopDiameter = 0.53e-3, kJopHeight = 40 * kJopDiameter;
inline const double kJopSlow = std::tan(20.9 * std::numbers::pi / 180), kJopFast = std::tan(32.76 * std::numbers::pi / 180);
constexpr double kJopScale = 0.279;   // I₀

class JopLayer {
public:
    /// Periodic after so many cells along the slope and across. `fast_mu_hat` and `inertial_scale` must be in the settings.
    JopLayer(int cells, int wide, const world::MethodInfo& info, const world::MethodSettings& settings) : cells_(cells) {
        const double h = kJopHeight / cells;
        world::World world;
        world.domain = {{0, 0, 0}, {wide * h, wide * h, 1.5 * kJopHeight}, {}};
        for (const std::size_t face : {0u, 1u, 2u, 3u}) world.domain.faces[face] = world::FaceType::periodic;
        world.materials = {world::Material{.name = "glass", .density = 2450, .packingFraction = 0.6, .muHat = kJopSlow, .grainDiameter = kJopDiameter}, world::Material{.name = "rough"}};
        world.contacts.set(0, 1, {1.0, 0});
        world.bodies = world::domainFaces(world.domain);
        for (world::Body& body : world.bodies) body.material = 1;
        world.resolution.size = h;
        world.gravity = tiltedGravity(24);
        world.fills = {{boxBetween({0, 0, 0}, {wide * h, wide * h, kJopHeight}), 0, 0, {}}};
        simulation_.emplace(world, info.create(settings, world, world::Precision::float32));
        simulation_->fill(exec_);
    }

    void flowUntil(double time) {
        advance(*simulation_, exec_, time);
        world::FieldTable now;
        simulation_->method().read(exec_, std::array<std::string_view, 2>{"position", "velocity"}, now);
        points_.clear();
        for (std::size_t i = 0; i < now.count(); ++i) points_.emplace_back(now.reals("position")[3 * i + 2], now.reals("velocity")[3 * i]);
        std::ranges::sort(points_);
    }
    /// Twice the height of the centre of mass, over that at the start.
    double height() const { return 2 * mean(0, points_.size(), &Place::first) / kJopHeight; }
    double meanVelocity() const { return mean(0, points_.size(), &Place::second); }
    /// Of the uppermost layer of points.
    double surfaceVelocity() const { return mean(points_.size() - points_.size() / (2 * static_cast<std::size_t>(cells_)), points_.size(), &Place::second); }
    /// Of the points around this part of the height.
    double velocityAt(double part) const {
        const double n = static_cast<double>(points_.size()), half = 0.5 / cells_;
        return mean(static_cast<std::size_t>(n * std::max(0.0, part - half)), static_cast<std::size_t>(n * std::min(1.0, part + half)), &Place::second);
    }
    /// Velocity of the surface and in the mean, over those of a row of D_bagnold_transient_jop_24deg.csv at its time.
    struct Ratios {
        double surface = 0, mean = 0;
    };
    Ratios ratios(std::size_t row) {
        const CsvTable table("D_bagnold_transient_jop_24deg.csv");
        flowUntil(table.number(row, "t_s"));
        const double atSurface = table.number(row, "u_surface"), inAll = table.number(row, "u_mean_nodes");
        std::printf("    after %.1f s: %.4f m/s at the surface, expected %.4f; %.4f m/s in the mean, expected %.4f\n", table.number(row, "t_s"), surfaceVelocity(), atSurface, meanVelocity(), inAll);
        return {surfaceVelocity() / atSurface, meanVelocity() / inAll};
    }
    /// Compares surface and mean with the mean over some rows; PHYSICS allows 5 %.
    void compare(std::size_t first, std::size_t last) {
        Ratios mean;
        for (std::size_t row = first; row <= last; ++row) {
            const Ratios now = ratios(row);
            mean.surface += now.surface / static_cast<double>(last - first + 1);
            mean.mean += now.mean / static_cast<double>(last - first + 1);
        }
        EXPECT_NEAR(mean.surface, 1, 0.05);
        EXPECT_NEAR(mean.mean, 1, 0.05);
    }

private:
    using Place = std::pair<double, double>;   // height, velocity down the slope
    double mean(std::size_t first, std::size_t end, double Place::*what) const {
        double sum = 0;
        for (std::size_t i = first; i < end; ++i) sum += points_[i].*what;
        return sum / static_cast<double>(end - first);
    }

    int cells_;
    Exec exec_{1};
    std::optional<world::Simulation> simulation_;
    std::vector<Place> points_;
};

}  // namespace talus::test
