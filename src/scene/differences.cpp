// SPDX-License-Identifier: Apache-2.0
#include "scene/differences.h"

#include "scene/document.h"
#include "scene/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace talus::scene {

namespace {

struct Setting {
    std::string key, text, shown;
};

bool changesNoGrain(const std::string& key) {
    const auto below = [&](std::string_view table) { return key.starts_with(table); };
    return key == "method" || key == "time.end" || key == "time.frames_per_second" || below("output.") || below("camera.") || key.find(".look.") != std::string::npos;
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
    if (!changesNoGrain(key)) settings.push_back({key, valueText(value), shortText(value)});
}

/// [parameters] r0 = { default = 0.1, … } as r0 = 0.1, before all other settings.
std::vector<Setting> settingsOf(const std::string& text) {
    const Value root = parseToml(text, "scene.toml");
    std::vector<Setting> all, parameters, others, domain;
    flatten(root, "", all);
    constexpr std::string_view kBefore = "parameters.", kAfter = ".default";
    for (Setting& setting : all) {
        if (!setting.key.starts_with(kBefore)) (setting.key.starts_with("domain.") ? domain : others).push_back(std::move(setting));
        else if (setting.key.ends_with(kAfter)) parameters.push_back({setting.key.substr(kBefore.size(), setting.key.size() - kBefore.size() - kAfter.size()), setting.text, setting.shown});
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
            if (!inAll(setting)) differing.back().push_back(setting.key + " = " + setting.shown);
    }
    return differing;
}

}  // namespace talus::scene
