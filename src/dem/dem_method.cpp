// SPDX-License-Identifier: Apache-2.0
#include "dem/dem_method.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus::dem {

DemMethod::DemMethod(const Settings& settings, const world::World& world, world::Precision precision)
    : settings_(settings), templates_(makeTemplates(settings)), domain_(world.domain), diameter_(wantedDiameter(settings, world)), skin_(settings.skin * diameter_), meanCube_(meanCube(settings.sizes)),
      covers_(settings.covered, world), grains_(!std::ranges::all_of(templates_, &ClumpTemplate::isSphere)), bodyRates_(world.bodies.size()) {
    if (precision == world::Precision::float64 || settings.integrator == Integrator::rkf45) forces_.emplace<PairForces<double>>();
    takeFrom(world);
    derive();
    pairs_.slabs.firstGrain = {0, 0};
    listPairs(Exec(1), KeptPairs(0), wantedKinds());
}

Vec3 DemMethod::angularVelocityOf(std::size_t row) const {
    return angularVelocity(shapeOf(row), massOf(row), grains_.diameter(row), orientationOf(row), get(grains_.spin, row));
}

void DemMethod::setClockBack(double by) { births_.setClockBack(by); }

std::vector<world::Metric> DemMethod::metrics() const {
    std::int64_t touching = 0;
    for (std::size_t p = 0; p < pairs_.size(); ++p) touching += pairs_.touches(p) ? 2 : 0;
    for (const ContactState& state : bodies_.state) touching += state.touching;
    const double count = std::max<double>(1, static_cast<double>(grains_.rows()));
    std::vector<world::Metric> all{{"packing_fraction_of_fills", filledRegion_ > 0 ? filledSolid_ / filledRegion_ : 0},
            {"contacts_per_grain", static_cast<double>(touching) / count},
            {"list_builds", static_cast<double>(builds_)},
            {"contact_friction", grains_.rows() > 0 ? laws_.betweenGrains(grains_.material(0), grains_.material(0)).friction : 0},
            {"rolling_friction", grains_.rows() > 0 ? laws_.betweenGrains(grains_.material(0), grains_.material(0)).rolling : 0}};
    if (covers_.any()) all.push_back({"cover_spheres", static_cast<double>(covers_.size())});
    if (settings_.integrator == Integrator::rkf45) {
        all.push_back({"substeps", static_cast<double>(adaptive_.substeps)});
        all.push_back({"rejected_substeps", static_cast<double>(adaptive_.rejected)});
    }
    return all;
}

std::vector<world::Metric> DemMethod::fallbacks() const {
    std::vector<world::Metric> all{{"deep_overlaps", static_cast<double>(deepOverlaps_)}};
    if (settings_.integrator == Integrator::rkf45) all.push_back({"substeps_above_tolerance", static_cast<double>(adaptive_.above)});
    return all;
}

void DemMethod::countDeep(std::int64_t count, double time) {
    if (deepOverlaps_ == 0 && count > 0)
        warnings_.push_back(fmt::format("grains overlap by more than half a radius, first at {:.6g} s (all are counted in run.json): they are too soft for what presses or hits them; raise dem.youngs_modulus", time));
    deepOverlaps_ += count;
}

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

constexpr std::size_t kMemoryNumbers = 7, kBodyNumbers = kMemoryNumbers + 6;
constexpr std::int8_t kTouching = 1, kBonded = 2, kBridged = 4;

void saveBodyContacts(Archive& archive, const BodyContacts& contacts) {
    const auto group = archive.group("body_contacts");
    std::vector<std::uint32_t> indices;
    std::vector<double> numbers;
    std::vector<std::int8_t> flags;
    for (std::size_t c = 0; c < contacts.size(); ++c) {
        const ContactState& s = contacts.state[c];
        if (s.idle()) continue;
        indices.insert(indices.end(), {contacts.sphere[c], contacts.body[c]});
        for (const Vec3& v : {s.memory.spring, s.memory.turn}) numbers.insert(numbers.end(), {v.x, v.y, v.z});
        numbers.push_back(s.memory.twist);
        for (const Vec3& v : {s.force, s.arm}) numbers.insert(numbers.end(), {v.x, v.y, v.z});
        flags.push_back(static_cast<std::int8_t>((s.touching ? kTouching : 0) + (s.bonded ? kBonded : 0) + (s.bridged ? kBridged : 0)));
    }
    archive.put("of", indices);
    archive.put("state", numbers);
    archive.put("flags", flags);
}

