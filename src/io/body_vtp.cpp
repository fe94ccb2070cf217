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
    AppendedArrays arrays;
    std::string xml(kPolyDataBegin);
    xml += fmt::format("<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n<CellData>\n",
                       points.size() / 3, offsets.size());
    arrays.add(xml, "body", 1, bodies);
    xml += "</CellData>\n<Points>\n";
    arrays.add(xml, "Points", 3, points);
    xml += "</Points>\n<Polys>\n";
    arrays.add(xml, "connectivity", 1, connectivity);
    arrays.add(xml, "offsets", 1, offsets);
    xml += "</Polys>\n</Piece>\n";
    arrays.writeFile(path, xml);
}

void writeSeries(const Path& path, const std::vector<NamedTime>& frames) {
    nlohmann::ordered_json files = nlohmann::ordered_json::array();
    for (const NamedTime& frame : frames) files.push_back({{"name", frame.name}, {"time", frame.time}});
    const nlohmann::ordered_json series{{"file-series-version", "1.0"}, {"files", files}};
    writeFile(path, series.dump(1) + "\n");
}

}  // namespace talus::io
