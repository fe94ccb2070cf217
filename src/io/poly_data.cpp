// SPDX-License-Identifier: Apache-2.0
#include "io/poly_data.h"

#include "core/problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

namespace talus::io {

namespace {

constexpr std::string_view kAppended = "<AppendedData encoding=\"raw\">";

const PolyArray* findIn(const std::vector<PolyArray>& arrays, std::string_view name) {
    const auto found = std::ranges::find(arrays, name, &PolyArray::name);
    return found == arrays.end() ? nullptr : &*found;
}

class PolyReader {
public:
    explicit PolyReader(const Path& path) : path_(path), text_(readFile(path)), header_(text_) {
        if (header_.find("type=\"PolyData\"") == std::string_view::npos) refuse("it is not VTK XML PolyData");
        if (header_.find("compressor=") < header_.find("<PolyData>")) refuse("its arrays are compressed; write them raw or as text");
        const std::size_t appended = header_.find(kAppended);
        if (appended == std::string_view::npos) return;
        const std::size_t begin = header_.find('_', appended);
        if (begin == std::string_view::npos) refuse("its appended data is cut off");
        data_ = header_.substr(begin + 1);
        header_ = header_.substr(0, appended);
    }

    PolyData read() {
        PolyData data;
        for (PolyArray& array : arraysIn("<Points>", "</Points>")) {
            if (array.components != 3 || array.values.size() % 3 != 0) refuse("its points do not have three coordinates");
            for (std::size_t i = 0; i < array.values.size(); i += 3)
                data.points.push_back({static_cast<float>(array.values[i]), static_cast<float>(array.values[i + 1]), static_cast<float>(array.values[i + 2])});
        }
        for (const Vec3f& point : data.points)
            if (!isFinite(point)) refuse("a point is not finite");
        data.lines = cells("<Lines>", "</Lines>", data.points.size());
        data.polygons = cells("<Polys>", "</Polys>", data.points.size());
        data.pointData = arraysIn("<PointData", "</PointData>");
        data.cellData = arraysIn("<CellData", "</CellData>");
        return data;
    }

private:
    [[noreturn]] void refuse(std::string_view reason) const { throw Error(ExitCode::io, fmt::format("'{}' cannot be read as a mesh or lines: {}", path_.string(), reason)); }

    std::string attribute(std::string_view tag, std::string_view name, std::string_view otherwise) const {
        const std::string key = fmt::format(" {}=\"", name);
        const std::size_t at = tag.find(key);
        if (at == std::string_view::npos) return std::string(otherwise);
        const std::size_t end = tag.find('"', at + key.size());
        if (end == std::string_view::npos) refuse("a tag is cut off");
        return std::string(tag.substr(at + key.size(), end - at - key.size()));
    }

    std::vector<PolyArray> arraysIn(std::string_view open, std::string_view close) const {
        std::vector<PolyArray> arrays;
        const std::size_t begin = header_.find(open), end = header_.find(close, begin == std::string_view::npos ? 0 : begin);
        if (begin == std::string_view::npos || end == std::string_view::npos) return arrays;
        for (std::size_t at = header_.find("<DataArray", begin); at < end; at = header_.find("<DataArray", at + 1)) {
            const std::size_t tagEnd = header_.find('>', at);
            if (tagEnd == std::string_view::npos) refuse("a tag is cut off");
            const std::string_view tag = header_.substr(at, tagEnd - at);
            PolyArray& array = arrays.emplace_back();
            array.name = attribute(tag, "Name", "");
            const double components = numberOf(attribute(tag, "NumberOfComponents", "1"));
            if (!(components >= 1 && components <= 64)) refuse(fmt::format("array '{}' has no sensible number of components", array.name));
            array.components = static_cast<std::size_t>(components);
            const std::string format = attribute(tag, "format", "ascii");
            if (format == "ascii") array.values = textValues(tagEnd + 1);
            else if (format == "appended") array.values = appendedValues(attribute(tag, "type", ""), numberOf(attribute(tag, "offset", "-1")));
            else refuse(fmt::format("array '{}' has the format '{}'; appended (raw) and ascii are read", array.name, format));
        }
        return arrays;
    }

    double numberOf(std::string_view text) const {
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size()) refuse(fmt::format("'{}' is not a number", text));
        return value;
    }
    std::vector<double> textValues(std::size_t begin) const {
        std::vector<double> values;
        std::string_view text = header_.substr(begin, header_.find('<', begin) - begin);
        while (true) {
            const std::size_t first = text.find_first_not_of(" \t\r\n");
            if (first == std::string_view::npos) return values;
            const std::size_t last = std::min(text.find_first_of(" \t\r\n", first), text.size());
            values.push_back(numberOf(text.substr(first, last - first)));
            text.remove_prefix(last);
        }
    }
    template <class T>
    std::vector<double> converted(std::string_view bytes) const {
        std::vector<double> values(bytes.size() / sizeof(T));
        for (std::size_t i = 0; i < values.size(); ++i) {
            T value;
            std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
            values[i] = static_cast<double>(value);
        }
        return values;
    }
    std::vector<double> appendedValues(std::string_view type, double offset) const {
        std::uint64_t size = 0;
        if (!(offset >= 0) || offset + sizeof size > static_cast<double>(data_.size())) refuse("an array lies outside the file");
        const std::size_t at = static_cast<std::size_t>(offset);
        std::memcpy(&size, data_.data() + at, sizeof size);
        if (size > data_.size() - at - sizeof size) refuse("an array is cut off");
        const std::string_view bytes = data_.substr(at + sizeof size, size);
        if (type == "Float32") return converted<float>(bytes);
        if (type == "Float64") return converted<double>(bytes);
        if (type == "Int64") return converted<std::int64_t>(bytes);
        if (type == "Int32") return converted<std::int32_t>(bytes);
        if (type == "UInt32") return converted<std::uint32_t>(bytes);
        if (type == "UInt8") return converted<std::uint8_t>(bytes);
        refuse(fmt::format("array type '{}'", type));
    }

    std::vector<std::vector<std::uint32_t>> cells(std::string_view open, std::string_view close, std::size_t points) const {
        const std::vector<PolyArray> arrays = arraysIn(open, close);
        const PolyArray *corners = findIn(arrays, "connectivity"), *ends = findIn(arrays, "offsets");
        std::vector<std::vector<std::uint32_t>> result;
        if (corners == nullptr || ends == nullptr) return result;
        std::size_t from = 0;
        for (const double end : ends->values) {
            if (!(end >= static_cast<double>(from) && end <= static_cast<double>(corners->values.size()))) refuse("the offsets of its cells are wrong");
            std::vector<std::uint32_t>& cell = result.emplace_back();
            for (; from < static_cast<std::size_t>(end); ++from) {
                const double corner = corners->values[from];
                if (!(corner >= 0 && corner < static_cast<double>(points))) refuse(fmt::format("a cell refers to point {} of {}", corner, points));
                cell.push_back(static_cast<std::uint32_t>(corner));
            }
        }
        return result;
    }

    Path path_;
    std::string text_;
    std::string_view header_, data_;
};

}  // namespace

const PolyArray* PolyData::findCellData(std::string_view name) const { return findIn(cellData, name); }
const PolyArray* PolyData::findPointData(std::string_view name) const { return findIn(pointData, name); }

PolyData readPolyData(const Path& path) { return PolyReader(path).read(); }

}  // namespace talus::io
