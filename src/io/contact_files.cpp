// SPDX-License-Identifier: Apache-2.0
#include "io/contact_files.h"

#include "io/appended.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>

namespace talus::io {
namespace {

/// The two ends of every line, one after the other.
std::vector<float> endsOf(const FrameColumn& from, const FrameColumn& to) {
    std::vector<float> ends;
    ends.reserve(2 * from.reals.size());
    for (std::size_t at = 0; at < from.reals.size(); at += 3)
        for (const FrameColumn* end : {&from, &to}) ends.insert(ends.end(), end->reals.begin() + static_cast<std::ptrdiff_t>(at), end->reals.begin() + static_cast<std::ptrdiff_t>(at + 3));
    return ends;
}

}  // namespace

void writeLines(const Path& path, const Frame& lines) {
    const FrameColumn *from = lines.find("from"), *to = lines.find("to");
    if (from == nullptr || to == nullptr) throw std::logic_error("lines need the fields 'from' and 'to'");
    const std::vector<float> points = endsOf(*from, *to);
    std::vector<std::int32_t> connectivity(2 * lines.count), offsets(lines.count);
    std::iota(connectivity.begin(), connectivity.end(), 0);
    for (std::size_t n = 0; n < lines.count; ++n) offsets[n] = static_cast<std::int32_t>(2 * n + 2);
    AppendedArrays arrays;
    std::string xml(kPolyDataBegin);
    xml += fmt::format("<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"{}\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<CellData>\n", 2 * lines.count, lines.count);
    for (const FrameColumn& column : lines.columns)
        if (&column != from && &column != to) arrays.add(xml, column.name, column.components, column.reals);
    xml += "</CellData>\n<Points>\n";
    arrays.add(xml, "Points", 3, points);
    xml += "</Points>\n<Lines>\n";
    arrays.add(xml, "connectivity", 1, connectivity);
    arrays.add(xml, "offsets", 1, offsets);
    xml += "</Lines>\n</Piece>\n";
    arrays.writeFile(path, xml);
}

void writeTemplates(const Path& path, const std::vector<world::GrainTemplate>& templates) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const world::GrainTemplate& shape : templates) list.push_back({{"name", shape.name}, {"spheres", shape.spheres}});
    writeFile(path, nlohmann::ordered_json{{"templates", list}}.dump(1) + "\n");
}

}  // namespace talus::io
