// SPDX-License-Identifier: Apache-2.0
// A table of objects stored by column. Columns are declared once, as members of a struct derived from Table; resize,
// reorder, save and load run over that list. The rows of a table come in groups of `groupWidth`: within a group each
// component is contiguous, so that a group is one SIMD register per component.
#pragma once

#include "core/archive.h"
#include "core/exec.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace talus {

/// Memory aligned to a cache line, so that a group never straddles one.
template <class T>
struct CacheLineAllocator {
    using value_type = T;
    static constexpr std::align_val_t kAlignment{64};
    CacheLineAllocator() = default;
    template <class U>
    CacheLineAllocator(const CacheLineAllocator<U>&) {}   // NOLINT(google-explicit-constructor): as allocators do
    T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kAlignment)); }
    void deallocate(T* p, std::size_t) { ::operator delete(p, kAlignment); }
    friend bool operator==(const CacheLineAllocator&, const CacheLineAllocator&) { return true; }
};
template <class T>
using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

class Table;

/// What a table needs of a column, whatever its type.
class AnyColumn {
public:
    virtual ~AnyColumn() = default;
    AnyColumn(const AnyColumn&) = delete;
    AnyColumn& operator=(const AnyColumn&) = delete;

    const std::string& name() const { return name_; }
    virtual void resize(std::size_t rows) = 0;
    /// `scratch` is memory for all rows of any column, scratchPerRow() bytes each: new memory for each would cost more than the copy back.
    virtual void reorder(const Exec&, std::span<const std::uint32_t> from, std::span<std::byte> scratch) = 0;
    virtual std::size_t scratchPerRow() const = 0;
    virtual void closeUp(std::size_t begin, std::size_t end, std::span<const std::size_t> gone) = 0;
    virtual void save(Archive&) const = 0;
    virtual void load(const Archive&, std::size_t rows) = 0;
    virtual std::size_t bytesPerRow() const = 0;

protected:
    AnyColumn(Table& table, std::string_view name);
    std::string name_;
};

class Table {
public:
    static constexpr std::uint32_t kPadding = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::size_t kWidest = 16;   // of groups
    /// Memory is taken for so many times the rows, so that a column seldom exists twice. What is spare is not touched: it costs addresses, not memory.
    static constexpr double kRoom = 1.25;
    static constexpr std::size_t withRoom(std::size_t rows) { return static_cast<std::size_t>(kRoom * static_cast<double>(rows)); }

    /// The group width is a power of two.
    explicit Table(int groupWidth) : groupWidth_(static_cast<std::size_t>(groupWidth)) {
        if (!std::has_single_bit(groupWidth_) || groupWidth_ > kWidest) throw std::logic_error("Table: a group is a power of two wide, at most 16");
    }
    Table(const Table&) = delete;
    Table& operator=(const Table&) = delete;

    std::size_t groupWidth() const { return groupWidth_; }
    std::size_t rows() const { return rows_; }   // padding rows included
    std::size_t groups() const { return rows_ / groupWidth_; }

    /// Rows are rounded up to whole groups; new rows hold the columns' padding value.
    void resize(std::size_t rows) {
        rows_ = (rows + groupWidth_ - 1) / groupWidth_ * groupWidth_;
        for (AnyColumn* column : columns_) column->resize(rows_);
    }
    /// New row i is old row from[i], or padding where from[i] is kPadding; rows that are not named vanish.
    void reorder(const Exec& exec, std::span<const std::uint32_t> from) {
        if (from.size() % groupWidth_ != 0) throw std::logic_error("Table::reorder: whole groups only");
        std::size_t widest = 0;
        for (const AnyColumn* column : columns_) widest = std::max(widest, column->scratchPerRow());
        if (scratch_.capacity() < widest * from.size()) {
            dropScratch();
            scratch_.reserve(widest * withRoom(from.size()));
        }
        if (scratch_.size() < widest * from.size()) scratch_.resize(widest * from.size());
        for (AnyColumn* column : columns_) column->reorder(exec, from, scratch_);
        rows_ = from.size();
    }
    /// Gives back the memory that reorder() keeps for the next one.
    void dropScratch() { AlignedVector<std::byte>().swap(scratch_); }
    /// Rows of [begin, end) move up over those that are gone (ascending), and the last ones become padding.
    void closeUp(std::size_t begin, std::size_t end, std::span<const std::size_t> gone) {
        for (AnyColumn* column : columns_) column->closeUp(begin, end, gone);
    }
    /// Closes up the whole table over rows that are gone (ascending), and makes it as much shorter.
    void remove(const Exec& exec, std::span<const std::size_t> gone) {
        if (gone.empty()) return;
        exec.forTasks(columns_.size(), [&](std::size_t c, int) { columns_[c]->closeUp(gone.front(), rows_, gone); });
        resize(rows_ - gone.size());
    }
    void save(Archive& archive) const {
        archive.put("rows", static_cast<std::uint64_t>(rows_));
        for (const AnyColumn* column : columns_) column->save(archive);
    }
    void load(const Archive& archive) {
        rows_ = archive.value<std::uint64_t>("rows");
        if (rows_ % groupWidth_ != 0) throw ArchiveError("a table of " + std::to_string(rows_) + " rows is not in whole groups");
        for (AnyColumn* column : columns_) column->load(archive, rows_);
    }
    std::size_t bytesPerRow() const {
        std::size_t sum = 0;
        for (const AnyColumn* column : columns_) sum += column->bytesPerRow();
        return sum;
    }

private:
    friend class AnyColumn;
    std::size_t groupWidth_, rows_ = 0;
    std::vector<AnyColumn*> columns_;
    AlignedVector<std::byte> scratch_;
};

