// SPDX-License-Identifier: Apache-2.0
#include "world/stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace talus::world {

namespace {

constexpr double kRounding = 1e-9;   // of a time span

/// Sums in the order in which the method hands its grains over, which depends on its state alone.
class Census final : public ChunkSink {
public:
    explicit Census(const geometry::Shape* region) : region_(region) {}
    void take(const Chunk& chunk) override {
        const std::span<const double> m = chunk.columns[0].reals, x = chunk.columns[1].reals, v = chunk.columns[2].reals;
        double mass = 0, momentum = 0;   // a sum per chunk first keeps the rounding error small
        for (std::size_t i = 0; i < chunk.count; ++i) {
            if (region_ && region_->distance({x[3 * i], x[3 * i + 1], x[3 * i + 2]}) > 0) continue;
            mass += m[i];
            momentum += m[i] * norm(Vec3{v[3 * i], v[3 * i + 1], v[3 * i + 2]});
        }
        mass_ += mass;
        momentum_ += momentum;
    }
    double mass() const { return mass_; }
    double meanSpeed() const { return mass_ > 0 ? momentum_ / mass_ : 0; }

private:
    const geometry::Shape* region_;
    double mass_ = 0, momentum_ = 0;
};

/// The number that a condition looks at.
double measure(const Exec& exec, const Simulation& simulation, const Until& until, LatestOfProbe latest) {
    if (const WhenProbe* probe = std::get_if<WhenProbe>(&until.condition)) return latest(*probe);
    const WhenMass* inRegion = std::get_if<WhenMass>(&until.condition);
    Census census(inRegion ? inRegion->region.get() : nullptr);
    simulation.method().read(exec, std::array{field::mass.name, field::position.name, field::velocity.name}, census);
    return inRegion ? census.mass() : census.meanSpeed();
}

bool holds(const Until& until, double value) {
    if (const WhenSlow* slow = std::get_if<WhenSlow>(&until.condition)) return value < slow->speed;
    if (const WhenProbe* probe = std::get_if<WhenProbe>(&until.condition)) return probe->above ? value > probe->limit : value < probe->limit;
    const WhenMass* mass = std::get_if<WhenMass>(&until.condition);
    return mass && (mass->above ? value > mass->limit : value < mass->limit);
}

}  // namespace

Stages::Stages(std::vector<Stage> stages) : stages_(std::move(stages)) {}

double Stages::latestEnd(double end) const {
    if (!any()) return end;
    const std::optional<Until>& until = stages_[current()].until;
    const double own = until ? parts_.back().begin + until->longest() : std::numeric_limits<double>::infinity();
    return last() ? std::min(own, end) : own;
}

double Stages::longest(double end) const {
    double clock = latestEnd(end), total = sinceStart(clock);
    for (std::size_t k = parts_.size(); k < stages_.size(); ++k) {
        if (stages_[k].resetTime) clock = 0;
        const double begin = clock;
        clock = stages_[k].until ? begin + stages_[k].until->longest() : end;
        if (k + 1 == stages_.size()) clock = std::min(clock, end);
        total += std::max(0.0, clock - begin);
    }
    return total;
}

bool Stages::met(const Exec& exec, const Simulation& simulation, LatestOfProbe latest) {
    if (!any() || finished()) return false;
    const std::optional<Until>& until = stages_[current()].until;
    if (!until || until->timed()) return false;
    const double time = simulation.world().time, lasted = time - parts_.back().begin;
    if (lasted < static_cast<double>(looks_ + 1) * until->every * (1 - kRounding)) return false;
    looks_ = static_cast<std::int64_t>(std::floor(lasted / until->every * (1 + kRounding)));
    if (!holds(*until, measure(exec, simulation, *until, latest))) {
        heldSince_ = std::numeric_limits<double>::quiet_NaN();
        return false;
    }
    if (std::isnan(heldSince_)) heldSince_ = time;
    return time - heldSince_ >= until->hold * (1 - kRounding);
}

