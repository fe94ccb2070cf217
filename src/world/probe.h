// SPDX-License-Identifier: Apache-2.0
// Measurements of a running simulation: a probe sees every grain once per sample, chunk by chunk, and answers with rows of
// numbers. docs/measurements.md has the definitions.
#pragma once

#include "core/archive.h"
#include "geometry/shape.h"
#include "world/reduction.h"
#include "world/simulation.h"

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace talus::world {

/// In a row: no grain, no interval yet, a fit without enough points. An empty cell of the table.
inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

struct ProbeColumn {
    std::string name;
    std::string unit = "1";            // SI or deg, "1" for a pure number

    std::string csvName() const;       // with the unit: "torque_x_N_m"
};
/// name_x, name_y, name_z
void addVectorColumns(std::vector<ProbeColumn>&, std::string_view name, std::string_view unit);
/// name_xx, name_yy, name_zz, name_xy, name_yz, name_xz
void addTensorColumns(std::vector<ProbeColumn>&, std::string_view name, std::string_view unit);

/// A chunk with its columns by name. Those that nobody asked for are empty.
class Grains {
public:
    explicit Grains(const Chunk&);

    std::size_t count = 0;
    std::span<const std::int64_t> id, material, source;
    std::span<const double> positions, velocities, radius, mass, volume, birthTime, stress;

    Vec3 position(std::size_t i) const { return {positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]}; }
    Vec3 velocity(std::size_t i) const { return {velocities[3 * i], velocities[3 * i + 1], velocities[3 * i + 2]}; }
    /// Of a field that was asked for.
    const FieldColumn& column(std::string_view name) const;

private:
    std::span<const FieldColumn> columns_;
};

/// Which grains a probe counts: all that pass every condition that is given.
struct GrainFilter {
    std::optional<int> material, source;
    double smallest = 0, largest = std::numeric_limits<double>::infinity();   // diameter [m]

    bool bySize() const { return smallest > 0 || std::isfinite(largest); }
    void addFields(std::vector<std::string_view>&) const;
    bool accepts(const Grains& grains, std::size_t i) const {
        return (!material || grains.material[i] == *material) && (!source || grains.source[i] == *source) &&
               (!bySize() || (2 * grains.radius[i] >= smallest && 2 * grains.radius[i] <= largest));
    }
};

class Probe {
public:
    Probe(std::string name, GrainFilter filter) : name_(std::move(name)), filter_(filter) {}
    virtual ~Probe() = default;
    Probe(const Probe&) = delete;
    Probe& operator=(const Probe&) = delete;

    const std::string& name() const { return name_; }
    const GrainFilter& filter() const { return filter_; }

    /// What stands in a row after the time.
    virtual std::vector<ProbeColumn> columns() const = 0;
    /// What it reads of each grain, the fields of its filter aside; none: it asks for bodies only.
    virtual std::vector<std::string_view> fields() const { return {}; }

    /// A sample: begin, take for every chunk, finish.
    virtual void begin(const Simulation&) {}
    virtual void take(const Grains&) {}
    /// Whole rows of columns().size() values.
    virtual std::vector<double> finish(const Simulation&) = 0;

    /// Grains that left the world since the last sample, as they were when they left.
    virtual bool wantsRemoved() const { return false; }
    virtual void removed(const Grains&, double /*time*/) {}

    /// The clock is set back by so many seconds.
    virtual void setClockBack(double /*by*/) {}

    /// What the next sample depends on besides the simulation.
    virtual void save(Archive&) const {}
    virtual void load(const Archive&) {}

private:
    std::string name_;
    GrainFilter filter_;
};

/// A probe with its times and what is made of its table.
struct ProbePlan {
    std::unique_ptr<Probe> probe;
    std::optional<double> rate;          // samples per second of simulated time; none: at frames
    std::vector<Reduction> results;      // none: last and mean of every column
};

/// One sample of each of these probes from one reading of the grains: their rows, in order.
std::vector<std::vector<double>> sample(const Exec&, const Simulation&, std::span<Probe* const>);

/// The smallest value up to which the part `fraction` of all weight lies; unknown where there is none. Sorts its input.
struct Weighted {
    double value = 0, weight = 0;
};
double quantile(std::vector<Weighted>&, double fraction);

}  // namespace talus::world