inline AnyColumn::AnyColumn(Table& table, std::string_view name) : name_(name) { table.columns_.push_back(this); }

/// N components of type T per row. Component c of row i is at [(i / W) N W + c W + i % W] with W the group width.
template <class T, int N = 1>
class Column final : public AnyColumn {
public:
    Column(Table& table, std::string_view name, T padding = T{}) : AnyColumn(table, name), width_(table.groupWidth()), padding_(padding) {}

    T& operator()(std::size_t row, int component = 0) { return values_[place(row, component)]; }
    const T& operator()(std::size_t row, int component = 0) const { return values_[place(row, component)]; }
    /// The N x W values of a group.
    T* group(std::size_t g) { return values_.data() + g * kComponents * width_; }
    const T* group(std::size_t g) const { return values_.data() + g * kComponents * width_; }

    void resize(std::size_t rows) override {
        if (values_.capacity() < rows * kComponents) values_.reserve(Table::withRoom(rows) * kComponents);
        values_.resize(rows * kComponents, padding_);
    }
    // A few components at a time, which keeps the scratch memory small; all of them, into new memory, where the rows do not fit into the old.
    void reorder(const Exec& exec, std::span<const std::uint32_t> from, std::span<std::byte> scratch) override {
        if (values_.capacity() < from.size() * kComponents) {
            AlignedVector<T> sorted;
            sorted.reserve(Table::withRoom(from.size()) * kComponents);
            sorted.resize(from.size() * kComponents);
            collect<kComponents>(exec, from, 0, sorted.data());
            values_.swap(sorted);
            return;
        }
        if (values_.size() < from.size() * kComponents) values_.resize(from.size() * kComponents);
        T* const sorted = reinterpret_cast<T*>(scratch.data());
        for (std::size_t first = 0; first < kComponents; first += kAtOnce) {
            collect<kAtOnce>(exec, from, first, sorted);
            exec.forBlocks(from.size() / width_, kGroupsPerBlock, [&](std::size_t begin, std::size_t end) {
                for (std::size_t g = begin; g < end; ++g) std::copy_n(sorted + g * kAtOnce * width_, kAtOnce * width_, group(g) + first * width_);
            });
        }
        values_.resize(from.size() * kComponents);
    }
    std::size_t scratchPerRow() const override { return kAtOnce * sizeof(T); }
    void closeUp(std::size_t begin, std::size_t end, std::span<const std::size_t> gone) override {
        std::size_t to = begin, next = 0;
        const auto moveUp = [&](std::size_t first, std::size_t last) {   // to `to`
            if (to != first && width_ == 1) std::copy(values_.data() + first * kComponents, values_.data() + last * kComponents, values_.data() + to * kComponents);
            else if (to != first)
                for (std::size_t row = first; row < last; ++row)
                    for (int c = 0; c < N; ++c) (*this)(to + row - first, c) = (*this)(row, c);
            to += last - first;
        };
        for (std::size_t row = begin; row < end; row = next < gone.size() ? gone[next++] + 1 : end) moveUp(row, next < gone.size() ? gone[next] : end);
        for (; to < end; ++to)
            for (int c = 0; c < N; ++c) (*this)(to, c) = padding_;
    }
    void save(Archive& archive) const override { archive.put(name_, std::span<const T>(values_.data(), values_.size())); }
    void load(const Archive& archive, std::size_t rows) override {
        const std::vector<T> values = archive.get<T>(name_);
        if (values.size() != rows * kComponents) throw ArchiveError("column '" + name_ + "' has a wrong length");
        values_.assign(values.begin(), values.end());
    }
    std::size_t bytesPerRow() const override { return kComponents * sizeof(T); }

private:
    static constexpr std::size_t kComponents = N, kAtOnce = N % 3 == 0 ? 3 : N % 2 == 0 ? 2 : 1, kGroupsPerBlock = 1024;
    /// kCount components from the first one on of the rows `from`, in groups of their own.
    template <std::size_t kCount>
    void collect(const Exec& exec, std::span<const std::uint32_t> from, std::size_t first, T* to) const {
        if (width_ == 8) collectGroups<kCount>(exec, from, first, to, std::integral_constant<std::size_t, 8>());   // straight code for a width that the compiler knows
        else collectGroups<kCount>(exec, from, first, to, width_);
    }
    template <std::size_t kCount, class Width>
    void collectGroups(const Exec& exec, std::span<const std::uint32_t> from, std::size_t first, T* to, const Width& width) const {
        exec.forBlocks(from.size() / width, kGroupsPerBlock, [&](std::size_t begin, std::size_t end) {
            const T* const values = values_.data() + first * width;
            for (std::size_t g = begin; g < end; ++g) {
                const std::uint32_t* const rows = from.data() + g * width;
                T* const group = to + g * kCount * width;
                const bool whole = std::find(rows, rows + width, Table::kPadding) == rows + width;
                for (std::size_t lane = 0; lane < width; ++lane) {
                    const bool there = whole || rows[lane] != Table::kPadding;
                    const T* const at = values + (there ? place(rows[lane], width) : 0);
                    for (std::size_t c = 0; c < kCount; ++c) group[c * width + lane] = there ? at[c * width] : padding_;
                }
            }
        });
    }
    /// Of the first component.
    static std::size_t place(std::size_t row, std::size_t width) {
        const std::size_t inGroup = row & (width - 1);   // a division here would cost more than all else that a reorder does
        return (row - inGroup) * kComponents + inGroup;
    }
    std::size_t place(std::size_t row, int component) const { return place(row, width_) + static_cast<std::size_t>(component) * width_; }
    std::size_t width_;   // a power of two
    T padding_;
    AlignedVector<T> values_;
};

}  // namespace talus
