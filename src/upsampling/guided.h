// SPDX-License-Identifier: Apache-2.0
// Fine grains carried by the grains of another method [Alduan2009], as a method.
#pragma once

#include "world/method.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace talus::upsampling {

/// The mean of guides' velocities by weight, as in the paper, or a linear field fitted to them by weight.
enum class Interpolation { weighted, affine };
inline constexpr std::array<std::string_view, 2> kInterpolationNames{"weighted", "affine"};

/// When a sink or an open face takes a fine grain: once it gets there itself, or with the guide that it was sampled in.
enum class Removal { own, withGuide };
inline constexpr std::array<std::string_view, 2> kRemovalNames{"own", "with_guide"};

struct Settings final : world::MethodSettings {
    int guides = 0;                          // index among the methods that can be guides
    std::optional<std::int64_t> factor;      // fine grains in a guide; unless given, as factorFor says
    Interpolation interpolation = Interpolation::weighted;
    double influenceRadius = 1.3;            // r, in spacings of guides
    std::int64_t leastGuides = 2;            // within r, for a grain to be carried
    std::int64_t interpolateEvery = 20;      // steps of the fine grains
    double mostTravel = 0.5;                 // of a carried grain between interpolations, in spacings of guides
    std::int64_t guideSteps = 1;             // in a step of the fine grains
    Removal removal = Removal::own;
    bool confined = false;                   // to the volumes of guides

    void keys(KeyVisitor&) override;
    void meet(std::span<const world::KnownMethod>) override;

    /// The chosen method; null where there is none.
    const world::KnownMethod* guide() const;

private:
    std::vector<world::KnownMethod> known_;
};

extern const world::MethodInfo info;

/// Fine grains in a guide: as given, or as many as leave enough guides in all and across the narrowest opening.
std::int64_t factorFor(const Settings&, const world::World&);

/// The world as the guides' resolution sees it: `resolution` counts or measures fine grains, so many of which make a guide.
world::World coarse(const world::World&, std::int64_t factor);

}  // namespace talus::upsampling
