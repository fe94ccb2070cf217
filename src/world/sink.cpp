// SPDX-License-Identifier: Apache-2.0
#include "world/sink.h"

namespace talus::world {

void SinkAccount::save(Archive& archive) const {
    archive.put("count", count);
    archive.put("mass", mass);
    archive.put("momentum", std::vector<double>{momentum.x, momentum.y, momentum.z});
}

SinkAccount SinkAccount::load(const Archive& archive) {
    const std::vector<double> p = archive.get<double>("momentum");
    if (p.size() != 3) throw ArchiveError("the momentum of a sink should have three components");
    return {archive.value<std::int64_t>("count"), archive.value<double>("mass"), {p[0], p[1], p[2]}};
}

}  // namespace talus::world
