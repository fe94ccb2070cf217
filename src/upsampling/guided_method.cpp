// SPDX-License-Identifier: Apache-2.0
// Fine grains come and go with their guides; guided_step.cpp has the step.
#include "upsampling/guided_method.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

namespace talus::upsampling {
namespace {

std::vector<std::int64_t> sortedIds(const Exec& exec, const world::Method& method) {
    world::FieldTable table;
    method.read(exec, std::array{world::field::id.name}, table);
    if (table.count() == 0) return {};
    std::vector<std::int64_t> ids(table.integers("id").begin(), table.integers("id").end());
    std::ranges::sort(ids);
    return ids;
}

/// The guides with these ids (ascending), in their order.
std::vector<Birth> births(const Exec& exec, const world::Method& method, const std::vector<std::int64_t>& ids) {
    world::FieldTable table;
    std::vector<std::string_view> names(world::kPromisedNames.begin(), world::kPromisedNames.end());
    const std::size_t framed = frameComponents(method);
    if (framed > 0) names.push_back(kFrameField);
    method.read(exec, names, table);
    std::vector<Birth> found;
    for (std::size_t i = 0; i < table.count(); ++i) {
        const std::int64_t id = table.integers("id")[i];
        if (!std::ranges::binary_search(ids, id)) continue;
        const auto vector = [&](std::string_view name) { return Vec3{table.reals(name)[3 * i], table.reals(name)[3 * i + 1], table.reals(name)[3 * i + 2]}; };
        found.push_back({.id = id, .position = vector("position"), .velocity = vector("velocity"), .radius = table.reals("radius")[i], .mass = table.reals("mass")[i],
                         .volume = table.reals("volume")[i], .time = table.reals("birth_time")[i], .material = static_cast<int>(table.integers("material")[i]),
                         .source = static_cast<int>(table.integers("source")[i]), .frame = framed > 0 ? frameOf(table.reals(kFrameField).subspan(framed * i, framed)) : std::nullopt});
    }
    std::ranges::sort(found, {}, &Birth::id);
    return found;
}

}  // namespace

template <class Real>
GuidedMethod<Real>::GuidedMethod(const Settings& settings, const world::World& world, std::unique_ptr<world::Method> guides, bool continuum)
    : settings_(settings), factor_(factorFor(settings, world)), domain_(world.domain), guides_(std::move(guides)), continuum_(continuum), seed_(world.seed), field_(world.domain) {}

template <class Real>
world::Inserted GuidedMethod<Real>::insert(const Exec& exec, world::World& world, const world::Fill& fill) {
    world::Fill ofGuides = fill;
    if (fill.listed && fill.listed->mostCount < std::numeric_limits<std::int64_t>::max()) {   // counts fine grains
        auto list = std::make_shared<world::ListedGrains>(*fill.listed);
        list->mostCount /= factor_;
        ofGuides.listed = std::move(list);
    }
    std::swap(world.nextId, nextGuideId_);
    guides_->insert(exec, world, ofGuides);
    std::swap(world.nextId, nextGuideId_);
    return meetGuides(exec, world, world.nextId, 0);
}

template <class Real>
world::Inserted GuidedMethod<Real>::meetGuides(const Exec& exec, const world::World& world, std::int64_t& nextId, double back) {
    std::vector<std::int64_t> now = sortedIds(exec, *guides_), came;
    std::ranges::set_difference(now, guideIds_, std::back_inserter(came));
    guideIds_ = std::move(now);
    if (came.empty()) return {};
    std::vector<Birth> newcomers = births(exec, *guides_, came);
    for (Birth& guide : newcomers) guide.position = domain_.wrap(guide.position - back * guide.velocity);
    return bringGrains(exec, world, newcomers, nextId);
}

template <class Real>
world::Inserted GuidedMethod<Real>::bringGrains(const Exec& exec, const world::World& world, const std::vector<Birth>& guides, std::int64_t& nextId) {
    const auto factor = static_cast<std::size_t>(factor_);
    const std::size_t first = grains_.append(factor * guides.size()), firstOrigin = origins_.size();
    world::Inserted inserted;
    for (const Birth& guide : guides) {
        const Origin& origin = origins_.emplace_back(originOf(guide, world.materials[static_cast<std::size_t>(guide.material)].density, factor_));
        spacing_ = std::max(spacing_, std::cbrt(guide.volume));
        largestRadius_ = std::max(largestRadius_, origin.radius);
        inserted.count += factor_;
        inserted.mass += origin.mass * static_cast<double>(factor);
    }
    for (std::size_t c = first / kChunkRows; c < grains_.chunks.size(); ++c) grains_.chunks[c].anchor = guides[(c * kChunkRows - first) / factor].position;
    const std::vector<world::BodySnapshot> bodies = world.bodiesAt(world.time);
    exec.forBlocks(guides.size(), 16, [&](std::size_t begin, std::size_t end) {
        std::vector<Vec3> places(factor);
        for (std::size_t g = begin; g < end; ++g) {
            sample(world.seed, guides[g], sampledVolume(guides[g], continuum_), origins_[firstOrigin + g].radius, bodies, places);
            for (std::size_t k = 0; k < factor; ++k) {
                const std::size_t row = first + g * factor + k;
                grains_.columns.id(row) = nextId + static_cast<std::int64_t>(g * factor + k);
                grains_.columns.origin(row) = static_cast<std::uint32_t>(firstOrigin + g);
                grains_.setPosition(row, places[k]);
                grains_.setVelocity(row, guides[g].velocity);
            }
        }
    });
    nextId += inserted.count;
    due_ = true;
    return inserted;
}

// Guides leave where they are; what becomes of their grains is a setting. A grain whose guide has left is carried on by the others.
template <class Real>
world::Removed GuidedMethod<Real>::erase(const Exec& exec, const world::Region& region, world::ChunkSink* taken) {
    const auto phase = exec.phase("erase");
    departed_.merge(orientationsOf(exec, *guides_, &region));
    const bool guidesLeft = guides_->erase(exec, region).count > 0;
    if (guidesLeft) guideIds_ = sortedIds(exec, *guides_);
    if (settings_.removal == Removal::own) return removeRows(rowsIn(exec, region), taken);
    return guidesLeft ? removeRows(rowsWithoutGuide(), taken) : world::Removed{};
}

template <class Real>
std::vector<std::size_t> GuidedMethod<Real>::rowsIn(const Exec& exec, const world::Region& region) const {
    std::vector<std::vector<std::size_t>> found((grains_.chunks.size() + 63) / 64);
    const bool periodic = domain_.periodic(0) || domain_.periodic(1) || domain_.periodic(2);
    exec.forBlocks(grains_.chunks.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) {
            const Aabb box = grains_.bounds(c);
            if (box.empty()) continue;
            const double distance = periodic ? 0 : region.shape->distance(box.centre()), reach = 0.5 * norm(box.size());
            if (!periodic && (region.inside ? distance > reach : distance < -reach)) continue;
            eachRow(c, grains_.chunks[c].alive, [&](std::size_t row) {
                if (region.contains(domain_.wrap(grains_.position(row)))) found[begin / 64].push_back(row);
            });
        }
    });
    std::vector<std::size_t> rows;
    for (const std::vector<std::size_t>& part : found) rows.insert(rows.end(), part.begin(), part.end());
    return rows;
}

