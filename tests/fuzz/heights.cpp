// SPDX-License-Identifier: Apache-2.0
// Any bytes: rows of equal length, or a FileFault.
#include "io/height_csv.h"
#include "io/mesh_file.h"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        const auto rows = talus::io::parseHeights(text);
        for (const auto& row : rows)
            if (row.size() != rows.front().size()) __builtin_trap();
    } catch (const talus::io::FileFault&) {
    }
    return 0;
}
