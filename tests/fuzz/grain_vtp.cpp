// SPDX-License-Identifier: Apache-2.0
#include "io/grain_table.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        (void)talus::io::parseGrainVtp({reinterpret_cast<const char*>(data), size});
    } catch (const talus::io::TableFault&) {
    }
    return 0;
}