template <class Real>
std::vector<std::size_t> GuidedMethod<Real>::rowsWithoutGuide() const {
    std::vector<bool> gone(origins_.size());
    for (std::size_t o = 0; o < origins_.size(); ++o) gone[o] = !std::ranges::binary_search(guideIds_, origins_[o].guide);
    std::vector<std::size_t> rows;
    for (std::size_t c = 0; c < grains_.chunks.size(); ++c)
        eachRow(c, grains_.chunks[c].alive, [&](std::size_t row) {
            if (gone[grains_.columns.origin(row)]) rows.push_back(row);
        });
    return rows;
}

template <class Real>
world::Removed GuidedMethod<Real>::removeRows(const std::vector<std::size_t>& rows, world::ChunkSink* taken) {
    world::Removed removed;
    if (rows.empty()) return removed;
    if (taken) readRows(world::kPromisedNames, *taken, &rows);
    for (const std::size_t row : rows) {
        const double mass = origins_[grains_.columns.origin(row)].mass;
        ++removed.count;
        removed.mass += mass;
        removed.momentum += mass * grains_.velocity(row);
        grains_.remove(row);
    }
    return removed;
}

/// Drops the origins that no grain has any more, and numbers the others anew in their order.
template <class Real>
void GuidedMethod<Real>::forgetOrigins() {
    std::vector<bool> used(origins_.size());
    for (std::size_t c = 0; c < grains_.chunks.size(); ++c)
        eachRow(c, grains_.chunks[c].alive, [&](std::size_t row) { used[grains_.columns.origin(row)] = true; });
    std::vector<std::uint32_t> number(origins_.size());
    std::size_t kept = 0;
    for (std::size_t o = 0; o < origins_.size(); ++o) {
        if (!used[o]) continue;
        number[o] = static_cast<std::uint32_t>(kept);
        origins_[kept++] = origins_[o];
    }
    if (kept == origins_.size()) return;
    origins_.resize(kept);
    std::set<std::int64_t> present;
    for (const Origin& origin : origins_) present.insert(origin.guide);
    std::erase_if(departed_, [&](const auto& left) { return !present.contains(left.first); });
    for (std::size_t c = 0; c < grains_.chunks.size(); ++c)
        eachRow(c, grains_.chunks[c].alive, [&](std::size_t row) { grains_.columns.origin(row) = number[grains_.columns.origin(row)]; });
}

