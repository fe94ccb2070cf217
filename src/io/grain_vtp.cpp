// SPDX-License-Identifier: Apache-2.0
// Points with their data from VTK XML PolyData as ParaView, VTK and others write it: arrays as text, in base64, or appended (raw or
// in base64), lengths of 32 or 64 bits. https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html
#include "io/grain_table.h"
#include "io/zlib_blocks.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>

namespace talus::io {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

/// RFC 4648. Lengths and numbers may be encoded one after the other: what follows padding is a new text.
std::string fromBase64(std::string_view text) {
    std::string bytes;
    std::uint32_t group = 0;
    int letters = 0;
    for (const char c : text) {
        std::uint32_t six = 0;
        if (c >= 'A' && c <= 'Z') six = static_cast<std::uint32_t>(c - 'A');
        else if (c >= 'a' && c <= 'z') six = static_cast<std::uint32_t>(c - 'a' + 26);
        else if (c >= '0' && c <= '9') six = static_cast<std::uint32_t>(c - '0' + 52);
        else if (c == '+') six = 62;
        else if (c == '/') six = 63;
        else if (kBlank.find(c) != std::string_view::npos) continue;
        else if (c == '=') {   // 2 or 3 letters were 1 or 2 bytes
            for (int k = 0; k + 1 < letters; ++k) bytes += static_cast<char>(group << (24 - 6 * letters) >> (16 - 8 * k) & 255u);
            letters = 0, group = 0;
            continue;
        } else {
            throw TableFault(fmt::format("'{}' is not a letter of base64", c));
        }
        group = group << 6 | six;
        if (++letters < 4) continue;
        for (const unsigned shift : {16u, 8u, 0u}) bytes += static_cast<char>(group >> shift & 255u);
        letters = 0, group = 0;
    }
    return bytes;
}

template <class T>
std::vector<double> converted(std::string_view bytes) {
    std::vector<double> values(bytes.size() / sizeof(T));
    for (std::size_t i = 0; i < values.size(); ++i) {
        T value{};
        std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
        values[i] = static_cast<double>(value);
    }
    return values;
}

class VtpTable {
public:
    explicit VtpTable(std::string_view text) : header_(text) {
        const std::size_t file = text.find("<VTKFile");
        if (file == std::string_view::npos) throw TableFault("it is not a VTK XML file; in ParaView save as .vtp");
        const std::string_view tag = tagAt(file);
        if (attribute(tag, "type") != "PolyData") throw TableFault(fmt::format("it holds '{}', not PolyData; in ParaView apply Extract Surface and save as .vtp", attribute(tag, "type").value_or("")));
        const std::optional<std::string_view> compressor = attribute(tag, "compressor");
        packed_ = compressor == kZlibCompressor && attribute(tag, "header_type") == "UInt64" && text.find("<AppendedData encoding=\"raw\"") != std::string_view::npos;
        if (compressor && !packed_) throw TableFault("its arrays are compressed; in ParaView's dialogue choose the compressor None");
        if (attribute(tag, "byte_order").value_or("LittleEndian") != "LittleEndian") throw TableFault("its byte order is BigEndian; write it as LittleEndian");
        longLengths_ = attribute(tag, "header_type").value_or("UInt32") == "UInt64";
        const std::size_t appended = text.find("<AppendedData");
        if (appended == std::string_view::npos) return;
        header_ = text.substr(0, appended);
        const std::size_t begin = text.find('_', text.find('>', appended));
        if (begin == std::string_view::npos) throw TableFault("its appended data is cut off");
        appended_ = text.substr(begin + 1);
        appendedIsText_ = attribute(tagIn(text, appended), "encoding").value_or("base64") == "base64";
    }

    GrainColumns read() const {
        const std::size_t piece = header_.find("<Piece");
        if (piece == std::string_view::npos) throw TableFault("it has no points");
        if (header_.find("<Piece", piece + 1) != std::string_view::npos) throw TableFault("it consists of several pieces; in ParaView merge them and save again");
        GrainColumns table;
        const double count = numberOf(attribute(tagAt(piece), "NumberOfPoints").value_or("0"));
        if (!(count >= 1)) throw TableFault("it has no points");
        if (!(count <= static_cast<double>((packed_ ? kMostPacking : 1) * (header_.size() + appended_.size())))) throw TableFault("it is cut off");
        table.count = static_cast<std::size_t>(count);
        addArrays("<Points", "</Points>", true, table);
        if (table.columns.empty()) throw TableFault("it has no points");
        addArrays("<PointData", "</PointData>", false, table);
        return table;
    }

private:
    static std::string_view tagIn(std::string_view text, std::size_t begin) {
        const std::size_t end = text.find('>', begin);
        if (begin == std::string_view::npos || end == std::string_view::npos) throw TableFault("it is cut off");
        return text.substr(begin, end - begin);
    }
    std::string_view tagAt(std::size_t begin) const { return tagIn(header_, begin); }
    static std::optional<std::string_view> attribute(std::string_view tag, std::string_view name) {
        for (std::size_t at = tag.find(name); at != std::string_view::npos; at = tag.find(name, at + 1)) {
            const std::string_view rest = tag.substr(at + name.size());
            if (at == 0 || kBlank.find(tag[at - 1]) == std::string_view::npos || rest.size() < 2 || rest[0] != '=') continue;
            const std::size_t end = rest.find(rest[1], 2);
            if (end == std::string_view::npos) throw TableFault("a tag is cut off");
            return rest.substr(2, end - 2);
        }
        return {};
    }
    static double numberOf(std::string_view text) {
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size()) throw TableFault(fmt::format("'{}' is not a number", text.substr(0, 40)));
        return value;
    }

