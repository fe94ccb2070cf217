// SPDX-License-Identifier: Apache-2.0
#include "io/grain_table.h"

#include "io/csv_text.h"
#include "io/frame.h"
#include "io/text_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>

namespace talus::io {
namespace {

/// Which field and component a name of CSV means: "x" and "velocity_z" are parts of vectors, "stress_xy" of a tensor.
struct Part {
    std::string field;
    std::size_t component, components;
};
Part partOf(std::string_view name) {
    for (const std::size_t components : {std::size_t{3}, std::size_t{6}}) {
        const auto names = componentNames(components);
        for (std::size_t c = 0; c < components; ++c) {
            if (components == 3 && name == names[c]) return {"position", c, 3};
            const std::string ending = fmt::format("_{}", names[c]);
            if (name.size() > ending.size() && name.ends_with(ending)) return {std::string(name.substr(0, name.size() - ending.size())), c, components};
        }
    }
    return {std::string(name), 0, 1};
}

double numberOf(std::string_view text, std::size_t line) {
    const std::optional<double> value = numberIn<double>(text);
    if (!value) throw TableFault(fmt::format("line {}: '{}' is not a finite number", line, text.substr(0, 40)));
    return *value;
}

/// Little-endian whole number of 2, 4 or 8 bytes.
template <class T>
T whole(std::string_view bytes, std::size_t at) {
    if (at > bytes.size() || bytes.size() - at < sizeof(T)) throw TableFault("it is cut off");
    T value{};
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

struct NpyHeader {
    std::string type;                  // "<f8"
    std::vector<std::size_t> shape;
    std::size_t data = 0;              // where the numbers begin
};

// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
NpyHeader npyHeader(std::string_view npy) {
    if (!npy.starts_with("\x93NUMPY") || npy.size() < 12) throw TableFault("an array in it is not in NumPy's format");
    const bool first = npy[6] == 1;
    const std::size_t begin = first ? 10 : 12, length = first ? whole<std::uint16_t>(npy, 8) : whole<std::uint32_t>(npy, 8);
    if (length > npy.size() - begin) throw TableFault("the header of an array is cut off");
    const std::string_view text = npy.substr(begin, length);
    const auto after = [&](std::string_view key) {
        const std::size_t at = text.find(key);
        if (at == std::string_view::npos) throw TableFault(fmt::format("the header of an array has no {}", key));
        return text.substr(at + key.size());
    };
    NpyHeader header;
    header.data = begin + length;
    std::string_view type = after("'descr':");
    type.remove_prefix(std::min(type.find('\''), type.size() - 1) + 1);
    header.type = std::string(type.substr(0, type.find('\'')));
    if (after("'fortran_order':").substr(0, 6).find("True") != std::string_view::npos) throw TableFault("an array is in Fortran order; save numpy.ascontiguousarray of it");
    std::string_view shape = after("'shape':");
    shape.remove_prefix(std::min(shape.find('('), shape.size()));
    shape = shape.substr(0, shape.find(')'));
    while (!shape.empty()) {
        shape.remove_prefix(std::min(shape.find_first_of("0123456789"), shape.size()));
        if (shape.empty()) break;
        std::size_t extent = 0;
        const auto [end, error] = std::from_chars(shape.data(), shape.data() + shape.size(), extent);
        if (error != std::errc{}) throw TableFault("the shape of an array is not a list of numbers");
        shape.remove_prefix(static_cast<std::size_t>(end - shape.data()));
        header.shape.push_back(extent);
    }
    return header;
}

template <class T>
std::vector<double> numbersOf(std::string_view bytes, std::size_t count, std::string_view name) {
    if (count > bytes.size() / sizeof(T)) throw TableFault(fmt::format("array '{}' is cut off", name));
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        T value{};
        std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof value);
        values[i] = static_cast<double>(value);
        if (!std::isfinite(values[i])) throw TableFault(fmt::format("array '{}' holds a number that is not finite, at {}", name, i));
    }
    return values;
}

GrainColumn npyColumn(std::string_view npy, std::string_view name) {
    const NpyHeader header = npyHeader(npy);
    if (header.shape.empty() || header.shape.size() > 2) throw TableFault(fmt::format("array '{}' has {} dimensions; it needs one or two", name, header.shape.size()));
    GrainColumn column{std::string(name), header.shape.size() == 2 ? header.shape[1] : 1, {}};
    if (column.components < 1 || column.components > 9) throw TableFault(fmt::format("array '{}' has {} numbers for a grain", name, column.components));
    if (header.shape[0] > npy.size()) throw TableFault(fmt::format("array '{}' is cut off", name));
    const std::size_t count = header.shape[0] * column.components;
    const std::string_view data = npy.substr(header.data);
    if (header.type == "<f8") column.values = numbersOf<double>(data, count, name);
    else if (header.type == "<f4") column.values = numbersOf<float>(data, count, name);
    else if (header.type == "<i8") column.values = numbersOf<std::int64_t>(data, count, name);
    else if (header.type == "<i4") column.values = numbersOf<std::int32_t>(data, count, name);
    else throw TableFault(fmt::format("array '{}' has the type '{}'; known are <f4, <f8, <i4 and <i8", name, header.type));
    return column;
}

void requireSameLength(GrainColumns& table, const GrainColumn& column) {
    const std::size_t count = column.values.size() / column.components;
    if (table.columns.empty()) table.count = count;
    else if (count != table.count) throw TableFault(fmt::format("column '{}' has {} grains and '{}' has {}", column.name, count, table.columns.front().name, table.count));
}

}  // namespace

