// SPDX-License-Identifier: Apache-2.0
// Pairs of grains that may touch, and spheres that may touch bodies.
#pragma once

#include "core/archive.h"
#include "dem/neighbours.h"
#include "dem/response.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace talus::dem {

/// What contacts add up to in a grain. σ V = Σ F ⊗ arm over the contact points, its symmetric part.
struct ContactSum {
    std::int64_t coordination = 0;
    double force = 0, energy = 0;                      // [N], [J]
    std::array<double, 6> stress{};                    // times volume [J]

    void add(const Vec3& arm, const Vec3& force, double energy, bool touching);
    ContactSum& operator+=(const ContactSum&);
};

/// How a pair was at the end of the last step.
enum class PairState : std::int8_t { apart = 0, touching = 1, bridged = 2 };   // bridged: held by liquid, though it does not touch

/// The list of pairs, cut into slabs of grains. The upper bits of a second sphere say how the pair was at the end of the last step.
struct PairContacts {
    static constexpr std::uint32_t kActs = 1U << 31, kBridged = 1U << 30, kSphere = kBridged - 1;

    std::vector<std::uint32_t> first{0};         // pairs of the first sphere a: first[a] to first[a + 1]
    std::vector<std::uint32_t> second;           // of each pair
    Slabs slabs;
    std::vector<std::uint32_t> firstSphere;      // of each slab, and one past the last

    std::size_t size() const { return second.size(); }
    std::uint32_t sphere(std::size_t pair) const { return second[pair] & kSphere; }
    std::uint32_t firstSphereOf(std::size_t pair) const { return static_cast<std::uint32_t>(std::ranges::upper_bound(first, static_cast<std::uint32_t>(pair)) - first.begin() - 1); }
    bool acts(std::size_t pair) const { return (second[pair] & kActs) != 0; }
    bool touches(std::size_t pair) const { return second[pair] >> 30 == 2; }
    PairState state(std::size_t pair) const { return touches(pair) ? PairState::touching : acts(pair) ? PairState::bridged : PairState::apart; }
    std::size_t firstPair(std::size_t slab) const { return first[firstSphere[slab]]; }
    std::size_t slabOf(std::size_t pair) const {
        const auto next = std::ranges::upper_bound(firstSphere, static_cast<std::uint32_t>(pair), {}, [&](std::uint32_t sphere) { return first[sphere]; });
        return static_cast<std::size_t>(next - firstSphere.begin()) - 1;
    }
    /// How many of these pairs act.
    std::size_t acting(std::size_t from, std::size_t to) const {
        return static_cast<std::size_t>(std::count_if(second.begin() + static_cast<std::ptrdiff_t>(from), second.begin() + static_cast<std::ptrdiff_t>(to), [](std::uint32_t s) { return (s & kActs) != 0; }));
    }
    void set(std::size_t pair, PairState state) { second[pair] = sphere(pair) | (state == PairState::apart ? 0 : kActs) | (state == PairState::bridged ? kBridged : 0); }
};

/// Spheres that touch or are bridged, to be found again in another list.
class KeptPairs {
public:
    /// `numbers`: of each memory that count; the others are 0.
    explicit KeptPairs(std::size_t numbers) : width_(numbers) {}
    void resize(std::size_t count) {
        a.resize(count);
        b.resize(count);
        state.resize(count);
        memories_.resize(width_ * count);
    }
    std::size_t size() const { return a.size(); }
    MemoryOf<Vec3> memory(std::size_t c) const {
        std::array<double, kNumbers> n{};
        std::copy_n(memories_.begin() + static_cast<std::ptrdiff_t>(width_ * c), width_, n.begin());
        return {{n[0], n[1], n[2]}, {n[3], n[4], n[5]}, n[6]};
    }
    void remember(std::size_t c, const MemoryOf<Vec3>& m) {
        const std::array<double, kNumbers> n{m.spring.x, m.spring.y, m.spring.z, m.turn.x, m.turn.y, m.turn.z, m.twist};
        std::copy_n(n.begin(), width_, memories_.begin() + static_cast<std::ptrdiff_t>(width_ * c));
    }
    void put(std::size_t c, std::uint32_t first, std::uint32_t second, PairState s, const MemoryOf<Vec3>& m) {
        a[c] = first;
        b[c] = second;
        state[c] = s;
        remember(c, m);
    }

    void save(Archive&, std::string_view name) const;
    /// As saved with as many numbers to a memory.
    void load(const Archive&, std::string_view name);

    std::vector<std::uint32_t> a, b;
    std::vector<PairState> state;

private:
    static constexpr std::size_t kNumbers = 7;
    std::size_t width_;
    std::vector<double> memories_;
};

/// A sphere and a body.
struct ContactState {
    MemoryOf<Vec3> memory;
    Vec3 force;              // on the sphere, at the end of the last step [N]
    Vec3 arm;                // from its centre to the surface then [m]
    bool touching = false;
    bool bridged = false;    // by liquid, since they touched
    bool bonded = false;     // to a surface that grains do not leave

    bool acts() const { return touching || bridged; }
    bool idle() const { return !acts() && !bonded; }
};

/// Spheres that a body may come near to while the list holds; by sphere, then body.
struct BodyContacts {
    std::vector<std::uint32_t> sphere, body;
    std::vector<ContactState> state;
    std::vector<std::uint32_t> kind;             // of its coefficients
    std::vector<PairConstants> constants;        // of each kind
    std::vector<HoldConstants> holds;            // the same, where a Manner holds()

    std::size_t size() const { return sphere.size(); }
    std::size_t firstOf(std::uint32_t sphere) const;   // of its contacts, or those of a later one
    std::size_t find(std::uint32_t sphere, std::uint32_t body) const;   // size() where it is not listed
};

}  // namespace talus::dem
