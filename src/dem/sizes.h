// SPDX-License-Identifier: Apache-2.0
// How the diameters of grains are distributed, in parts of the diameter that the scene's resolution gives.
#pragma once

#include "core/keys.h"
#include "core/rng.h"

#include <string_view>
#include <variant>
#include <vector>

namespace talus::dem {

struct ConstantSize {
    static constexpr std::string_view kType = "constant";
    void keys(KeyVisitor&) {}
};
struct UniformSize {                       // by number
    static constexpr std::string_view kType = "uniform";
    double min = 0.8, max = 1.2;
    void keys(KeyVisitor&);
};
struct NormalSize {                        // by number, cut off
    static constexpr std::string_view kType = "normal";
    double deviation = 0.1, min = 0.5, max = 1.5;
    void keys(KeyVisitor&);
};
struct LognormalSize {                     // by number, cut off; the median is 1
    static constexpr std::string_view kType = "lognormal";
    double deviation = 0.2, min = 0.3, max = 3;   // deviation of the logarithm
    void keys(KeyVisitor&);
};
struct TableSize {                         // by mass: rows of diameter and share
    static constexpr std::string_view kType = "table";
    std::vector<double> rows;
    void keys(KeyVisitor&);
};
using SizeDistribution = std::variant<ConstantSize, UniformSize, NormalSize, LognormalSize, TableSize>;

double drawSize(const SizeDistribution&, Rng&);
/// Mean of the cube, by which a number of grains becomes a diameter; from 4096 draws where there is no closed form.
double meanCube(const SizeDistribution&);
double smallestSize(const SizeDistribution&);
double largestSize(const SizeDistribution&);

}  // namespace talus::dem
