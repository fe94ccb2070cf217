// SPDX-License-Identifier: Apache-2.0
// From the fields of a frame to coloured spheres, clumps and meshes.
#pragma once

#include "core/exec.h"
#include "render/clip.h"
#include "render/colour.h"
#include "render/run_files.h"
#include "render/subject.h"

#include <optional>
#include <string>
#include <vector>

namespace talus::render {

struct ValueRange {
    double low = 0, high = 1;
};

/// How grains get their colour: "mix" (by the scene's materials, sand unless they say otherwise), "material", "source", a
/// field ("pressure"), the size of a vector field ("velocity") or a component ("velocity.z", "stress.xx"). "plastic_case"
/// is green inside the yield surface, red at its tip, blue where it is sheared along it [Klar2016, Fig. 14].
struct GrainColours {
    std::string by = "mix", map = "viridis";
    std::optional<ValueRange> range;      // of a field; as found in the run unless given

    bool isField() const { return by != "mix" && by != "material" && by != "source" && by != "plastic_case"; }
};

/// Names of a legend with their colours, for what is not a scale.
struct NamedShade {
    std::string name;
    Vec3f colour;   // linear
};

/// The values of "name" or "name.component" of every grain; a vector without component: its length.
std::vector<float> fieldValues(const io::Frame&, std::string_view by);
/// The unit that look.json or the promised fields give it; empty if unknown.
std::string unitOf(const io::Look&, std::string_view by);
/// From the first to the 99th percentile over frames spread through the run, rounded outwards; lengths of vectors begin at 0.
ValueRange rangeOf(const RunFiles&, std::string_view by);
std::vector<NamedShade> shadesOf(const RunFiles&, const GrainColours&);

/// Packed colours of every grain. A field needs its range.
std::vector<std::uint32_t> colourGrains(const Exec&, const RunFiles&, const io::Frame&, const GrainColours&);

struct GrainShapes {
    std::vector<Clip> clips;
    double shutter = 0;             // [s] for which it is open; 0: no motion blur
    bool meshes = true;             // of templates that have one, and coins for grains with a `normal`; else spheres
    float scale = 1;                // of the radius
};
/// Adds the grains of a frame to the subject.
void addGrains(const Exec&, const RunFiles&, const io::Frame&, std::vector<std::uint32_t> colours, const GrainShapes&, Subject&);

}  // namespace talus::render
