// SPDX-License-Identifier: Apache-2.0
#include "io/vtp.h"

#include "core/problems.h"
#include "io/appended.h"
#include "io/zlib_blocks.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>

namespace talus::io {

namespace {

constexpr std::string_view kPoints = "Points";

void addColumn(AppendedArrays& arrays, std::string& xml, std::string_view name, const FrameColumn& column) {
    std::string names;
    if (column.components > 1) {
        const auto parts = componentNames(column.components);
        for (std::size_t c = 0; c < column.components; ++c) names += fmt::format(" ComponentName{}=\"{}\"", c, parts[c]);
    }
    const bool real = column.type == world::FieldType::real;
    arrays.add(xml, name, real ? "Float32" : "Int64", column.components, real ? std::as_bytes(std::span(column.reals)) : std::as_bytes(std::span(column.integers)), names);
}

}  // namespace

std::string frameName(std::int64_t number) { return fmt::format("grains_{:06}.vtp", number); }

namespace {

/// To a lattice whose spacing is a power of two, so that the last digits of the numbers are zero and take up no room.
void roundPositions(Frame& frame) {
    constexpr double kFinest = 1.0 / 64;   // of the smallest radius
    const FrameColumn* radius = frame.find(world::field::radius.name);
    if (radius == nullptr) return;
    double smallest = 0;
    for (const float r : radius->reals)
        if (r > 0 && (smallest == 0 || r < smallest)) smallest = r;
    if (!(smallest > 0)) return;
    const double step = std::exp2(std::floor(std::log2(kFinest * smallest)));
    for (FrameColumn& column : frame.columns)
        if (column.name == world::field::position.name)
            for (float& x : column.reals) x = static_cast<float>(step * std::nearbyint(x / step));
}

}  // namespace

void writeVtp(const Path& path, Frame frame, FrameStyle style) {
    if (style == FrameStyle::quantised) roundPositions(frame);
    const FrameColumn* position = frame.find(world::field::position.name);
    if (position == nullptr) throw std::logic_error("a frame needs the field 'position'");
    // One vertex cell per grain, so that ParaView's cell filters (threshold, clip) work grain by grain.
    std::vector<std::int64_t> connectivity(frame.count), offsets(frame.count);
    std::iota(connectivity.begin(), connectivity.end(), 0);
    std::iota(offsets.begin(), offsets.end(), 1);

    AppendedArrays arrays(style == FrameStyle::quantised);
    std::string xml(arrays.begin());
    xml += fmt::format("<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{}</DataArray>\n</FieldData>\n", frame.time);
    xml += fmt::format("<Piece NumberOfPoints=\"{0}\" NumberOfVerts=\"{0}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<PointData>\n", frame.count);
    for (const FrameColumn& column : frame.columns)
        if (&column != position) addColumn(arrays, xml, column.name, column);
    xml += "</PointData>\n<Points>\n";
    addColumn(arrays, xml, kPoints, *position);
    xml += "</Points>\n<Verts>\n";
    arrays.add(xml, "connectivity", "Int64", 1, std::as_bytes(std::span(connectivity)));
    arrays.add(xml, "offsets", "Int64", 1, std::as_bytes(std::span(offsets)));
    xml += "</Verts>\n</Piece>\n";
    arrays.writeFile(path, xml);
}

namespace {

/// Reads the XML part tag by tag; what does not look like one of our frames is refused.
class VtpReader {
public:
    VtpReader(const Path& path, std::string bytes) : path_(path), text_(std::move(bytes)) {
        const std::size_t appended = text_.find(kAppendedBegin);
        if (!text_.starts_with("<?xml") || appended == std::string::npos) refuse("no appended data");
        header_ = std::string_view(text_).substr(0, appended);
        data_ = std::string_view(text_).substr(appended + kAppendedBegin.size());
        packed_ = header_.starts_with(kCompressedPolyDataBegin);
    }

