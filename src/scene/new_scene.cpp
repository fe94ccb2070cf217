// SPDX-License-Identifier: Apache-2.0
#include "scene/scene.h"

#include <fmt/format.h>

namespace talus::scene {

std::string newSceneText(std::string_view name) {
    return fmt::format(R"toml(# {0}: a block of sand falls onto a ramp.
#
# Check it with  talus check {0}.toml   and run it with  talus run {0}.toml
# A number is in SI units; a text may carry a unit ("4 mm") or be an expression of the parameters ("= 2*size").
# Every key with its default is in docs/scene-reference.md.

time = {{ end = 1.0, frames_per_second = 24 }}                # seconds; pictures per second of simulated time
domain = {{ min = [-0.5, -0.25, 0], max = [0.5, 0.25, 0.6] }} # metres; its faces are walls unless you say otherwise
resolution = {{ grains = 20000 }}                             # more grains: finer and slower

[parameters]                                                # vary them with --set size=0.15
size = {{ default = 0.2, min = 0.05, max = 0.25, help = "edge of the block [m]" }}

[[materials]]
name = "sand"
density = 2600                                              # of a grain
packing_fraction = 0.6                                      # the rest is air
friction_angle_deg = 30                                     # the slope at which a heap stands

[[materials]]
name = "wood"

[[contacts]]
between = ["sand", "wood"]
friction = 0.4

[[bodies]]
name = "ramp"
material = "wood"
position = [-0.12, 0, 0.02]
rotation_deg = [0, 30, 0]
shape = {{ type = "box", size = [0.6, 0.5, 0.1] }}           # at least three grid cells thick, or grains feel each other through it

[[grains]]
material = "sand"
region = {{ type = "box", size = ["= size", "= size", "= size"], position = [-0.2, 0, "= 0.25 + size/2"] }}

[variant.quick]                                             # talus run {0}.toml --variant quick
"resolution.grains" = 2000
"time.end" = 0.2
)toml",
                       name);
}

}  // namespace talus::scene
