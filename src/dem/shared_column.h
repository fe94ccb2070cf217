// SPDX-License-Identifier: Apache-2.0
// A column whose rows mostly have one value.
#pragma once

#include "core/table.h"

#include <algorithm>

namespace talus::dem {

/// Takes no memory as long as all rows have the same value: grains of one size, kind and material are the rule. The first value that differs gives each row
/// its own. Saved as every column, so that an archive does not depend on it.
template <class T>
class SharedColumn final : public AnyColumn {
public:
    SharedColumn(Table& table, std::string_view name) : AnyColumn(table, name) {}

    bool shared() const { return values_.empty(); }
    [[gnu::always_inline]] T operator()(std::size_t row) const { return shared() ? value_ : values_[row]; }
    /// The values of the rows from this one on, where they are not shared.
    const T* from(std::size_t row) const { return values_.data() + row; }
    void set(std::size_t row, T value) {
        if (!known_) value_ = value;
        known_ = true;
        if (shared() && value == value_) return;
        if (shared()) {
            values_.reserve(Table::withRoom(rows_));
            values_.assign(rows_, value_);
        }
        values_[row] = value;
    }

    void resize(std::size_t rows) override {
        rows_ = rows;
        known_ = known_ && rows > 0;
        if (shared()) return;
        if (values_.capacity() < rows) values_.reserve(Table::withRoom(rows));
        values_.resize(rows, value_);
    }
    void reorder(const Exec& exec, std::span<const std::uint32_t> from, std::span<std::byte> scratch) override {
        if (!shared()) {
            T* const sorted = reinterpret_cast<T*>(scratch.data());
            exec.forBlocks(from.size(), kBlock, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) sorted[i] = values_[from[i]];
            });
            values_.assign(sorted, sorted + from.size());
        }
        resize(from.size());
    }
    std::size_t scratchPerRow() const override { return shared() ? 0 : sizeof(T); }
    void closeUp(std::size_t begin, std::size_t end, std::span<const std::size_t> gone) override {
        if (shared()) return;
        std::size_t to = begin, next = 0;
        for (std::size_t row = begin; row < end; ++row)
            if (next < gone.size() && gone[next] == row) ++next;
            else values_[to++] = values_[row];
    }
    void save(Archive& archive) const override { archive.put(name_, shared() ? std::vector<T>(rows_, value_) : std::vector<T>(values_.begin(), values_.end())); }
    void load(const Archive& archive, std::size_t rows) override {
        const std::vector<T> values = archive.get<T>(name_);
        if (values.size() != rows) throw ArchiveError("column '" + name_ + "' has a wrong length");
        rows_ = rows;
        known_ = rows > 0;
        value_ = known_ ? values.front() : T{};
        std::exchange(values_, {});
        if (std::ranges::any_of(values, [&](T value) { return value != value_; })) values_.assign(values.begin(), values.end());
    }
    std::size_t bytesPerRow() const override { return shared() ? 0 : sizeof(T); }

private:
    static constexpr std::size_t kBlock = 4096;
    std::size_t rows_ = 0;
    T value_{};
    bool known_ = false;       // a row was given a value
    AlignedVector<T> values_;  // empty: all rows have that one
};

}  // namespace talus::dem
