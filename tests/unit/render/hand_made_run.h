// SPDX-License-Identifier: Apache-2.0
// Run directories written by hand: the files that pictures are made of, and nothing else.
#pragma once

#include "../io/temporary_folder.h"
#include "io/look.h"
#include "io/vtp.h"

#include <array>
#include <string>
#include <vector>

namespace talus::test {

struct Grain {
    Vec3f position;
    float radius = 0.1f;
    Vec3f velocity{};
    std::int64_t clump = 0;
    Quat orientation{};
    Vec3f normal{};   // of a flat grain
};

class HandMadeRun {
public:
    HandMadeRun() {
        io::createDirectories(frames());
        io::writeFile(path() / "run.json", "{}\n");
    }
    io::Path path() const { return folder_.path() / "run"; }
    io::Path frames() const { return path() / "frames"; }

    void addFrame(double time, const std::vector<Grain>& grains) {
        io::Frame frame{time, grains.size(), {}};
        frame.columns = {{"id", world::FieldType::integer, 1, {}, {}},       {"position", world::FieldType::real, 3, {}, {}},
                         {"velocity", world::FieldType::real, 3, {}, {}},    {"radius", world::FieldType::real, 1, {}, {}},
                         {"template", world::FieldType::integer, 1, {}, {}}, {"orientation_w", world::FieldType::real, 1, {}, {}},
                         {"orientation", world::FieldType::real, 3, {}, {}}, {"normal", world::FieldType::real, 3, {}, {}}};
        for (const Grain& g : grains) {
            frame.columns[0].integers.push_back(static_cast<std::int64_t>(frame.columns[0].integers.size()));
            frame.columns[1].reals.insert(frame.columns[1].reals.end(), {g.position.x, g.position.y, g.position.z});
            frame.columns[2].reals.insert(frame.columns[2].reals.end(), {g.velocity.x, g.velocity.y, g.velocity.z});
            frame.columns[3].reals.push_back(g.radius);
            frame.columns[4].integers.push_back(g.clump);
            frame.columns[5].reals.push_back(static_cast<float>(g.orientation.w));
            frame.columns[6].reals.insert(frame.columns[6].reals.end(), {static_cast<float>(g.orientation.x), static_cast<float>(g.orientation.y), static_cast<float>(g.orientation.z)});
            frame.columns[7].reals.insert(frame.columns[7].reals.end(), {g.normal.x, g.normal.y, g.normal.z});
        }
        const std::int64_t number = static_cast<std::int64_t>(times_.size());
        io::writeVtp(frames() / io::frameName(number), frame);
        times_.push_back({number, time});
        io::writeVtpSeries(frames() / "grains.vtp.series", times_);
    }
    /// A cube of edge 1 about the origin of the body, the same pose in every frame so far.
    void addCube(const std::string& name, const std::vector<RigidTransform>& poses) {
        std::string points;
        for (int c = 0; c < 8; ++c) points += std::string(c & 1 ? "0.5 " : "-0.5 ") + (c & 2 ? "0.5 " : "-0.5 ") + (c & 4 ? "0.5 " : "-0.5 ");
        io::writeFile(frames() / ("body_" + name + ".vtp"),
                      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\">\n<PolyData>\n<Piece NumberOfPoints=\"8\" NumberOfPolys=\"6\">\n<Points>\n"
                      "<DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">" + points + "</DataArray>\n</Points>\n<Polys>\n"
                      "<DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">0 2 3 1  4 5 7 6  0 1 5 4  2 6 7 3  0 4 6 2  1 3 7 5</DataArray>\n"
                      "<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">4 8 12 16 20 24</DataArray>\n</Polys>\n</Piece>\n</PolyData>\n</VTKFile>\n");
        if (table_.empty()) table_ = "frame,time_s,name,x_m,y_m,z_m,qw,qx,qy,qz\n";
        for (std::size_t k = 0; k < poses.size(); ++k) {
            const auto& [q, x] = poses[k];
            table_ += std::to_string(k) + ",0," + name;
            for (const double v : {x.x, x.y, x.z, q.w, q.x, q.y, q.z}) table_ += "," + std::to_string(v);
            table_ += "\n";
        }
        io::writeFile(frames() / "bodies.csv", table_);
    }
    void setLook(const io::Look& look) { io::writeLook(path() / "look.json", look); }

private:
    TemporaryFolder folder_;
    std::vector<io::FrameTime> times_;
    std::string table_;
};

}  // namespace talus::test
