// SPDX-License-Identifier: Apache-2.0
#include "scene/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace talus::scene {

namespace {

/// "time" holds "time" and "time.end", "grains[0]" and "grains[0].region".
bool holds(std::string_view outer, std::string_view inner) {
    return inner.starts_with(outer) && (inner.size() == outer.size() || inner[outer.size()] == '.' || inner[outer.size()] == '[');
}

}  // namespace

void Diagnostics::append(const Diagnostics& other) {
    errors_.insert(errors_.end(), other.errors_.begin(), other.errors_.end());
    warnings_.insert(warnings_.end(), other.warnings_.begin(), other.warnings_.end());
}

bool Diagnostics::hasErrorAround(std::string_view path) const {
    return std::ranges::any_of(errors_, [&](const Message& m) { return holds(m.path, path) || holds(path, m.path); });
}

std::vector<Diagnostics::Message> Diagnostics::sorted(std::vector<Message> messages) {
    std::ranges::stable_sort(messages, {},
                             [](const Message& m) { return std::tuple(m.place.line == 0, m.place.line, m.place.column); });
    return messages;
}

std::string Diagnostics::errorText() const {
    std::string text;
    for (const Message& message : sorted(errors_))
        text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", message.place.text(), message.text);
    return text;
}

std::vector<std::string> Diagnostics::warningTexts() const {
    std::vector<std::string> texts;
    for (const Message& message : sorted(warnings_)) {
        std::string text = fmt::format("{}: {}", message.place.text(), message.text);
        if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));   // every stage finds it again
    }
    return texts;
}

}  // namespace talus::scene
