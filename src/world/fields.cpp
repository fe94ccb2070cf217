// SPDX-License-Identifier: Apache-2.0
#include "world/fields.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace talus::world {

std::vector<std::string_view> namesOf(std::span<const FieldInfo> fields) {
    std::vector<std::string_view> names;
    for (const FieldInfo& field : fields) names.push_back(field.name);
    return names;
}

const FieldInfo* findField(std::span<const FieldInfo> fields, std::string_view name) {
    const auto found = std::ranges::find(fields, name, &FieldInfo::name);
    return found == fields.end() ? nullptr : &*found;
}

void FieldTable::take(const Chunk& chunk) {
    if (columns_.empty())
        for (const FieldColumn& column : chunk.columns) columns_.push_back({*column.info, {}, {}});
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        const FieldColumn& from = chunk.columns[c];
        columns_[c].reals.insert(columns_[c].reals.end(), from.reals.begin(), from.reals.end());
        columns_[c].integers.insert(columns_[c].integers.end(), from.integers.begin(), from.integers.end());
    }
    count_ += chunk.count;
}

const FieldTable::Whole& FieldTable::find(std::string_view name, FieldType type) const {
    for (const Whole& column : columns_)
        if (column.info.name == name && column.info.type == type) return column;
    throw std::out_of_range("FieldTable: field '" + std::string(name) + "' was not read");
}

// A method without grains hands over no chunk, so a missing column of an empty table is an empty column.
std::span<const double> FieldTable::reals(std::string_view name) const {
    return count_ == 0 ? std::span<const double>{} : find(name, FieldType::real).reals;
}
std::span<const std::int64_t> FieldTable::integers(std::string_view name) const {
    return count_ == 0 ? std::span<const std::int64_t>{} : find(name, FieldType::integer).integers;
}

}  // namespace talus::world
