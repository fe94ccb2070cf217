// SPDX-License-Identifier: Apache-2.0
#include "scene/overrides.h"

#include "scene/key_path.h"
#include "scene/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace talus::scene {

namespace {

/// Lists of the scene whose items are changed by name or number, never made.
constexpr std::array<std::string_view, 9> kLists{"bodies", "contacts", "emitters", "forces", "grains", "materials", "probes", "sinks", "stages"};

struct Found {
    Value* value = nullptr;
    std::string problem;
};

const std::string* nameOf(const Value& item) {
    const Table* table = item.as<Table>();
    const Value* name = table ? table->find("name") : nullptr;
    return name ? name->as<std::string>() : nullptr;
}

Found itemNamed(Array& items, const std::string& name, const std::string& list) {
    std::vector<std::string_view> names;
    for (Value& item : items)
        if (const std::string* own = nameOf(item)) {
            if (*own == name) return {&item, {}};
            names.push_back(*own);
        }
    return {nullptr, fmt::format("'{}' has no item with the name '{}'{}", list, name, suggestion(name, names, "names"))};
}

/// One step along a path; a table that is not there is made.
Found follow(Value& value, const KeyPath& path, std::size_t step, const Place& place) {
    const PathStep& to = path[step];
    const std::string here = pathText(path, step);
    if (Array* items = value.as<Array>()) {
        if (!to.index) return itemNamed(*items, to.key, here);
        if (*to.index < items->size()) return {&(*items)[*to.index], {}};
        return {nullptr, fmt::format("'{}' has {} item{}, counted from [0]", here, items->size(), items->size() == 1 ? "" : "s")};
    }
    Table* table = value.as<Table>();
    if (!table || to.index)
        return {nullptr, fmt::format("'{}' is {}, not {}", here, value.typeName(), to.index ? "a list" : "a table")};
    Value* next = table->find(to.key);
    if (!next && step == 0 && path.size() > 1 && std::ranges::find(kLists, to.key) != kLists.end())
        return {nullptr, fmt::format("the scene has no [[{0}]], so there is no '{1}' to change; write it into the scene", to.key, pathText(path, 2))};
    return {next ? next : &table->insert(to.key, place), {}};
}

/// The name of a parameter, or "parameters.NAME", sets its default.
KeyPath toParameter(const Value& root, KeyPath path) {
    const Value* parameters = root.as<Table>()->find("parameters");
    const Table* table = parameters ? parameters->as<Table>() : nullptr;
    if (!table) return path;
    if (path.size() == 1 && table->find(path[0].key)) path.insert(path.begin(), PathStep{"parameters", {}});
    if (path.size() != 2 || path[0].key != "parameters") return path;
    const Value* parameter = table->find(path[1].key);
    if (parameter && parameter->as<Table>()) path.push_back({"default", {}});
    return path;
}

}  // namespace

void apply(Value& root, const Override& change, Diagnostics& diagnostics) {
    std::optional<KeyPath> path = parsePath(change.path);
    if (!path)
        return diagnostics.error(
            change.place, {},
            fmt::format("'{}' is not the path of a key; write for example time.end or bodies[0].material", change.path));
    if (!change.value.as<Table>()) path = toParameter(root, std::move(*path));
    Value* value = &root;
    for (std::size_t step = 0; step < path->size(); ++step) {
        Found next = follow(*value, *path, step, change.place);
        if (!next.value) return diagnostics.error(change.place, {}, std::move(next.problem));
        value = next.value;
    }
    *value = change.value;
}

namespace {

void collect(const Table& variant, const std::string& prefix, std::vector<Override>& changes) {
    for (const Entry& entry : variant.entries) {
        const Table* table = entry.value.as<Table>();
        if (table && !table->isInline) collect(*table, prefix + entry.key + ".", changes);
        else changes.push_back({prefix + entry.key, entry.place, entry.value});
    }
}

}  // namespace

std::vector<Override> overridesIn(const Table& table) {
    std::vector<Override> changes;
    collect(table, "", changes);
    return changes;
}

namespace {

void applyVariant(Value& root, const std::string& name, Diagnostics& diagnostics) {
    const Value* variants = root.as<Table>()->find("variant");
    const Table* table = variants ? variants->as<Table>() : nullptr;
    const Value* variant = table ? table->find(name) : nullptr;
    if (!variant || !variant->as<Table>()) {
        const std::vector<std::string> names = variantNames(root);
        const std::vector<std::string_view> views(names.begin(), names.end());
        const std::string_view near = nearest(name, views);
        const std::string hint = near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
        const std::string list =
            names.empty() ? "; it has none" : fmt::format("{} its variants are {}", near.empty() ? ";" : "", quotedList(views));
        return diagnostics.error({"--variant " + name}, {}, fmt::format("the scene has no variant '{}'{}{}", name, hint, list));
    }
    const std::vector<Override> changes = overridesIn(*variant->as<Table>());   // copies: applying them may move the tree
    for (const Override& change : changes) apply(root, change, diagnostics);
}

void leaveOutProbes(Value& root, const std::vector<std::string>& names) {
    Value* probes = root.as<Table>()->find("probes");
    if (Array* items = probes ? probes->as<Array>() : nullptr)
        std::erase_if(*items, [&](const Value& item) {
            const std::string* name = nameOf(item);
            return name && std::ranges::find(names, *name) != names.end();
        });
}

void applySet(Value& root, const std::string& set, Diagnostics& diagnostics) {
    const Place place{"--set " + set};
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0)
        return diagnostics.error(place, {}, "write KEY=VALUE, for example --set time.end=2");
    apply(root, {set.substr(0, equals), place, parseOptionValue(std::string_view(set).substr(equals + 1), place)}, diagnostics);
}

}  // namespace

std::vector<std::string> variantNames(const Value& root) {
    std::vector<std::string> names;
    const Value* variants = root.as<Table>()->find("variant");
    if (const Table* table = variants ? variants->as<Table>() : nullptr)
        for (const Entry& entry : table->entries) names.push_back(entry.key);
    return names;
}

void applyOverrides(Value& root, const Request& request, Diagnostics& diagnostics) {
    if (request.variant) applyVariant(root, *request.variant, diagnostics);
    leaveOutProbes(root, request.withoutProbes);
    for (const std::string& set : request.sets) applySet(root, set, diagnostics);
    const auto option = [&](const char* key, const std::optional<std::string>& text) {
        if (!text) return;
        const Place place{fmt::format("--{} {}", key, *text)};
        apply(root, {key, place, Value{place, *text}}, diagnostics);
    };
    option("method", request.method);
    option("precision", request.precision);
}

}  // namespace talus::scene
