// SPDX-License-Identifier: Apache-2.0
// Whatever is done to a scene file, it is read or refused, never more.
#include "fake_method.h"

#include <gtest/gtest.h>

#include <random>

namespace talus::scene::test {
namespace {

std::string mutated(std::string text, std::mt19937_64& random) {
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    static constexpr std::string_view kPieces[]{"\"",  "[", "]", "{", "}", "=", ".", "-", "\n", "1e999", "nan", "\"= 1/0\"", "[[bodies]]\n", "0", "-1", "true", "\xff", "#", "'", "\"4 mm\"", "1e-320"};
    for (std::size_t change = 0, count = 1 + below(3); change < count && !text.empty(); ++change) {
        const std::size_t at = below(text.size()), length = std::min(below(12), text.size() - at);
        switch (below(4)) {
            case 0: text.erase(at, length); break;
            case 1: text.insert(at, kPieces[below(std::size(kPieces))]); break;
            case 2: text.insert(at, text.substr(below(text.size()), below(40))); break;
            default: text[at] = static_cast<char>(below(256));
        }
    }
    return text;
}

TEST(Mutations, NeverCrash) {
    std::mt19937_64 random(1);
    int good = 0, refused = 0;
    const std::vector<BuiltInScene> scenes = builtInScenes();
    for (std::size_t i = 0; i < 2000; ++i) {
        // Every read of the hourglass integrates the volume of its sand, 0.1 s: it has fewer turns than the quick ones.
        const std::string text = mutated(i % 10 == 0 ? std::string(scenes[i / 10 % scenes.size()].text) : newSceneText("mine"), random);
        try {
            readText(text).buildWorld();
            ++good;
        } catch (const Error& error) {
            ++refused;
            EXPECT_EQ(error.code(), ExitCode::usage);
            EXPECT_EQ(std::string_view(error.what()).substr(0, 11), "scene.toml:") << text;
        }
    }
    EXPECT_GT(good, 100);      // the mutations reach past the parser
    EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace talus::scene::test
