// SPDX-License-Identifier: Apache-2.0
// A method that has settings and refuses things, and never runs.
#pragma once

#include "core/problems.h"
#include "scene/scene.h"
#include "world/method.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

namespace talus::scene::test {

struct FakeSettings final : world::MethodSettings {
    double dt = 1e-4, youngsModulus = 1e6;
    bool strict = false;
    void keys(KeyVisitor& v) override {
        v.number({"dt", "longest step", Dimension::time, positive()}, dt);
        v.number({"youngs_modulus", "stiffness of the bulk", Dimension::pressure, positive()}, youngsModulus);
        v.flag({"strict", "stop at the first fallback"}, strict);
    }
};

inline constexpr std::array kFakeFields{
    world::field::id,     world::field::position, world::field::velocity, world::field::radius,    world::field::mass,
    world::field::volume, world::field::material, world::field::source,   world::field::birthTime, world::field::stress};

inline const world::MethodInfo kFake{
    .name = "elastoplastic",
    .summary = "a stand-in",
    .citation = "",
    .fields = kFakeFields,
    .settings = []() -> std::unique_ptr<world::MethodSettings> { return std::make_unique<FakeSettings>(); },
    .check =
        [](const world::MethodSettings& settings, const world::World& world, Problems& problems) {
            if (static_cast<const FakeSettings&>(settings).dt > 1)
                problems.error("elastoplastic.dt", "no wall can be met with such a step");
            if (world.domain.periodic(0)) problems.error("domain.x", "elastoplastic cannot do periodic axes here");
        },
    .estimate = [](const world::MethodSettings&, const world::World& world, world::Precision) -> world::Estimate {
        return {*world.resolution.grains, 100.0 * static_cast<double>(*world.resolution.grains), 0};
    },
    .create = [](const world::MethodSettings&, const world::World&, world::Precision) -> std::unique_ptr<world::Method> {
        return nullptr;
    }};

inline const world::MethodInfo kOther = [] {
    world::MethodInfo info = kFake;
    info.name = "dem";
    return info;
}();

inline constexpr std::array<const world::MethodInfo*, 2> kMethods{&kFake, &kOther};

/// A small scene that is right.
inline const std::string kGood = R"([[materials]]
name = "sand"

[[grains]]
material = "sand"
region = { type = "box", min = [0.2, 0.2, 0.2], max = [0.4, 0.4, 0.4] }
)";

/// Reads `text` as if it stood in scene.toml.
inline Scene readText(const std::string& text, Request request = {}, Methods methods = kMethods) {
    const std::filesystem::path before = std::filesystem::current_path();
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("talus_scene_test_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "scene.toml", std::ios::binary) << text;
    struct Back {
        const std::filesystem::path &before, &folder;
        ~Back() {
            std::filesystem::current_path(before);
            std::filesystem::remove_all(folder);
        }
    } back{before, folder};
    std::filesystem::current_path(folder);
    request.scene = "scene.toml";
    return read(request, methods);
}

/// What is said about a scene that is wrong; empty where it is right.
inline std::string errorOf(const std::string& text, Request request = {}) {
    try {
        readText(text, std::move(request));
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

}  // namespace talus::scene::test
