// SPDX-License-Identifier: Apache-2.0
#include "fake_method.h"
#include "scene/document.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <sstream>

namespace talus::scene::test {
namespace {

using nlohmann::json;

/// Whether a value fits a schema that uses what ours use; a small validator.
bool fits(const Value& value, const json& schema, const json& root) {
    if (schema.contains("$ref")) return fits(value, root["$defs"][schema["$ref"].get<std::string>().substr(8)], root);
    for (const char* word : {"anyOf", "oneOf"})
        if (schema.contains(word)) {
            const auto count = std::ranges::count_if(schema[word], [&](const json& option) { return fits(value, option, root); });
            return std::string_view(word) == "anyOf" ? count >= 1 : count == 1;
        }
    if (schema.contains("const")) return value.as<std::string>() && *value.as<std::string>() == schema["const"];
    if (schema.contains("enum"))
        return value.as<std::string>() &&
               std::ranges::find(schema["enum"], json(*value.as<std::string>())) != schema["enum"].end();
    const json types = schema["type"].is_array() ? schema["type"] : json::array({schema["type"]});
    for (const std::string type : types) {
        const std::int64_t* integer = value.as<std::int64_t>();
        const double* real = value.as<double>();
        if (type == "string" && value.as<std::string>()) return true;
        if (type == "boolean" && value.as<bool>()) return true;
        if (type == "integer" && integer) return *integer >= schema.value("minimum", *integer);
        if (type == "number" && (integer || real)) {
            const double number = real ? *real : static_cast<double>(*integer);
            return number >= schema.value("minimum", number) && number <= schema.value("maximum", number) &&
                   number > schema.value("exclusiveMinimum", number - 1) && number < schema.value("exclusiveMaximum", number + 1);
        }
        if (const Array* items = value.as<Array>(); type == "array" && items)
            return std::ranges::all_of(*items, [&](const Value& item) { return fits(item, schema["items"], root); }) &&
                   items->size() >= schema.value("minItems", std::size_t(0)) &&
                   items->size() <= schema.value("maxItems", items->size());
        if (const Table* table = value.as<Table>(); type == "object" && table) {
            for (const Entry& entry : table->entries) {
                const bool named = schema.contains("properties") && schema["properties"].contains(entry.key);
                const json rest = schema.value("additionalProperties", json(true));
                if (named              ? !fits(entry.value, schema["properties"][entry.key], root)
                    : rest.is_object() ? !fits(entry.value, rest, root)
                                       : rest == false)
                    return false;
            }
            const json required = schema.value("required", json::array());
            return std::ranges::all_of(required, [&](const json& key) { return table->find(key.get<std::string>()) != nullptr; });
        }
    }
    return false;
}

TEST(Schema, FitsTheScenes) {
    const json schema = json::parse(jsonSchema(builtInMethods()));
    EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    EXPECT_TRUE(schema["$defs"].contains("shape"));
    EXPECT_TRUE(schema["$defs"].contains("motion"));
    std::vector<std::string> texts{kGood, newSceneText("mine"), readText(kGood, {}, builtInMethods()).toml()};
    for (const BuiltInScene& scene : builtInScenes()) texts.emplace_back(scene.text);
    for (const std::string& text : texts) EXPECT_TRUE(fits(parseToml(text, "scene"), schema, schema)) << text;
}

TEST(Schema, RefusesWhatTheReaderRefuses) {
    const json schema = json::parse(jsonSchema(kMethods));
    for (const char* text :
         {"sed = 1", "seed = -1", "time.end = 0", "method = \"x\"", "gravity = [0, 0]", "[elastoplastic]\ndtt = 1",
          "[[bodies]]\nname = \"a\"", "[[grains]]\nmaterial = \"a\"\nregion = { type = \"sphere\", radius = 1, height = 2 }",
          "[parameters]\na = { min = 1 }"})
        EXPECT_FALSE(fits(parseToml(text, "scene"), schema, schema)) << text;
}

TEST(Reference, NamesEveryKeyOfTheResolvedScene) {
    const std::string page = referencePage(kMethods);
    for (const char* words : {"## [domain]", "## [[bodies]]", "## shape", "## motion", "### type = \"lathe\"",
                              "| `friction_angle_deg` | deg, greater than 0 and less than 90 |", "## [elastoplastic]",
                              "## [variant.NAME]", "| a length | m | m, km, cm, mm, um |"})
        EXPECT_NE(page.find(words), std::string::npos) << words;
}

TEST(Reference, ItsExampleIsRight) {
    const std::string page = referencePage(kMethods);
    const std::size_t begin = page.find("```toml\n") + 8;
    EXPECT_EQ(errorOf(page.substr(begin, page.find("```", begin) - begin)), "");
}

/// docs/scene-reference.md is made by tools/update-reference.sh, which runs this test with TALUS_UPDATE_REFERENCE set.
TEST(Reference, PageInTheManualIsCurrent) {
    const std::filesystem::path file = std::filesystem::path(TALUS_TEST_DATA) / "../../docs/scene-reference.md";
    if (std::getenv("TALUS_UPDATE_REFERENCE")) std::ofstream(file) << referencePage(builtInMethods());
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    EXPECT_TRUE(text.str() == referencePage(builtInMethods())) << "run tools/update-reference.sh";
}

}  // namespace
}  // namespace talus::scene::test
