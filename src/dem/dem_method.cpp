// SPDX-License-Identifier: Apache-2.0
#include "dem/dem_method.h"

#include <algorithm>
#include <cmath>

namespace talus::dem {

DemMethod::DemMethod(const Settings& settings, const world::World& world)
    : settings_(settings), templates_(makeTemplates(settings)), domain_(world.domain), diameter_(wantedDiameter(settings, world)), skin_(settings.skin * diameter_), meanCube_(meanCube(settings.sizes)),
      bodyRates_(world.bodies.size()) {
    takeFrom(world);
    derive();
    listPairs(Exec(1));
    bodies_.index(spheres_);
}

Vec3 DemMethod::angularVelocityOf(std::size_t row) const {
    return angularVelocity(shapeOf(row), grains_.mass(row), grains_.diameter(row), get(grains_.orientation, row), get(grains_.spin, row));
}

void DemMethod::setClockBack(double by) {
    for (std::size_t i = 0; i < grains_.rows(); ++i) grains_.birthTime(i) -= by;
}

world::Removed DemMethod::erase(const Exec& exec, const world::Region& region, world::ChunkSink* taken) {
    const auto phase = exec.phase("erase");
    const Aabb box = region.inside ? region.shape->bounds() : Aabb{};
    std::vector<char> goes(grains_.rows());
    exec.forBlocks(grains_.rows(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Vec3 x = wrapped(i);
            goes[i] = (!region.inside || box.contains(x)) && region.contains(x);
        }
    });
    world::Removed removed;
    std::vector<std::size_t> stay, gone;
    for (std::size_t i = 0; i < goes.size(); ++i) {
        (goes[i] ? gone : stay).push_back(i);
        if (!goes[i]) continue;
        ++removed.count;
        removed.mass += grains_.mass(i);
        removed.momentum += grains_.mass(i) * get(grains_.velocity, i);
    }
    if (gone.empty()) return removed;
    if (taken) readRows(world::kPromisedNames, *taken, &gone);
    if (!keptSums_) keptSums_ = sumContacts();
    keptSums_->keep(stay);
    keep(stay);
    return removed;
}

std::vector<world::Metric> DemMethod::metrics() const {
    std::int64_t touching = 0;
    for (const ContactState& state : pairs_.state) touching += 2 * state.touching;
    for (const ContactState& state : bodies_.state) touching += state.touching;
    const double count = std::max<double>(1, static_cast<double>(grains_.rows()));
    return {{"packing_fraction_of_fills", filledRegion_ > 0 ? filledSolid_ / filledRegion_ : 0},
            {"contacts_per_grain", static_cast<double>(touching) / count},
            {"list_builds", static_cast<double>(builds_)},
            {"contact_friction", grains_.rows() > 0 ? laws_.betweenGrains(grains_.material(0), grains_.material(0)).friction : 0},
            {"rolling_friction", grains_.rows() > 0 ? laws_.betweenGrains(grains_.material(0), grains_.material(0)).rolling : 0}};
}

std::vector<world::Metric> DemMethod::fallbacks() const { return {{"deep_overlaps", static_cast<double>(deepOverlaps_)}}; }

std::vector<world::GrainTemplate> DemMethod::templates() const {
    std::vector<world::GrainTemplate> shapes;
    if (templates_.size() == 1 && templates_.front().isSphere()) return shapes;
    for (const ClumpTemplate& shape : templates_) {
        world::GrainTemplate& out = shapes.emplace_back();
        out.name = shape.name;
        for (const TemplateSphere& s : shape.spheres) out.spheres.push_back({s.centre.x, s.centre.y, s.centre.z, s.radius});
    }
    return shapes;
}

namespace {

/// Numbers of the contacts that hold something: two indices and twelve numbers each.
struct ContactArrays {
    std::vector<std::uint32_t> indices;
    std::vector<double> numbers;
    std::vector<std::int8_t> flags;

    void add(std::uint32_t a, std::uint32_t b, const ContactState& s) {
        indices.insert(indices.end(), {a, b});
        for (const Vec3& v : {s.spring, s.turn, s.force, s.arm}) numbers.insert(numbers.end(), {v.x, v.y, v.z});
        flags.push_back(static_cast<std::int8_t>((s.touching ? 1 : 0) + (s.bonded ? 2 : 0)));
    }
    void save(Archive& archive, std::string_view name) const {
        const auto group = archive.group(name);
        archive.put("of", indices);
        archive.put("state", numbers);
        archive.put("flags", flags);
    }
    void load(const Archive& archive, std::string_view name) {
        const auto group = archive.group(name);
        indices = archive.get<std::uint32_t>("of");
        numbers = archive.get<double>("state");
        flags = archive.get<std::int8_t>("flags");
        if (indices.size() != 2 * flags.size() || numbers.size() != 12 * flags.size()) throw ArchiveError("the arrays of " + std::string(name) + " do not fit together");
    }
    ContactState state(std::size_t i) const {
        const double* n = numbers.data() + 12 * i;
        return {{n[0], n[1], n[2]}, {n[3], n[4], n[5]}, {n[6], n[7], n[8]}, {n[9], n[10], n[11]}, (flags[i] & 1) != 0, (flags[i] & 2) != 0};
    }
};

}  // namespace

