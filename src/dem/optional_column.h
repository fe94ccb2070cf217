// SPDX-License-Identifier: Apache-2.0
// A column that some tables do without.
#pragma once

#include "core/table.h"

namespace talus::dem {

/// Where it is not present it takes no memory and is neither saved nor loaded; nobody may then ask for its values.
template <class T, int N = 1>
class OptionalColumn final : public AnyColumn {
public:
    OptionalColumn(Table& table, std::string_view name, bool present) : AnyColumn(table, name), own_(static_cast<int>(table.groupWidth())), values_(own_, name), present_(present) {}

    bool present() const { return present_; }
    Column<T, N>& values() { return values_; }
    const Column<T, N>& values() const { return values_; }

    void resize(std::size_t rows) override {
        if (present_) values_.resize(rows);
    }
    void reorder(const Exec& exec, std::span<const std::uint32_t> from, std::span<std::byte> scratch) override {
        if (present_) values_.reorder(exec, from, scratch);
    }
    std::size_t scratchPerRow() const override { return present_ ? values_.scratchPerRow() : 0; }
    void closeUp(std::size_t begin, std::size_t end, std::span<const std::size_t> gone) override {
        if (present_) values_.closeUp(begin, end, gone);
    }
    void save(Archive& archive) const override {
        if (present_) values_.save(archive);
    }
    void load(const Archive& archive, std::size_t rows) override {
        if (present_) values_.load(archive, rows);
    }
    std::size_t bytesPerRow() const override { return present_ ? values_.bytesPerRow() : 0; }

private:
    Table own_;            // of the values alone
    Column<T, N> values_;
    bool present_;
};

}  // namespace talus::dem
