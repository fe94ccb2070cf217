// SPDX-License-Identifier: Apache-2.0
// Pictures as files. Writing is whole or not at all, as everywhere (io/files.h); failures are Errors with exit code 5.
#pragma once

#include "io/files.h"
#include "render/image.h"

namespace talus::render {

/// RGB where every pixel is opaque, else RGBA. The same bytes for the same picture.
void writePng(const io::Path&, const ScreenImage&);
ScreenImage readPng(const io::Path&);

/// Linear light as 16-bit floats: R, G, B, A.
void writeExr(const io::Path&, const Image&);

}  // namespace talus::render
