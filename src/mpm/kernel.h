// SPDX-License-Identifier: Apache-2.0
// The kernels that carry numbers between points and nodes.
#pragma once

#include <array>
#include <string_view>

namespace talus::mpm {

/// B-splines.
enum class Kernel { quadratic, cubic };
inline constexpr std::array<std::string_view, 2> kKernelNames{"quadratic", "cubic"};

/// Integral of the kernel from −∞ to x cells.
double kernelBelow(Kernel, double x);

}  // namespace talus::mpm