template <class Real>
void GuidedMethod<Real>::setClockBack(double by) {
    guides_->setClockBack(by);
    for (Origin& origin : origins_) origin.birthTime -= by;
}

template <class Real>
double GuidedMethod<Real>::stableStep(const world::World& world) const {
    return static_cast<double>(settings_.guideSteps) * guides_->stableStep(world);
}

template <class Real>
std::vector<world::Metric> GuidedMethod<Real>::metrics() const {
    std::int64_t free = 0;
    for (const FineChunk& chunk : grains_.chunks) free += std::popcount(chunk.free);
    std::vector<world::Metric> all{{"guides", static_cast<double>(guides_->count())}, {"free_grains", static_cast<double>(free)},
                                   {"interpolations", static_cast<double>(interpolations_)}};
    for (world::Metric metric : guides_->metrics()) all.push_back({"guide_" + metric.name, metric.value});
    return all;
}

template <class Real>
std::vector<world::Metric> GuidedMethod<Real>::fallbacks() const {
    std::vector<world::Metric> all = guides_->fallbacks();
    all.push_back({"squeezed_grains", static_cast<double>(squeezed_)});
    return all;
}

namespace {

template <class T, class Member>
void putOrigins(Archive& archive, std::string_view name, const std::vector<Origin>& origins, Member member) {
    std::vector<T> values;
    for (const Origin& origin : origins) values.push_back(origin.*member);
    archive.put(name, values);
}
template <class T, class Member>
void getOrigins(const Archive& archive, std::string_view name, std::vector<Origin>& origins, Member member) {
    const std::vector<T> values = archive.get<T>(name);
    if (values.size() != origins.size()) throw ArchiveError("'" + std::string(name) + "' has a wrong length");
    for (std::size_t o = 0; o < origins.size(); ++o) origins[o].*member = values[o];
}
/// visit(name, member, type) for all but the guide's id.
template <class Visit>
void eachOriginColumn(const Visit& visit) {
    visit("origin_mass", &Origin::mass, double());
    visit("origin_radius", &Origin::radius, double());
    visit("origin_volume", &Origin::volume, double());
    visit("origin_birth_time", &Origin::birthTime, double());
    visit("origin_material", &Origin::material, std::int32_t());
    visit("origin_source", &Origin::source, std::int32_t());
}

}  // namespace

