// SPDX-License-Identifier: Apache-2.0
#include "dem/births.h"

#include <algorithm>

namespace talus::dem {

const Births::Birth& Births::of(std::int64_t id) const { return *std::prev(std::ranges::upper_bound(births_, id, {}, &Birth::firstId)); }

void Births::setClockBack(double by) {
    for (Birth& birth : births_) birth.time -= by;
}

void Births::keep(std::span<const std::int64_t> ids) {
    std::vector<char> used(births_.size());
    for (const std::int64_t id : ids) used[static_cast<std::size_t>(&of(id) - births_.data())] = 1;
    std::size_t to = 0;
    for (std::size_t i = 0; i < births_.size(); ++i)
        if (used[i]) births_[to++] = births_[i];
    births_.resize(to);
}

void Births::save(Archive& archive) const {
    const auto group = archive.group("births");
    std::vector<std::int64_t> ids;
    std::vector<double> times;
    std::vector<std::int32_t> sources;
    for (const Birth& birth : births_) {
        ids.push_back(birth.firstId);
        times.push_back(birth.time);
        sources.push_back(birth.source);
    }
    archive.put("first_id", ids);
    archive.put("time", times);
    archive.put("source", sources);
}

void Births::load(const Archive& archive, std::span<const std::int64_t> ids) {
    const auto group = archive.group("births");
    const auto firstIds = archive.get<std::int64_t>("first_id");
    const auto times = archive.get<double>("time");
    const auto sources = archive.get<std::int32_t>("source");
    if (times.size() != firstIds.size() || sources.size() != firstIds.size() || !std::ranges::is_sorted(firstIds)) throw ArchiveError("the births of grains do not fit together");
    births_.clear();
    for (std::size_t i = 0; i < firstIds.size(); ++i) births_.push_back({firstIds[i], times[i], sources[i]});
    if (!ids.empty() && (births_.empty() || *std::ranges::min_element(ids) < births_.front().firstId)) throw ArchiveError("a grain has no birth");
}

}  // namespace talus::dem
