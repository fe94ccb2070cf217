// SPDX-License-Identifier: Apache-2.0
#include "scene/parameters.h"

#include "scene/reader.h"
#include "scene/suggestion.h"

#include <fmt/format.h>

#include <algorithm>

namespace talus::scene {

namespace {

bool isIdentifier(std::string_view name) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    return !name.empty() && letter(name.front()) && std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace

void Parameter::keys(KeyVisitor& v) {
    v.number({.name = "default", .help = "value unless --set or a variant gives another: a number, a number with a unit, or an expression of other parameters", .required = true}, value);
    v.number({"min", "smallest value allowed"}, min);
    v.number({"max", "largest value allowed"}, max);
    v.text({"help", "what it is"}, help);
    if (min && value && *value < *min) v.problem("default", fmt::format("parameter '{}' is {}; it must be at least {}", name, *value, *min));
    if (max && value && *value > *max) v.problem("default", fmt::format("parameter '{}' is {}; it must be at most {}", name, *value, *max));
}

Parameters::Parameters(const Value* value, Diagnostics& diagnostics) : diagnostics_(diagnostics) {
    if (!value) return;
    const Table* table = value->as<Table>();
    if (!table) {
        diagnostics.error(value->place, "parameters", fmt::format("'parameters' must be a table, not {}", value->typeName()));
        return;
    }
    for (const Entry& entry : table->entries) {
        if (!isIdentifier(entry.key) || isReservedName(entry.key))
            diagnostics.error(entry.place, "parameters." + entry.key,
                              fmt::format("'{}' cannot name a parameter: {}", entry.key,
                                          isReservedName(entry.key) ? "expressions use it already" : "use letters, digits and _, a letter first"));
        else items_.push_back({&entry, {.name = entry.key, .value = {}, .min = {}, .max = {}, .help = {}}});
    }
    for (Item& item : items_)
        if (item.state == State::unread) read(item);
}

void Parameters::read(Item& item) {
    item.state = State::reading;
    Diagnostics found;
    const auto evaluate = [this](std::string_view expression) { return this->evaluate(expression); };
    const Reader::Context context{found, evaluate, Reader::Units::any};
    Table whole;   // r0 = 0.1 stands for r0 = { default = 0.1 }
    const Value& value = item.entry->value;
    const Table* table = value.as<Table>();
    if (!table) whole.insert("default", value.place) = value, table = &whole;
    Reader reader(context, table, "parameters." + item.entry->key, value.place);
    item.parameter.keys(reader);
    reader.reportUnknownKeys();
    item.state = found.ok() ? State::good : State::bad;
    diagnostics_.append(found);
}

NameValue Parameters::valueOf(std::string_view name) {
    const auto item = std::ranges::find(items_, name, [](const Item& i) { return std::string_view(i.parameter.name); });
    if (item == items_.end()) {
        std::vector<std::string_view> names;
        for (const Item& i : items_) names.push_back(i.parameter.name);
        return {{}, fmt::format("unknown parameter '{}'{}", name, suggestion(name, names, "parameters"))};
    }
    if (item->state == State::unread) read(*item);
    if (item->state == State::reading) return {{}, fmt::format("parameter '{}' depends on itself", name)};
    if (item->state == State::bad) return {{}, fmt::format("parameter '{}' has no value (see its own error)", name)};
    return {item->parameter.value, {}};
}

Evaluated Parameters::evaluate(std::string_view expression) {
    return scene::evaluate(expression, [this](std::string_view name) { return valueOf(name); });
}

std::vector<Parameter> Parameters::all() const {
    std::vector<Parameter> parameters;
    for (const Item& item : items_) parameters.push_back(item.parameter);
    return parameters;
}

}  // namespace talus::scene
