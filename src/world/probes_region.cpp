// SPDX-License-Identifier: Apache-2.0
// Numbers about the grains in a region.
#include "world/probes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus::world {
namespace {

bool inside(const geometry::ShapePtr& region, const Vec3& x) { return !region || region->distance(x) <= 0; }

class InRegion final : public Probe {
public:
    InRegion(ProbeSetup setup, const RegionProbe& settings) : Probe(std::move(setup.name), setup.filter), settings_(settings) {}

    std::vector<ProbeColumn> columns() const override {
        std::vector<ProbeColumn> columns{{"grains"}, {"mass", "kg"}, {"volume_fraction"}, {"kinetic_energy", "J"}};
        addVectorColumns(columns, "momentum", "kg m/s");
        addVectorColumns(columns, "velocity", "m/s");
        addVectorColumns(columns, "com", "m");
        return columns;
    }
    std::vector<std::string_view> fields() const override {
        std::vector<std::string_view> names{field::position.name, field::velocity.name, field::mass.name, field::material.name};
        if (settings_.spins) names.push_back(field::rotationalEnergy.name);
        return names;
    }
    void begin(const Simulation&) override { all_ = {}; }
    void take(const Grains& grains) override {
        const std::span<const double> spin = settings_.spins ? grains.column(field::rotationalEnergy.name).reals : std::span<const double>{};
        Sums part;   // a sum per chunk first keeps the rounding error of a long sum small
        for (std::size_t i = 0; i < grains.count; ++i) {
            const Vec3 x = grains.position(i), v = grains.velocity(i);
            if (!filter().accepts(grains, i) || !inside(settings_.region, x)) continue;
            const double mass = grains.mass[i];
            ++part.count;
            part.mass += mass;
            part.solid += mass / settings_.density[static_cast<std::size_t>(grains.material[i])];
            part.energy += 0.5 * mass * normSquared(v) + (spin.empty() ? 0 : spin[i]);
            part.momentum += mass * v;
            part.moment += mass * x;
        }
        all_ += part;
    }
    std::vector<double> finish(const Simulation&) override {
        const Vec3 none{kUnknown, kUnknown, kUnknown};
        const Vec3 v = all_.mass > 0 ? all_.momentum / all_.mass : none, x = all_.mass > 0 ? all_.moment / all_.mass : none;
        return {all_.count, all_.mass, all_.solid / settings_.volume, all_.energy, all_.momentum.x, all_.momentum.y, all_.momentum.z,
                v.x, v.y, v.z, x.x, x.y, x.z};
    }

private:
    struct Sums {
        double count = 0, mass = 0, solid = 0, energy = 0;
        Vec3 momentum, moment;
        void operator+=(const Sums& b) {
            count += b.count;
            mass += b.mass;
            solid += b.solid;
            energy += b.energy;
            momentum += b.momentum;
            moment += b.moment;
        }
    };
    RegionProbe settings_;
    Sums all_;
};

double valueOf(const FieldComponent& of, const FieldColumn& column, std::size_t i) {
    const auto n = static_cast<std::size_t>(of.field.components);
    if (of.field.type == FieldType::integer) return static_cast<double>(column.integers[i]);
    const std::span<const double> values = column.reals.subspan(n * i, n);
    if (of.component == FieldComponent::kPressure) return -(values[0] + values[1] + values[2]) / 3;
    if (of.component != FieldComponent::kMagnitude) return values[static_cast<std::size_t>(of.component)];
    if (n == 1) return std::abs(values[0]);
    return norm(Vec3{values[0], values[1], values[2]});
}

class StatisticOfField final : public Probe {
public:
    StatisticOfField(ProbeSetup setup, StatisticProbe settings) : Probe(std::move(setup.name), setup.filter), settings_(std::move(settings)) {}

