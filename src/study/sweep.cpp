// SPDX-License-Identifier: Apache-2.0
#include "study/sweep.h"

#include "core/problems.h"
#include "io/csv_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <csignal>
#include <limits>

namespace talus::study {

namespace {

constexpr double kMostCases = 100'000;

/// At commas outside of brackets, braces and quotes.
std::vector<std::string> splitValues(std::string_view text) {
    std::vector<std::string> values(1);
    int depth = 0;
    char quote = 0;
    for (const char c : text) {
        if (quote != 0) quote = c == quote ? '\0' : quote;
        else if (c == '"' || c == '\'') quote = c;
        else if (c == '[' || c == '{' || c == '(') ++depth;
        else if (c == ']' || c == '}' || c == ')') --depth;
        if (c == ',' && depth == 0 && quote == 0) values.emplace_back();
        else values.back() += c;
    }
    return values;
}

std::optional<double> number(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return {};
    return value;
}

/// A:B or A:B:STEP with numbers; nothing where it is not of that form.
std::optional<std::vector<std::string>> rangeOf(std::string_view text, std::string_view key) {
    std::vector<double> parts;
    for (std::size_t from = 0;;) {
        const std::size_t colon = text.find(':', from);
        const std::optional<double> part = number(text.substr(from, colon - from));
        if (!part) return {};
        parts.push_back(*part);
        if (colon == std::string_view::npos) break;
        from = colon + 1;
    }
    if (parts.size() < 2 || parts.size() > 3) return {};
    const double first = parts[0], last = parts[1], step = parts.size() == 3 ? parts[2] : 1;
    if (parts.size() == 2 && (first != std::floor(first) || last != std::floor(last)))
        throw Error(ExitCode::usage, fmt::format("--set {}: '{}' counts by ones, so both ends are whole numbers; write FIRST:LAST:STEP for other steps", key, text));
    const double count = std::floor((last - first) / step + 1e-9) + 1;
    if (!(count >= 1 && count <= kMostCases))
        throw Error(ExitCode::usage, fmt::format("--set {}: '{}' has no values, or more than {:.0f}; FIRST:LAST:STEP leads from FIRST to LAST", key, text, kMostCases));
    std::vector<std::string> values;
    for (double i = 0; i < count; ++i) values.push_back(fmt::format("{:.12g}", first + i * step));
    return values;
}

/// "kg/s" at the end of a name: "_kg_s"; nothing for what has no unit.
std::string unitEnding(const std::string& unit) {
    if (unit.empty() || unit == "1") return {};
    std::string ending = "_" + unit;
    for (char& c : ending)
        if (c == '/' || c == ' ') c = '_';
    for (const auto& [sign, digit] : {std::pair<std::string_view, std::string_view>{"²", "2"}, {"³", "3"}, {"°", "deg"}})
        for (std::size_t at; (at = ending.find(sign)) != std::string::npos;) ending.replace(at, sign.size(), digit);
    return ending;
}

nlohmann::ordered_json jsonOf(const CaseOutcome& o) {
    nlohmann::ordered_json json{{"exit_code", o.exitCode}, {"wall_s", o.wallSeconds}, {"message", o.message}, {"grains", o.grains}, {"steps", o.steps}, {"time_s", o.time}};
    for (const run::Result& r : o.results) {
        nlohmann::ordered_json value = nullptr;
        if (std::isfinite(r.value)) value = r.value;
        json["results"].push_back({{"probe", r.probe}, {"name", r.name}, {"unit", r.unit}, {"reduce", r.reduce}, {"value", value}});
    }
    return json;
}

CaseOutcome outcomeOf(const nlohmann::json& json) {
    CaseOutcome o{json.at("exit_code"), json.at("wall_s"), json.at("message"), {}, json.at("grains"), json.at("steps"), json.at("time_s")};
    for (const auto& r : json.value("results", nlohmann::json::array())) {
        const auto& value = r.at("value");
        o.results.push_back({r.at("probe"), r.at("name"), r.at("unit"), r.at("reduce"), value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>()});
    }
    return o;
}

}  // namespace

void requireDistinct(std::string_view option, const std::vector<std::string>& values) {
    for (std::size_t i = 1; i < values.size(); ++i)
        if (std::find(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(i), values[i]) != values.begin() + static_cast<std::ptrdiff_t>(i))
            throw Error(ExitCode::usage, fmt::format("{}: the value '{}' is given twice", option, values[i]));
}

Variation parseVariation(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size())
        throw Error(ExitCode::usage, fmt::format("--set '{}' is not KEY=VALUES; write --set outlet=0.03,0.04 or --set seed=1:5", text));
    Variation variation{std::string(text.substr(0, equals)), {}};
    for (const std::string& value : splitValues(text.substr(equals + 1))) {
        if (value.empty()) throw Error(ExitCode::usage, fmt::format("--set {}: there is an empty value between two commas", variation.key));
        if (const auto range = rangeOf(value, variation.key)) variation.values.insert(variation.values.end(), range->begin(), range->end());
        else variation.values.push_back(value);
    }
    requireDistinct(fmt::format("--set {}", variation.key), variation.values);
    return variation;
}

std::int64_t SweepPlan::cases() const {
    double count = 1;
    for (const Variation& v : variations) count *= static_cast<double>(v.values.size());
    if (count > kMostCases) throw Error(ExitCode::usage, fmt::format("these are {:.3g} cases; a sweep has at most {:.0f}", count, kMostCases));
    return static_cast<std::int64_t>(count);
}

