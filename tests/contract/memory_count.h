// SPDX-License-Identifier: Apache-2.0
// Bytes that this program got from operator new.
#pragma once

#include <cstdint>

namespace talus::contract {

/// Peak of the bytes in use since the object was made, over those in use then. One at a time.
class MemoryPeak {
public:
    MemoryPeak();
    std::int64_t bytes() const;

private:
    std::int64_t before_;
};

}  // namespace talus::contract
