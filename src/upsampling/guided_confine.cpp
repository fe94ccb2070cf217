// SPDX-License-Identifier: Apache-2.0
// Grains that may not leave the volumes of their guides: the rendering samples of [Daviet2016], after Narain, Golas and Lin 2010.
#include "upsampling/guided_method.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace talus::upsampling {

// Guides stand where they are at the end of the step, as the grains do.
template <class Real>
void GuidedMethod<Real>::placeVolumes(const Exec& exec) {
    std::vector<std::string_view> names{world::field::position.name, world::field::radius.name, world::field::volume.name};
    const std::size_t framed = frameComponents(*guides_);
    if (framed > 0) names.push_back(kFrameField);
    world::FieldTable table;
    guides_->read(exec, names, table);
    std::vector<GuideState> states(table.count());
    volumes_.clear();
    volumes_.reserve(states.size());
    for (std::size_t i = 0; i < states.size(); ++i) {
        const std::span<const double> x = table.reals("position").subspan(3 * i, 3);
        states[i] = {domain_.wrap({x[0], x[1], x[2]}), {}, static_cast<std::uint32_t>(i)};
        const SampledVolume volume = sampledVolume(table.reals("radius")[i], table.reals("volume")[i], framed > 0 ? frameOf(table.reals(kFrameField).subspan(framed * i, framed)) : std::nullopt, continuum_);
        volumes_.push_back({volume, inverse(volume.axes)});
    }
    field_.place(states, kReach * influenceRadius());
}

template <class Real>
void GuidedMethod<Real>::confine(const Exec& exec) {
    const auto phase = exec.phase("confinement");
    placeVolumes(exec);
    if (volumes_.empty()) return;
    Extents extents;
    for (const Confining& one : volumes_) {
        const double extent = one.volume.extent();
        extents.usual += extent / static_cast<double>(volumes_.size());
        extents.most = std::max(extents.most, extent);
    }
    exec.forBlocks(grains_.chunks.size(), kTaskChunks, [&](std::size_t begin, std::size_t end) {
        Scratch scratch;
        for (std::size_t c = begin; c < end; ++c)
            for (std::size_t g = 0; g < kChunkGroups; ++g)
                if ((grains_.chunks[c].alive >> (8 * g) & 0xff) != 0) confineGroup(c, g, extents, scratch);
    });
}

// Most grains are in a volume near by; for the others the search widens, at least as far as the longest volume reaches.
template <class Real>
void GuidedMethod<Real>::confineGroup(std::size_t chunk, std::size_t group, const Extents& extents, Scratch& scratch) {
    const Aabb box = grains_.bounds(chunk, group, group + 1);
    const bool together = maxComponent(box.size()) < 4 * extents.usual;
    scratch.found.clear();
    if (together) {   // nearest first: they are the likeliest to hold a grain
        field_.near(box, extents.usual, scratch.found);
        std::ranges::sort(scratch.found, {}, [centre = box.centre()](const GuideState& guide) { return std::pair(normSquared(guide.position - centre), guide.number); });
    }
    const double widest = 2 * norm(domain_.size());
    std::vector<GuideState> found;
    eachRow(chunk, grains_.chunks[chunk].alive & std::uint64_t{0xff} << (8 * group), [&](std::size_t row) {
        const Vec3 x = grains_.position(row);
        Nearest nearest{.place = x};
        nearestVolume(scratch.found, x, nearest);
        for (double searched = together ? extents.usual : 0; nearest.out > 1 && searched < (std::isinf(nearest.out) ? widest : extents.most);) {
            searched = searched > 0 ? 2 * searched : extents.usual;
            found.clear();
            field_.near({x, x}, searched, found);
            nearestVolume(found, x, nearest);
        }
        if (nearest.out > 1 && isFinite(nearest.place)) putBack(row, nearest.place, scratch);
    });
}

// The nearest volume is the one that has to grow the least to hold the grain, in proportion.
template <class Real>
void GuidedMethod<Real>::nearestVolume(const std::vector<GuideState>& guides, const Vec3& x, Nearest& nearest) const {
    for (const GuideState& guide : guides) {
        if (nearest.out <= 1) return;
        const Confining& one = volumes_[guide.number];
        const Vec3 from = x - guide.position;
        const double out = one.volume.outness(one.inverse, from);
        if (out < nearest.out) nearest = {out, guide.position + from / out};
    }
}

// A volume may reach into a body: the grain goes as near to its place there as bodies let it, and stays where it is where they leave no room.
template <class Real>
void GuidedMethod<Real>::putBack(std::size_t row, const Vec3& place, Scratch& scratch) {
    const Origin& origin = origins_[grains_.columns.origin(row)];
    const Vec3 shift = domain_.wrap(place) - place;
    TouchingGrain grain{place + shift, grains_.velocity(row), origin.radius, origin.material};
    scratch.bodies.clear();
    bodies_.near({grain.position, grain.position}, origin.radius, true, scratch.bodies);
    scratch.rooms.assign(scratch.bodies.size(), 0);
    if (!bodies_.push(scratch.bodies, scratch.rooms, grain)) return;
    grains_.setPosition(row, grain.position - shift);
    grains_.chunks[row / kChunkRows].clearance[row % kChunkRows / 8] = 0;
}

template void GuidedMethod<float>::confine(const Exec&);
template void GuidedMethod<double>::confine(const Exec&);

}  // namespace talus::upsampling
