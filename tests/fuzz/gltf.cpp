// SPDX-License-Identifier: Apache-2.0
#include "mesh_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { return talus::fuzz::readMesh(data, size, talus::io::parseGltf); }
