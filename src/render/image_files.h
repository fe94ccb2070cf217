// SPDX-License-Identifier: Apache-2.0
// Pictures as files. Writing is whole or not at all, as everywhere (io/files.h); failures are Errors with exit code 5.
#pragma once

#include "io/files.h"
#include "render/image.h"

#include <string>
#include <string_view>

namespace talus::render {

/// RGB where every pixel is opaque, else RGBA. The same bytes for the same picture. The note, Latin letters, says how it was made.
void writePng(const io::Path&, const ScreenImage&, std::string_view note = {});
ScreenImage readPng(const io::Path&);

/// Linear light as 16-bit floats: R, G, B, A.
void writeExr(const io::Path&, const Image&, const std::string& note = {});

/// The note of a picture that one of these wrote; empty where there is none or the file is no picture.
std::string noteOf(const io::Path&);
std::string noteOfExr(const io::Path&);

}  // namespace talus::render
