// SPDX-License-Identifier: Apache-2.0
// The keys of a scene as JSON Schema 2020-12, for editors.
#include "scene/description.h"
#include "scene/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <map>

namespace talus::scene {

namespace {

using Json = nlohmann::ordered_json;

/// Kinds of table that are described once: a shape may hold shapes. Named after the key that they are first met at.
struct Definitions {
    std::map<const std::string_view*, std::string> names;   // by the list of kinds
    Json schemas = Json::object();
};

Json withHelp(const Key& key, Json schema) {
    if (!key.help.empty()) schema["description"] = key.help;
    return schema;
}

/// A number, or a text with a unit or an expression.
Json numberSchema(const Key& key, std::string_view type) {
    Json number{{"type", type}};
    if (std::isfinite(key.range.min)) number[key.range.minExcluded ? "exclusiveMinimum" : "minimum"] = key.range.min;
    if (std::isfinite(key.range.max)) number[key.range.maxExcluded ? "exclusiveMaximum" : "maximum"] = key.range.max;
    return {{"anyOf", {std::move(number), {{"type", "string"}}}}};
}
Json listSchema(const Json& items, std::optional<int> count = {}) {
    Json list{{"type", "array"}, {"items", items}};
    if (count) list["minItems"] = list["maxItems"] = *count;
    return list;
}

/// The value itself, rows of (time, value), or a sine.
Json scheduleSchema(const Json& value, const Key& key, int components) {
    const Json number = numberSchema({}, "number");
    const Json table{{"type", "object"},
                     {"properties", {{"table", listSchema(listSchema(numberSchema(key, "number"), 1 + components))}}},
                     {"required", {"table"}},
                     {"additionalProperties", false}};
    const Json sine{{"type", "object"},
                    {"properties", {{"mean", value}, {"amplitude", value}, {"frequency", number}, {"phase_deg", number}}},
                    {"required", {"amplitude", "frequency"}},
                    {"additionalProperties", false}};
    return {{"anyOf", {value, table, sine}}};
}
Json constantOf(const Schedule<double>& schedule) { return schedule.at(0); }
Json constantOf(const Schedule<Vec3>& schedule) {
    const Vec3 v = schedule.at(0);
    return {v.x, v.y, v.z};
}

class SchemaVisitor final : public KeyVisitor {
public:
    explicit SchemaVisitor(Definitions& definitions, std::string name = {}) : definitions_(definitions), name_(std::move(name)) {}

    Json schema() const {
        if (!replaced_.is_null()) return replaced_;
        Json table{{"type", "object"}, {"properties", properties_}, {"additionalProperties", false}};
        if (!required_.empty()) table["required"] = required_;
        return table;
    }
    void property(std::string_view name, Json schema) { properties_[std::string(name)] = std::move(schema); }

    void number(const Key& key, double& value) override { put(key, numberSchema(key, "number"), value); }
    void number(const Key& key, std::optional<double>&) override { put(key, numberSchema(key, "number")); }
    void integer(const Key& key, std::int64_t& value) override { put(key, numberSchema(key, "integer"), value); }
    void integer(const Key& key, std::optional<std::int64_t>&) override { put(key, numberSchema(key, "integer")); }
    void flag(const Key& key, bool& value) override { put(key, {{"type", "boolean"}}, value); }
    void flag(const Key& key, std::optional<bool>&) override { put(key, {{"type", "boolean"}}); }
    void text(const Key& key, std::string& value) override { put(key, {{"type", "string"}}, value); }
    void text(const Key& key, std::optional<std::string>&) override { put(key, {{"type", "string"}}); }
    void vector(const Key& key, Vec3& value) override {
        put(key, listSchema(numberSchema(key, "number"), 3), Json{value.x, value.y, value.z});
    }
    void vector(const Key& key, std::optional<Vec3>&) override { put(key, listSchema(numberSchema(key, "number"), 3)); }
    void schedule(const Key& key, Schedule<double>& value) override { put(key, scheduleSchema(numberSchema(key, "number"), key, 1), constantOf(value)); }
    void schedule(const Key& key, Schedule<Vec3>& value) override {
        put(key, scheduleSchema(listSchema(numberSchema(key, "number"), 3), key, 3), constantOf(value));
    }
    void numbers(const Key& key, std::vector<double>&) override { put(key, listSchema(numberSchema(key, "number"))); }
    void texts(const Key& key, std::vector<std::string>&) override { put(key, listSchema({{"type", "string"}})); }
    void rows(const Key& key, int width, std::vector<double>&) override {
        put(key, listSchema(listSchema(numberSchema(key, "number"), width)));
    }