const GrainColumn* GrainColumns::find(std::string_view name) const {
    const auto found = std::ranges::find(columns, name, &GrainColumn::name);
    return found == columns.end() ? nullptr : &*found;
}

GrainColumns parseGrainCsv(std::string_view text) {
    text = withoutMark(text);
    std::vector<Part> parts;
    std::vector<std::vector<double>> values;
    std::size_t line = 0, rows = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view row = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        ++line;
        if (row.empty() || row.starts_with('#')) continue;
        const std::vector<std::string_view> found = csvCells(row);
        if (parts.empty()) {
            for (const std::string_view name : found) parts.push_back(partOf(name));
            values.resize(parts.size());
            continue;
        }
        if (found.size() != parts.size()) throw TableFault(fmt::format("line {}: {} cells under {} names", line, found.size(), parts.size()));
        for (std::size_t c = 0; c < found.size(); ++c) values[c].push_back(numberOf(found[c], line));
        ++rows;
    }
    if (parts.empty()) throw TableFault("it is empty; the first line should name the columns: x,y,z,…");
    GrainColumns table{rows, {}};
    for (const Part& part : parts) {
        if (table.find(part.field)) continue;
        GrainColumn column{part.field, part.components, std::vector<double>(rows * part.components)};
        for (std::size_t component = 0; component < part.components; ++component) {
            std::size_t from = parts.size();
            for (std::size_t c = 0; c < parts.size(); ++c)
                if (parts[c].field == part.field && parts[c].components == part.components && parts[c].component == component) {
                    if (from != parts.size()) throw TableFault(fmt::format("column '{}' is there twice", part.field));
                    from = c;
                }
            if (from == parts.size()) throw TableFault(fmt::format("of '{}' the component {} is missing", part.field, componentNames(part.components)[component]));
            for (std::size_t row = 0; row < rows; ++row) column.values[row * part.components + component] = values[from][row];
        }
        table.columns.push_back(std::move(column));
    }
    return table;
}

// The central directory at the end of a ZIP archive lists its files: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
GrainColumns parseGrainNpz(std::string_view bytes) {
    constexpr std::size_t kEnd = 22, kEntry = 46, kLocal = 30;
    const std::size_t end = bytes.rfind("PK\x05\x06");
    if (end == std::string_view::npos || bytes.size() - end < kEnd) throw TableFault("it is not an NPZ archive, or it is cut off");
    const auto entries = whole<std::uint16_t>(bytes, end + 10);
    std::size_t at = whole<std::uint32_t>(bytes, end + 16);
    GrainColumns table;
    for (std::uint16_t i = 0; i < entries; ++i) {
        if (at > bytes.size() || bytes.size() - at < kEntry || !bytes.substr(at).starts_with("PK\x01\x02")) throw TableFault("the list of its arrays is damaged");
        const auto method = whole<std::uint16_t>(bytes, at + 10), nameLength = whole<std::uint16_t>(bytes, at + 28);
        const std::size_t size = whole<std::uint32_t>(bytes, at + 24), local = whole<std::uint32_t>(bytes, at + 42);
        if (bytes.size() - at - kEntry < nameLength) throw TableFault("the list of its arrays is damaged");
        std::string_view name = bytes.substr(at + kEntry, nameLength);
        at += kEntry + nameLength + std::size_t{whole<std::uint16_t>(bytes, at + 30)} + whole<std::uint16_t>(bytes, at + 32);
        if (!name.ends_with(".npy")) continue;
        name.remove_suffix(4);
        if (method != 0) throw TableFault(fmt::format("array '{}' is compressed; save it with numpy.savez, not savez_compressed", name));
        if (local > bytes.size() || bytes.size() - local < kLocal) throw TableFault("it is cut off");
        const std::size_t data = local + kLocal + whole<std::uint16_t>(bytes, local + 26) + whole<std::uint16_t>(bytes, local + 28);
        // Archives of more than 4 GB have their lengths elsewhere.
        if (size == 0xffffffff || data > bytes.size() || size > bytes.size() - data) throw TableFault(fmt::format("array '{}' is cut off", name));
        if (npyHeader(bytes.substr(data, size)).shape.empty()) continue;   // a single number, such as the time of a frame
        GrainColumn column = npyColumn(bytes.substr(data, size), name);
        requireSameLength(table, column);
        table.columns.push_back(std::move(column));
    }
    return table;
}

bool isGrainTable(const Path& name) {
    const std::string ending = name.extension().string();
    return ending == ".csv" || ending == ".npz" || ending == ".vtp";
}

GrainColumns parseGrains(std::string_view bytes, const Path& name) {
    const std::string ending = name.extension().string();
    if (ending == ".csv") return parseGrainCsv(bytes);
    if (ending == ".npz") return parseGrainNpz(bytes);
    return parseGrainVtp(bytes);
}

}  // namespace talus::io