    Frame read() {
        Frame frame;
        const std::string_view piece = tagAt(header_.find("<Piece "));
        frame.count = number<std::size_t>(attribute(piece, "NumberOfPoints"));
        if (frame.count > (packed_ ? kMostPacking : 1) * data_.size()) refuse("it is cut off");
        readTime(frame);
        const std::size_t end = header_.find("<Verts>");
        if (end == std::string_view::npos) refuse("no vertices");
        for (std::size_t at = header_.find("<DataArray ", header_.find("<PointData>")); at < end; at = header_.find("<DataArray ", at + 1))
            frame.columns.push_back(readColumn(tagAt(at), frame.count));
        if (frame.columns.size() < 2) refuse("it has no id and no position");
        std::rotate(frame.columns.begin() + 1, frame.columns.end() - 1, frame.columns.end());   // the points, which come last
        return frame;
    }

private:
    [[noreturn]] void refuse(std::string_view reason) const {
        throw Error(ExitCode::io, fmt::format("'{}' is not a frame that Talus wrote: {}", path_.string(), reason));
    }
    std::string_view tagAt(std::size_t begin) const {
        const std::size_t end = header_.find('>', begin);
        if (begin == std::string_view::npos || end == std::string_view::npos) refuse("its header is cut off");
        return header_.substr(begin, end - begin);
    }
    std::string_view attribute(std::string_view tag, std::string_view name) const {
        const std::string key = fmt::format(" {}=\"", name);
        const std::size_t at = tag.find(key);
        const std::size_t end = at == std::string_view::npos ? at : tag.find('"', at + key.size());
        if (end == std::string_view::npos) refuse(fmt::format("attribute {} is missing", name));
        return tag.substr(at + key.size(), end - at - key.size());
    }
    template <class T>
    T number(std::string_view text) const {
        T value{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size()) refuse(fmt::format("'{}' is not a number", text));
        return value;
    }
    void readTime(Frame& frame) const {
        const std::size_t begin = header_.find('>', header_.find("\"TimeValue\""));
        if (begin == std::string_view::npos) refuse("no time");
        const std::size_t end = header_.find('<', begin);
        if (end == std::string_view::npos) refuse("no time");
        frame.time = number<double>(header_.substr(begin + 1, end - begin - 1));
    }
    FrameColumn readColumn(std::string_view tag, std::size_t count) const {
        FrameColumn column;
        const std::string_view name = attribute(tag, "Name"), type = attribute(tag, "type");
        column.name = name == kPoints ? world::field::position.name : name;
        column.components = number<std::size_t>(attribute(tag, "NumberOfComponents"));
        if (column.components != 1 && column.components != 3 && column.components != 6) refuse("an array has an odd number of components");
        const auto offset = number<std::uint64_t>(attribute(tag, "offset"));
        if (type == "Float32") fill(column.reals, offset, count * column.components);
        else if (type == "Int64") fill(column.integers, offset, count * column.components), column.type = world::FieldType::integer;
        else refuse(fmt::format("array type '{}'", type));
        return column;
    }
    template <class T>
    void fill(std::vector<T>& values, std::uint64_t offset, std::size_t size) const {
        if (packed_) return unpack(values, offset, size);
        std::uint64_t bytes = 0;
        if (data_.size() < sizeof bytes || offset > data_.size() - sizeof bytes) refuse("an array lies outside the file");
        std::memcpy(&bytes, data_.data() + offset, sizeof bytes);
        const std::size_t room = data_.size() - sizeof bytes - offset;
        if (size > room / sizeof(T) || bytes != size * sizeof(T)) refuse("an array has a wrong length");
        if (size == 0) return;
        values.resize(size);
        std::memcpy(values.data(), data_.data() + offset + sizeof bytes, bytes);
    }

    template <class T>
    void unpack(std::vector<T>& values, std::uint64_t offset, std::size_t size) const {
        if (offset > data_.size()) refuse("an array lies outside the file");
        std::string bytes;
        try {
            bytes = decompressed(data_.substr(offset), size * sizeof(T));
        } catch (const std::runtime_error& fault) {
            refuse(fault.what());
        }
        if (bytes.size() != size * sizeof(T)) refuse("an array has a wrong length");
        if (size == 0) return;
        values.resize(size);
        std::memcpy(values.data(), bytes.data(), bytes.size());
    }

    Path path_;
    std::string text_;
    std::string_view header_, data_;
    bool packed_ = false;
};

}  // namespace

Frame readVtp(const Path& path) { return parseVtp(readFile(path), path); }
Frame parseVtp(std::string bytes, const Path& name) { return VtpReader(name, std::move(bytes)).read(); }

void writeVtpSeries(const Path& path, const std::vector<FrameTime>& frames) {
    nlohmann::ordered_json files = nlohmann::ordered_json::array();
    for (const FrameTime& frame : frames) files.push_back({{"name", frameName(frame.number)}, {"time", frame.time}});
    const nlohmann::ordered_json series{{"file-series-version", "1.0"}, {"files", files}};
    writeFile(path, series.dump(1) + "\n");
}

std::vector<FrameTime> readVtpSeries(const Path& path) {
    std::vector<FrameTime> frames;
    try {
        const auto series = nlohmann::json::parse(readFile(path));
        for (const auto& file : series.at("files")) {
            const auto name = file.at("name").get<std::string>();
            frames.push_back({std::stoll(name.substr(name.find('_') + 1)), file.at("time").get<double>()});
        }
    } catch (const std::logic_error&) {   // a name without its number
        throw Error(ExitCode::io, fmt::format("'{}' is damaged: a file in it is not a frame", path.string()));
    } catch (const nlohmann::json::exception&) {
        throw Error(ExitCode::io, fmt::format("'{}' is damaged: it is not a list of frames", path.string()));
    }
    return frames;
}

}  // namespace talus::io