BodyContacts loadBodyContacts(const Archive& archive) {
    const auto group = archive.group("body_contacts");
    const auto indices = archive.get<std::uint32_t>("of");
    const auto numbers = archive.get<double>("state");
    const auto flags = archive.get<std::int8_t>("flags");
    if (indices.size() != 2 * flags.size() || numbers.size() != kBodyNumbers * flags.size()) throw ArchiveError("the arrays of body_contacts do not fit together");
    BodyContacts contacts;
    for (std::size_t c = 0; c < flags.size(); ++c) {
        const double* n = numbers.data() + kBodyNumbers * c;
        const auto flag = [&](std::int8_t bit) { return (flags[c] & bit) != 0; };
        contacts.sphere.push_back(indices[2 * c]);
        contacts.body.push_back(indices[2 * c + 1]);
        contacts.state.push_back({{{n[0], n[1], n[2]}, {n[3], n[4], n[5]}, n[6]}, {n[7], n[8], n[9]}, {n[10], n[11], n[12]}, flag(kTouching), flag(kBridged), flag(kBonded)});
    }
    return contacts;
}

}  // namespace

void KeptPairs::save(Archive& archive, std::string_view name) const {
    const auto group = archive.group(name);
    archive.put("first", a);
    archive.put("second", b);
    archive.put("memory", memories_);
    archive.put("state", std::span(reinterpret_cast<const std::int8_t*>(state.data()), state.size()));
}

void KeptPairs::load(const Archive& archive, std::string_view name) {
    const auto group = archive.group(name);
    a = archive.get<std::uint32_t>("first");
    b = archive.get<std::uint32_t>("second");
    memories_ = archive.get<double>("memory");
    const auto states = archive.get<std::int8_t>("state");
    if (a.size() != b.size() || a.size() != states.size() || memories_.size() != width_ * a.size()) throw ArchiveError("the arrays of " + std::string(name) + " do not fit together");
    state.clear();
    for (const std::int8_t s : states) state.push_back(static_cast<PairState>(s));
    if (std::ranges::any_of(state, [](PairState s) { return s != PairState::touching && s != PairState::bridged; })) throw ArchiveError("a contact neither touches nor is bridged");
}

void DemMethod::save(Archive& archive) const {
    {
        const auto group = archive.group("grains");
        grains_.save(archive);
        births_.save(archive);
        std::vector<double> contacts;
        contacts.reserve(6 * grains_.rows());
        for (std::size_t i = 0; i < grains_.rows(); ++i) {
            const Wrench& sum = contactsOn(i);
            contacts.insert(contacts.end(), {sum.force.x, sum.force.y, sum.force.z, sum.torque.x, sum.torque.y, sum.torque.z});
        }
        archive.put("force_and_torque", contacts);
    }
    actingPairs(Exec(1)).save(archive, "pair_contacts");
    saveBodyContacts(archive, bodies_);
    archive.put("slabs", pairs_.slabs.firstGrain);
    std::vector<double> rates;
    for (const world::BodyLoad& r : bodyRates_)
        rates.insert(rates.end(), {r.impulse.x, r.impulse.y, r.impulse.z, r.angularImpulse.x, r.angularImpulse.y, r.angularImpulse.z, r.work});
    archive.put("body_rates", rates);
    archive.put("numbers", std::vector<double>{bodyDrift_, now_.spring, now_.dashpot, atRest_.spring, atRest_.dashpot, fastest_, filledSolid_, filledRegion_, acceleration_, moved_});
    archive.put("counts", std::vector<std::int64_t>{stale_, builds_, deepOverlaps_, touched_, pairs_.slabs.wraps, static_cast<std::int64_t>(memoryKinds().numbers())});
    if (settings_.integrator != Integrator::rkf45) return;
    archive.put("next_substep", adaptive_.next);
    archive.put("substeps", std::vector<std::int64_t>{adaptive_.substeps, adaptive_.rejected, adaptive_.above});
}

void DemMethod::loadContactSums(const Archive& archive) {
    const auto group = archive.group("grains");
    const auto sums = archive.get<double>("force_and_torque");
    if (sums.size() != 6 * grains_.rows()) throw ArchiveError("the forces do not fit the grains");
    wrenches_.assign(spheres_.size(), {});
    for (std::size_t i = 0; i < grains_.rows(); ++i) {
        const double* n = &sums[6 * i];
        wrenches_[spheres_.firstOf(i)] = {{n[0], n[1], n[2]}, {n[3], n[4], n[5]}};
    }
}

