// SPDX-License-Identifier: Apache-2.0
// Friction problems as files: little endian, int64 n, m, nz; int64 rowptr[n+1]; int64 col[nz]; float64 H[nz][6][3] (row-major blocks); float64 w[6n];
// float64 mu[n]. Find λ (6n) with γ = H Hᵀ λ + w and (λ_i, γ_i) in DP(μ_i), component 0 the trace. Smooth fixed walls are taken out of H.
#pragma once

#include "nonsmooth/body_contacts.h"
#include "nonsmooth/friction_problem.h"

#include <string>

namespace talus::benchmark {

/// Writes a problem in units of `stress` (Pa s) and of the rates that belong to it; false where bodies rub, which the form has no place for.
bool dump(const std::string& path, const nonsmooth::FrictionProblem&, const nonsmooth::BodyContacts&, double stress);

/// Solves a file by Gauss–Seidel in the order of its sites with general blocks, and says when the mean square falls below 1e-6 and 1e-8.
void solveFile(const char* path);

}  // namespace talus::benchmark
