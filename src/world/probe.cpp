// SPDX-License-Identifier: Apache-2.0
#include "world/probe.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace talus::world {

std::string ProbeColumn::csvName() const {
    if (unit == "1") return name;
    std::string suffix = "_";
    for (const char c : unit)
        if (c == '/' || c == ' ') suffix += '_';
        else if (c != '^') suffix += c;
    return name + suffix;
}

void addVectorColumns(std::vector<ProbeColumn>& columns, std::string_view name, std::string_view unit) {
    for (const char axis : {'x', 'y', 'z'}) columns.push_back({std::string(name) + '_' + axis, std::string(unit)});
}

void addTensorColumns(std::vector<ProbeColumn>& columns, std::string_view name, std::string_view unit) {
    for (const std::string_view part : {"xx", "yy", "zz", "xy", "yz", "xz"})
        columns.push_back({std::string(name).append(1, '_').append(part), std::string(unit)});
}

Grains::Grains(const Chunk& chunk) : count(chunk.count), columns_(chunk.columns) {
    for (const FieldColumn& column : columns_) {
        const std::string_view name = column.info->name;
        if (name == field::id.name) id = column.integers;
        else if (name == field::material.name) material = column.integers;
        else if (name == field::source.name) source = column.integers;
        else if (name == field::position.name) positions = column.reals;
        else if (name == field::velocity.name) velocities = column.reals;
        else if (name == field::radius.name) radius = column.reals;
        else if (name == field::mass.name) mass = column.reals;
        else if (name == field::volume.name) volume = column.reals;
        else if (name == field::birthTime.name) birthTime = column.reals;
        else if (name == field::stress.name) stress = column.reals;
    }
}

const FieldColumn& Grains::column(std::string_view name) const {
    for (const FieldColumn& column : columns_)
        if (column.info->name == name) return column;
    throw std::out_of_range("a probe asks for the field '" + std::string(name) + "' that it did not name");
}

void GrainFilter::addFields(std::vector<std::string_view>& names) const {
    if (material) names.push_back(field::material.name);
    if (source) names.push_back(field::source.name);
    if (bySize()) names.push_back(field::radius.name);
}

namespace {

/// Hands every chunk to all probes. Each of them works alone, so they may do it at the same time.
class Spread final : public ChunkSink {
public:
    Spread(const Exec& exec, std::span<Probe* const> probes) : exec_(exec), probes_(probes) {}
    void take(const Chunk& chunk) override {
        const Grains grains(chunk);
        if (probes_.size() == 1) return probes_.front()->take(grains);
        exec_.forTasks(probes_.size(), [&](std::size_t p, int) { probes_[p]->take(grains); });
    }

private:
    const Exec& exec_;
    std::span<Probe* const> probes_;
};

}  // namespace

std::vector<std::vector<double>> sample(const Exec& exec, const Simulation& simulation, std::span<Probe* const> probes) {
    std::vector<std::string_view> names;
    std::vector<Probe*> readers;
    for (Probe* probe : probes) {
        probe->begin(simulation);
        std::vector<std::string_view> own = probe->fields();
        if (own.empty()) continue;
        probe->filter().addFields(own);
        readers.push_back(probe);
        for (const std::string_view name : own)
            if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    if (!readers.empty()) {
        Spread spread(exec, readers);
        simulation.method().read(exec, names, spread);
    }
    std::vector<std::vector<double>> rows;
    for (Probe* probe : probes) rows.push_back(probe->finish(simulation));
    return rows;
}

double quantile(std::vector<Weighted>& values, double fraction) {
    std::ranges::sort(values, [](const Weighted& a, const Weighted& b) { return a.value != b.value ? a.value < b.value : a.weight < b.weight; });
    double total = 0;
    for (const Weighted& v : values) total += v.weight;
    if (!(total > 0)) return kUnknown;
    constexpr double kRounding = 1e-12;   // of the total: ten tenths are enough for the whole
    double sum = 0;
    for (const Weighted& v : values) {
        sum += v.weight;
        if (v.weight > 0 && sum >= fraction * total * (1 - kRounding)) return v.value;
    }
    return values.back().value;
}

}  // namespace talus::world
