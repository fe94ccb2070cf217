// SPDX-License-Identifier: Apache-2.0
#include "io/appended.h"

#include "io/zlib_blocks.h"

#include <fmt/format.h>

namespace talus::io {

void AppendedArrays::add(std::string& xml, std::string_view name, std::string_view type, std::size_t components, std::span<const std::byte> bytes, std::string_view attributes) {
    xml += fmt::format("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\"{} format=\"appended\" offset=\"{}\"/>\n", type, name, components, attributes, offset_);
    if (compress_) bytes = std::as_bytes(std::span(packed_.emplace_back(compressed(bytes))));
    offset_ += bytes.size() + (compress_ ? 0 : sizeof(std::uint64_t));
    arrays_.push_back(bytes);
}

void AppendedArrays::writeFile(const Path& path, std::string_view xml) const {
    AtomicFile file(path);
    file.write(xml);
    file.write("</PolyData>\n");
    file.write(kAppendedBegin);
    for (const auto& bytes : arrays_) {
        const std::uint64_t size = bytes.size();
        if (!compress_) file.write(std::as_bytes(std::span(&size, 1)));
        file.write(bytes);
    }
    file.write("\n</AppendedData>\n</VTKFile>\n");
    file.commit();
}

}  // namespace talus::io
