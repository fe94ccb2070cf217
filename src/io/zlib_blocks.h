// SPDX-License-Identifier: Apache-2.0
// Arrays compressed in blocks as VTK does it: 64-bit numbers of blocks, bytes in a block, bytes in the last one where it is shorter, compressed
// bytes of each; then the blocks. https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace talus::io {

inline constexpr std::string_view kZlibCompressor = "vtkZLibDataCompressor";

inline constexpr std::size_t kMostPacking = 1032;   // of zlib: bytes that one may stand for

/// Header and blocks.
std::string compressed(std::span<const std::byte>);
/// What `bytes` begin with, of no more than `most` bytes once it is unpacked. std::runtime_error where they are damaged.
std::string decompressed(std::string_view bytes, std::size_t most);

}  // namespace talus::io
