// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace talus::geometry {

/// For rtcNewDevice: nothing, since a number of threads there would limit those of the whole process. ThreadSanitizer does not see how
/// threads of Embree wait for each other, so that its builds, in which Exec does without TBB, make trees on the thread that asks.
#ifdef TALUS_THREADS_STD
inline constexpr const char* kEmbreeConfig = "threads=1";
#else
inline constexpr const char* kEmbreeConfig = nullptr;
#endif

}  // namespace talus::geometry
