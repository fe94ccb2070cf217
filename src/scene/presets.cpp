// SPDX-License-Identifier: Apache-2.0
#include "scene/presets.h"

#include "scene/scene.h"
#include "scene/source.h"
#include "scene/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace talus::scene {

namespace {

Value parsedPresets() { return parseToml(embeddedMaterials(), "scenes/materials.toml"); }

const Array& listIn(const Value& root, std::string_view key) {
    static const Array kNone;
    const Value* value = root.as<Table>()->find(key);
    const Array* items = value ? value->as<Array>() : nullptr;
    return items ? *items : kNone;
}

const std::string* textIn(const Value& item, std::string_view key) {
    const Table* table = item.as<Table>();
    const Value* value = table ? table->find(key) : nullptr;
    return value ? value->as<std::string>() : nullptr;
}

/// Keys of which only so many may be given: two of the densities, one of the frictions.
struct Choice {
    std::vector<std::string_view> keys;
    std::ptrdiff_t most;
};
const std::array<Choice, 2> kChoices{{{{"density", "bulk_density", "packing_fraction"}, 2}, {{"friction_angle_deg", "mu_hat"}, 1}}};

bool hasRoomFor(const Table& material, std::string_view key) {
    for (const Choice& choice : kChoices)
        if (std::ranges::find(choice.keys, key) != choice.keys.end())
            return std::ranges::count_if(choice.keys, [&](std::string_view k) { return material.find(k) != nullptr; }) < choice.most;
    return true;
}

void fillIn(Table& material, const Table& preset, const Place& place) {
    for (const Entry& entry : preset.entries)
        if (entry.key != "name" && !material.find(entry.key) && hasRoomFor(material, entry.key)) {
            Value& value = material.insert(entry.key, place);
            value = entry.value;
            value.place = place;
        }
}

using Pair = std::set<std::string>;

Pair pairOf(const Value& contact) {
    Pair pair;
    const Table* table = contact.as<Table>();
    const Value* between = table ? table->find("between") : nullptr;
    if (const Array* names = between ? between->as<Array>() : nullptr)
        for (const Value& name : *names)
            if (const std::string* text = name.as<std::string>()) pair.insert(*text);
    return pair;
}

struct Named {
    std::string name, preset;   // of a material of the scene
};

/// For every two materials whose presets have a contact, one with the names that the scene gave them.
void addContacts(Value& root, const Value& presets, const std::vector<Named>& materials) {
    std::set<Pair> known;
    for (const Value& contact : listIn(root, "contacts")) known.insert(pairOf(contact));
    Array added;
    for (std::size_t a = 0; a < materials.size(); ++a)
        for (std::size_t b = a + 1; b < materials.size(); ++b)
            for (const Value& contact : listIn(presets, "contacts")) {
                if (pairOf(contact) != Pair{materials[a].preset, materials[b].preset} || known.contains({materials[a].name, materials[b].name})) continue;
                Value copy = contact;
                copy.as<Table>()->find("between")->data = Array{Value{contact.place, materials[a].name}, Value{contact.place, materials[b].name}};
                added.push_back(std::move(copy));
            }
    if (added.empty()) return;
    Table& table = *root.as<Table>();
    Value* contacts = table.find("contacts");
    if (!contacts) {
        contacts = &table.insert("contacts", root.place);
        contacts->data = Array{};
    }
    if (Array* items = contacts->as<Array>()) items->insert(items->end(), added.begin(), added.end());
}

}  // namespace

void applyPresets(Value& root, Diagnostics& diagnostics) {
    Value* list = root.as<Table>()->find("materials");
    Array* materials = list ? list->as<Array>() : nullptr;
    if (!materials || std::ranges::none_of(*materials, [](const Value& m) { return textIn(m, "preset") != nullptr; })) return;
    const Value presets = parsedPresets();
    std::vector<std::string_view> names;
    for (const Value& preset : listIn(presets, "materials")) names.push_back(*textIn(preset, "name"));

    std::vector<Named> used;
    for (std::size_t i = 0; i < materials->size(); ++i) {
        Value& material = (*materials)[i];
        const std::string* wanted = textIn(material, "preset");
        if (!wanted) continue;
        const Place place = material.as<Table>()->find("preset")->place;
        const auto found = std::ranges::find(names, *wanted);
        if (found == names.end()) {
            diagnostics.error(place, fmt::format("materials[{}].preset", i),
                              fmt::format("there is no preset \"{}\"{}", *wanted, suggestion(*wanted, names, "presets", '"')));
            continue;
        }
        const Table& preset = *listIn(presets, "materials")[static_cast<std::size_t>(found - names.begin())].as<Table>();
        if (const std::string* name = textIn(material, "name")) used.push_back({*name, *wanted});
        fillIn(*material.as<Table>(), preset, place);
    }
    addContacts(root, presets, used);
}

std::vector<MaterialPreset> materialPresets() {
    const auto number = [](const Table& table, std::string_view key) -> std::optional<double> {
        const Value* value = table.find(key);
        if (!value) return {};
        if (const double* real = value->as<double>()) return *real;
        if (const std::int64_t* whole = value->as<std::int64_t>()) return static_cast<double>(*whole);
        return {};
    };
    std::vector<MaterialPreset> presets;
    const Value root = parsedPresets();
    for (const Value& item : listIn(root, "materials")) {
        const Table& table = *item.as<Table>();
        const double density = number(table, "density").value_or(0);
        const std::optional<double> bulk = number(table, "bulk_density"), packing = number(table, "packing_fraction");
        presets.push_back({*textIn(item, "name"), density, bulk ? *bulk / density : packing.value_or(1), number(table, "friction_angle_deg").value_or(0)});
    }
    return presets;
}

}  // namespace talus::scene
