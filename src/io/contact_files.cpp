// SPDX-License-Identifier: Apache-2.0
#include "io/contact_files.h"

#include "io/appended.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace talus::io {
namespace {

void put(std::vector<float>& to, const Vec3& v) { to.insert(to.end(), {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)}); }

}  // namespace

void writeContacts(const Path& path, const std::vector<world::ContactLine>& lines) {
    std::vector<float> points, force, normal, shear;
    std::vector<std::int32_t> connectivity, offsets;
    for (const world::ContactLine& line : lines) {
        put(points, line.from);
        put(points, line.to);
        put(force, line.force);
        normal.push_back(static_cast<float>(line.normal));
        shear.push_back(static_cast<float>(line.shear));
        const auto first = static_cast<std::int32_t>(connectivity.size());
        connectivity.insert(connectivity.end(), {first, first + 1});
        offsets.push_back(first + 2);
    }
    AppendedArrays arrays;
    std::string xml(kPolyDataBegin);
    xml += fmt::format("<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"{}\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<CellData>\n", points.size() / 3, offsets.size());
    arrays.add(xml, "force", 3, force);
    arrays.add(xml, "normal_force", 1, normal);
    arrays.add(xml, "shear_force", 1, shear);
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
