// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "render/image.h"

namespace talus::render {

/// From light to screen: exposure, a shoulder that keeps highlights from burning out, the sRGB curve, 8 bits.
ScreenImage develop(const Image&, float exposure = 1);

}  // namespace talus::render
