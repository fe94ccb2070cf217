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
    std::uint64_t offset = 0;
    const auto array = [&](std::string_view name, std::string_view type, int components, std::uint64_t size) {
        std::string tag = fmt::format("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"/>\n", type, name, components, offset);
        offset += size;
        return tag;
    };
    std::string xml = "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n";
    xml += fmt::format("<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"{}\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<CellData>\n", points.size() / 3, offsets.size());
    xml += array("force", "Float32", 3, appendedSize(force));
    xml += array("normal_force", "Float32", 1, appendedSize(normal));
    xml += array("shear_force", "Float32", 1, appendedSize(shear)) + "</CellData>\n<Points>\n";
    xml += array("Points", "Float32", 3, appendedSize(points)) + "</Points>\n<Lines>\n";
    xml += array("connectivity", "Int32", 1, appendedSize(connectivity));
    xml += array("offsets", "Int32", 1, appendedSize(offsets));
    xml += "</Lines>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_";
    AtomicFile file(path);
    file.write(xml);
    append(file, force), append(file, normal), append(file, shear), append(file, points), append(file, connectivity), append(file, offsets);
    file.write("\n</AppendedData>\n</VTKFile>\n");
    file.commit();
}

void writeTemplates(const Path& path, const std::vector<world::GrainTemplate>& templates) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const world::GrainTemplate& shape : templates) list.push_back({{"name", shape.name}, {"spheres", shape.spheres}});
    writeFile(path, nlohmann::ordered_json{{"templates", list}}.dump(1) + "\n");
}

}  // namespace talus::io
