// SPDX-License-Identifier: Apache-2.0
// What both updates do with the state of eight points.
#pragma once

#include "elastoplastic/sand.h"

#include <array>

namespace talus::elastoplastic {

template <class Real>
WideSym3<Real> loadSym(const Real* from) {
    const auto entry = [from](int i) { return Wide<Real>::load(from + 8 * i); };
    return {.xx = entry(0), .yy = entry(1), .zz = entry(2), .xy = entry(3), .yz = entry(4), .xz = entry(5)};
}
template <class Real>
void storeSym(const WideSym3<Real>& a, Real* to) {
    a.xx.store(to);
    a.yy.store(to + 8);
    a.zz.store(to + 16);
    a.xy.store(to + 24);
    a.yz.store(to + 32);
    a.xz.store(to + 40);
}


/// Grains lose energy when they are pressed together and let go: a pressure −ζ ∇·v where they touch damps sound.
template <class Real>
[[gnu::always_inline]] inline void dampSound(const Wide<Real>& zetaPerStep, const std::array<Wide<Real>, 9>& stretch, SandState<Real>& state) {
    const Wide<Real> zero(Real(0)), pressure = select(state.expansion > zero, zero, zetaPerStep * (stretch[0] + stretch[4] + stretch[8]));
    state.stress.xx += pressure;
    state.stress.yy += pressure;
    state.stress.zz += pressure;
}

}  // namespace talus::elastoplastic
