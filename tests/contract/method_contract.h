// SPDX-License-Identifier: Apache-2.0
// What every method promises (world/method.h), tested once for all of them. A method joins by a line in method_cases.cpp.
#pragma once

#include "core/archive.h"
#include "core/exec.h"
#include "world/method.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>

namespace talus::contract {

/// A block of 8x8x8 `size`, thrown onto the floor of a closed box of 16x16x16 `size` in an oblique direction.
world::World thrownBlock(double size);

struct MethodCase {
    std::string name;   // of the tests
    const world::MethodInfo* info;
    world::Precision precision = world::Precision::float64;
    std::function<world::World(double size)> makeWorld = thrownBlock;
    std::int64_t memoryGrains = 20000;        // so many that fixed costs do not matter
    int memorySteps = 60;                     // long enough to sort again while everything else is there
    double memoryExcess = 0.2;                // of the estimate over what is used
    std::string velocityEntry = "velocity";   // in the method's archive; its first number belongs to a grain
    double sticksOut = 1e-6;                  // how far grains may lie beyond their fill, over their size: of clumps, spheres about them
    bool bumpy = false;                       // surfaces of bodies have places of their own: a world that is shifted is another
    double solvedTo = 0;                      // velocities are solved for, so well [m/s]
    bool divided = false;                     // grains may be halved and put together: their number is not what came less what went
    bool carried = false;                     // its grains follow those of another method: momentum, loads and listed grains are theirs

    MethodCase in(world::Precision other) const {
        MethodCase c = *this;
        c.precision = other;
        c.name += other == world::Precision::float32 ? "_float" : "_double";
        return c;
    }
    bool single() const { return precision == world::Precision::float32; }
    friend void PrintTo(const MethodCase& c, std::ostream* out) { *out << c.name; }
};

class MethodContract : public testing::TestWithParam<MethodCase> {
protected:
    static constexpr double kSize = 0.05;   // of grains in most worlds [m]
    world::World makeWorld() const { return GetParam().makeWorld(kSize); }
    /// Bound for sums of rounding errors, relative.
    double rounding() const { return GetParam().single() ? 1e-6 : 1e-12; }
};

/// Names of entries that differ, for messages; empty where every bit is the same.
std::string difference(const MemoryArchive&, const MemoryArchive&);

/// A world and its method, advanced without a Simulation so that tests can reach both.
struct LiveWorld {
    /// Filled with the world's fills.
    LiveWorld(const MethodCase&, world::World, const Exec& = Exec(1));
    /// Resumed from what save() gave.
    LiveWorld(const MethodCase&, world::World, const MemoryArchive&);

    /// Steps as long as stable, shorter where rejected; fails the test where one fails.
    void steps(const Exec&, int count);
    MemoryArchive save() const;   // "world/…" and "method/…"
    void load(const MemoryArchive&);

    world::World world;
    std::unique_ptr<world::Method> method;
    world::Inserted inserted;   // by the world's fills
};

std::unique_ptr<world::Method> create(const MethodCase&, const world::World&);

}  // namespace talus::contract
