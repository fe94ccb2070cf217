// SPDX-License-Identifier: Apache-2.0
// How a scene looks in pictures: its camera, its bodies, the colours of its grains. Nothing here changes a run.
#pragma once

#include "core/keys.h"
#include "io/look.h"

#include <optional>
#include <string>
#include <vector>

namespace talus::scene {

struct SceneDescription;

struct CameraDescription {
    int view = 0;                            // index into kViewNames
    std::optional<Vec3> position, target;    // [m]
    Vec3 up{0, 0, 1};
    double fovDeg = 30;                      // of the picture's height
    bool orthographic = false;
    std::optional<double> height;            // of an orthographic picture [m]
    double aperture = 0;                     // [m]
    std::optional<double> focus;             // [m]
    std::vector<double> keyframes;           // rows of time, position, target
    void keys(KeyVisitor&);
};

struct BodyLookDescription {
    int finish = 0;                          // index into io::kFinishNames
    std::optional<std::string> colour, second;
    std::optional<double> checkerSize;       // [m]
    void keys(KeyVisitor&);
};

struct MaterialLookDescription {
    std::vector<std::string> colours;
    std::vector<double> shares;
    void keys(KeyVisitor&);
};

io::Look lookOf(const SceneDescription&);

}  // namespace talus::scene
