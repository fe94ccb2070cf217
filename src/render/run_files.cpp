// SPDX-License-Identifier: Apache-2.0
#include "render/run_files.h"

#include "core/problems.h"
#include "io/poly_data.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

namespace talus::render {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kFramesForExtent = 7;

/// Cells of a line of CSV, quotes taken off (RFC 4180).
std::vector<std::string> cellsOf(const std::string& line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') cells.back() += line[++i];
        else if (c == '"') quoted = !quoted;
        else if (c == ',' && !quoted) cells.emplace_back();
        else if (c != '\r') cells.back() += c;
    }
    return cells;
}

/// Polygons become fans.
TriangleMesh meshOf(const io::PolyData& data) {
    TriangleMesh mesh;
    mesh.vertices = data.points;
    for (const auto& polygon : data.polygons)
        for (std::size_t k = 2; k < polygon.size(); ++k) mesh.triangles.push_back({polygon[0], polygon[k - 1], polygon[k]});
    return mesh;
}

}  // namespace

RunFiles::RunFiles(const io::Path& directory) : directory_(directory) {
    if (!fs::exists(directory / "run.json")) throw Error(ExitCode::missing, fmt::format("there is no run in '{}': it has no run.json", directory.string()));
    const io::Path list = directory / "frames" / "grains.vtp.series";
    if (fs::exists(list)) frames_ = io::readVtpSeries(list);
    if (frames_.empty()) throw Error(ExitCode::missing, fmt::format("'{}' has no frames yet", directory.string()));
    hasLook_ = fs::exists(directory / "look.json");
    if (hasLook_) look_ = io::readLook(directory / "look.json");
    readBodies();
    readTemplates();
}

io::Frame RunFiles::frame(std::int64_t number) const { return io::readVtp(directory_ / "frames" / io::frameName(number)); }
io::Path RunFiles::contacts(std::int64_t number) const { return directory_ / "frames" / fmt::format("contacts_{:06}.vtp", number); }

void RunFiles::readBodies() {
    const io::Path poses = directory_ / "frames" / "bodies.csv";
    if (!fs::exists(poses)) return;
    std::istringstream table(io::readFile(poses));
    std::string line;
    std::getline(table, line);
    std::map<std::string, std::map<std::int64_t, RigidTransform>> byName;
    while (std::getline(table, line)) {
        const std::vector<std::string> cells = cellsOf(line);
        if (cells.size() < 10) throw Error(ExitCode::io, fmt::format("'{}' is damaged: a row has {} cells instead of 10", poses.string(), cells.size()));
        std::array<double, 8> v{};
        for (std::size_t k = 0; k < 8; ++k) {
            const std::string& cell = k == 0 ? cells[0] : cells[k + 2];
            if (const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), v[k]); error != std::errc{} || end != cell.data() + cell.size())
                throw Error(ExitCode::io, fmt::format("'{}' is damaged: '{}' is not a number", poses.string(), cell));
        }
        byName[cells[2]][static_cast<std::int64_t>(v[0])] = {Quat{v[4], v[5], v[6], v[7]}, Vec3{v[1], v[2], v[3]}};
    }
    for (auto& [name, series] : byName) {
        const io::Path file = directory_ / "frames" / ("body_" + name + ".vtp");
        if (!fs::exists(file)) continue;
        Body& body = bodies_.emplace_back(Body{name, meshOf(io::readPolyData(file)), std::move(series)});
        smoothCorners(body.mesh);
    }
}

void RunFiles::readTemplates() {
    const io::Path path = directory_ / "frames" / "templates.json";
    if (!fs::exists(path)) return;
    try {
        const auto json = nlohmann::json::parse(io::readFile(path));
        for (const auto& item : json.at("templates")) {
            ClumpTemplate& clump = templates_.emplace_back();
            clump.name = item.value("name", "");
            for (const auto& sphere : item.at("spheres")) {
                clump.spheres.push_back(sphere.get<std::array<double, 4>>());
                const auto& [x, y, z, r] = clump.spheres.back();
                clump.radius = std::max(clump.radius, norm(Vec3{x, y, z}) + r);
            }
            if (!(clump.radius > 0)) throw Error(ExitCode::io, fmt::format("'{}': template '{}' has no spheres", path.string(), clump.name));
            if (!item.contains("mesh")) continue;
            for (const auto& v : item.at("mesh").at("vertices")) {
                const auto p = v.get<std::array<float, 3>>();
                clump.mesh.vertices.push_back({p[0], p[1], p[2]});
            }
            for (const auto& t : item.at("mesh").at("triangles")) {
                clump.mesh.triangles.push_back(t.get<std::array<std::uint32_t, 3>>());
                for (const std::uint32_t v : clump.mesh.triangles.back())
                    if (v >= clump.mesh.vertices.size()) throw Error(ExitCode::io, fmt::format("'{}': template '{}' has no vertex {}", path.string(), clump.name, v));
            }
            smoothCorners(clump.mesh);
        }
    } catch (const nlohmann::json::exception& error) {
        const std::string_view what = error.what();
        throw Error(ExitCode::io, fmt::format("'{}' is damaged: {}", path.string(), what.substr(what.find("] ") + 2)));
    }
}

Aabb extentOf(const io::Frame& frame) {
    Aabb box;
    if (frame.count == 0) return box;
    const io::FrameColumn& position = requireField(frame, "position", "where the grains are");
    const io::FrameColumn* radius = frame.find("radius");
    const std::size_t out = frame.count / 1000;
    std::vector<float> values(frame.count);
    for (int axis = 0; axis < 3; ++axis) {
        for (std::size_t i = 0; i < frame.count; ++i) values[i] = position.reals[3 * i + static_cast<std::size_t>(axis)];
        const auto nth = [&](std::size_t n) {
            std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n), values.end());
            return static_cast<double>(values[n]);
        };
        box.min[axis] = nth(out);
        box.max[axis] = nth(frame.count - 1 - out);
    }
    const float largest = radius != nullptr ? *std::ranges::max_element(radius->reals) : 0;
    box.min -= Vec3{largest, largest, largest};
    box.max += Vec3{largest, largest, largest};
    return box;
}

const Aabb& RunFiles::extent() const {
    if (extent_) return *extent_;
    Aabb box;
    const std::size_t count = std::min(kFramesForExtent, frames_.size());
    for (std::size_t k = 0; k < count; ++k) {
        const Aabb part = extentOf(frame(frames_[count == 1 ? 0 : k * (frames_.size() - 1) / (count - 1)].number));
        if (part.empty()) continue;
        box.extend(part.min);
        box.extend(part.max);
    }
    if (box.empty()) box = hasLook_ ? Aabb{look_.domainMin, look_.domainMax} : Aabb{{0, 0, 0}, {1, 1, 1}};
    return extent_.emplace(box);
}

const io::FrameColumn& requireField(const io::Frame& frame, std::string_view name, std::string_view why) {
    if (const io::FrameColumn* column = frame.find(name)) return *column;
    std::vector<std::string> known;
    for (const io::FrameColumn& column : frame.columns) known.push_back(column.name);
    throw Error(ExitCode::usage, fmt::format("the frames have no field '{}' ({}); they have {}. A run writes more with output.fields", name, why, fmt::join(known, ", ")));
}

}  // namespace talus::render
