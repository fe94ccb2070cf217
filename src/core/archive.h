// SPDX-License-Identifier: Apache-2.0
// Where state is saved to and loaded from: named arrays in nested groups. Methods know this; files know the rest.
#pragma once

#include "core/function_ref.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace talus {

enum class ElementType : std::uint8_t { int8, int32, int64, uint32, uint64, float32, float64 };

template <class T>
constexpr ElementType elementType() {
    if constexpr (std::is_same_v<T, float>) return ElementType::float32;
    else if constexpr (std::is_same_v<T, double>) return ElementType::float64;
    else if constexpr (std::is_integral_v<T> && sizeof(T) == 1) return ElementType::int8;
    else if constexpr (std::is_integral_v<T> && sizeof(T) == 4) return std::is_signed_v<T> ? ElementType::int32 : ElementType::uint32;
    else {
        static_assert(std::is_integral_v<T> && sizeof(T) == 8, "an archive holds 8, 32 and 64 bit integers, float and double");
        return std::is_signed_v<T> ? ElementType::int64 : ElementType::uint64;
    }
}
constexpr std::size_t elementSize(ElementType type) {
    switch (type) {
        case ElementType::int8: return 1;
        case ElementType::int32: case ElementType::uint32: case ElementType::float32: return 4;
        default: return 8;
    }
}

/// What an archive says of a missing or unfit entry.
struct ArchiveError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Archive {
public:
    virtual ~Archive() = default;

    template <class T>
    void put(std::string_view name, std::span<const T> values) {
        putBytes(path(name), elementType<T>(), std::as_bytes(values));
    }
    template <class T>
    void put(std::string_view name, const std::vector<T>& values) { put(name, std::span<const T>(values)); }
    template <class T>
        requires std::is_arithmetic_v<T>
    void put(std::string_view name, T value) { put(name, std::span<const T>(&value, 1)); }
    void put(std::string_view name, std::string_view text) { put(name, std::span<const char>(text.data(), text.size())); }

    template <class T>
    std::vector<T> get(std::string_view name) const {
        std::vector<T> values;
        getBytes(path(name), elementType<T>(), [&](std::size_t bytes) {
            values.resize(bytes / sizeof(T));
            return std::as_writable_bytes(std::span<T>(values));
        });
        return values;
    }
    template <class T>
        requires std::is_arithmetic_v<T>
    T value(std::string_view name) const {
        const std::vector<T> values = get<T>(name);
        if (values.size() != 1) throw ArchiveError("'" + path(name) + "' should hold one value and holds " + std::to_string(values.size()));
        return values.front();
    }
    std::string text(std::string_view name) const {
        const std::vector<char> characters = get<char>(name);
        return {characters.begin(), characters.end()};
    }

    virtual bool contains(std::string_view name) const = 0;   // in the current group

    /// Names until the end of this object's life are inside `group`.
    class Group {
    public:
        Group(const Archive& archive, std::string_view group) : prefix_(archive.prefix_), length_(prefix_.size()) {
            prefix_.append(group).push_back('/');
        }
        ~Group() { prefix_.resize(length_); }
        Group(const Group&) = delete;
        Group& operator=(const Group&) = delete;

    private:
        std::string& prefix_;
        std::size_t length_;
    };
    [[nodiscard]] Group group(std::string_view name) const { return Group(*this, name); }

protected:
    std::string path(std::string_view name) const { return prefix_ + std::string(name); }

    virtual void putBytes(const std::string& path, ElementType, std::span<const std::byte>) = 0;
    /// Calls room(bytes) once and fills what it returns; throws ArchiveError when absent or of another type.
    using Room = FunctionRef<std::span<std::byte>(std::size_t bytes)>;
    virtual void getBytes(const std::string& path, ElementType, Room room) const = 0;

private:
    mutable std::string prefix_;
};

/// An archive in memory: snapshots and tests.
class MemoryArchive final : public Archive {
public:
    bool contains(std::string_view name) const override { return entries_.contains(path(name)); }

    struct Entry {
        ElementType type;
        std::vector<std::byte> bytes;
        friend bool operator==(const Entry&, const Entry&) = default;
    };
    const std::map<std::string, Entry>& entries() const { return entries_; }

protected:
    void putBytes(const std::string& path, ElementType type, std::span<const std::byte> bytes) override {
        entries_[path] = {type, {bytes.begin(), bytes.end()}};
    }
    void getBytes(const std::string& path, ElementType type, Room room) const override {
        const auto found = entries_.find(path);
        if (found == entries_.end()) throw ArchiveError("'" + path + "' is missing");
        if (found->second.type != type) throw ArchiveError("'" + path + "' has another type than expected");
        const std::span<std::byte> to = room(found->second.bytes.size());
        std::copy(found->second.bytes.begin(), found->second.bytes.end(), to.begin());
    }

private:
    std::map<std::string, Entry> entries_;
};

}  // namespace talus
