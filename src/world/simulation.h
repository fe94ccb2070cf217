// SPDX-License-Identifier: Apache-2.0
// A world and a method that moves its grains, advanced from event to event.
#pragma once

#include "world/method.h"
#include "world/stage.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace talus::world {

/// Grains put in and taken out so far, exactly.
struct Account {
    std::int64_t insertedCount = 0, removedCount = 0;
    double insertedMass = 0, removedMass = 0;   // [kg]
};

enum class Reached { target, stopped, failed };

class Simulation {
public:
    Simulation(World world, std::unique_ptr<Method> method) : world_(std::move(world)), method_(std::move(method)) {}

    /// Puts the world's fills in, but for the last where takeOver() has stood in for it; once, before the first step.
    void fill(const Exec&);
    /// Instead of the last fill: the grains and free bodies of another simulation with all their state, from what it saved. Its bodies,
    /// materials and method are the first of this one's, `source` is its world then. Grains inside further bodies, and inside those that stand elsewhere or have
    /// another shape now, are taken out, and with `solid` grains those that touch them; returns how many. The clock shows 0. ArchiveError where the state does not fit.
    std::int64_t takeOver(const Exec&, const Archive&, const World& source, bool solid);

    /// Steps until world().time == target, or keepGoing() is false between two steps, or a step fails.
    /// The time to the target is split into equal steps; dt is kept until the method's stable step falls below it.
    Reached advance(const Exec&, double target, FunctionRef<bool()> keepGoing);

    /// Who is shown the grains that leave the world, at the end of the step in which they do (promised fields; no state).
    void showLeavers(ChunkSink* to) { leavers_ = to; }
    /// A stage begins now.
    void enter(const Stage&);
    /// The world that a state to be loaded belongs to.
    void replaceWorld(World world) { world_ = std::move(world); }

    const World& world() const { return world_; }
    const Method& method() const { return *method_; }
    const Account& account() const { return account_; }
    /// What went on that a user should know of, since the last call.
    std::vector<std::string> takeWarnings() { return std::exchange(warnings_, {}); }
    std::int64_t steps() const { return steps_; }
    std::int64_t grainSteps() const { return grainSteps_; }   // grains advanced, summed over steps
    double stepSeconds() const { return stepSeconds_; }       // wall time inside Method::step
    double dt() const { return dt_; }                         // of the last step [s]
    const std::optional<Failed>& failure() const { return failure_; }

    void save(Archive&) const;
    void load(const Exec&, const Archive&);

private:
    struct Plan {
        double target = 0, dt = 0;      // [s]
        std::int64_t stepsLeft = 0;
    };
    void planTo(double target, double longestStep);
    Failed collapse(double step) const;
    void takeStep(const Exec&);
    void removeLeavers(const Exec&);
    void remove(const Exec&, const Region&, SinkAccount&);
    void letIn(const Exec&);

    World world_;
    std::unique_ptr<Method> method_;
    Account account_;
    bool lastFillTaken_ = false;
    Plan plan_;
    std::int64_t steps_ = 0, grainSteps_ = 0;
    double dt_ = 0, stepSeconds_ = 0;
    std::optional<Failed> failure_;
    ChunkSink* leavers_ = nullptr;
    std::vector<std::string> warnings_;
};

/// A method that needs shorter steps than this has gone wrong.
inline constexpr double kSmallestStep = 1e-12;   // [s]

}  // namespace talus::world