Stages::Ended Stages::finish(double time, bool conditionMet) {
    parts_.back().end = time;
    const bool timed = !any() || !stages_[current()].until || stages_[current()].until->timed();
    return parts_.back().ended = conditionMet ? Ended::condition : timed ? Ended::time : Ended::limit;
}

std::string Stages::unmet(const Exec& exec, const Simulation& simulation, LatestOfProbe latest) const {
    const Until& until = *stages_[current()].until;
    const double value = measure(exec, simulation, until, latest);
    const std::string still = holds(until, value) ? fmt::format(" for {:.4g} s", until.hold) : "";
    if (const WhenSlow* slow = std::get_if<WhenSlow>(&until.condition))
        return fmt::format("the mean speed is {:.4g} m/s, not below {:.4g} m/s{}", value, slow->speed, still);
    if (const WhenProbe* probe = std::get_if<WhenProbe>(&until.condition))
        return fmt::format("{} of probe '{}' is {}, not {} {:.4g}{}", probe->column, probe->probe, std::isnan(value) ? "unknown" : fmt::format("{:.4g}", value),
                           probe->above ? "above" : "below", probe->limit, still);
    const WhenMass& mass = std::get<WhenMass>(until.condition);
    return fmt::format("the mass in the region is {:.4g} kg, not {} {:.4g} kg{}", value, mass.above ? "above" : "below", mass.limit, still);
}

void Stages::advance(Simulation& simulation) {
    const double offset = next().resetTime ? sinceStart(simulation.world().time) : parts_.back().offset;
    simulation.enter(next());
    parts_.push_back({.begin = simulation.world().time, .end = 0, .offset = offset, .step = simulation.steps()});
    looks_ = 0;
    heldSince_ = std::numeric_limits<double>::quiet_NaN();
}

World Stages::world() const {
    World world = stages_.front().world;
    for (std::size_t k = 1; k < parts_.size(); ++k) enter(world, stages_[k], parts_[k - 1].end);
    return world;
}

double emittedThrough(const std::vector<Stage>& stages, double end) {
    World world = stages.front().world;
    world.emitted.reset();
    double clock = 0;
    for (std::size_t k = 0; k < stages.size(); ++k) {
        if (k > 0) enter(world, stages[k], clock);
        if (k > 0 && stages[k].resetTime) clock = 0;
        if (stages[k].until) clock += stages[k].until->longest();
    }
    world.end = stages.back().until ? std::min(clock, end) : end;
    return world.emittedVolume();
}

void Stages::save(Archive& archive) const {
    std::vector<double> times;
    std::vector<std::int64_t> counts;
    for (const Part& part : parts_) {
        times.insert(times.end(), {part.begin, part.end, part.offset});
        counts.insert(counts.end(), {part.step, static_cast<std::int64_t>(part.ended)});
    }
    archive.put("times", times);
    archive.put("counts", counts);
    archive.put("looks", looks_);
    archive.put("held_since", heldSince_);
}

void Stages::load(const Archive& archive) {
    const auto times = archive.get<double>("times");
    const auto counts = archive.get<std::int64_t>("counts");
    const std::size_t count = counts.size() / 2;
    if (count == 0 || count > std::max<std::size_t>(stages_.size(), 1) || counts.size() != 2 * count || times.size() != 3 * count)
        throw ArchiveError("the archive has other stages than the scene");
    std::vector<Part> parts;
    for (std::size_t k = 0; k < count; ++k) {
        if (counts[2 * k + 1] < 0 || counts[2 * k + 1] > static_cast<std::int64_t>(Ended::limit)) throw ArchiveError("a stage has no such end");
        parts.push_back({times[3 * k], times[3 * k + 1], times[3 * k + 2], counts[2 * k], static_cast<Ended>(counts[2 * k + 1])});
    }
    parts_ = std::move(parts);
    looks_ = archive.value<std::int64_t>("looks");
    heldSince_ = archive.value<double>("held_since");
}

}  // namespace talus::world
