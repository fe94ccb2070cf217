// SPDX-License-Identifier: Apache-2.0
#include "world/metrics.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace talus::world {
namespace {

/// Adds up chunk by chunk, in the order in which the method hands them over: that order depends on its state alone.
class Sum final : public ChunkSink {
public:
    Sum(const Method& method, const Vec3& gravity) : gravity_(gravity) {
        for (const FieldInfo* optional : {&field::elasticEnergy, &field::rotationalEnergy})
            if (findField(method.fields(), optional->name)) names_.push_back(optional->name);
    }
    FieldNames names() const { return names_; }

    void take(const Chunk& chunk) override {
        Totals part;   // a sum per chunk first keeps the rounding error of a long sum small
        double potential = 0, elastic = 0;
        const std::span<const double> mass = chunk.columns[0].reals, position = chunk.columns[1].reals,
                                      velocity = chunk.columns[2].reals;
        for (std::size_t i = 0; i < chunk.count; ++i) {
            const Vec3 x{position[3 * i], position[3 * i + 1], position[3 * i + 2]};
            const Vec3 v{velocity[3 * i], velocity[3 * i + 1], velocity[3 * i + 2]};
            part.mass += mass[i];
            part.momentum += mass[i] * v;
            part.centreOfMass += mass[i] * x;
            part.kineticEnergy += 0.5 * mass[i] * normSquared(v);
            potential -= mass[i] * dot(gravity_, x);
            sums_.maxSpeed = std::max(sums_.maxSpeed, norm(v));
        }
        for (const FieldColumn& column : chunk.columns.subspan(kRequired)) {
            double& sum = column.info->name == field::elasticEnergy.name ? elastic : part.kineticEnergy;
            for (const double energy : column.reals) sum += energy;
        }
        sums_.grains += static_cast<std::int64_t>(chunk.count);
        sums_.mass += part.mass;
        sums_.momentum += part.momentum;
        sums_.centreOfMass += part.centreOfMass;
        sums_.kineticEnergy += part.kineticEnergy;
        potential_ += potential;
        elastic_ += elastic;
    }

    /// The centre of mass still multiplied by the mass.
    const Totals& sums() const { return sums_; }
    double potential() const { return potential_; }
    double elastic() const { return elastic_; }

private:
    static constexpr std::size_t kRequired = 3;
    std::vector<std::string_view> names_{field::mass.name, field::position.name, field::velocity.name};
    Vec3 gravity_;
    Totals sums_;
    double potential_ = 0, elastic_ = 0;
};

bool gravityAlongPeriodicAxis(const World& world) {
    for (int axis = 0; axis < 3; ++axis)
        if (world.domain.periodic(axis) && world.gravity[axis] != 0) return true;
    return false;
}

}  // namespace

std::optional<double> Totals::energy() const {
    if (!potentialEnergy || !elasticEnergy) return std::nullopt;
    return kineticEnergy + *potentialEnergy + *elasticEnergy;
}

Totals totals(const Exec& exec, const Simulation& simulation) {
    const World& world = simulation.world();
    const Method& method = simulation.method();
    Sum sum(method, world.gravity);
    method.read(exec, sum.names(), sum);

    Totals result = sum.sums();
    if (result.mass > 0) result.centreOfMass = result.centreOfMass / result.mass;
    if (!gravityAlongPeriodicAxis(world)) result.potentialEnergy = sum.potential();
    if (findField(method.fields(), field::elasticEnergy.name)) result.elasticEnergy = sum.elastic();
    for (const Body& body : world.bodies) result.bodyWork += body.load.work;
    return result;
}

}  // namespace talus::world
