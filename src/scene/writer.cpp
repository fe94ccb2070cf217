// SPDX-License-Identifier: Apache-2.0
#include "scene/writer.h"

#include <fmt/format.h>

#include <cmath>

namespace talus::scene {

namespace {

template <class Items, class Text>
std::string bracketed(const Items& items, Text text) {
    std::string list;
    for (const auto& item : items) list += fmt::format("{}{}", list.empty() ? "" : ", ", text(item));
    return fmt::format("[{}]", list);
}

std::string listText(std::span<const double> numbers) { return bracketed(numbers, numberText); }

}  // namespace

template <class Body>
std::string TomlWriter::inlineTable(Body body) const {
    TomlWriter inside(Layout::inlineTable, files_);
    body(inside);
    const std::string keys = inside.text();
    return keys.empty() ? "{}" : fmt::format("{{ {} }}", keys);
}

std::string numberText(double value) {
    if (value == 0) return std::signbit(value) ? "-0.0" : "0";   // TOML reads -0 as the whole number 0
    return fmt::format("{}", value);
}

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += {'\\', c};
        else if (c == '\n') result += "\\n";
        else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            result += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        else result += c;
    }
    return result + "\"";
}

std::string valueText(const Value& value) {
    if (const Table* table = value.as<Table>()) {
        std::string entries;
        for (const Entry& entry : table->entries)
            entries += fmt::format("{}{} = {}", entries.empty() ? " " : ", ", quoted(entry.key), valueText(entry.value));
        return fmt::format("{{{}}}", entries.empty() ? "" : entries + " ");
    }
    if (const Array* items = value.as<Array>()) return bracketed(*items, [](const Value& item) { return valueText(item); });
    if (const std::string* text = value.as<std::string>()) return quoted(*text);
    if (const double* number = value.as<double>()) {
        if (!std::isfinite(*number)) return fmt::format("{}", *number);   // inf and nan are TOML too
        return numberText(*number);
    }
    if (const std::int64_t* number = value.as<std::int64_t>()) return std::to_string(*number);
    return *value.as<bool>() ? "true" : "false";
}

void TomlWriter::put(std::string_view key, std::string_view value) {
    if (layout_ == Layout::inlineTable) lines_ += fmt::format("{}{} = {}", lines_.empty() ? "" : ", ", key, value);
    else lines_ += fmt::format("{} = {}\n", key, value);
}

void TomlWriter::number(const Key& key, double& value) { put(key.name, numberText(value)); }
void TomlWriter::number(const Key& key, std::optional<double>& value) {
    if (value) number(key, *value);
}
void TomlWriter::integer(const Key& key, std::int64_t& value) { put(key.name, std::to_string(value)); }
void TomlWriter::integer(const Key& key, std::optional<std::int64_t>& value) {
    if (value) integer(key, *value);
}
void TomlWriter::flag(const Key& key, bool& value) { put(key.name, value ? "true" : "false"); }
void TomlWriter::flag(const Key& key, std::optional<bool>& value) {
    if (value) flag(key, *value);
}
void TomlWriter::text(const Key& key, std::string& value) { put(key.name, quoted(value)); }
void TomlWriter::text(const Key& key, std::optional<std::string>& value) {
    if (value) text(key, *value);
}
void TomlWriter::vector(const Key& key, Vec3& value) {
    put(key.name, bracketed(std::array{value.x, value.y, value.z}, numberText));
}
void TomlWriter::vector(const Key& key, std::optional<Vec3>& value) {
    if (value) vector(key, *value);
}
namespace {

std::string valueText(double value) { return numberText(value); }
std::string valueText(const Vec3& v) { return fmt::format("[{}, {}, {}]", numberText(v.x), numberText(v.y), numberText(v.z)); }
std::string rowText(double time, double value) { return listText(std::array{time, value}); }
std::string rowText(double time, const Vec3& v) { return listText(std::array{time, v.x, v.y, v.z}); }

template <class T>
std::string scheduleText(const Schedule<T>& schedule) {
    if (const T* value = std::get_if<T>(&schedule.form())) return valueText(*value);
    if (const auto* table = std::get_if<TimeTable<T>>(&schedule.form())) {
        std::string rows;
        for (std::size_t i = 0; i < table->times.size(); ++i) rows += (i == 0 ? "" : ", ") + rowText(table->times[i], table->values[i]);
        return fmt::format("{{ table = [{}] }}", rows);
    }
    const auto& sine = std::get<Sine<T>>(schedule.form());
    return fmt::format("{{ mean = {}, amplitude = {}, frequency = {}, phase_deg = {} }}", valueText(sine.mean), valueText(sine.amplitude),
                       numberText(sine.frequency), numberText(sine.phaseDeg));
}

}  // namespace

