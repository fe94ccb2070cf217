// SPDX-License-Identifier: Apache-2.0
#include "run/measurements.h"

#include "core/problems.h"
#include "run/stage_tables.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace talus::run {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

std::string cell(double value) { return std::isfinite(value) ? fmt::format("{}", value) : std::string(); }

std::string headerOf(const std::vector<world::ProbeColumn>& columns) {
    std::string line = "time_s";
    for (const world::ProbeColumn& column : columns) line += "," + column.csvName();
    return line + "\n";
}

/// The numbers of a line; an empty cell is unknown.
std::vector<double> numbersOf(std::string_view line) {
    std::vector<double> numbers;
    while (true) {
        const std::size_t end = std::min(line.find(','), line.size());
        double value = world::kUnknown;
        std::from_chars(line.data(), line.data() + end, value);
        numbers.push_back(value);
        if (end == line.size()) return numbers;
        line.remove_prefix(end + 1);
    }
}

}  // namespace

Measurements::Measurements(std::vector<world::ProbePlan> plans, io::Path folder) : folder_(std::move(folder)) {
    for (world::ProbePlan& plan : plans) {
        Table table;
        table.plan = std::move(plan);
        table.columns = table.plan.probe->columns();
        table.history.resize(table.columns.size());
        probes_.push_back(std::move(table));
    }
}

io::Path Measurements::pathOf(const Table& table) const { return folder_ / (table.plan.probe->name() + ".csv"); }

double Measurements::shortestInterval() const {
    double shortest = kNever;
    for (const Table& table : probes_)
        if (table.plan.rate) shortest = std::min(shortest, 1 / *table.plan.rate);
    return shortest;
}

std::vector<double> Measurements::nextTimes() const {
    std::vector<double> times;
    for (const Table& table : probes_) times.push_back(table.plan.rate ? static_cast<double>(table.next) / *table.plan.rate : kNever);
    return times;
}

bool Measurements::wantsRemoved() const {
    return std::ranges::any_of(probes_, [](const Table& table) { return table.plan.probe->wantsRemoved(); });
}

void Measurements::begin() {
    if (!probes_.empty()) io::createDirectories(folder_);
    for (Table& table : probes_) table.file = std::make_unique<io::AppendFile>(pathOf(table), 0);
}

void Measurements::load(const Archive& archive, const std::vector<std::string>& later) {
    for (Table& table : probes_) {
        const auto group = archive.group(table.plan.probe->name());
        table.next = archive.value<std::int64_t>("next");
        table.length = archive.value<std::uint64_t>("bytes");
        requireLength(tableBefore(pathOf(table), later), table.length);
        const auto state = archive.group("state");
        table.plan.probe->load(archive);
    }
}

void Measurements::cutBack(const std::vector<std::string>& earlier, const std::vector<std::string>& later) {
    for (Table& table : probes_) {
        const io::Path path = pathOf(table);
        reopenTable(path, later);
        table.file = std::make_unique<io::AppendFile>(path, table.length);
        table.history = readBack(path, table.columns.size(), table.last);
        table.closed.clear();
        double last = 0;
        for (const std::string& stage : earlier) table.closed.emplace_back(stage, readBack(closedTable(path, stage), table.columns.size(), last));
    }
}

void Measurements::closeTables(const std::string& stage, double setBack) {
    flush();
    for (Table& table : probes_) {
        table.file.reset();
        closeTable(pathOf(table), stage);
        table.file = std::make_unique<io::AppendFile>(pathOf(table), 0);
        table.closed.emplace_back(stage, std::move(table.history));
        table.history.assign(table.columns.size(), {});
        table.next = 0;
        table.last = world::kUnknown;
        table.plan.probe->setClockBack(setBack);
    }
}

double Measurements::latest(std::string_view probe, std::string_view column) const {
    for (const Table& table : probes_) {
        if (table.plan.probe->name() != probe) continue;
        for (std::size_t c = 0; c < table.columns.size(); ++c)
            if (table.columns[c].csvName() == column && !table.history[c].empty() && table.history[c].back().time == table.last) return table.history[c].back().mean;
    }
    return world::kUnknown;
}

Measurements::History Measurements::readBack(const io::Path& path, std::size_t columns, double& last) {
    History history(columns);
    last = world::kUnknown;
    const std::string text = io::readFile(path);
    std::string_view rest = text;
    const std::size_t header = rest.find('\n');
    rest.remove_prefix(header == std::string_view::npos ? rest.size() : header + 1);
    std::vector<double> rows;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::vector<double> line = numbersOf(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (line.size() != columns + 1) throw Error(ExitCode::io, fmt::format("'{}' is damaged: a row has {} cells instead of {}", path.string(), line.size(), columns + 1));
        if (!rows.empty() && line.front() != last) {
            remember(history, last, rows);
            rows.clear();
        }
        last = line.front();
        rows.insert(rows.end(), line.begin() + 1, line.end());
    }
    if (!rows.empty()) remember(history, last, rows);
    return history;
}

void Measurements::remember(History& history, double time, const std::vector<double>& rows) {
    const std::size_t width = history.size();
    for (std::size_t c = 0; c < width; ++c) {
        double sum = 0, count = 0, low = kNever, high = -kNever;
        for (std::size_t i = c; i < rows.size(); i += width) {
            if (!std::isfinite(rows[i])) continue;
            sum += rows[i];
            ++count;
            low = std::min(low, rows[i]);
            high = std::max(high, rows[i]);
        }
        if (count > 0) history[c].push_back({time, sum / count, low, high});
    }
}

