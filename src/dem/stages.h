// SPDX-License-Identifier: Apache-2.0
// The Runge–Kutta method of Fehlberg of orders 4 and 5 [Fehlberg1969], and tables of numbers with their rates at its stages.
#pragma once

#include "core/table.h"
#include "dem/contacts.h"
#include "world/body.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace talus::dem {

/// y_s = y₀ + h Σ a_sj k_j, k_s the rates at y_s and t + c_s h; y₁ = y₀ + h Σ b_j k_j is of order 5, and h Σ e_j k_j what it differs from that of order 4.
struct Fehlberg {
    static constexpr std::size_t kStages = 6;
    using Weights = std::array<double, kStages>;
    static constexpr Weights c{0, 1.0 / 4, 3.0 / 8, 12.0 / 13, 1, 1.0 / 2};
    static constexpr std::array<Weights, kStages> a{{{},
                                                     {1.0 / 4},
                                                     {3.0 / 32, 9.0 / 32},
                                                     {1932.0 / 2197, -7200.0 / 2197, 7296.0 / 2197},
                                                     {439.0 / 216, -8, 3680.0 / 513, -845.0 / 4104},
                                                     {-8.0 / 27, 2, -3544.0 / 2565, 1859.0 / 4104, -11.0 / 40}}};
    static constexpr Weights b{16.0 / 135, 0, 6656.0 / 12825, 28561.0 / 56430, -9.0 / 50, 2.0 / 55};
    static constexpr Weights e{1.0 / 360, 0, -128.0 / 4275, -2197.0 / 75240, 1.0 / 50, 2.0 / 55};
};

/// Rows of `width` numbers at the start of a substep, and their rates at each stage.
class StageTable {
public:
    void begin(std::size_t rows, std::size_t width) {
        width_ = width;
        fit(start_, rows * width);
        for (AlignedVector<double>& rates : rates_) fit(rates, rows * width);
    }
    std::span<double> start(std::size_t row) { return {start_.data() + row * width_, width_}; }
    std::span<double> rate(std::size_t stage, std::size_t row) { return {rates_[stage].data() + row * width_, width_}; }
    std::span<const double> start(std::size_t row) const { return {start_.data() + row * width_, width_}; }

    /// Number k of a row: start + h Σ w_j rate_j.
    double at(std::size_t row, std::size_t k, double h, const Fehlberg::Weights& w) const { return start_[row * width_ + k] + change(row, k, h, w); }
    double change(std::size_t row, std::size_t k, double h, const Fehlberg::Weights& w) const {
        double sum = 0;
        for (std::size_t j = 0; j < Fehlberg::kStages; ++j)
            if (w[j] != 0) sum += w[j] * rates_[j][row * width_ + k];
        return h * sum;
    }
    /// Length of the error of numbers [from, to) of a row.
    double error(std::size_t row, std::size_t from, std::size_t to, double h) const {
        double squares = 0;
        for (std::size_t k = from; k < to; ++k) {
            const double d = change(row, k, h, Fehlberg::e);
            squares += d * d;
        }
        return std::sqrt(squares);
    }

private:
    /// Old numbers are not needed any more; with a little room for the next list.
    static void fit(AlignedVector<double>& numbers, std::size_t count) {
        if (numbers.capacity() < count) {
            numbers = {};
            numbers.reserve(count + count / 16);
        }
        numbers.resize(count);
    }
    std::size_t width_ = 1;
    AlignedVector<double> start_;
    std::array<AlignedVector<double>, Fehlberg::kStages> rates_;
};

/// How fast a contact's memory changes: with the slide along the surface, and the relative spin across and about the normal.
inline MemoryOf<Vec3> memoryRate(const Touch& t) {
    const double twist = dot(t.spin, t.normal);
    return {t.velocity - dot(t.velocity, t.normal) * t.normal, t.stuck ? t.spin : t.spin - twist * t.normal, twist};
}

/// What an adaptive step keeps: between steps the length of the next substep and counts, within one the stages.
struct Adaptive {
    static constexpr std::size_t kGrainNumbers = 13;   // position, velocity, orientation, angular momentum
    static constexpr std::size_t kMemoryNumbers = 7;   // spring, turn, twist

    double next = 0;                       // length to try [s]; 0: none was taken yet
    std::int64_t substeps = 0, rejected = 0;
    std::int64_t above = 0;                // substeps that were taken though their error was above the tolerance: no shorter one is made

    StageTable grains, pairs, bodyContacts, bodies;
    std::vector<std::uint32_t> second;     // second spheres and states of pairs at the start of the substep
    std::vector<std::uint8_t> acted;       // pairs that touch at its start or at a stage
    std::vector<ContactState> bodyState;   // at its start
    std::array<std::vector<world::BodyLoad>, Fehlberg::kStages> loads;   // of bodies, per second
};

}  // namespace talus::dem