    void rows(const Key& key, std::vector<std::vector<double>>&) override {
        put(key, listSchema(listSchema(numberSchema(key, "number"))));
    }

    void changes(const Key& key, std::vector<KeyChange>&) override { put(key, {{"type", "object"}}); }
    void table(const Key& key, FunctionRef<void(KeyVisitor&)> body) override {
        put(key, orShorthand(key, inside(key.name, body)));
    }
    void table(const Key& key, bool&, FunctionRef<void(KeyVisitor&)> body) override { table(key, body); }

    void oneOf(const Key& key, std::span<const std::string_view> kinds, int, FunctionRef<void(int, KeyVisitor&)> body) override {
        const std::string name(key.name.empty() ? name_ : key.name);
        const auto [known, isNew] = definitions_.names.try_emplace(kinds.data(), name);
        const Json reference{{"$ref", "#/$defs/" + known->second}};
        if (isNew) {
            Json options = Json::array();
            for (std::size_t i = 0; i < kinds.size(); ++i) {
                SchemaVisitor kind(definitions_);
                kind.property("type", {{"const", kinds[i]}});
                kind.required_.push_back("type");
                body(static_cast<int>(i), kind);
                options.push_back(kind.schema());
            }
            definitions_.schemas[name] = {{"oneOf", std::move(options)}};
        }
        if (key.name.empty()) replaced_ = reference;
        else put(key, reference);
    }

protected:
    void chooseIndex(const Key& key, std::span<const std::string_view> options, int& index) override {
        put(key, {{"enum", options}}, options.empty() ? "" : options[static_cast<std::size_t>(index)]);
    }
    void visitList(const Key& key, std::size_t, FunctionRef<void(std::size_t)> resize,
                   FunctionRef<void(std::size_t, KeyVisitor&)> item) override {
        resize(1);
        const Json one = orShorthand(key, inside(key.name, [&](KeyVisitor& v) { item(0, v); }));
        const Json list = listSchema(one);
        put(key, key.shorthand.empty() ? list : Json{{"anyOf", {one, list}}});
    }

private:
    template <class Body>
    Json inside(std::string_view name, Body body) const {
        SchemaVisitor visitor(definitions_, std::string(name));
        body(visitor);
        return visitor.schema();
    }
    static Json orShorthand(const Key& key, Json table) {
        return key.shorthand.empty() ? table : Json{{"anyOf", {{{"type", "string"}}, std::move(table)}}};
    }
    void put(const Key& key, Json schema) {
        if (key.required) required_.emplace_back(key.name);
        property(key.name, withHelp(key, std::move(schema)));
    }
    template <class Default>
    void put(const Key& key, Json schema, const Default& value) {
        if (!key.required) schema["default"] = value;
        put(key, std::move(schema));
    }

    Definitions& definitions_;
    std::string name_;
    Json properties_ = Json::object(), replaced_;
    std::vector<std::string> required_;
};

}  // namespace

std::string jsonSchema(Methods methods) {
    Definitions definitions;
    SchemaVisitor visitor(definitions);
    SceneDescription(methods).keys(visitor);

    SchemaVisitor parameter(definitions);
    Parameter{}.keys(parameter);
    const Json plain{{"type", {"number", "string"}}};
    visitor.property("parameters", {{"type", "object"},
                                    {"description", "names that expressions use and --set varies"},
                                    {"additionalProperties", {{"anyOf", {plain, parameter.schema()}}}}});
    visitor.property("variant", {{"type", "object"},
                                 {"description", "sets of changes that --variant NAME applies"},
                                 {"additionalProperties", {{"type", "object"}}}});
    Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Talus scene"}};
    schema.update(visitor.schema());
    schema["$defs"] = definitions.schemas;
    return schema.dump(2) + "\n";
}

}  // namespace talus::scene
