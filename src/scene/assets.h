// SPDX-License-Identifier: Apache-2.0
// Files that a scene names: read once, turned into what the descriptions need, kept for the folder of a run.
#pragma once

#include "core/exec.h"
#include "scene/description.h"
#include "scene/scene.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace talus::scene {

class AssetLoader {
public:
    /// Names of files are relative to `folder`.
    explicit AssetLoader(std::string folder) : folder_(std::move(folder)) {}

    /// Reads every file and makes the solids of meshes and height fields. Shapes that were not well read are left out.
    void load(SceneDescription&, WellRead, Problems&);

    /// Its bytes; nothing, and a problem at the key `path`, where it cannot be read.
    const std::string* read(const std::string& file, const std::string& path, Problems&);

    std::size_t missing() const { return missing_; }   // errors that are files that cannot be opened
    std::vector<Asset> takeAssets() { return std::move(assets_); }
    const std::map<std::string, std::size_t>& assetOfFile() const { return assetOfFile_; }

private:
    void load(geometry::MeshDescription&, const std::string& path, Problems&);
    void load(geometry::HeightFieldDescription&, const std::string& path, Problems&);
    std::string freeName(const std::string& file) const;

    std::string folder_;
    Exec exec_;   // as many threads as the machine has: samples are taken before the run
    std::vector<Asset> assets_;
    std::map<std::string, std::size_t> assetOfFile_;
    std::map<std::string, geometry::ShapePtr> solids_;   // of shapes described alike
    std::size_t missing_ = 0;
};

}  // namespace talus::scene
