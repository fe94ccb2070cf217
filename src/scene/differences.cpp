// SPDX-License-Identifier: Apache-2.0
#include "scene/differences.h"

#include "scene/document.h"
#include "scene/scene.h"
#include "scene/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace talus::scene {

namespace {

struct Setting {
    std::string key, text, shown;
    bool idle = false;   // of a method that is not run
};

bool changesNoGrain(const std::string& key) {
    const auto below = [&](std::string_view table) { return key.starts_with(table); };
    return key == "method" || key == "time.end" || key == "time.frames_per_second" || below("output.") || below("camera.") || below("probes.") || key.find(".look.") != std::string::npos;
}

/// As a caption says it.
std::string shortText(const Value& value) {
    if (const double* number = value.as<double>()) return fmt::format("{:.6g}", *number);
    const Array* list = value.as<Array>();
    if (list == nullptr) return valueText(value);
    std::vector<std::string> items;
    for (const Value& item : *list) items.push_back(shortText(item));
    return fmt::format("[{}]", fmt::join(items, ", "));
}

/// Items of lists go by their name where they have one.
std::string itemKey(const std::string& list, const Table& item, std::size_t index) {
    const Value* name = item.find("name");
    const std::string* text = name != nullptr ? name->as<std::string>() : nullptr;
    return text != nullptr ? list + "." + *text : list + "[" + std::to_string(index) + "]";
}

void flatten(const Value& value, const std::string& key, std::vector<Setting>& settings) {
    if (const Table* table = value.as<Table>()) {
        for (const Entry& entry : table->entries) flatten(entry.value, key.empty() ? entry.key : key + "." + entry.key, settings);
        return;
    }
    const Array* list = value.as<Array>();
    if (list != nullptr && !list->empty() && list->front().as<Table>() != nullptr) {
        for (std::size_t i = 0; i < list->size(); ++i)
            if (const Table* item = (*list)[i].as<Table>()) flatten((*list)[i], itemKey(key, *item, i), settings);
        return;
    }
    if (!changesNoGrain(key)) settings.push_back({.key = key, .text = valueText(value), .shown = shortText(value)});
}

/// Tables of methods that the scene is not run with: a resolved scene has those of all.
std::vector<std::string> idleTables(const Value& root) {
    const auto textAt = [](const Value* table, std::string_view key) {
        const Table* entries = table != nullptr ? table->as<Table>() : nullptr;
        const Value* value = entries != nullptr ? entries->find(key) : nullptr;
        const std::string* text = value != nullptr ? value->as<std::string>() : nullptr;
        return text != nullptr ? *text : std::string();
    };
    const std::string own = textAt(&root, "method");
    if (own.empty()) return {};
    const Table* all = root.as<Table>();
    const std::string guides = own == "guided" && all != nullptr ? textAt(all->find("guided"), "guides") : "";
    std::vector<std::string> idle;
    for (const world::MethodInfo* method : builtInMethods())
        if (method->name != own && method->name != guides) idle.push_back(std::string(method->name) + ".");
    return idle;
}

/// [parameters] r0 = { default = 0.1, … } as r0 = 0.1, before all other settings.
std::vector<Setting> settingsOf(const std::string& text) {
    const Value root = parseToml(text, "scene.toml");
    std::vector<Setting> all, parameters, others, domain;
    flatten(root, "", all);
    const std::vector<std::string> idle = idleTables(root);
    for (Setting& setting : all) setting.idle = std::ranges::any_of(idle, [&](const std::string& table) { return setting.key.starts_with(table); });
    constexpr std::string_view kBefore = "parameters.", kAfter = ".default";
    for (Setting& setting : all) {
        if (!setting.key.starts_with(kBefore)) (setting.key.starts_with("domain.") ? domain : others).push_back(std::move(setting));
        else if (setting.key.ends_with(kAfter)) parameters.push_back({.key = setting.key.substr(kBefore.size(), setting.key.size() - kBefore.size() - kAfter.size()), .text = setting.text, .shown = setting.shown});
    }
    parameters.insert(parameters.end(), others.begin(), others.end());
    parameters.insert(parameters.end(), domain.begin(), domain.end());
    return parameters;
}

}  // namespace

std::vector<std::vector<std::string>> settingsThatDiffer(const std::vector<std::string>& scenes) {
    std::vector<std::vector<Setting>> settings;
    for (const std::string& scene : scenes) settings.push_back(settingsOf(scene));
    const auto inAll = [&](const Setting& wanted) {
        return std::ranges::all_of(settings, [&](const std::vector<Setting>& own) {
            return std::ranges::any_of(own, [&](const Setting& s) { return s.key == wanted.key && s.text == wanted.text; });
        });
    };
    std::vector<std::vector<std::string>> differing;
    for (const std::vector<Setting>& own : settings) {
        differing.emplace_back();
        for (const Setting& setting : own)
            if (!setting.idle && !inAll(setting)) differing.back().push_back(setting.key + " = " + setting.shown);
    }
    return differing;
}

}  // namespace talus::scene
