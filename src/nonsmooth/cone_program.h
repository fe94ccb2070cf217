// SPDX-License-Identifier: Apache-2.0
// The friction problem as Cadoux sees it [Acary2011]: with the sliding speeds s = μ |γ_T| held fixed in the normal rates, it is the convex problem
//     min ½ zᵀ A z + bᵀ z,   z in the cones |z_T| ≤ μ z_N,
// over the stress of all sites and the impulses of all contacts at once. Each is counted in the root of the size of its own W, so that all parts of
// A are about as large; one number for all of its components, which leaves the cone as it is.
#pragma once

#include "nonsmooth/friction_problem.h"

#include <vector>

namespace talus::nonsmooth {

/// Forces, or rates, of all sites (in χ) and contacts.
struct ConeVector {
    std::vector<Chi> sites;
    std::vector<Vec3> places;
};

class ConeProgram {
public:
    ConeProgram(const Exec&, const FrictionProblem&, NodeForces*);

    /// z of the stress that the problem starts from, and back; impulses of bodies alike.
    ConeVector start() const;
    void keep(const ConeVector& z, FrictionProblem&) const;

    /// A z + b without the sliding speeds: scaled rates. Leaves the velocities in nodes().
    void rates(const ConeVector& z, ConeVector& out);
    const std::vector<Node>& nodes() const { return nodes_; }
    /// Takes sliding speeds from rates, and adds them to the normal part of others.
    void takeShift(const ConeVector& rates);
    void addShift(ConeVector& rates) const;
    /// The nearest point of the cones.
    void project(ConeVector& z) const;
    /// Root mean square of the complementarity function [Pa s] at z with its rates, that of GaussSeidel; nodes() must belong to z.
    double residual(const ConeVector& z, const ConeVector& rates);

    double dot(const ConeVector& a, const ConeVector& b) const;
    /// to ← a + t b, and to ← a + t (b − c).
    void add(const ConeVector& a, double t, const ConeVector& b, ConeVector& to) const;
    void extrapolate(const ConeVector& a, double t, const ConeVector& b, const ConeVector& c, ConeVector& to) const;

private:
    const Exec& exec_;
    const FrictionProblem& problem_;
    NodeForces* bodies_;
    std::vector<Node> free_, nodes_;
    std::vector<double> siteSize_, placeSize_;       // W: rate of a force of 1
    std::vector<double> siteShift_, placeShift_;     // sliding speeds, scaled
    std::vector<ContactCone> cones_;
    std::vector<SymTensor> stress_;
};

}  // namespace talus::nonsmooth
