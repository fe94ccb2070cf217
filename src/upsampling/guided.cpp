// SPDX-License-Identifier: Apache-2.0
#include "upsampling/guided.h"

#include "upsampling/guided_method.h"
#include "world/openings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus::upsampling {

namespace {

using namespace world::field;
constexpr std::array kFields{id, position, velocity, radius, mass, volume, material, source, birthTime,
                             world::FieldInfo{"guide", "1", world::FieldType::integer, 1, "id of the guide that the grain was sampled in"},
                             world::FieldInfo{"carried", "1", world::FieldType::integer, 1, "1: moved by the guides around it, 0: flies freely"},
                             world::FieldInfo{"normal", "1", world::FieldType::real, 3, "of a flat grain: that of the guide it was sampled in, or drawn from the guide's orientation (nonsmooth); 0 where guides have neither"}};

}  // namespace

void Settings::meet(std::span<const world::KnownMethod> all) {
    known_.clear();
    for (const world::KnownMethod& method : all)
        if (method.settings != this) known_.push_back(method);
    for (std::size_t i = 0; i < known_.size(); ++i)
        if (known_[i].info->name == "dem") guides = static_cast<int>(i);
}

const world::KnownMethod* Settings::guide() const { return known_.empty() ? nullptr : &known_[static_cast<std::size_t>(guides)]; }

void Settings::keys(KeyVisitor& v) {
    std::vector<std::string_view> names;
    for (const world::KnownMethod& method : known_) names.push_back(method.info->name);
    if (!names.empty()) v.choice({"guides", "method of the coarse grains that carry the fine ones"}, names, guides);
    v.integer({"factor", "fine grains for each guide; resolution.grains counts fine grains; if not given, at most 32 and so many that there are 2,500 guides and 7 of them across the narrowest opening", Dimension::none, between(1, 100000)}, factor);
    v.choice({"interpolation", "of the guides' velocities: their mean by weight, or a linear field fitted to them"}, kInterpolationNames, interpolation);
    v.number({"influence_radius", "within which guides are counted, in spacings of guides; weights reach 1.5 times as far", Dimension::none, between(0.5, 10)}, influenceRadius);
    v.integer({"least_guides", "within the influence radius for a grain to be carried, else it flies freely; 1 lets clumps move with single guides", Dimension::none, between(1, 100)}, leastGuides);
    v.integer({"interpolate_every", "steps of the fine grains from one interpolation to the next, at most", Dimension::none, between(1, 100000)}, interpolateEvery);
    v.number({"most_travel", "of a carried grain from one interpolation to the next, in spacings of guides", Dimension::none, positive()}, mostTravel);
    v.integer({"guide_steps", "steps of the guides in one step of the fine grains", Dimension::none, between(1, 1000)}, guideSteps);
    v.choice({"removal", "a sink or open face takes a fine grain when it gets there itself, or with its guide"}, kRemovalNames, removal);
    v.flag({"confined", "grains are carried wherever they are, and those that left the volumes of all guides (bounding spheres, cubes of points, ellipsoids) are moved back to the nearest"}, confined);
}

world::World coarse(const world::World& world, std::int64_t factor) {
    world::World guides = world;
    const auto fine = static_cast<double>(factor);
    if (world.resolution.grains) guides.resolution.grains = std::max(std::int64_t{1}, static_cast<std::int64_t>(std::llround(static_cast<double>(*world.resolution.grains) / fine)));
    if (world.resolution.size) guides.resolution.size = *world.resolution.size * std::cbrt(fine);
    return guides;
}

std::int64_t factorFor(const Settings& settings, const world::World& world) {
    if (settings.factor) return *settings.factor;
    constexpr double kMost = 32, kGuides = 2500, kAcrossOpening = 7;   // fewer guides stand as a stack and jam where sand runs
    const world::KnownMethod* guide = settings.guide();
    if (!guide) return static_cast<std::int64_t>(kMost);   // guides that are no method of the scene
    const world::Estimate fine = guide->info->estimate(*guide->settings, world, world::Precision::float32);
    const bool slab = world.domain.slab >= 0;   // as wide as guides want it to be: it must not decide how large they are
    const double grains = world.resolution.grains ? static_cast<double>(*world.resolution.grains) : slab ? kMost * kGuides : static_cast<double>(fine.grains);
    double factor = std::min(kMost, grains / kGuides);
    if (factor > 1 && fine.size > 0 && !slab) {
        const std::vector<world::Opening> openings = world::findOpenings(world, fine.size * std::cbrt(factor));
        if (!openings.empty()) factor = std::min(factor, std::pow(openings.front().width / (kAcrossOpening * fine.size), 3));
    }
    return std::max(std::int64_t{1}, static_cast<std::int64_t>(factor));
}