    std::vector<ProbeColumn> columns() const override {
        const std::string unit(settings_.of.field.unit), &name = settings_.of.name;
        const ProbeColumn weight{"grains"}, mass{"mass", "kg"}, volume{"volume", "m^3"};
        const ProbeColumn amount = settings_.weight == Weight::number ? weight : settings_.weight == Weight::mass ? mass : volume;
        switch (settings_.statistic) {
            case Statistic::histogram: return {{"from", unit}, {"to", unit}, amount};
            case Statistic::percentile: {
                std::vector<ProbeColumn> columns;
                for (const double p : settings_.percentiles) columns.push_back({fmt::format("{}_p{}", name, p), unit});
                return columns;
            }
            case Statistic::sum: {
                const std::string times = settings_.weight == Weight::number ? "" : amount.unit;
                const std::string product = times.empty() ? unit : unit == "1" ? times : times + " " + unit;
                return {{name + "_sum", product}, amount};
            }
            default: return {{fmt::format("{}_{}", name, kStatisticNames[static_cast<std::size_t>(settings_.statistic)]), unit}, amount};
        }
    }
    std::vector<std::string_view> fields() const override {
        std::vector<std::string_view> names{settings_.of.field.name, field::position.name};
        if (settings_.weight == Weight::mass) names.push_back(field::mass.name);
        if (settings_.weight == Weight::volume) names.push_back(field::volume.name);
        return names;
    }
    void begin(const Simulation&) override { values_.clear(); }
    void take(const Grains& grains) override {
        const FieldColumn& column = grains.column(settings_.of.field.name);
        for (std::size_t i = 0; i < grains.count; ++i) {
            if (!filter().accepts(grains, i) || !inside(settings_.region, grains.position(i))) continue;
            const double weight = settings_.weight == Weight::number ? 1 : settings_.weight == Weight::mass ? grains.mass[i] : grains.volume[i];
            values_.push_back({valueOf(settings_.of, column, i), weight});
        }
    }
    std::vector<double> finish(const Simulation&) override {
        switch (settings_.statistic) {
            case Statistic::histogram: return histogram();
            case Statistic::percentile: {
                std::vector<double> row;
                for (const double p : settings_.percentiles) row.push_back(quantile(values_, p / 100));
                return row;
            }
            default: return simple();
        }
    }

private:
    std::vector<double> simple() const {
        double weight = 0, sum = 0, low = kUnknown, high = kUnknown;
        for (const Weighted& v : values_) {
            weight += v.weight;
            sum += v.weight * v.value;
            low = std::fmin(low, v.value);
            high = std::fmax(high, v.value);
        }
        const double mean = weight > 0 ? sum / weight : kUnknown;
        double squares = 0;
        for (const Weighted& v : values_) squares += v.weight * (v.value - mean) * (v.value - mean);
        switch (settings_.statistic) {
            case Statistic::sum: return {sum, weight};
            case Statistic::min: return {low, weight};
            case Statistic::max: return {high, weight};
            case Statistic::deviation: return {weight > 0 ? std::sqrt(squares / weight) : kUnknown, weight};
            default: return {mean, weight};
        }
    }
    // A row below, a row for each bin [from, to), a row above.
    std::vector<double> histogram() const {
        const auto bins = static_cast<std::size_t>(settings_.bins);
        const double width = (settings_.to - settings_.from) / settings_.bins;
        std::vector<double> amount(bins + 2, 0.0), rows;
        for (const Weighted& v : values_) {
            std::size_t bin = 0;
            if (v.value >= settings_.to) bin = bins + 1;
            else if (v.value >= settings_.from) bin = 1 + std::min(bins - 1, static_cast<std::size_t>((v.value - settings_.from) / width));
            amount[bin] += v.weight;
        }
        for (std::size_t b = 0; b < bins + 2; ++b) {
            const auto edge = [&](std::size_t e) { return e == bins ? settings_.to : settings_.from + static_cast<double>(e) * width; };
            rows.insert(rows.end(), {b == 0 ? kUnknown : edge(b - 1), b == bins + 1 ? kUnknown : edge(b), amount[b]});
        }
        return rows;
    }

    StatisticProbe settings_;
    std::vector<Weighted> values_;
};

/// Lacey's index [Lacey1954]: M = (σ₀² − σ²) / (σ₀² − σ_r²). With p_i the part of `a` among the n_i grains of cell i and p that
/// of all grains counted, σ² = Σ n_i (p_i − p)² / Σ n_i, σ₀² = p (1 − p) when apart, σ_r² = p (1 − p) / n̄ when mixed at
/// random. With the weights n_i, E[n_i (p_i − p)²] = p (1 − p) in every cell of a random mixture, so n̄ is the plain mean of n_i and the
/// correction for the size of samples is right for cells of unequal filling too.
class Mixing final : public Probe {
public:
    Mixing(ProbeSetup setup, const MixingProbe& settings) : Probe(std::move(setup.name), setup.filter), settings_(settings) {}

    std::vector<ProbeColumn> columns() const override {
        return {{"lacey_index"}, {"variance"}, {"variance_apart"}, {"variance_random"}, {"part"}, {"cells"}, {"grains_per_cell"}};
    }
    std::vector<std::string_view> fields() const override {
        return {field::position.name, settings_.bySource ? field::source.name : field::material.name};
    }
    void begin(const Simulation&) override { counts_.assign(settings_.cells.count(), {}); }
    void take(const Grains& grains) override {
        const std::span<const std::int64_t> kind = settings_.bySource ? grains.source : grains.material;
        for (std::size_t i = 0; i < grains.count; ++i) {
            if ((kind[i] != settings_.a && kind[i] != settings_.b) || !filter().accepts(grains, i)) continue;
            const std::size_t cell = settings_.cells.cellAt(grains.position(i));
            if (cell == counts_.size()) continue;
            ++counts_[cell].all;
            counts_[cell].a += kind[i] == settings_.a;
        }
    }
    std::vector<double> finish(const Simulation&) override {
        double cells = 0, all = 0, a = 0;
        for (const Count& c : counts_) {
            if (c.all < settings_.leastGrains) continue;
            ++cells;
            all += static_cast<double>(c.all);
            a += static_cast<double>(c.a);
        }
        if (cells == 0) return {kUnknown, kUnknown, kUnknown, kUnknown, kUnknown, 0, kUnknown};
        const double p = a / all, perCell = all / cells, apart = p * (1 - p), random = apart / perCell;
        double variance = 0;
        for (const Count& c : counts_) {
            if (c.all < settings_.leastGrains) continue;
            const double off = static_cast<double>(c.a) / static_cast<double>(c.all) - p;
            variance += static_cast<double>(c.all) * off * off / all;
        }
        const double index = apart > random ? (apart - variance) / (apart - random) : kUnknown;
        return {index, variance, apart, random, p, cells, perCell};
    }

private:
    struct Count {
        std::int64_t all = 0, a = 0;
    };
    MixingProbe settings_;
    std::vector<Count> counts_;
};

}  // namespace

ProbePtr makeProbe(ProbeSetup setup, const RegionProbe& settings) { return std::make_unique<InRegion>(std::move(setup), settings); }
ProbePtr makeProbe(ProbeSetup setup, StatisticProbe settings) { return std::make_unique<StatisticOfField>(std::move(setup), std::move(settings)); }
ProbePtr makeProbe(ProbeSetup setup, const MixingProbe& settings) { return std::make_unique<Mixing>(std::move(setup), settings); }

}  // namespace talus::world
