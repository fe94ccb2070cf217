// SPDX-License-Identifier: Apache-2.0
#include "scene/reader.h"

#include "scene/overrides.h"
#include "scene/suggestion.h"
#include "scene/units.h"
#include "scene/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

namespace talus::scene {

std::string rangeText(const Range& range) {
    const bool below = std::isfinite(range.min), above = std::isfinite(range.max);
    if (below && above && !range.minExcluded && !range.maxExcluded) return fmt::format("between {} and {}", range.min, range.max);
    std::string text;
    if (below) text = fmt::format("{} {}", range.minExcluded ? "greater than" : "at least", range.min);
    if (above) text += fmt::format("{}{} {}", below ? " and " : "", range.maxExcluded ? "less than" : "at most", range.max);
    return text;
}

std::string Reader::pathOf(std::string_view key) const {
    if (key.empty()) return path_;
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

void Reader::error(const Value& value, std::string_view path, std::string message) {
    misread_ = true;
    context_.diagnostics.error(value.place, path, std::move(message));
}

void Reader::problem(std::string_view key, std::string message) {
    if (misread_) return;
    const Value* value = table_ ? table_->find(key) : nullptr;
    context_.diagnostics.error(value ? value->place : place_, pathOf(key), std::move(message));
}

void Reader::reportUnknownKeys() const {
    if (!table_ || !kindKnown_) return;
    for (const Entry& entry : table_->entries) {
        if (std::ranges::find(known_, entry.key) != known_.end()) continue;
        const std::string path = pathOf(entry.key);
        const std::string_view elsewhere = nearest(entry.key, suggested_);
        const std::string hint =
            elsewhere.empty() ? suggestion(entry.key, known_, "keys here") : fmt::format("; did you mean '{}'?", elsewhere);
        context_.diagnostics.error(entry.place, path, fmt::format("unknown key '{}'{}", path, hint));
    }
}

const Value* Reader::take(const Key& key) {
    known_.push_back(key.name);
    const Value* value = table_ ? table_->find(key.name) : nullptr;
    if (!value && key.required) {
        misread_ = true;
        context_.diagnostics.error(place_, pathOf(key.name), fmt::format("missing key '{}': {}", pathOf(key.name), key.help));
    }
    return value;
}

// ---- single values -------------------------------------------------------------------------------------------------

std::optional<double> Reader::readNumber(const Value& value, const Key& key, std::string_view path) {
    double number = 0;
    if (const auto* text = value.as<std::string>()) {
        if (text->starts_with('=')) {
            Evaluated result = context_.evaluate(std::string_view(*text).substr(1));
            if (!result.problem.empty()) return error(value, path, fmt::format("'{}': {}", path, result.problem)), std::nullopt;
            number = result.value;
        } else {
            const bool any = context_.units == Units::any;
            const bool bare = key.unitAlone && !text->empty() && text->find_first_of("0123456789+-.") != 0;
            Converted result = any ? convertAnyUnit(*text) : convertUnit(bare ? "1 " + *text : *text, key.dimension);
            const std::string_view noun = any ? "a number" : dimensionInfo(key.dimension).noun;
            if (!result.problem.empty())
                return error(value, path, fmt::format("'{}' is {}: {}", path, noun, result.problem)), std::nullopt;
            number = result.value;
        }
    } else if (const auto* real = value.as<double>()) {
        number = *real;
    } else if (const auto* integer = value.as<std::int64_t>()) {
        number = static_cast<double>(*integer);
    } else {
        return error(value, path, fmt::format("'{}' must be a number, not {}", path, value.typeName())), std::nullopt;
    }
    if (!std::isfinite(number))
        return error(value, path, fmt::format("'{}' is {}; it must be a finite number", path, number)), std::nullopt;
    if (!key.range.contains(number))
        return error(value, path, fmt::format("'{}' is {}; it must be {}", path, number, rangeText(key.range))), std::nullopt;
    return number;
}

std::optional<std::int64_t> Reader::readInteger(const Value& value, const Key& key, std::string_view path) {
    if (const auto* integer = value.as<std::int64_t>(); integer && key.range.contains(static_cast<double>(*integer)))
        return *integer;
    const std::optional<double> number = readNumber(value, key, path);
    if (!number) return std::nullopt;
    static constexpr double kMost = 9007199254740992.0;   // 2^53: above it a double skips whole numbers
    if (*number != std::round(*number) || std::abs(*number) > kMost)
        return error(value, path, fmt::format("'{}' is {}; it must be a whole number", path, *number)), std::nullopt;
    return static_cast<std::int64_t>(*number);
}

std::optional<std::string> Reader::readText(const Value& value, std::string_view path) {
    if (const auto* text = value.as<std::string>()) return *text;
    return error(value, path, fmt::format("'{}' must be a text in quotes, not {}", path, value.typeName())), std::nullopt;
}

std::optional<int> Reader::readChoice(const Value& value, std::span<const std::string_view> options,
                                      std::string_view path) {
    const std::optional<std::string> text = readText(value, path);
    if (!text) return std::nullopt;
    const auto found = std::ranges::find(options, *text);
    if (found != options.end()) return static_cast<int>(found - options.begin());
    const std::string_view near = nearest(*text, options);
    error(value, path,
          fmt::format("'{}' is \"{}\"; {}choices are {}", path, *text,
                      near.empty() ? "" : fmt::format("did you mean \"{}\"? The ", near), quotedList(options, '"')));
    return std::nullopt;
}

void Reader::number(const Key& key, double& out) {
    if (const Value* value = take(key)) out = readNumber(*value, key, pathOf(key.name)).value_or(out);
}
void Reader::number(const Key& key, std::optional<double>& out) {
    if (const Value* value = take(key)) out = readNumber(*value, key, pathOf(key.name));
}
void Reader::integer(const Key& key, std::int64_t& out) {
    if (const Value* value = take(key)) out = readInteger(*value, key, pathOf(key.name)).value_or(out);
}
void Reader::integer(const Key& key, std::optional<std::int64_t>& out) {
    if (const Value* value = take(key)) out = readInteger(*value, key, pathOf(key.name));
}
void Reader::flag(const Key& key, bool& out) {
    std::optional<bool> given;
    flag(key, given);
    out = given.value_or(out);
}
void Reader::flag(const Key& key, std::optional<bool>& out) {
    const Value* value = take(key);
    if (!value) return;
    if (const bool* given = value->as<bool>()) out = *given;
    else error(*value, pathOf(key.name), fmt::format("'{}' must be true or false, not {}", pathOf(key.name), value->typeName()));
}
void Reader::text(const Key& key, std::string& out) {
    if (const Value* value = take(key)) out = readText(*value, pathOf(key.name)).value_or(out);
}
void Reader::text(const Key& key, std::optional<std::string>& out) {
    if (const Value* value = take(key)) out = readText(*value, pathOf(key.name));
}
void Reader::chooseIndex(const Key& key, std::span<const std::string_view> options, int& index) {
    if (const Value* value = take(key)) index = readChoice(*value, options, pathOf(key.name)).value_or(index);
}

// ---- lists of numbers and texts ------------------------------------------------------------------------------------

std::optional<std::vector<double>> Reader::readNumbers(const Value& value, const Key& key, std::string_view path,
                                                       std::optional<std::size_t> count) {
    const Array* items = value.as<Array>();
    if (!items || (count && items->size() != *count)) {
        const std::string found = items ? fmt::format("{}", items->size()) : std::string(value.typeName());
        const std::string wanted = count ? fmt::format("a list of {} numbers", *count) : "a list of numbers";
        return error(value, path, fmt::format("'{}' must be {}, not {}", path, wanted, found)), std::nullopt;
    }
    std::vector<double> numbers;
    for (std::size_t i = 0; i < items->size(); ++i)
        if (const auto number = readNumber((*items)[i], key, fmt::format("{}[{}]", path, i))) numbers.push_back(*number);
    if (numbers.size() != items->size()) return std::nullopt;
    return numbers;
}

void Reader::vector(const Key& key, std::optional<Vec3>& out) {
    const Value* value = take(key);
    if (!value) return;
    if (const auto numbers = readNumbers(*value, key, pathOf(key.name), 3))
        out = Vec3{(*numbers)[0], (*numbers)[1], (*numbers)[2]};
}
void Reader::vector(const Key& key, Vec3& out) {
    std::optional<Vec3> given;
    vector(key, given);
    out = given.value_or(out);
}
void Reader::numbers(const Key& key, std::vector<double>& out) {
    if (const Value* value = take(key)) out = readNumbers(*value, key, pathOf(key.name), std::nullopt).value_or(out);
}

// ---- schedules -----------------------------------------------------------------------------------------------------

namespace {

constexpr Key kTimeKey{"", "", Dimension::time};

constexpr int componentsOf(const double&) { return 1; }
constexpr int componentsOf(const Vec3&) { return 3; }
double fromNumbers(const double* numbers, double) { return numbers[0]; }
Vec3 fromNumbers(const double* numbers, Vec3) { return {numbers[0], numbers[1], numbers[2]}; }
bool outside(const Range& range, double mean, double amplitude) {
    return !range.contains(mean - std::abs(amplitude)) || !range.contains(mean + std::abs(amplitude));
}
bool outside(const Range& range, const Vec3& mean, const Vec3& amplitude) {
    return outside(range, mean.x, amplitude.x) || outside(range, mean.y, amplitude.y) || outside(range, mean.z, amplitude.z);
}

}  // namespace

void Reader::schedule(const Key& key, Schedule<double>& out) { readSchedule(key, out); }
void Reader::schedule(const Key& key, Schedule<Vec3>& out) { readSchedule(key, out); }

template <class T>
void Reader::readSchedule(const Key& key, Schedule<T>& out) {
    const Value* value = take(key);
    if (!value) return;
    const std::string path = pathOf(key.name);
    if (!value->as<Table>()) {
        if constexpr (std::is_same_v<T, double>) {
            if (const auto number = readNumber(*value, key, path)) out = *number;
        } else if (const auto numbers = readNumbers(*value, key, path, 3)) {
            out = fromNumbers(numbers->data(), Vec3{});
        }
        return;
    }
    readTable(*value, key, path, [&](Reader& inside) {
        const Value* table = inside.take({"table", ""});
        const auto read = table ? inside.readTimeTable<T>(*table, key, inside.pathOf("table")) : inside.readSine<T>(key);
        if (read) out = *read;
        else misread_ = true;
    });
}

template <class T>
std::optional<Schedule<T>> Reader::readTimeTable(const Value& value, const Key& key, std::string_view path) {
    constexpr std::size_t kWidth = 1 + componentsOf(T{});
    const Array* items = value.as<Array>();
    if (!items || items->empty())
        return error(value, path, fmt::format("'{}' must be a list of rows [time, {}]", path, kWidth == 2 ? "value" : "x, y, z")), std::nullopt;
    TimeTable<T> table;
    for (std::size_t i = 0; i < items->size(); ++i) {
        const std::string rowPath = fmt::format("{}[{}]", path, i);
        const Array* row = (*items)[i].template as<Array>();
        if (!row || row->size() != kWidth)
            return error((*items)[i], rowPath, fmt::format("'{}' must be a row [time, {}]", rowPath, kWidth == 2 ? "value" : "x, y, z")), std::nullopt;
        std::array<double, kWidth> numbers{};
        for (std::size_t c = 0; c < kWidth; ++c) {
            const auto number = readNumber((*row)[c], c == 0 ? kTimeKey : key, fmt::format("{}[{}]", rowPath, c));
            if (!number) return std::nullopt;
            numbers[c] = *number;
        }
        if (!table.times.empty() && numbers[0] < table.times.back())
            return error((*items)[i], rowPath, fmt::format("the times of '{}' must ascend: {} follows {}", path, numbers[0], table.times.back())), std::nullopt;
        table.times.push_back(numbers[0]);
        table.values.push_back(fromNumbers(&numbers[1], T{}));
    }
    return table;
}

template <class T>
std::optional<Schedule<T>> Reader::readSine(const Key& key) {
    Sine<T> sine;
    const Key mean{"mean", "value about which it swings", key.dimension}, amplitude{.name = "amplitude", .help = "largest departure from mean", .dimension = key.dimension, .required = true};
    if constexpr (std::is_same_v<T, double>) {
        number(mean, sine.mean);
        number(amplitude, sine.amplitude);
    } else {
        vector(mean, sine.mean);
        vector(amplitude, sine.amplitude);
    }
    number({.name = "frequency", .help = "oscillations per second", .dimension = Dimension::frequency, .range = positive(), .required = true}, sine.frequency);
    number({"phase_deg", "phase at time 0", Dimension::angle}, sine.phaseDeg);
    if (!misread_ && outside(key.range, sine.mean, sine.amplitude))
        problem("amplitude", fmt::format("'{}' must be {} at all times; make the amplitude smaller or the mean greater", path_, rangeText(key.range)));
    if (misread_) return std::nullopt;
    return sine;
}

void Reader::texts(const Key& key, std::vector<std::string>& out) {
    const Value* value = take(key);
    if (!value) return;
    const Array* items = value->as<Array>();
    if (!items)
        return error(*value, pathOf(key.name),
                     fmt::format("'{}' must be a list of texts, [\"…\", \"…\"], not {}", pathOf(key.name), value->typeName()));
    out.clear();
    for (std::size_t i = 0; i < items->size(); ++i)
        if (auto text = readText((*items)[i], fmt::format("{}[{}]", pathOf(key.name), i))) out.push_back(std::move(*text));
}

void Reader::changes(const Key& key, std::vector<KeyChange>& out) {
    const Value* value = take(key);
    if (!value) return;
    const Table* table = value->as<Table>();
    if (!table) {
        const std::string path = pathOf(key.name);
        return error(*value, path, fmt::format("'{}' must be a table of changes, {{ \"bodies.gate.motion\" = … }}, not {}", path, value->typeName()));
    }
    out.clear();
    for (const Override& change : overridesIn(*table)) out.push_back({change.path, valueText(change.value)});
}

void Reader::rows(const Key& key, int width, std::vector<double>& out) {
    const Value* value = take(key);
    if (!value) return;
    const std::string path = pathOf(key.name);
    const Array* items = value->as<Array>();
    if (!items)
        return error(
            *value, path,
            fmt::format("'{}' must be a list of rows of {} numbers, [[…], […]], not {}", path, width, value->typeName()));
    out.clear();
    for (std::size_t i = 0; i < items->size(); ++i)
        if (const auto row = readNumbers((*items)[i], key, fmt::format("{}[{}]", path, i), static_cast<std::size_t>(width)))
            out.insert(out.end(), row->begin(), row->end());
}

void Reader::rows(const Key& key, std::vector<std::vector<double>>& out) {
    const Value* value = take(key);
    if (!value) return;
    const std::string path = pathOf(key.name);
    const Array* items = value->as<Array>();
    if (!items) return error(*value, path, fmt::format("'{}' must be a list of rows of numbers, [[…], […]], not {}", path, value->typeName()));
    out.clear();
    for (std::size_t i = 0; i < items->size(); ++i)
        if (auto row = readNumbers((*items)[i], key, fmt::format("{}[{}]", path, i), std::nullopt)) out.push_back(std::move(*row));
}

// ---- tables --------------------------------------------------------------------------------------------------------

void Reader::readTable(const Value& value, const Key& key, const std::string& path, FunctionRef<void(Reader&)> body) {
    Table written;   // what a shorthand stands for
    const Table* table = value.as<Table>();
    if (!table && !key.shorthand.empty() && value.as<std::string>()) {
        written.insert(key.shorthand, value.place) = value;
        table = &written;
    }
    if (!table) {
        const bool atTheTop = path.find_first_of(".[") == std::string::npos;
        const std::string form = atTheTop ? fmt::format("a table under [{}]", path) : "a table, { … }";
        const std::string_view orText = key.shorthand.empty() ? "" : "a text or ";
        return error(value, path, fmt::format("'{}' must be {}{}, not {}", path, orText, form, value.typeName()));
    }
    Reader inside(context_, table, path, value.place);
    body(inside);
    inside.reportUnknownKeys();
}

void Reader::table(const Key& key, FunctionRef<void(KeyVisitor&)> body) {
    if (const Value* value = take(key)) return readTable(*value, key, pathOf(key.name), [&](Reader& inside) { body(inside); });
    if (key.required) return;
    Reader inside(context_, nullptr, pathOf(key.name), place_);
    body(inside);
}

void Reader::table(const Key& key, bool& present, FunctionRef<void(KeyVisitor&)> body) {
    const Value* value = take(key);
    present = value != nullptr;
    if (value) readTable(*value, key, pathOf(key.name), [&](Reader& inside) { body(inside); });
}

void Reader::oneOf(const Key& key, std::span<const std::string_view> kinds, int /*current*/,
                   FunctionRef<void(int, KeyVisitor&)> body) {
    if (key.name.empty()) return readKind(kinds, body);
    if (const Value* value = take(key))
        readTable(*value, key, pathOf(key.name), [&](Reader& inside) { inside.readKind(kinds, body); });
}

void Reader::readKind(std::span<const std::string_view> kinds, FunctionRef<void(int, KeyVisitor&)> body) {
    known_.push_back("type");
    const Value* type = table_ ? table_->find("type") : nullptr;
    if (!type)
        context_.diagnostics.error(place_, pathOf("type"),
                                   fmt::format("missing key '{}'; choices are {}", pathOf("type"), quotedList(kinds, '"')));
    const std::optional<int> kind = type ? readChoice(*type, kinds, pathOf("type")) : std::nullopt;
    kindKnown_ = kind.has_value();
    if (kind) body(*kind, *this);
}

void Reader::visitList(const Key& key, std::size_t /*count*/, FunctionRef<void(std::size_t)> resize,
                       FunctionRef<void(std::size_t, KeyVisitor&)> item) {
    const Value* value = take(key);
    if (!value) return;
    const std::string path = pathOf(key.name);
    const Array* items = value->as<Array>();
    if (!items && key.shorthand.empty()) {
        const std::string form =
            path_.empty() ? fmt::format("a list of tables, each under [[{}]]", path) : "a list of tables, [{ … }, { … }]";
        return error(*value, path, fmt::format("'{}' must be {}, not {}", path, form, value->typeName()));
    }
    if (items && !key.shorthand.empty() && std::ranges::none_of(*items, [](const Value& entry) { return entry.as<Table>() || entry.as<std::string>(); }) && !items->empty())
        return error(*value, path, fmt::format("'{}' must be a text, a table or a list of these, not a list of values like {}; it is {}", path, items->front().typeName(), key.help));
    resize(items ? items->size() : 1);
    if (!items) return readTable(*value, key, path, [&](Reader& inside) { item(0, inside); });
    for (std::size_t i = 0; i < items->size(); ++i)
        readTable((*items)[i], key, fmt::format("{}[{}]", path, i), [&](Reader& inside) { item(i, inside); });
}

}  // namespace talus::scene