namespace {

void check(const world::MethodSettings& given, const world::World& world, Problems& problems) {
    const auto& settings = static_cast<const Settings&>(given);
    const world::KnownMethod* guide = settings.guide();
    if (!guide) {
        problems.error("guided", "guided needs another method for its guides, and there is none");
        return;
    }
    if (settings.factor && world.resolution.grains && *world.resolution.grains < *settings.factor)
        problems.error("resolution.grains", fmt::format("{} fine grains do not make one guide of {} (guided.factor); ask for more grains or a smaller factor", *world.resolution.grains, *settings.factor));
    const std::int64_t factor = factorFor(settings, world);
    const world::World guides = coarse(world, factor);
    guide->info->check(*guide->settings, guides, problems);
    constexpr double kMostRows = 4e9;   // counted in 32 bits
    if (!problems.ok()) return;
    const world::Estimate estimate = guide->info->estimate(*guide->settings, guides, world::Precision::float32);
    if (const double grains = static_cast<double>(estimate.grains) * static_cast<double>(factor); grains > kMostRows)
        problems.error("guided.factor", fmt::format("{:.3g} guides of {} fine grains are {:.3g}, more than guided can hold, {:.0g}; lower the factor or resolution.grains", static_cast<double>(estimate.grains),
                                                    factor, grains, kMostRows));
}

// Fine grains with their chunks; keys, orders and the largest column twice while they are sorted; guides as tables while they
// are read, and the volumes that confine grains.
world::Estimate estimate(const world::MethodSettings& given, const world::World& world, world::Precision precision) {
    const auto& settings = static_cast<const Settings&>(given);
    const world::KnownMethod* guide = settings.guide();
    if (!guide) return {};
    const std::int64_t factor = factorFor(settings, world);
    const world::Estimate guides = guide->info->estimate(*guide->settings, coarse(world, factor), precision);
    const bool single = precision == world::Precision::float32;
    const auto perRow = static_cast<double>(single ? FineColumns<float>().bytesPerRow() : FineColumns<double>().bytesPerRow()) + static_cast<double>(sizeof(FineChunk)) / kChunkRows;
    const double sorting = 2 * 8 + 2 * 4;
    const double confining = settings.confined ? 2 * (sizeof(GuideState) + sizeof(SampledVolume) + sizeof(Mat3) + (3 + 1 + 1 + 6) * 8) : 0;   // guides with frames may have been halved
    const double perGuide = sizeof(Origin) + 2 * sizeof(GuideState) + 2 * 7 * 8 + confining;
    const double grains = static_cast<double>(guides.grains) * static_cast<double>(factor);
    return {static_cast<std::int64_t>(grains), guides.bytes + grains * (perRow + sorting) + static_cast<double>(guides.grains) * perGuide,
            guides.size / std::cbrt(static_cast<double>(factor)), guides.size};
}

std::unique_ptr<world::Method> create(const world::MethodSettings& given, const world::World& world, world::Precision precision) {
    Settings settings = static_cast<const Settings&>(given);
    settings.factor = factorFor(settings, world);   // from now on, whatever stages change
    const world::KnownMethod& guide = *settings.guide();
    auto guides = guide.info->create(*guide.settings, coarse(world, *settings.factor), precision);
    if (precision == world::Precision::float32) return std::make_unique<GuidedMethod<float>>(settings, world, std::move(guides), guide.info->continuum);
    return std::make_unique<GuidedMethod<double>>(settings, world, std::move(guides), guide.info->continuum);
}

}  // namespace

const world::MethodInfo info{
    .name = "guided",
    .summary = "fine grains carried by the grains of another method, the guides",
    .citation = "Alduan2009",
    .fields = kFields,
    .settings = [] { return std::unique_ptr<world::MethodSettings>(std::make_unique<Settings>()); },
    .check = check,
    .estimate = estimate,
    .create = create,
    .slabWidth = [](const world::MethodSettings& given, const world::World& world, int axis) {
        const auto& settings = static_cast<const Settings&>(given);
        const world::KnownMethod* guide = settings.guide();
        return guide && guide->info->slabWidth ? guide->info->slabWidth(*guide->settings, coarse(world, factorFor(settings, world)), axis) : 0;
    },
    .bodyReach = [](const world::MethodSettings& given, const world::World& world) {
        const auto& settings = static_cast<const Settings&>(given);
        const world::KnownMethod* guide = settings.guide();
        return guide && guide->info->bodyReach ? guide->info->bodyReach(*guide->settings, coarse(world, factorFor(settings, world))) : Vec3{};
    },
    .frictionByGrain = [](const world::MethodSettings& given) {
        const world::KnownMethod* guide = static_cast<const Settings&>(given).guide();
        return guide && guide->info->frictionByGrain && guide->info->frictionByGrain(*guide->settings);
    },
    .startsFromFrames = false,   // guides are not in them
};

}  // namespace talus::upsampling
