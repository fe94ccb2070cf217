// SPDX-License-Identifier: Apache-2.0
// From a scene file to a world and a method: read, check, build.
#pragma once

#include "core/problems.h"
#include "io/look.h"
#include "io/vtp.h"
#include "world/method.h"
#include "world/probe.h"
#include "world/simulation.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talus::scene {

using Methods = std::span<const world::MethodInfo* const>;

/// The methods that Talus ships.
Methods builtInMethods();

/// Whether a scene is given by the path of its file (has '/' or ends in .toml), not as the name of a built-in one.
bool isFile(std::string_view scene);
bool isBuiltIn(std::string_view scene);

/// What the user asked for: the scene and what the command line changes in it.
struct Request {
    std::string scene;                           // a path (has '/' or ends in .toml) or the name of a built-in scene
    std::optional<std::string> method, variant, precision;
    std::vector<std::string> sets;               // "a.b=1", in order
    std::optional<std::string> name = {};        // of the scene, instead of that of its file
    std::vector<std::string> withoutProbes = {}; // names of probes of the scene to leave out, before sets change it
    std::optional<std::string> grains = {};      // a file of grains to put in besides those of the scene
    std::optional<std::string> text = {};        // of the scene, where it is no file; `scene` then names it in messages
    bool stateFollows = false;                   // grains come with all their state, from a checkpoint: those of tables stand in for them
};

struct SceneDescription;

/// A file that the scene names: a mesh, a table.
struct Asset {
    std::string name;                            // a plain name, no two alike: its name in the folder of a run
    std::string bytes;
};

/// A scene that was read without errors, every default filled in.
class Scene {
public:
    Scene(std::unique_ptr<SceneDescription>, world::World, std::vector<world::Stage>, const world::MethodInfo&, std::string name, std::vector<std::string> warnings,
          std::vector<Asset> assets, std::map<std::string, std::size_t> assetOfFile);
    ~Scene();
    Scene(Scene&&) noexcept;
    Scene& operator=(Scene&&) noexcept;

    const std::string& name() const;             // file name without .toml, or the built-in name
    const world::MethodInfo& method() const;
    world::Precision precision() const;
    double endTime() const;                      // on the clock of the last stage [s]
    const std::vector<world::Stage>& stages() const;   // none: the run is one part
    double framesPerSecond() const;
    std::int64_t firstFrame() const;
    double checkpointInterval() const;           // [s], 0: with every frame
    const std::vector<std::string>& outputFields() const;
    std::vector<world::SecondOutput> secondOutputs() const;   // to write with each frame
    io::FrameStyle frameStyle() const;
    const std::vector<std::string>& warnings() const;       // formatted, with their place
    io::Look look() const;                       // for pictures
    const world::Domain& domain() const { return world_.domain; }

    /// Every key with its value, itself a runnable scene file. `header` lines come first as comments.
    std::string toml(std::string_view header = {}) const;
    /// The same for the folder of a run, where the files of the scene lie in `folder`: "assets".
    std::string toml(std::string_view header, std::string_view folder) const;
    const std::vector<Asset>& assets() const;
    /// Like toml(), without what a resumed run may change (end time, frames, output): two scenes are the same run when
    /// these are equal.
    std::string identity() const;

    world::World buildWorld() const;             // at its start; worlds of a scene share their shapes
    world::Estimate estimate() const;
    std::unique_ptr<world::Method> createMethod(const world::World&) const;
    std::vector<world::ProbePlan> createProbes() const;

private:
    std::unique_ptr<SceneDescription> description_;
    world::World world_;
    std::vector<world::Stage> stages_;
    const world::MethodInfo* method_;
    std::string name_;
    std::vector<std::string> warnings_, outputFields_;
    std::vector<Asset> assets_;
    std::map<std::string, std::size_t> assetOfFile_;   // by the name that the scene writes
};

/// Reads and checks a scene completely. Throws Error with exit code 2 (bad scene: what() holds every message, one a line,
/// "scene.toml:7:1: …") or 3 (no such file).
Scene read(const Request&, Methods);

struct BuiltInScene {
    std::string_view name;
    std::string summary;                         // first line of its header comment
    std::string_view text;                       // TOML
    std::vector<std::string> variants;
};
std::vector<BuiltInScene> builtInScenes();

struct MaterialPreset {
    std::string name;
    double density = 0;                          // of a grain [kg/m³]
    double packingFraction = 1;                  // 1: a solid, for bodies
    double frictionAngleDeg = 0;
};
std::vector<MaterialPreset> materialPresets();

std::string jsonSchema(Methods);                 // for editors
std::string referencePage(Methods);              // docs/scene-reference.md
std::string newSceneText(std::string_view name); // what `talus new` writes

}  // namespace talus::scene