void DemMethod::load(const Exec& exec, const Archive& archive) {
    loadGrains(archive);
    loadNumbers(archive);
    felt_.clear();
    derive();
    loadContactSums(archive);
    loadContacts(exec, archive);
    bodiesUnlisted_ = true;
    setConstants(exec);
}

void DemMethod::loadGrains(const Archive& archive) {
    const auto group = archive.group("grains");
    grains_.load(archive);
    births_.load(archive, ids());
    for (std::size_t i = 0; i < grains_.rows(); ++i)
        if (grains_.shape(i) < 0 || static_cast<std::size_t>(grains_.shape(i)) >= templates_.size()) throw ArchiveError("a grain has a template that the scene does not have");
    for (std::size_t i = 0; i < grains_.rows(); ++i)
        if (grains_.material(i) < 0 || static_cast<std::size_t>(grains_.material(i)) >= laws_.materials()) throw ArchiveError("a grain is of a material that there is not");
}

void DemMethod::loadNumbers(const Archive& archive) {
    const auto numbers = archive.get<double>("numbers"), rates = archive.get<double>("body_rates");
    const auto counts = archive.get<std::int64_t>("counts");
    if (numbers.size() != 10 || counts.size() != 6 || counts.back() < 0 || counts.back() > static_cast<std::int64_t>(kMemoryNumbers) || rates.size() > 7 * bodyRates_.size()) throw ArchiveError("the state of dem is of another scene");
    bodyDrift_ = numbers[0];
    now_ = {numbers[1], numbers[2]};
    atRest_ = {numbers[3], numbers[4]};
    fastest_ = numbers[5];
    filledSolid_ = numbers[6];
    filledRegion_ = numbers[7];
    acceleration_ = numbers[8];
    moved_ = numbers[9];
    stale_ = counts[0] != 0;
    builds_ = counts[1];
    deepOverlaps_ = counts[2];
    touched_ = counts[3] != 0;
    pairs_.slabs.wraps = counts[4] != 0;
    pairs_.slabs.firstGrain = archive.get<std::uint32_t>("slabs");
    for (std::size_t b = 0; b < rates.size() / 7; ++b) {   // further bodies have not pushed yet
        const double* r = &rates[7 * b];
        bodyRates_[b] = {{r[0], r[1], r[2]}, {r[3], r[4], r[5]}, r[6], 0};
    }
    adaptive_.next = 0;
    adaptive_.substeps = adaptive_.rejected = adaptive_.above = 0;
    if (archive.contains("next_substep")) {   // the state may be that of another integrator
        adaptive_.next = archive.value<double>("next_substep");
        const auto taken = archive.get<std::int64_t>("substeps");
        if (taken.size() != 3) throw ArchiveError("the counts of substeps are of another program");
        adaptive_.substeps = taken[0];
        adaptive_.rejected = taken[1];
        adaptive_.above = taken[2];
    }
}

void DemMethod::loadContacts(const Exec& exec, const Archive& archive) {
    const std::vector<std::uint32_t>& slabs = pairs_.slabs.firstGrain;
    if (slabs.size() < 2 || slabs.front() != 0 || !std::ranges::is_sorted(slabs) || slabs.back() > grains_.rows()) throw ArchiveError("the slabs of dem do not fit its grains");
    const auto numbers = static_cast<std::size_t>(archive.get<std::int64_t>("counts").back());
    const MemoryKinds kinds = kindsOf(numbers > MemoryKinds{.spring = true}.numbers(), numbers == kMemoryNumbers);   // the laws of the next step may be of another stage
    KeptPairs kept(numbers);
    kept.load(archive, "pair_contacts");
    for (const std::vector<std::uint32_t>* spheres : {&kept.a, &kept.b})
        if (std::ranges::any_of(*spheres, [&](std::uint32_t sphere) { return sphere >= spheres_.size(); })) throw ArchiveError("a contact is of a sphere that does not exist");
    listPairs(exec, kept, kinds);
    bodies_ = loadBodyContacts(archive);
    for (std::size_t c = 0; c < bodies_.size(); ++c)
        if (bodies_.sphere[c] >= spheres_.size() || !covers_.exists(bodies_.body[c], bodyMaterial_.size())) throw ArchiveError("a contact is of a body that does not exist");
}

}  // namespace talus::dem