void TomlWriter::schedule(const Key& key, Schedule<double>& value) { put(key.name, scheduleText(value)); }
void TomlWriter::schedule(const Key& key, Schedule<Vec3>& value) { put(key.name, scheduleText(value)); }
void TomlWriter::numbers(const Key& key, std::vector<double>& values) { put(key.name, listText(values)); }
void TomlWriter::texts(const Key& key, std::vector<std::string>& values) { put(key.name, bracketed(values, quoted)); }
void TomlWriter::chooseIndex(const Key& key, std::span<const std::string_view> options, int& index) {
    put(key.name, quoted(options[static_cast<std::size_t>(index)]));
}

void TomlWriter::rows(const Key& key, int width, std::vector<double>& values) {
    std::string list;
    for (std::size_t i = 0; i < values.size(); i += static_cast<std::size_t>(width))
        list += fmt::format("{}{}", list.empty() ? "" : ", ",
                            listText(std::span(values).subspan(i, static_cast<std::size_t>(width))));
    put(key.name, fmt::format("[{}]", list));
}

void TomlWriter::rows(const Key& key, std::vector<std::vector<double>>& values) {
    if (!values.empty()) put(key.name, bracketed(values, [](const std::vector<double>& row) { return listText(row); }));
}

void TomlWriter::file(const Key& key, std::string& name) {
    const auto found = files_ != nullptr ? files_->find(name) : TomlWriter::FileNames::const_iterator{};
    put(key.name, quoted(files_ != nullptr && found != files_->end() ? found->second : name));
}
void TomlWriter::file(const Key& key, std::optional<std::string>& name) {
    if (name) file(key, *name);
}

void TomlWriter::changes(const Key& key, std::vector<KeyChange>& changes) {
    if (changes.empty()) return;
    std::string list;
    for (const KeyChange& change : changes)
        list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", quoted(change.path), change.value);
    put(key.name, fmt::format("{{ {} }}", list));
}

void TomlWriter::table(const Key& key, FunctionRef<void(KeyVisitor&)> body) {
    if (layout_ != Layout::file) return put(key.name, inlineTable(body));
    TomlWriter section(Layout::section, files_);
    body(section);
    sections_ += fmt::format("\n[{}]\n{}", key.name, section.text());
}
void TomlWriter::table(const Key& key, bool& present, FunctionRef<void(KeyVisitor&)> body) {
    if (present) table(key, body);
}

void TomlWriter::oneOf(const Key& key, std::span<const std::string_view> kinds, int current,
                       FunctionRef<void(int, KeyVisitor&)> body) {
    const auto kind = [&](TomlWriter& writer) {
        writer.put("type", quoted(kinds[static_cast<std::size_t>(current)]));
        body(current, writer);
    };
    if (key.name.empty()) kind(*this);
    else put(key.name, inlineTable(kind));
}

void TomlWriter::visitList(const Key& key, std::size_t count, FunctionRef<void(std::size_t)> /*resize*/,
                           FunctionRef<void(std::size_t, KeyVisitor&)> item) {
    std::string list;
    for (std::size_t i = 0; i < count; ++i) {
        if (layout_ == Layout::file) {
            TomlWriter section(Layout::section, files_);
            item(i, section);
            sections_ += fmt::format("\n[[{}]]\n{}", key.name, section.text());
        } else {
            list += fmt::format("{}{}", i == 0 ? "" : ", ", inlineTable([&](KeyVisitor& v) { item(i, v); }));
        }
    }
    if (layout_ != Layout::file) put(key.name, fmt::format("[{}]", list));
}

}  // namespace talus::scene