void Measurements::sample(const Exec& exec, const world::Simulation& simulation, const std::vector<bool>& due, bool atFrame) {
    std::vector<Table*> tables;
    std::vector<world::Probe*> probes;
    for (std::size_t p = 0; p < probes_.size(); ++p) {
        if (probes_[p].plan.rate ? !due[p] : !atFrame) continue;
        tables.push_back(&probes_[p]);
        probes.push_back(probes_[p].plan.probe.get());
    }
    if (probes.empty()) return;
    const auto phase = exec.phase("probes");
    const std::vector<std::vector<double>> rows = world::sample(exec, simulation, probes);
    const double time = simulation.world().time;
    for (std::size_t p = 0; p < tables.size(); ++p) {
        Table& table = *tables[p];
        const std::size_t width = table.columns.size();
        if (table.next++ == 0) table.waiting += headerOf(table.columns);
        for (std::size_t i = 0; i < rows[p].size(); ++i) {
            if (i % width == 0) table.waiting += cell(time);
            table.waiting += "," + cell(rows[p][i]);
            if (i % width + 1 == width) table.waiting += '\n';
        }
        remember(table.history, time, rows[p]);
        table.last = time;
    }
}

void Measurements::removed(const world::Grains& grains, double time) {
    for (Table& table : probes_)
        if (table.plan.probe->wantsRemoved()) table.plan.probe->removed(grains, time);
}

void Measurements::flush() {
    for (Table& table : probes_) {
        if (table.waiting.empty()) continue;
        table.file->append(table.waiting);
        table.waiting.clear();
    }
}

void Measurements::save(Archive& archive) const {
    for (const Table& table : probes_) {
        const auto group = archive.group(table.plan.probe->name());
        archive.put("next", table.next);
        archive.put("bytes", table.file->length());
        const auto state = archive.group("state");
        table.plan.probe->save(archive);
    }
}

// Without results of its own a probe gives the last value and the mean over the last half of its time, of every column.
std::vector<world::Reduction> Measurements::reductionsOf(const Table& table, const History& history) {
    if (!table.plan.results.empty()) return table.plan.results;
    std::vector<world::Reduction> standard;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const std::string column = table.columns[c].csvName();
        const double last = history[c].empty() ? 0 : history[c].back().time;
        standard.push_back({column + ".last", column, world::Reduce::last, 50, {}, {}});
        standard.push_back({column + ".mean", column, world::Reduce::mean, 50, 0.5 * last, last});
    }
    return standard;
}

// Closed tables come under the names of their files, the present one under the name of the probe.
std::string Measurements::resultsJson() const {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    const auto resultsOf = [](const Table& table, const History& history) {
        nlohmann::ordered_json results = nlohmann::ordered_json::object();
        for (const world::Reduction& reduction : reductionsOf(table, history)) {
            const auto column = std::ranges::find_if(table.columns, [&](const world::ProbeColumn& c) { return c.csvName() == reduction.column; });
            const world::Reduced reduced = world::reduce(history[static_cast<std::size_t>(column - table.columns.begin())], reduction);
            const bool slope = reduction.reduce == world::Reduce::slope;
            nlohmann::ordered_json& entry = results[reduction.name];
            entry["value"] = std::isfinite(reduced.value) ? nlohmann::ordered_json(reduced.value) : nlohmann::ordered_json();
            entry["unit"] = slope ? (column->unit == "1" ? "1/s" : column->unit + "/s") : column->unit;
            entry["column"] = reduction.column;
            entry["reduce"] = world::kReduceNames[static_cast<std::size_t>(reduction.reduce)];
            if (reduction.reduce == world::Reduce::percentile) entry["percentile"] = reduction.percentile;
            if (reduction.from) entry["from_s"] = *reduction.from;
            if (reduction.to) entry["to_s"] = *reduction.to;
            entry["samples"] = reduced.samples;
        }
        return results;
    };
    for (const Table& table : probes_) {
        const std::string& name = table.plan.probe->name();
        for (const auto& [stage, history] : table.closed) json[name + "." + stage] = resultsOf(table, history);
        json[name] = resultsOf(table, table.history);
    }
    return json.dump(2) + "\n";
}

std::vector<Result> readResults(const io::Path& directory) {
    const io::Path path = directory / "results.json";
    if (!std::filesystem::exists(path)) return {};
    std::vector<Result> results;
    try {
        const auto json = nlohmann::ordered_json::parse(io::readFile(path));
        for (const auto& [probe, entries] : json.items())
            for (const auto& [name, entry] : entries.items()) {
                const auto& value = entry.at("value");
                results.push_back({probe, name, entry.at("unit").get<std::string>(), entry.at("reduce").get<std::string>(), value.is_null() ? world::kUnknown : value.get<double>()});
            }
    } catch (const nlohmann::json::exception& error) {
        const std::string_view what = error.what();
        throw Error(ExitCode::io, fmt::format("'{}' is damaged: {}", path.string(), what.substr(what.find("] ") + 2)));
    }
    return results;
}

}  // namespace talus::run
