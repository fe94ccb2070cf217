// SPDX-License-Identifier: Apache-2.0
// Everything that is wrong with a scene, with its places.
#pragma once

#include "scene/document.h"

#include <string>
#include <string_view>
#include <vector>

namespace talus::scene {

class Diagnostics {
public:
    void error(const Place& place, std::string_view path, std::string message) {
        errors_.push_back({place, std::string(path), std::move(message)});
    }
    void warn(const Place& place, std::string_view path, std::string message) {
        warnings_.push_back({place, std::string(path), std::move(message)});
    }

    void append(const Diagnostics&);

    bool ok() const { return errors_.empty(); }
    std::size_t errorCount() const { return errors_.size(); }
    /// An error is known at this key, inside it, or at a key that it is inside of.
    bool hasErrorAround(std::string_view path) const;

    /// "scene.toml:7:1: …", one a line: the file from top to bottom, then the command line.
    std::string errorText() const;
    std::vector<std::string> warningTexts() const;

private:
    struct Message {
        Place place;
        std::string path, text;
    };
    static std::vector<Message> sorted(std::vector<Message>);
    std::vector<Message> errors_, warnings_;
};

}  // namespace talus::scene
