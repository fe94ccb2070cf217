// SPDX-License-Identifier: Apache-2.0
// Grains that came to take up more room than there is are moved apart: positions only, never velocities. The constraint on
// velocities keeps sites from getting fuller (nonsmooth/method.h, limitCompaction), but where points move by it is of second order,
// and what became too full stays so without this. As in density projection [Kugelstadt2021] the displacement is a field on the
// grid, solved like the velocity without friction:
//     δ_i = Σ_j q_j g_ji/m_i,   Σ_i g_ji·δ_i ≥ excess_j,   q_j ≥ 0,   one of them with =,   and never into bodies.
#pragma once

#include "nonsmooth/body_contacts.h"
#include "nonsmooth/friction_problem.h"

#include <span>
#include <vector>

namespace talus::nonsmooth {

class VolumeCorrection {
public:
    /// `excess` is the volume that each site should gain [m³]. Leaves a displacement of every node [m].
    void solve(const Exec&, const FrictionProblem&, std::span<const double> excess, const Surfaces&);
    const std::vector<Vec3>& displacement() const { return displacement_; }

private:
    std::vector<Vec3> displacement_;   // [m]
    std::vector<double> pressure_;     // q of a site, in whatever makes the above true
    std::vector<double> stiffness_;    // Σ_i g·g/m_i
    std::vector<double> reaction_;     // of a surface
};

}  // namespace talus::nonsmooth
