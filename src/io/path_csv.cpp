// SPDX-License-Identifier: Apache-2.0
#include "io/path_csv.h"

#include "core/vec.h"
#include "io/csv_text.h"
#include "io/text_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>

namespace talus::io {
namespace {

constexpr std::string_view kForm = "the columns are time, x, y, z and, for a body that turns, rx_deg, ry_deg, rz_deg or qw, qx, qy, qz";
constexpr std::array<std::string_view, 11> kColumns{"time", "x", "y", "z", "rx_deg", "ry_deg", "rz_deg", "qw", "qx", "qy", "qz"};
constexpr int kRotation = 4, kQuaternion = 7;

[[noreturn]] void fault(std::size_t line, const std::string& what) { throw std::runtime_error(fmt::format("line {}: {}", line, what)); }

/// Which of kColumns each column of the file is.
std::vector<int> columnsOf(const std::vector<std::string_view>& names, std::size_t line) {
    std::vector<int> order;
    for (const std::string_view name : names) {
        const bool unit = name.ends_with("_s") || name.ends_with("_m");
        const auto found = std::ranges::find(kColumns, unit ? name.substr(0, name.size() - 2) : name);
        if (found == kColumns.end()) fault(line, fmt::format("unknown column \"{}\"; {}", name, kForm));
        order.push_back(static_cast<int>(found - kColumns.begin()));
        if (std::ranges::count(order, order.back()) > 1) fault(line, fmt::format("column \"{}\" stands there twice", name));
    }
    const auto has = [&](int column) { return std::ranges::find(order, column) != order.end(); };
    for (int c = 0; c < kRotation; ++c)
        if (!has(c)) fault(line, fmt::format("column \"{}\" is missing; {}", kColumns[static_cast<std::size_t>(c)], kForm));
    const auto count = [&](int from, int to) { return std::ranges::count_if(order, [&](int c) { return c >= from && c < to; }); };
    const auto turns = count(kRotation, kQuaternion), quaternion = count(kQuaternion, 11);
    if ((turns != 0 && turns != 3) || (quaternion != 0 && quaternion != 4) || (turns != 0 && quaternion != 0)) fault(line, std::string(kForm));
    return order;
}

/// The rotation vector of q that is nearest to `before`: a body may turn more than once.
Vec3 rotationVector(const Quat& q, const Vec3& before) {
    const Vec3 part{q.x, q.y, q.z};
    const double sine = norm(part), angle = 2 * std::atan2(sine, q.w);
    const double whole = 2 * std::numbers::pi;
    if (sine < 1e-12) {   // a whole number of turns about any axis
        const double turns = std::round(norm(before) / whole);
        return turns == 0 ? Vec3{} : turns * whole * normalized(before);
    }
    const Vec3 axis = part / sine;
    return (angle + whole * std::round((dot(before, axis) - angle) / whole)) * axis;
}

}  // namespace

PathTable parsePath(std::string_view text) {
    constexpr double kDegree = std::numbers::pi / 180;
    text = withoutMark(text);
    PathTable table;
    std::vector<int> order;
    Vec3 turn;
    std::size_t line = 0;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view row = trimmed(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        ++line;
        if (row.empty() || row.starts_with('#')) continue;
        const std::vector<std::string_view> values = csvCells(row);
        if (order.empty()) {
            if (!numberIn<double>(values.front())) {
                order = columnsOf(values, line);
                continue;
            }
            if (values.size() != 4 && values.size() != 7 && values.size() != 8) fault(line, fmt::format("{} columns without names; {}", values.size(), kForm));
            for (int c = 0; c < static_cast<int>(values.size()); ++c) order.push_back(c < kRotation || values.size() == 7 ? c : c + 3);
        }
        if (values.size() != order.size()) fault(line, fmt::format("{} values where there should be {}", values.size(), order.size()));
        std::array<double, 11> v{};
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::optional<double> value = numberIn<double>(values[i]);
            if (!value) fault(line, fmt::format("\"{}\" is not a number", values[i]));
            v[static_cast<std::size_t>(order[i])] = *value;
        }
        if (!table.times.empty() && !(v[0] > table.times.back())) fault(line, fmt::format("time {} does not come after {}", v[0], table.times.back()));
        table.times.push_back(v[0]);
        table.displacements.insert(table.displacements.end(), {v[1], v[2], v[3]});
        if (std::ranges::find(order, kQuaternion) != order.end()) {
            const Quat q{v[7], v[8], v[9], v[10]};
            const double size = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
            if (!(std::abs(size - 1) < 1e-2)) fault(line, fmt::format("the quaternion has the length {:.3g} and should have 1", size));
            turn = rotationVector(q.normalizedQuat(), turn);
            table.rotationsDeg.insert(table.rotationsDeg.end(), {turn.x / kDegree, turn.y / kDegree, turn.z / kDegree});
        } else if (std::ranges::find(order, kRotation) != order.end()) {
            table.rotationsDeg.insert(table.rotationsDeg.end(), {v[4], v[5], v[6]});
        }
    }
    if (table.times.size() < 2) throw std::runtime_error(fmt::format("a path needs at least two rows, and this has {}", table.times.size()));
    return table;
}

}  // namespace talus::io
