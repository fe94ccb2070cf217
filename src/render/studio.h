// SPDX-License-Identifier: Apache-2.0
// Takes pictures of the frames of a run.
#pragma once

#include "core/exec.h"
#include "render/camera.h"
#include "render/grains.h"
#include "render/image.h"
#include "render/overlay.h"
#include "render/run_files.h"
#include "render/tracer.h"

#include <optional>
#include <string>
#include <vector>

namespace talus::render {

inline constexpr std::string_view kGroundNames[] = {"none", "plane", "catcher"};
inline constexpr std::string_view kBackgroundNames[] = {"studio", "sky", "white", "black", "transparent"};

/// What a picture looks like. Where an option is absent, the scene's camera decides.
struct PictureStyle {
    int width = 1280, height = 720, samples = 16, bounces = 3;
    bool denoise = true;
    float exposure = 1;

    GrainColours colours;
    std::string grains = "spheres";                     // spheres, clumps, surface
    float grainScale = 1;
    bool chains = false;
    std::vector<Clip> clips;

    std::optional<Aabb> extent;                         // what the camera fits in, instead of where the run's grains are
    std::optional<io::CameraLook> camera;               // instead of the scene's
    std::optional<std::string> view;
    std::optional<Vec3> position, target;               // [m]
    std::optional<double> fovDegrees, aperture, focus;  // aperture: diameter of the lens [m]
    bool orthographic = false;
    double orbitDegrees = 0;                            // over the whole run

    std::optional<std::string> ground;                  // one of kGroundNames; a plane where the domain has a floor
    std::string groundFinish = "plain";                 // or checker
    std::string background = "studio";                  // one of kBackgroundNames, or a colour
    double shutter = 0;                                 // part of the time between frames that it is open: 0 to 1
    bool areaLight = false;
    Vec3f sunDirection = Lights{}.sunDirection;

    bool timeStamp = false, scaleBar = false, legend = true;
};

/// An option and its value a line: pictures with the same lines were made alike. Of the scene's camera and look, which do not change, nothing is said.
std::string optionLines(const PictureStyle&);

struct Picture {
    Image light;
    ScreenImage screen;
};

class Studio {
public:
    /// Checks the style against the run; all that is the same for every frame is found here.
    Studio(const Exec&, const RunFiles&, PictureStyle);

    Picture take(const io::FrameTime&);
    const PictureStyle& style() const { return style_; }
    /// Grains of the last picture whose centre was inside it, and all of them.
    struct Seen {
        std::size_t inside = 0, all = 0;
    };
    Seen seen() const { return seen_; }

private:
    Camera cameraAt(const io::FrameTime&) const;
    void addBodies(const io::FrameTime&, Subject&) const;
    void addChains(const io::FrameTime&, Subject&) const;
    void setLights(Subject&) const;
    void setGround(Subject&) const;
    void count(const io::Frame&, const Camera&);

    const Exec& exec_;
    const RunFiles& run_;
    PictureStyle style_;
    Aabb extent_;
    TextPainter text_;
    Seen seen_;
};

/// Forces of the lines of contacts_*.vtp as tubes, thicker and darker red the larger they are.
std::vector<Tube> tubesOf(const io::Path&, double largestRadius, const std::vector<Clip>&);

}  // namespace talus::render