std::vector<std::string> SweepPlan::valuesOf(std::int64_t number) const {
    std::vector<std::string> values(variations.size());
    for (std::size_t i = variations.size(); i-- > 0;) {
        const auto count = static_cast<std::int64_t>(variations[i].values.size());
        values[i] = variations[i].values[static_cast<std::size_t>(number % count)];
        number /= count;
    }
    return values;
}

scene::Request SweepPlan::requestOf(std::int64_t number) const {
    scene::Request asked = request;
    const std::vector<std::string> values = valuesOf(number);
    for (std::size_t i = 0; i < variations.size(); ++i) {
        if (variations[i].key == "method") asked.method = values[i];
        else asked.sets.push_back(variations[i].key + "=" + values[i]);
    }
    return asked;
}

std::string SweepPlan::folderOf(std::int64_t number) const { return fmt::format("{:0{}}", number + 1, std::max<std::size_t>(3, std::to_string(cases()).size())); }

bool CaseOutcome::stopped() const {
    return exitCode == static_cast<int>(ExitCode::timeUp) || exitCode == static_cast<int>(ExitCode::interrupted) || exitCode == static_cast<int>(ExitCode::terminated);
}

bool CaseOutcome::unfinished() const { return stopped() || exitCode == -SIGINT || exitCode == -SIGTERM; }

std::string SweepRecord::json() const {
    nlohmann::ordered_json json{{"scene", plan.request.scene}, {"variant", plan.request.variant.value_or("")}, {"precision", plan.request.precision.value_or("")}, {"sets", plan.request.sets}};
    json["variations"] = nlohmann::ordered_json::array();
    for (const Variation& v : plan.variations) json["variations"].push_back({{"key", v.key}, {"values", v.values}});
    json["fingerprint"] = scene;
    json["cases"] = nlohmann::ordered_json::array();
    for (const std::optional<CaseOutcome>& outcome : outcomes) json["cases"].push_back(outcome ? jsonOf(*outcome) : nlohmann::ordered_json(nullptr));
    return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

SweepRecord SweepRecord::parse(std::string_view text, std::string_view origin) {
    SweepRecord record;
    try {
        const auto json = nlohmann::json::parse(text);
        record.plan.request.scene = json.at("scene");
        if (const std::string variant = json.at("variant"); !variant.empty()) record.plan.request.variant = variant;
        if (const std::string precision = json.at("precision"); !precision.empty()) record.plan.request.precision = precision;
        json.at("sets").get_to(record.plan.request.sets);
        for (const auto& v : json.at("variations")) record.plan.variations.push_back({v.at("key"), v.at("values").get<std::vector<std::string>>()});
        record.scene = json.value("fingerprint", "");
        for (const auto& o : json.at("cases")) record.outcomes.push_back(o.is_null() ? std::nullopt : std::optional(outcomeOf(o)));
        if (static_cast<std::int64_t>(record.outcomes.size()) != record.plan.cases()) throw Error(ExitCode::io, fmt::format("'{}' is damaged: it has another number of cases than its values make", origin));
    } catch (const nlohmann::json::exception& error) {
        const std::string_view what = error.what();   // "[json.exception.parse_error.101] parse error at line 1, …"
        throw Error(ExitCode::io, fmt::format("'{}' is damaged: {}", origin, what.substr(what.find("] ") + 2)));
    }
    return record;
}

std::string SweepColumn::title() const { return fmt::format("{}.{}{}", probe, name, unitEnding(unit)); }

double SweepColumn::valueIn(const CaseOutcome& outcome) const {
    const auto found = std::ranges::find_if(outcome.results, [&](const run::Result& r) { return r.probe == probe && r.name == name; });
    return found == outcome.results.end() ? std::numeric_limits<double>::quiet_NaN() : found->value;
}

std::vector<SweepColumn> columnsOf(const SweepRecord& record) {
    std::vector<SweepColumn> columns;
    for (const std::optional<CaseOutcome>& outcome : record.outcomes) {
        if (!outcome) continue;
        for (const run::Result& r : outcome->results)
            if (std::ranges::none_of(columns, [&](const SweepColumn& c) { return c.probe == r.probe && c.name == r.name; })) columns.push_back({r.probe, r.name, r.unit});
    }
    return columns;
}

std::string sweepTable(const SweepRecord& record) {
    const std::vector<SweepColumn> columns = columnsOf(record);
    std::string text = "case";
    for (const Variation& v : record.plan.variations) text += "," + io::csvCell(v.key);
    text += ",exit_code,wall_s,grains,steps,time_s";
    for (const SweepColumn& column : columns) text += "," + io::csvCell(column.title());
    text += ",message\n";
    for (std::size_t i = 0; i < record.outcomes.size(); ++i) {
        if (!record.outcomes[i]) continue;
        const CaseOutcome& o = *record.outcomes[i];
        text += record.plan.folderOf(static_cast<std::int64_t>(i));
        for (const std::string& value : record.plan.valuesOf(static_cast<std::int64_t>(i))) text += "," + io::csvCell(value);
        text += fmt::format(",{},{:.3f},{},{},{:.9g}", o.exitCode, o.wallSeconds, o.grains, o.steps, o.time);
        for (const SweepColumn& column : columns) {
            const double value = column.valueIn(o);
            text += std::isfinite(value) ? fmt::format(",{}", value) : ",";
        }
        text += "," + io::csvCell(o.message) + "\n";
    }
    return text;
}

}  // namespace talus::study