template <class Real>
void GuidedMethod<Real>::save(Archive& archive) const {
    {
        const auto group = archive.group("guides");
        guides_->save(archive);
    }
    {
        const auto group = archive.group("grains");
        grains_.save(archive);
    }
    putOrigins<std::int64_t>(archive, "origin_guide", origins_, &Origin::guide);
    eachOriginColumn([&](const char* name, auto member, auto type) { putOrigins<decltype(type)>(archive, name, origins_, member); });
    archive.put("guide_ids", guideIds_);
    archive.put("next_guide_id", nextGuideId_);
    std::vector<std::int64_t> departed;
    std::vector<double> orientations;
    for (const auto& [guide, moment] : departed_) {
        departed.push_back(guide);
        orientations.insert(orientations.end(), moment.begin(), moment.end());
    }
    archive.put("departed", departed);
    archive.put("departed_orientations", orientations);
    archive.put("spacing", spacing_);
    archive.put("largest_radius", largestRadius_);
    archive.put("since_interpolation", sinceInterpolation_);
    archive.put("held_time", heldTime_);
    archive.put("carried_travel", carriedTravel_);
    archive.put("drift", drift_);
    archive.put("due", static_cast<std::int32_t>(due_));
    archive.put("interpolations", interpolations_);
    archive.put("squeezed", squeezed_);
}

template <class Real>
void GuidedMethod<Real>::load(const Exec& exec, const Archive& archive) {
    {
        const auto group = archive.group("guides");
        guides_->load(exec, archive);
    }
    {
        const auto group = archive.group("grains");
        grains_.load(archive);
    }
    const auto ids = archive.get<std::int64_t>("origin_guide");
    origins_.assign(ids.size(), {});
    for (std::size_t o = 0; o < ids.size(); ++o) origins_[o].guide = ids[o];
    eachOriginColumn([&](const char* name, auto member, auto type) { getOrigins<decltype(type)>(archive, name, origins_, member); });
    for (std::size_t c = 0; c < grains_.chunks.size(); ++c)
        eachRow(c, grains_.chunks[c].alive, [&](std::size_t row) {
            if (grains_.columns.origin(row) >= origins_.size()) throw ArchiveError("a grain has an origin that is not there");
        });
    guideIds_ = archive.get<std::int64_t>("guide_ids");
    nextGuideId_ = archive.value<std::int64_t>("next_guide_id");
    const auto departed = archive.get<std::int64_t>("departed");
    const auto orientations = archive.get<double>("departed_orientations");
    if (orientations.size() != 6 * departed.size()) throw ArchiveError("the orientations of guides that left have a wrong length");
    departed_.clear();
    for (std::size_t i = 0; i < departed.size(); ++i) std::ranges::copy(std::span(orientations).subspan(6 * i, 6), departed_[departed[i]].begin());
    spacing_ = archive.value<double>("spacing");
    largestRadius_ = archive.value<double>("largest_radius");
    sinceInterpolation_ = archive.value<std::int64_t>("since_interpolation");
    heldTime_ = archive.value<double>("held_time");
    carriedTravel_ = archive.value<double>("carried_travel");
    drift_ = archive.value<double>("drift");
    due_ = archive.value<std::int32_t>("due") != 0;
    interpolations_ = archive.value<std::int64_t>("interpolations");
    squeezed_ = archive.value<std::int64_t>("squeezed");
    revision_ = -1;
}

template class GuidedMethod<float>;
template class GuidedMethod<double>;

}  // namespace talus::upsampling
