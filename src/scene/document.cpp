// SPDX-License-Identifier: Apache-2.0
#include "scene/document.h"

#include "core/problems.h"
#include "scene/key_path.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <tuple>

namespace talus::scene {

namespace {

Place placeOf(const toml::source_region& region, std::string_view source) {
    return {std::string(source), static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

Value convert(const toml::node& node, std::string_view source);

Table convertTable(const toml::table& from, std::string_view source) {
    Table table{.entries = {}, .isInline = from.is_inline()};
    for (const auto& [key, node] : from)
        table.entries.push_back({std::string(key.str()), placeOf(key.source(), source), convert(node, source)});
    std::ranges::stable_sort(table.entries, {}, [](const Entry& e) { return std::tuple(e.place.line, e.place.column); });
    return table;
}

Value convert(const toml::node& node, std::string_view source) {
    Value value{placeOf(node.source(), source), false};
    if (const auto* table = node.as_table()) {
        value.data = convertTable(*table, source);
    } else if (const auto* array = node.as_array()) {
        Array items;
        for (const toml::node& item : *array) items.push_back(convert(item, source));
        value.data = std::move(items);
    } else if (const auto* text = node.as_string()) {
        value.data = text->get();
    } else if (const auto* real = node.as_floating_point()) {
        value.data = real->get();
    } else if (const auto* integer = node.as_integer()) {
        value.data = integer->get();
    } else if (const auto* boolean = node.as_boolean()) {
        value.data = boolean->get();
    } else {
        throw Error(ExitCode::usage,
                    fmt::format("{}: a scene has no dates; write a number, or a text in quotes", value.place.text()));
    }
    return value;
}

void placeAll(Value& value, const Place& place) {
    value.place = place;
    if (Table* table = value.as<Table>())
        for (Entry& entry : table->entries) {
            entry.place = place;
            placeAll(entry.value, place);
        }
    if (Array* items = value.as<Array>())
        for (Value& item : *items) placeAll(item, place);
}

/// toml++ limits how deep brackets nest, but makes a table for every part of a dotted key, and its destructors recurse.
void refuseEndlessKeys(std::string_view text, std::string_view source) {
    constexpr int kMostParts = 256;
    int line = 1, dots = 0;
    for (const char c : text) {
        if (c == '\n') ++line;
        if (c == '.') ++dots;
        else if (std::string_view("\n,=[]{}").find(c) != std::string_view::npos) dots = 0;
        if (dots > kMostParts)
            throw Error(ExitCode::usage,
                        fmt::format("{}: a key has more than {} parts", Place{std::string(source), line, 1}.text(), kMostParts));
    }
}

/// What toml++ says, in the words of someone who has not read the standard of TOML.
std::string explained(std::string_view description) {
    const std::size_t colon = description.find(": ");
    if (description.starts_with("Error while parsing ") && colon != std::string_view::npos) description.remove_prefix(colon + 2);
    std::string text(description);
    const std::size_t saw = description.find(", saw '");
    const bool sawLetter = saw != std::string_view::npos && std::isalpha(static_cast<unsigned char>(description[saw + 7])) != 0;
    if (description.starts_with("cannot redefine existing")) text += "; it is given twice";
    if (description.find("invalid utf-8") != std::string_view::npos) text = "a letter is not in UTF-8; save the file as UTF-8";
    if (description.starts_with("expected '\\n' after '\\r'")) text = "a line ends with a carriage return alone, as files of old Macs do; save the file with other line ends";
    if (description.starts_with("unescaped control characters"))
        text = "a text is not closed with a quote on the line where it begins";
    if ((description.starts_with("expected comma") || description.starts_with("expected a comment")) && sawLetter)
        text += "; a number with a unit is a text in quotes, \"2 s\"";
    return text;
}

}  // namespace

std::string Place::text() const { return line == 0 ? source : fmt::format("{}:{}:{}", source, line, column); }

const Value* Table::find(std::string_view key) const {
    const auto found = std::ranges::find(entries, key, &Entry::key);
    return found == entries.end() ? nullptr : &found->value;
}
Value* Table::find(std::string_view key) { return const_cast<Value*>(std::as_const(*this).find(key)); }
Value& Table::insert(std::string_view key, const Place& place) {
    return entries.emplace_back(Entry{std::string(key), place, Value{place, Table{}}}).value;
}

std::string_view Value::typeName() const {
    static constexpr std::string_view kNames[]{"a table", "a list", "a text", "a number", "a whole number", "true or false"};
    return kNames[data.index()];
}

Value parseToml(std::string_view text, std::string_view source) {
    if (text.find('\0') != std::string_view::npos)
        throw Error(ExitCode::usage, fmt::format("{}:1:1: this is not a scene: a text file has no zero bytes", source));
    refuseEndlessKeys(text, source);
    try {
        Value root = convert(toml::parse(text), source);
        root.place = {std::string(source), 1, 1};
        return root;
    } catch (const toml::parse_error& error) {
        throw Error(ExitCode::usage,
                    fmt::format("{}: {}", placeOf(error.source(), source).text(), explained(error.description())));
    }
}

Value parseOptionValue(std::string_view text, const Place& place) {
    Value value{place, std::string(text)};
    try {
        refuseEndlessKeys(text, place.source);
        const toml::table document = toml::parse(fmt::format("value = {}\n", text));
        if (document.size() == 1) value = convert(*document.get("value"), place.source);   // "1\nother = 2" is a text
    } catch (const toml::parse_error&) {                                                   // not TOML: a plain text
    } catch (const Error&) {                                                               // neither: a date, an endless key
    }
    placeAll(value, place);
    return value;
}

const Value& nearestValue(const Value& root, std::string_view path) {
    const Value* value = &root;
    for (const PathStep& step : parsePath(path).value_or(KeyPath{})) {
        const Value* next = nullptr;
        if (const Table* table = value->as<Table>()) next = table->find(step.key);
        if (const Array* items = value->as<Array>(); items && step.index && *step.index < items->size())
            next = &(*items)[*step.index];
        if (!next) break;
        value = next;
    }
    return *value;
}

}  // namespace talus::scene
