// SPDX-License-Identifier: Apache-2.0
// What a run records of the program and the machine it ran on.
#pragma once

#include "core/archive.h"

#include <string>

namespace talus::run {

std::string version();          // "0.1.0"
std::string simd();             // instruction set it was compiled for: "AVX2"
double physicalMemory();        // [bytes]
double peakMemory();            // of this process so far [bytes]

/// Runs agree to the bit only where these are equal; precision and scene are part of the scene's identity.
struct Stamp {
    std::string version, simd, precision, scene;   // scene: checksum of its identity

    /// The first difference in plain words, empty where there is none.
    std::string difference(const Stamp& other) const;

    void save(Archive&) const;
    static Stamp load(const Archive&);
};

}  // namespace talus::run