    void addArrays(std::string_view open, std::string_view close, bool points, GrainColumns& table) const {
        const std::size_t begin = header_.find(open), end = begin == std::string_view::npos ? begin : header_.find(close, begin);
        if (end == std::string_view::npos) return;
        for (std::size_t at = header_.find("<DataArray", begin); at < end; at = header_.find("<DataArray", at + 1)) {
            const std::string_view tag = tagAt(at);
            GrainColumn column{points ? "position" : std::string(attribute(tag, "Name").value_or("")), 1, {}};
            const double components = numberOf(attribute(tag, "NumberOfComponents").value_or("1"));
            if (points ? components != 3 : components != 1 && components != 3 && components != 6) {
                if (points) throw TableFault("its points do not have three coordinates");
                continue;   // no field of grains
            }
            column.components = static_cast<std::size_t>(components);
            if (table.find(column.name) != nullptr) continue;   // positions are where the points are
            column.values = valuesOf(tag, at + tag.size() + 1, column.name);
            if (column.values.size() != table.count * column.components)
                throw TableFault(fmt::format("array '{}' has {} numbers for {} points", column.name, column.values.size(), table.count));
            for (const double value : column.values)
                if (!std::isfinite(value)) throw TableFault(fmt::format("array '{}' holds a number that is not finite", column.name));
            table.columns.push_back(std::move(column));
        }
    }

    std::vector<double> valuesOf(std::string_view tag, std::size_t inside, const std::string& name) const {
        const std::string_view format = attribute(tag, "format").value_or("ascii"), type = attribute(tag, "type").value_or("");
        if (format == "ascii") return textValues(inlineText(inside));
        std::string decoded;
        if (format == "binary") return typed(numbersIn(decoded = fromBase64(inlineText(inside)), name), type, name);
        if (format != "appended") throw TableFault(fmt::format("array '{}' has the format '{}'; ascii, binary and appended are known", name, format));
        const double offset = numberOf(attribute(tag, "offset").value_or("-1"));
        if (!(offset >= 0 && offset < static_cast<double>(appended_.size()))) throw TableFault(fmt::format("array '{}' lies outside the file", name));
        const std::string_view from = appended_.substr(static_cast<std::size_t>(offset));
        if (packed_) return typed(decoded = unpacked(from, name), type, name);
        if (appendedIsText_) decoded = base64From(from);
        return typed(numbersIn(appendedIsText_ ? std::string_view(decoded) : from, name), type, name);
    }
    std::string unpacked(std::string_view from, const std::string& name) const {
        try {
            return decompressed(from, kMostBytes);
        } catch (const std::runtime_error& fault) {
            throw TableFault(fmt::format("array '{}': {}", name, fault.what()));
        }
    }
    std::string_view inlineText(std::size_t begin) const { return header_.substr(begin, header_.find('<', begin) - begin); }

    /// Appended texts follow each other without a mark: the length at the beginning says how much belongs to this one.
    std::string base64From(std::string_view text) const {
        text = text.substr(0, text.find('<'));
        const std::size_t lettersOfLength = longLengths_ ? 12 : 8;
        const std::string head = fromBase64(text.substr(0, lettersOfLength));
        const std::size_t own = lengthBytes();
        if (head.size() < own) throw TableFault("its appended data is cut off");
        const std::uint64_t bytes = own + lengthOf(head);
        return bytes > text.size() ? fromBase64(text) : fromBase64(text.substr(0, lettersOfLength + (bytes + 2) / 3 * 4));
    }
    std::size_t lengthBytes() const { return longLengths_ ? 8 : 4; }
    std::uint64_t lengthOf(std::string_view bytes) const {
        std::uint64_t length = 0;
        std::memcpy(&length, bytes.data(), lengthBytes());
        return length;
    }
    std::string_view numbersIn(std::string_view bytes, const std::string& name) const {
        const std::size_t own = lengthBytes();
        if (bytes.size() < own || lengthOf(bytes) > bytes.size() - own) throw TableFault(fmt::format("array '{}' is cut off", name));
        return bytes.substr(own, lengthOf(bytes));
    }
    static std::vector<double> textValues(std::string_view text) {
        std::vector<double> values;
        while (true) {
            const std::size_t first = text.find_first_not_of(kBlank);
            if (first == std::string_view::npos) return values;
            const std::size_t last = std::min(text.find_first_of(kBlank, first), text.size());
            values.push_back(numberOf(text.substr(first, last - first)));
            text.remove_prefix(last);
        }
    }
    static std::vector<double> typed(std::string_view bytes, std::string_view type, const std::string& name) {
        if (type == "Float32") return converted<float>(bytes);
        if (type == "Float64") return converted<double>(bytes);
        if (type == "Int64") return converted<std::int64_t>(bytes);
        if (type == "UInt64") return converted<std::uint64_t>(bytes);
        if (type == "Int32") return converted<std::int32_t>(bytes);
        if (type == "UInt32") return converted<std::uint32_t>(bytes);
        if (type == "Int16") return converted<std::int16_t>(bytes);
        if (type == "UInt16") return converted<std::uint16_t>(bytes);
        if (type == "Int8") return converted<std::int8_t>(bytes);
        if (type == "UInt8") return converted<std::uint8_t>(bytes);
        throw TableFault(fmt::format("array '{}' is of the unknown type '{}'", name, type));
    }

    static constexpr std::size_t kMostBytes = std::size_t{1} << 36;   // of an array
    std::string_view header_, appended_;
    bool longLengths_ = false, appendedIsText_ = false, packed_ = false;
};

}  // namespace

GrainColumns parseGrainVtp(std::string_view bytes) { return VtpTable(bytes).read(); }

}  // namespace talus::io
