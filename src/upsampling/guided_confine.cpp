// SPDX-License-Identifier: Apache-2.0
// Grains that may not leave the volumes of their guides: the rendering samples of [Daviet2016], after Narain, Golas and Lin 2010.
#include "upsampling/guided_method.h"

#include <algorithm>
#include <limits>

namespace talus::upsampling {
template <class Real>
void GuidedMethod<Real>::confine(const Exec& exec) {
    if (volumes_.empty()) return;
    double reach = 0;
    for (const SampledVolume& volume : volumes_) reach = std::max(reach, volume.extent());
    exec.forBlocks(grains_.chunks.size(), kTaskChunks, [&](std::size_t begin, std::size_t end) {
        Scratch scratch;
        for (std::size_t c = begin; c < end; ++c)
            for (std::size_t g = 0; g < kChunkGroups; ++g)
                if ((grains_.chunks[c].alive >> (8 * g) & 0xff) != 0) confineGroup(c, g, reach, scratch);
    });
}

// The nearest volume is the one that has to grow the least to hold the grain, in proportion.
template <class Real>
void GuidedMethod<Real>::confineGroup(std::size_t chunk, std::size_t group, double reach, Scratch& scratch) {
    FineChunk& own = grains_.chunks[chunk];
    const Aabb box = grains_.bounds(chunk, group, group + 1);
    const bool together = maxComponent(box.size()) < 4 * reach;
    if (together) {
        scratch.found.clear();
        field_.near(box, reach, scratch.found);
    }
    eachRow(chunk, own.alive & std::uint64_t{0xff} << (8 * group), [&](std::size_t row) {
        const Vec3 x = grains_.position(row);
        double least = std::numeric_limits<double>::infinity();
        Vec3 to = x;
        const auto look = [&](const std::vector<GuideState>& guides) {
            for (const GuideState& guide : guides) {
                if (least <= 1) return;
                const SampledVolume& volume = volumes_[guide.number];
                const Vec3 from = x - guide.position;
                const double out = volume.outness(inverse(volume.axes), from);
                if (out >= least) continue;
                least = out;
                to = guide.position + from / out;
            }
        };
        if (together) look(scratch.found);
        const double widest = 2 * norm(domain_.size());
        for (double wider = together ? 2 * reach : reach; least == std::numeric_limits<double>::infinity() && wider < widest; wider *= 2) {
            std::vector<GuideState> found;
            field_.near({x, x}, wider, found);
            look(found);
        }
        if (!(least > 1) || !isFinite(to)) return;
        grains_.setPosition(row, to);
        own.clearance[group] = 0;
    });
}

template void GuidedMethod<float>::confine(const Exec&);
template void GuidedMethod<double>::confine(const Exec&);

}  // namespace talus::upsampling
