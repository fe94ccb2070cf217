// SPDX-License-Identifier: Apache-2.0
// look.json: what a picture of a run needs to know of its scene. Written by the run, read by whoever draws it.
#pragma once

#include "core/vec.h"
#include "io/files.h"
#include "world/domain.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talus::io {

/// A row of camera keyframes.
struct CameraKey {
    double time = 0;                    // [s]
    Vec3 position, target;              // [m]
};

struct CameraLook {
    std::string view = "fit";           // where no position is given
    std::optional<Vec3> position, target;   // [m]
    Vec3 up{0, 0, 1};
    double fovDegrees = 30;             // of the picture's height
    bool orthographic = false;
    std::optional<double> height;       // of an orthographic picture [m]
    double aperture = 0;                // diameter of the lens [m]
    std::optional<double> focus;        // distance that is sharp [m]
    std::vector<CameraKey> keyframes;   // ascending times; instead of position and target
};

inline constexpr std::array<std::string_view, 3> kFaceTypes{"wall", "open", "periodic"};   // in the order of world::FaceType
inline constexpr std::string_view kFinishNames[] = {"plain", "checker", "glass", "hidden"};

struct BodyLook {
    std::string name, finish = "plain";
    std::string colour;                 // "#e1a95f" or a name; empty: as the drawing program likes
    std::string second;                 // of a checker
    double checkerSize = 0;             // [m]; 0: as it suits the picture
};
struct MaterialLook {
    std::string name;
    std::vector<std::string> colours;   // empty: the sand mix
    std::vector<double> shares;         // of each colour; empty: equal
    double density = 0;                 // of a grain [kg/m³]; 0: not said
};
struct FieldLook {
    std::string name, unit;
};

struct Look {
    CameraLook camera;
    Vec3 domainMin, domainMax;          // [m]
    std::array<world::FaceType, 6> faces{};   // of the domain
    std::optional<double> floor;        // height of a closed z_min face [m]
    std::vector<BodyLook> bodies;
    std::vector<MaterialLook> materials;
    std::vector<std::string> sources;   // names of fills and emitters, in the order of the field `source`
    std::vector<FieldLook> fields;
    double framesPerSecond = 24;        // of simulated time
};

void writeLook(const Path&, const Look&);
/// An Error with exit code 5 where the file is damaged.
Look readLook(const Path&);

/// "#e1a95f" or one of colourNames() as 0xRRGGBB.
std::optional<std::uint32_t> parseColour(std::string_view text);
std::span<const std::string_view> colourNames();

}  // namespace talus::io