void DemMethod::save(Archive& archive) const {
    {
        const auto group = archive.group("grains");
        grains_.save(archive);
    }
    ContactArrays pairs, bodies;
    for (std::size_t p = 0; p < pairs_.state.size(); ++p)
        if (!pairs_.state[p].idle()) pairs.add(pairs_.list.a[p], pairs_.list.b[p], pairs_.state[p]);
    for (std::size_t c = 0; c < bodies_.size(); ++c)
        if (!bodies_.state[c].idle()) bodies.add(bodies_.sphere[c], bodies_.body[c], bodies_.state[c]);
    pairs.save(archive, "pair_contacts");
    bodies.save(archive, "body_contacts");
    std::vector<double> rates;
    for (const world::BodyLoad& r : bodyRates_)
        rates.insert(rates.end(), {r.impulse.x, r.impulse.y, r.impulse.z, r.angularImpulse.x, r.angularImpulse.y, r.angularImpulse.z, r.work});
    archive.put("body_rates", rates);
    archive.put("numbers", std::vector<double>{bodyDrift_, now_.spring, now_.dashpot, atRest_.spring, atRest_.dashpot, fastest_, filledSolid_, filledRegion_});
    archive.put("counts", std::vector<std::int64_t>{stale_, builds_, deepOverlaps_});
}

void DemMethod::load(const Exec& exec, const Archive& archive) {
    {
        const auto group = archive.group("grains");
        grains_.load(archive);
    }
    for (std::size_t i = 0; i < grains_.rows(); ++i)
        if (grains_.shape(i) < 0 || static_cast<std::size_t>(grains_.shape(i)) >= templates_.size()) throw ArchiveError("a grain has a template that the scene does not have");
    const auto numbers = archive.get<double>("numbers"), rates = archive.get<double>("body_rates");
    const auto counts = archive.get<std::int64_t>("counts");
    if (numbers.size() != 8 || counts.size() != 3 || rates.size() > 7 * bodyRates_.size()) throw ArchiveError("the state of dem is of another scene");
    bodyDrift_ = numbers[0];
    now_ = {numbers[1], numbers[2]};
    atRest_ = {numbers[3], numbers[4]};
    fastest_ = numbers[5];
    filledSolid_ = numbers[6];
    filledRegion_ = numbers[7];
    stale_ = counts[0] != 0;
    builds_ = counts[1];
    deepOverlaps_ = counts[2];
    for (std::size_t b = 0; b < rates.size() / 7; ++b) {   // further bodies have not pushed yet
        const double* r = &rates[7 * b];
        bodyRates_[b] = {{r[0], r[1], r[2]}, {r[3], r[4], r[5]}, r[6], 0};
    }
    keptSums_.reset();
    derive();
    bodies_ = {};
    listPairs(exec);
    ContactArrays pairs, bodies;
    pairs.load(archive, "pair_contacts");
    bodies.load(archive, "body_contacts");
    for (std::size_t i = 0; i < pairs.flags.size(); ++i) {
        const std::uint32_t a = pairs.indices[2 * i], b = pairs.indices[2 * i + 1];
        if (a >= spheres_.size() || b >= spheres_.size()) throw ArchiveError("a contact is of a sphere that does not exist");
        if (const std::size_t found = pairs_.list.find(a, b); found < pairs_.list.size()) pairs_.state[found] = pairs.state(i);
    }
    for (std::size_t i = 0; i < bodies.flags.size(); ++i) {
        if (bodies.indices[2 * i] >= spheres_.size() || bodies.indices[2 * i + 1] >= bodyMaterial_.size()) throw ArchiveError("a contact is of a body that does not exist");
        bodies_.sphere.push_back(bodies.indices[2 * i]);
        bodies_.body.push_back(bodies.indices[2 * i + 1]);
        bodies_.state.push_back(bodies.state(i));
    }
    bodies_.index(spheres_);
    bodiesUnlisted_ = true;
    setConstants();
}

}  // namespace talus::dem
