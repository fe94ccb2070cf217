// SPDX-License-Identifier: Apache-2.0
// Cadoux's fixed point [Acary2011]: sliding speeds are held, the convex problem that is left is solved by projected gradients, speeds are taken anew.
#include "nonsmooth/cone_program.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace talus::nonsmooth {
namespace {

/// Rounds of an inner solver between two looks at the residual, and the most with the same sliding speeds.
constexpr int kRoundsBetweenChecks = 5, kMostInnerRounds = 40;
/// An inner problem is solved to this part of what its sliding speeds are wrong by.
constexpr double kInnerPart = 0.2;
/// More than the part of A that sites have in common: where to look for its norm first.
constexpr double kFirstNorm = 4;

/// z, A z + b + s, and what is needed to go on.
struct Iterate {
    ConeVector z, gradient;
};

/// How far z is from Π(z − gradient), which is 0 at the solution of the convex problem.
double distanceToProjection(const ConeProgram& program, const Iterate& at, ConeVector& work) {
    program.add(at.z, -1, at.gradient, work);
    program.project(work);
    program.add(work, -1, at.z, work);
    return std::sqrt(program.dot(work, work));
}

/// The convex problem, a round at a time. A round ends with the gradient of the new z.
class InnerSolver {
public:
    virtual ~InnerSolver() = default;
    /// Begins at z, with sliding speeds that have changed.
    virtual void begin(const Iterate&) = 0;
    virtual void round(ConeProgram&, Iterate&) = 0;
};

/// Accelerated projected gradients with a step found by backtracking, begun anew where they overshoot [Mazhar2015]. The gradient is linear
/// in z, so that one application of A a round serves the point, the test of the step and the extrapolation.
class Apgd final : public InnerSolver {
public:
    void begin(const Iterate& at) override {
        ahead_ = at;
        theta_ = 1;
    }

    void round(ConeProgram& program, Iterate& at) override {
        for (;;) {
            program.add(ahead_.z, -1 / norm_, ahead_.gradient, next_.z);
            program.project(next_.z);
            program.rates(next_.z, next_.gradient);
            program.addShift(next_.gradient);
            program.add(next_.z, -1, ahead_.z, step_);
            program.add(next_.gradient, -1, ahead_.gradient, change_);
            const double length = program.dot(step_, step_);
            if (program.dot(step_, change_) <= norm_ * length * (1 + 1e-12) || !(length > 0) || norm_ > 1e6) break;   // dᵀ A d ≤ L dᵀ d
            norm_ *= 2;
        }
        program.add(next_.z, -1, at.z, step_);
        const bool overshot = program.dot(ahead_.gradient, step_) > 0;
        const double thetaNext = 0.5 * (std::sqrt(theta_ * theta_ * theta_ * theta_ + 4 * theta_ * theta_) - theta_ * theta_);
        const double beta = overshot ? 0 : theta_ * (1 - theta_) / (theta_ * theta_ + thetaNext);
        theta_ = overshot ? 1 : thetaNext;
        program.extrapolate(next_.z, beta, next_.z, at.z, ahead_.z);
        program.extrapolate(next_.gradient, beta, next_.gradient, at.gradient, ahead_.gradient);
        std::swap(at, next_);
        norm_ *= 0.9;
    }

private:
    Iterate ahead_, next_;
    ConeVector step_, change_;
    double theta_ = 1, norm_ = kFirstNorm;
};

/// Spectral projected gradients [Birgin2000] with the step of Barzilai and Borwein: in full where the quadratic stays below the highest of its last values,
/// else to its minimum along the projected direction, which is known exactly.
class Spg final : public InnerSolver {
public:
    void begin(const Iterate&) override {
        value_ = 0;
        highest_.fill(0);
    }

    void round(ConeProgram& program, Iterate& at) override {
        program.add(at.z, -step_, at.gradient, trial_.z);
        program.project(trial_.z);
        program.rates(trial_.z, trial_.gradient);
        program.addShift(trial_.gradient);
        program.add(trial_.z, -1, at.z, direction_);
        program.add(trial_.gradient, -1, at.gradient, change_);
        const double slope = program.dot(at.gradient, direction_), curvature = program.dot(direction_, change_), length = program.dot(direction_, direction_);
        if (!(length > 0)) return;
        const bool low = value_ + slope + 0.5 * curvature <= *std::ranges::max_element(highest_) + 1e-4 * slope;
        const double part = low || !(curvature > 0) ? 1.0 : std::clamp(-slope / curvature, 0.0, 1.0);
        value_ += part * slope + 0.5 * part * part * curvature;   // above that where the problem began
        highest_[rounds_++ % highest_.size()] = value_;
        program.add(at.z, part, direction_, at.z);
        program.add(at.gradient, part, change_, at.gradient);
        if (curvature > 0) step_ = std::clamp(even_ ? length / curvature : curvature / std::max(program.dot(change_, change_), 1e-300), 1e-4, 1e4);
        even_ = !even_;
    }

private:
    Iterate trial_;
    ConeVector direction_, change_;
    std::array<double, 10> highest_{};   // of the last rounds
    std::size_t rounds_ = 0;
    double value_ = 0, step_ = 1 / kFirstNorm;
    bool even_ = true;
};

template <class Inner>
class Cadoux final : public FrictionSolver {
public:
    SolveReport solve(const Exec& exec, FrictionProblem& problem, NodeForces* bodies, const SolveLimits& limits) override {
        SolveReport report;
        {
            ConeProgram program(exec, problem, bodies);
            Iterate at{program.start(), {}};
            run(program, at, limits, report);
            program.keep(at.z, problem);
        }
        applyStress(exec, problem, problem.stress, problem.nodes);
        if (bodies) bodies->start(problem.nodes);
        return report;
    }

private:
    void run(ConeProgram& program, Iterate& at, const SolveLimits& limits, SolveReport& report) {
        Inner inner;
        ConeVector work;
        program.rates(at.z, at.gradient);
        for (;;) {
            report.residual = program.residual(at.z, at.gradient);
            report.converged = report.residual <= limits.tolerance;
            if (report.converged || report.sweeps >= limits.mostSweeps || !std::isfinite(report.residual)) return;
            program.takeShift(at.gradient);
            program.addShift(at.gradient);
            inner.begin(at);
            const double wanted = kInnerPart * distanceToProjection(program, at, work);
            for (int rounds = 0; rounds < kMostInnerRounds && report.sweeps < limits.mostSweeps;) {
                inner.round(program, at);
                ++rounds;
                ++report.sweeps;
                if (rounds % kRoundsBetweenChecks == 0 && distanceToProjection(program, at, work) <= wanted) break;
            }
            program.rates(at.z, at.gradient);   // without sliding speeds, and rounding of many sums gone
        }
    }
};

}  // namespace

std::unique_ptr<FrictionSolver> makeSolver(Solver solver) {
    switch (solver) {
        case Solver::cadouxApgd: return std::make_unique<Cadoux<Apgd>>();
        case Solver::cadouxSpg: return std::make_unique<Cadoux<Spg>>();
        case Solver::gaussSeidel: break;
    }
    return std::make_unique<GaussSeidel>();
}

}  // namespace talus::nonsmooth
