// SPDX-License-Identifier: Apache-2.0
// The [parameters] of a scene: names with a value that expressions use and --set varies.
#pragma once

#include "core/keys.h"
#include "scene/diagnostics.h"
#include "scene/document.h"
#include "scene/expressions.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talus::scene {

struct Parameter {
    std::string name;
    std::optional<double> value, min, max;
    std::string help;
    void keys(KeyVisitor&);
};

class Parameters {
public:
    /// Reads the table (null: none), evaluates every parameter and reports what is wrong.
    Parameters(const Value* table, Diagnostics&);

    Evaluated evaluate(std::string_view expression);
    std::vector<Parameter> all() const;

private:
    enum class State { unread, reading, good, bad };
    struct Item {
        const Entry* entry;
        Parameter parameter;
        State state = State::unread;
    };
    void read(Item&);
    NameValue valueOf(std::string_view name);

    Diagnostics& diagnostics_;
    std::vector<Item> items_;
};

}  // namespace talus::scene
