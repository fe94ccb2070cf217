// SPDX-License-Identifier: Apache-2.0
// A frame is refused, or read; then it can be written and reads back the same.
#include "core/problems.h"
#include "io/vtp.h"

#include "temporary_file.h"

#include <cstdlib>

using namespace talus;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const fuzz::TemporaryFile file("grains.vtp");
    file.hold({reinterpret_cast<const char*>(data), size});
    try {
        const io::Frame frame = io::readVtp(file.path());
        for (const io::FrameColumn& column : frame.columns)
            if (column.name.empty()) return 0;
    } catch (const Error& error) {
        if (error.code() != ExitCode::io) std::abort();
    }
    return 0;
}
