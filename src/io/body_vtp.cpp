// SPDX-License-Identifier: Apache-2.0
#include "io/body_vtp.h"

#include "io/appended.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace talus::io {

void writeMeshVtp(const Path& path, const std::vector<PlacedMesh>& meshes) {
    std::vector<float> points;
    std::vector<std::int32_t> connectivity, offsets, bodies;
    for (const PlacedMesh& placed : meshes) {
        const auto first = static_cast<std::int32_t>(points.size() / 3);
        for (const Vec3& v : placed.mesh->vertices) {
            const Vec3 x = placed.pose.apply(v);
            points.insert(points.end(), {static_cast<float>(x.x), static_cast<float>(x.y), static_cast<float>(x.z)});
        }
        for (const geometry::Triangle& t : placed.mesh->triangles) {
            for (const std::uint32_t corner : t) connectivity.push_back(first + static_cast<std::int32_t>(corner));
            offsets.push_back(static_cast<std::int32_t>(connectivity.size()));
            bodies.push_back(placed.body);
        }
    }
    std::uint64_t offset = 0;
    const auto array = [&](std::string_view name, std::string_view type, int components, std::uint64_t size) {
        std::string tag = fmt::format("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"/>\n", type, name, components, offset);
        offset += size;
        return tag;
    };
    std::string xml = "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n";
    xml += fmt::format("<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n<CellData>\n",
                       points.size() / 3, offsets.size());
    xml += array("body", "Int32", 1, appendedSize(bodies)) + "</CellData>\n<Points>\n";
    xml += array("Points", "Float32", 3, appendedSize(points)) + "</Points>\n<Polys>\n";
    xml += array("connectivity", "Int32", 1, appendedSize(connectivity));   // one by one: operands of + have no order
    xml += array("offsets", "Int32", 1, appendedSize(offsets));
    xml += "</Polys>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_";
    AtomicFile file(path);
    file.write(xml);
    append(file, bodies), append(file, points), append(file, connectivity), append(file, offsets);
    file.write("\n</AppendedData>\n</VTKFile>\n");
    file.commit();
}

void writeSeries(const Path& path, const std::vector<NamedTime>& frames) {
    nlohmann::ordered_json files = nlohmann::ordered_json::array();
    for (const NamedTime& frame : frames) files.push_back({{"name", frame.name}, {"time", frame.time}});
    const nlohmann::ordered_json series{{"file-series-version", "1.0"}, {"files", files}};
    writeFile(path, series.dump(1) + "\n");
}

}  // namespace talus::io
