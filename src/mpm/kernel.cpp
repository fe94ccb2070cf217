// SPDX-License-Identifier: Apache-2.0
#include "mpm/kernel.h"

#include <cmath>

namespace talus::mpm {

double kernelBelow(Kernel kernel, double x) {
    const double d = std::abs(x);
    double above = 0;
    if (kernel == Kernel::quadratic) above = d < 0.5 ? 0.5 - 0.75 * d + d * d * d / 3 : d < 1.5 ? (1.5 - d) * (1.5 - d) * (1.5 - d) / 6 : 0.0;
    else above = d < 1 ? 0.5 - 2.0 / 3 * d + d * d * d / 3 - d * d * d * d / 8 : d < 2 ? (2 - d) * (2 - d) * (2 - d) * (2 - d) / 24 : 0.0;
    return x < 0 ? above : 1 - above;
}

}  // namespace talus::mpm
