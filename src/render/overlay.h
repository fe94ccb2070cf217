// SPDX-License-Identifier: Apache-2.0
// What is written on a picture: colour scale or names, time stamp, scale bar.
#pragma once

#include "render/camera.h"
#include "render/grains.h"
#include "render/text.h"

#include <optional>
#include <string>
#include <vector>

namespace talus::render {

/// A bar of the map at the right edge with its title ("pressure [Pa]") and about five numbers.
void drawScale(ScreenImage&, TextPainter&, const std::string& title, std::string_view map, const ValueRange&);
/// Squares of colour with their names at the right edge.
void drawShades(ScreenImage&, TextPainter&, const std::vector<NamedShade>&);
/// "t = 1.250 s" in the upper left corner.
void drawTimeStamp(ScreenImage&, TextPainter&, double time);
/// A length of 1, 2 or 5 times a power of ten in the lower left corner; true at the distance of the target.
void drawScaleBar(ScreenImage&, TextPainter&, const Camera&);

/// "5 cm", "200 µm", "1 km"
std::string readableLength(double metres);
/// Round numbers from low to high, about `count` of them.
std::vector<double> ticks(const ValueRange&, int count);

}  // namespace talus::render
