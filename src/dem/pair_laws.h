// SPDX-License-Identifier: Apache-2.0
// The coefficients of every pair that may meet, from settings, materials and sizes.
#pragma once

#include "dem/dem.h"
#include "dem/response.h"

#include <cstddef>
#include <map>
#include <vector>

namespace talus::dem {

/// Rates of the stiffest contact, k/m and c/m, from which the step follows.
struct Stiffness {
    double spring = 0, dashpot = 0;   // [1/s²], [1/s]
    void include(const Stiffness& other);
    /// A fraction of half a period, π √(m/k), and of the time 2 m/c in which damping acts [s].
    double step(double fraction) const;
};

/// What a contact is made of on one side. A body is flat, or a sphere that covers it, and does not yield to the mass of a grain.
struct Side {
    double radius = 0, mass = 0;      // of the sphere, of its clump; 0 of a body: endless
    double perMass = 0;               // 1/m of the clump where it is hardest to move [1/kg]
    bool body = false;
    friend bool operator==(const Side&, const Side&) = default;
};

class PairLaws {
public:
    PairLaws() = default;
    PairLaws(const Settings&, const world::World&);

    std::size_t materials() const { return materials_; }
    /// Between two materials of grains, or of a grain and a body (material −1 where it names none).
    const Rubbing& betweenGrains(int a, int b) const { return grains_[index(a, b)]; }
    const Rubbing& withBody(int grain, int body) const { return bodies_[index(grain, body)]; }

    PairConstants grainPair(int materialA, const Side& a, int materialB, const Side& b) const { return constants(a, b, grainDamping_[index(materialA, materialB)], betweenGrains(materialA, materialB)); }
    PairConstants bodyPair(int grain, const Side& a, int body, double covering = 0) const { return constants(a, {.radius = covering, .body = true}, bodyDamping_[index(grain, body)], withBody(grain, body)); }
    /// What holds two spheres of these radii together, or a sphere and a body.
    HoldConstants grainHold(int materialA, double radiusA, int materialB, double radiusB) const { return hold(materialA, materialB, radiusA, radiusB); }
    HoldConstants bodyHold(int grain, double radius, int body, double covering = 0) const { return hold(grain, body, radius, covering); }
    /// Gap at which the longest bridge between spheres up to that radius breaks [m].
    double longestBridge(double largestRadius) const;
    Manner manner() const { return {settings_.attraction, settings_.shearGrowth == ShearGrowth::contact, anyRolling_, !settings_.cohesion.empty(), anyBridges_, anyTwisting_}; }

    /// Of a contact as deep as an impact at the reference speed makes it, with another grain of its kind or with a body.
    Stiffness stiffness(const ClumpTemplate&, double diameter, double mass, int material) const;

private:
    std::size_t index(int a, int b) const { return static_cast<std::size_t>(a) * (materials_ + 1) + static_cast<std::size_t>(b + 1); }
    PairConstants constants(const Side&, const Side&, double dampingNumber, const Rubbing&) const;
    PairConstants withGrowingShear(PairConstants, double radius, double mass, double overlap, double modulusA, double modulusB) const;
    HoldConstants hold(int a, int b, double radiusA, double radiusB) const;
    void addPair(const Settings&, const world::World&, int a, int b, std::map<double, double>& numbers);

    Settings settings_;
    std::size_t materials_ = 0;
    std::vector<Rubbing> grains_, bodies_;               // by two materials
    std::vector<double> grainDamping_, bodyDamping_;     // damping numbers
    std::vector<int> cohesion_;                          // entry of the settings by two materials; −1: none
    std::vector<double> twisting_;                       // the same
    bool anyRolling_ = false, anyBridges_ = false, anyTwisting_ = false;
};

}  // namespace talus::dem
