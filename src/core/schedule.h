// SPDX-License-Identifier: Apache-2.0
// A quantity in time, as a scene may give any rate, velocity, force or gravity: a number, a table, or a sine.
#pragma once

#include "core/vec.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>
#include <variant>
#include <vector>

namespace talus {

/// Straight lines between ascending times, held before the first and after the last. Two rows of the same time are a jump,
/// the later one holding from that time on.
template <class T>
struct TimeTable {
    std::vector<double> times;   // [s]
    std::vector<T> values;       // as many

    T at(double time) const {
        if (time < times.front()) return values.front();
        if (time >= times.back()) return values.back();
        const std::size_t k = intervalOf(time);
        return values[k] + (values[k + 1] - values[k]) * ((time - times[k]) / (times[k + 1] - times[k]));
    }
    /// From the first time to each of them.
    std::vector<T> integrals() const {
        std::vector<T> sums(1);
        for (std::size_t k = 0; k + 1 < times.size(); ++k) sums.push_back(sums[k] + (values[k] + values[k + 1]) * (0.5 * (times[k + 1] - times[k])));
        return sums;
    }
    /// From the first time to `time`, negative before it; `sums` are integrals().
    T integralTo(double time, const std::vector<T>& sums) const {
        if (time < times.front()) return values.front() * (time - times.front());
        const std::size_t k = intervalOf(time);
        return sums[k] + (values[k] + at(time)) * (0.5 * (time - times[k]));
    }

private:
    std::size_t intervalOf(double time) const { return static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), time) - times.begin()) - 1; }
};

/// mean + amplitude sin(2π f t + phase)
template <class T>
struct Sine {
    T mean{}, amplitude{};
    double frequency = 1;   // [Hz]
    double phaseDeg = 0;    // [°]

    T at(double time) const { return mean + amplitude * std::sin(angle(time)); }
    T integralTo(double time) const { return mean * time - amplitude * (std::cos(angle(time)) / rate()); }

private:
    double rate() const { return 2 * std::numbers::pi * frequency; }
    double angle(double time) const { return rate() * time + phaseDeg * (std::numbers::pi / 180); }
};

template <class T>
class Schedule {
public:
    using Form = std::variant<T, TimeTable<T>, Sine<T>>;

    Schedule(T constant = {}) : form_(std::move(constant)) {}
    Schedule(TimeTable<T> table) : sums_(table.integrals()), form_(std::move(table)) {}
    Schedule(Sine<T> sine) : form_(std::move(sine)) {}

    const Form& form() const { return form_; }
    bool constant() const { return std::holds_alternative<T>(form_); }
    T at(double time) const {
        if (const T* value = std::get_if<T>(&form_)) return *value;
        if (const auto* table = std::get_if<TimeTable<T>>(&form_)) return table->at(time);
        return std::get<Sine<T>>(form_).at(time);
    }
    T integral(double from, double to) const {
        if (const T* value = std::get_if<T>(&form_)) return *value * (to - from);
        if (const auto* table = std::get_if<TimeTable<T>>(&form_)) return table->integralTo(to, sums_) - table->integralTo(from, sums_);
        const auto& sine = std::get<Sine<T>>(form_);
        return sine.integralTo(to) - sine.integralTo(from);
    }

    /// What this has at t, `by` later: its value at t is this one's at t - by. Earlier where `by` is negative.
    Schedule later(double by) const {
        Schedule moved = *this;
        if (auto* table = std::get_if<TimeTable<T>>(&moved.form_)) {
            for (double& time : table->times) time += by;
            moved.sums_ = table->integrals();
        }
        if (auto* sine = std::get_if<Sine<T>>(&moved.form_)) sine->phaseDeg -= 360 * sine->frequency * by;
        return moved;
    }

    Schedule times(double factor) const {
        Schedule scaled = *this;
        if (T* value = std::get_if<T>(&scaled.form_)) *value = *value * factor;
        if (auto* table = std::get_if<TimeTable<T>>(&scaled.form_)) {
            for (T& value : table->values) value = value * factor;
            scaled.sums_ = table->integrals();
        }
        if (auto* sine = std::get_if<Sine<T>>(&scaled.form_)) {
            sine->mean = sine->mean * factor;
            sine->amplitude = sine->amplitude * factor;
        }
        return scaled;
    }

private:
    std::vector<T> sums_;   // integrals() of a table
    Form form_;
};

}  // namespace talus
