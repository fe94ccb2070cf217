// SPDX-License-Identifier: Apache-2.0
// When and from where grains came.
#pragma once

#include "core/archive.h"

#include <cstdint>
#include <span>
#include <vector>

namespace talus::dem {

/// Grains that come together have ids one after the other, so that a few numbers tell it of all of them.
class Births {
public:
    struct Birth {
        std::int64_t firstId;     // of grains that came together; those before the next have come then
        double time;              // [s]
        std::int32_t source;
    };

    /// Ids only grow.
    void add(const Birth& birth) { births_.push_back(birth); }
    const Birth& of(std::int64_t id) const;
    void setClockBack(double by);
    /// Of these grains alone; others are gone.
    void keep(std::span<const std::int64_t> ids);
    std::size_t size() const { return births_.size(); }

    void save(Archive&) const;
    /// Throws ArchiveError where the birth of one of these grains is missing.
    void load(const Archive&, std::span<const std::int64_t> ids);

private:
    std::vector<Birth> births_;   // by id
};

}  // namespace talus::dem
