// SPDX-License-Identifier: Apache-2.0
#include "run/machine.h"

#include "core/wide.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <tuple>

namespace talus::run {

std::string version() { return TALUS_VERSION; }

std::string simd() { return std::string(simdTarget()); }

double physicalMemory() { return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGE_SIZE)); }

double peakMemory() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

std::string Stamp::difference(const Stamp& other) const {
    for (const auto& [what, a, b] : {std::tuple{"version", &version, &other.version}, {"SIMD target", &simd, &other.simd},
                                     {"precision", &precision, &other.precision}, {"scene", &scene, &other.scene}})
        if (*a != *b) return fmt::format("{} {} there, {} here", what, *a, *b);
    return {};
}

void Stamp::save(Archive& archive) const {
    const auto group = archive.group("stamp");
    archive.put("version", std::string_view(version));
    archive.put("simd", std::string_view(simd));
    archive.put("precision", std::string_view(precision));
    archive.put("scene", std::string_view(scene));
}

Stamp Stamp::load(const Archive& archive) {
    const auto group = archive.group("stamp");
    return {archive.text("version"), archive.text("simd"), archive.text("precision"), archive.text("scene")};
}

}  // namespace talus::run
