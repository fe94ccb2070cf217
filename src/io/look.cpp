// SPDX-License-Identifier: Apache-2.0
#include "io/look.h"

#include "core/problems.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>

namespace talus::io {

namespace {

using Json = nlohmann::ordered_json;

struct NamedColour {
    std::string_view name;
    std::uint32_t rgb;
};
constexpr auto kColours = std::to_array<NamedColour>({
    {"white", 0xf2f2f2}, {"grey", 0x9a9a9a},   {"black", 0x202020},  {"red", 0xc0392b},   {"orange", 0xe67e22}, {"yellow", 0xf1c40f},
    {"green", 0x3f9e56}, {"blue", 0x2f6fb0},   {"brown", 0x6b541e},  {"sand", 0xe1a95f},  {"steel", 0xa3abb3},  {"copper", 0xb87333},
    {"gold", 0xd4a937},  {"wood", 0xa97c50},   {"clay", 0xb5651d},   {"gravel", 0x8c8680}, {"concrete", 0xb0aca3}, {"glass", 0xe8f4f2},
});
constexpr auto kColourNames = [] {
    std::array<std::string_view, kColours.size()> names{};
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = kColours[i].name;
    return names;
}();

Json vectorJson(const Vec3& v) { return Json::array({v.x, v.y, v.z}); }
Vec3 vectorOf(const Json& json) { return {json.at(0).get<double>(), json.at(1).get<double>(), json.at(2).get<double>()}; }
template <class T>
void putOptional(Json& json, const char* key, const std::optional<T>& value) {
    if (!value) return;
    if constexpr (std::is_same_v<T, Vec3>) json[key] = vectorJson(*value);
    else json[key] = *value;
}
template <class T>
void getOptional(const Json& json, const char* key, std::optional<T>& value) {
    if (!json.contains(key)) return;
    if constexpr (std::is_same_v<T, Vec3>) value = vectorOf(json.at(key));
    else value = json.at(key).get<T>();
}

Json cameraJson(const CameraLook& camera) {
    Json json{{"view", camera.view}, {"up", vectorJson(camera.up)}, {"fov_deg", camera.fovDegrees}, {"orthographic", camera.orthographic}, {"aperture", camera.aperture}};
    putOptional(json, "position", camera.position);
    putOptional(json, "target", camera.target);
    putOptional(json, "height", camera.height);
    putOptional(json, "focus", camera.focus);
    for (const CameraKey& key : camera.keyframes)
        json["keyframes"].push_back({{"time", key.time}, {"position", vectorJson(key.position)}, {"target", vectorJson(key.target)}});
    return json;
}

CameraLook cameraOf(const Json& json) {
    CameraLook camera;
    camera.view = json.value("view", camera.view);
    if (json.contains("up")) camera.up = vectorOf(json.at("up"));
    camera.fovDegrees = json.value("fov_deg", camera.fovDegrees);
    camera.orthographic = json.value("orthographic", camera.orthographic);
    camera.aperture = json.value("aperture", camera.aperture);
    getOptional(json, "position", camera.position);
    getOptional(json, "target", camera.target);
    getOptional(json, "height", camera.height);
    getOptional(json, "focus", camera.focus);
    for (const Json& key : json.value("keyframes", Json::array()))
        camera.keyframes.push_back({key.at("time").get<double>(), vectorOf(key.at("position")), vectorOf(key.at("target"))});
    return camera;
}

Look lookOf(const Json& json) {
    Look look;
    look.camera = cameraOf(json.value("camera", Json::object()));
    look.domainMin = vectorOf(json.at("domain").at("min"));
    look.domainMax = vectorOf(json.at("domain").at("max"));
    const Json faces = json.at("domain").value("faces", Json::array());
    for (std::size_t i = 0; i < std::min(faces.size(), look.faces.size()); ++i)
        look.faces[i] = faces.at(i) == kFaceTypes[1] ? world::FaceType::open : faces.at(i) == kFaceTypes[2] ? world::FaceType::periodic : world::FaceType::wall;
    getOptional(json, "floor", look.floor);
    look.framesPerSecond = json.value("frames_per_second", look.framesPerSecond);
    for (const Json& body : json.value("bodies", Json::array()))
        look.bodies.push_back({body.at("name").get<std::string>(), body.value("finish", "plain"), body.value("colour", ""), body.value("second", ""), body.value("checker_size", 0.0)});
    for (const Json& material : json.value("materials", Json::array()))
        look.materials.push_back({material.at("name").get<std::string>(), material.value("colours", std::vector<std::string>{}), material.value("shares", std::vector<double>{}),
                                  material.value("density", 0.0)});
    look.sources = json.value("sources", look.sources);
    for (const Json& field : json.value("fields", Json::array())) look.fields.push_back({field.at("name").get<std::string>(), field.at("unit").get<std::string>()});
    return look;
}

}  // namespace

void writeLook(const Path& path, const Look& look) {
    Json json{{"camera", cameraJson(look.camera)}, {"domain", {{"min", vectorJson(look.domainMin)}, {"max", vectorJson(look.domainMax)}}}};
    for (const world::FaceType face : look.faces) json["domain"]["faces"].push_back(kFaceTypes[static_cast<std::size_t>(face)]);
    putOptional(json, "floor", look.floor);
    json["frames_per_second"] = look.framesPerSecond;
    json["bodies"] = Json::array();
    for (const BodyLook& body : look.bodies)
        json["bodies"].push_back({{"name", body.name}, {"finish", body.finish}, {"colour", body.colour}, {"second", body.second}, {"checker_size", body.checkerSize}});
    json["materials"] = Json::array();
    for (const MaterialLook& material : look.materials)
        json["materials"].push_back({{"name", material.name}, {"colours", material.colours}, {"shares", material.shares}, {"density", material.density}});
    json["sources"] = look.sources;
    json["fields"] = Json::array();
    for (const FieldLook& field : look.fields) json["fields"].push_back({{"name", field.name}, {"unit", field.unit}});
    writeFile(path, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

Look readLook(const Path& path) {
    try {
        return lookOf(Json::parse(readFile(path)));
    } catch (const nlohmann::json::exception& error) {
        const std::string_view what = error.what();
        throw Error(ExitCode::io, fmt::format("'{}' is damaged: {}", path.string(), what.substr(what.find("] ") + 2)));
    }
}

std::optional<std::uint32_t> parseColour(std::string_view text) {
    if (text.size() == 7 && text[0] == '#') {
        std::uint32_t rgb = 0;
        const auto [end, error] = std::from_chars(text.data() + 1, text.data() + 7, rgb, 16);
        if (error == std::errc{} && end == text.data() + 7) return rgb;
        return {};
    }
    const auto found = std::ranges::find(kColours, text, &NamedColour::name);
    return found == kColours.end() ? std::nullopt : std::optional(found->rgb);
}

std::span<const std::string_view> colourNames() { return kColourNames; }

}  // namespace talus::io
