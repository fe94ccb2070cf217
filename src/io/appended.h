// SPDX-License-Identifier: Apache-2.0
// Raw-appended arrays of VTK XML files: a tag with an offset each, and behind them a 64-bit count of bytes and the bytes, or compressed blocks.
// https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html
#pragma once

#include "io/files.h"

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace talus::io {

inline constexpr std::string_view kPolyDataBegin = "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n";
inline constexpr std::string_view kCompressedPolyDataBegin = "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n<PolyData>\n";
inline constexpr std::string_view kAppendedBegin = "<AppendedData encoding=\"raw\">\n_";

class AppendedArrays {
public:
    explicit AppendedArrays(bool compress = false) : compress_(compress) {}
    /// The file up to the data set.
    std::string_view begin() const { return compress_ ? kCompressedPolyDataBegin : kPolyDataBegin; }
    /// Writes the tag of an array, whose bytes must be there until writeFile(). `attributes` go into the tag, each after a blank.
    void add(std::string& xml, std::string_view name, std::string_view type, std::size_t components, std::span<const std::byte> bytes, std::string_view attributes = "");
    template <class T>
    void add(std::string& xml, std::string_view name, std::size_t components, const std::vector<T>& values) {
        static_assert(std::is_same_v<T, float> || std::is_same_v<T, std::int32_t>);
        add(xml, name, std::is_same_v<T, float> ? "Float32" : "Int32", components, std::as_bytes(std::span(values)));
    }
    /// The file: the tags up to the end of the piece, then all arrays in their order.
    void writeFile(const Path&, std::string_view xml) const;

private:
    bool compress_;
    std::deque<std::string> packed_;
    std::uint64_t offset_ = 0;
    std::vector<std::span<const std::byte>> arrays_;
};

}  // namespace talus::io
