// SPDX-License-Identifier: Apache-2.0
// Many pairs begin to touch while the list of neighbours holds; a run that was resumed lists others than one that was not.
#include "contract/inspect.h"
#include "contract/method_contract.h"
#include "dem/dem.h"

#include <vector>

namespace talus::contract {
namespace {

using namespace world;

/// A column of grains that falls apart.
World column() {
    constexpr double kSize = 0.008;
    World world = thrownBlock(kSize);
    world.domain.max = Vec3{0.4, 0.1, 0.3};
    world.bodies = domainFaces(world.domain);
    world.fills = {{box({}, Vec3{0.15, 0.1, 0.25}), 0, 0, {}}};
    return world;
}
const MethodInfo kSoft = [] {
    MethodInfo info = dem::info;
    info.settings = []() -> std::unique_ptr<MethodSettings> {
        auto settings = std::make_unique<dem::Settings>();
        settings->youngsModulus = 1e6;
        return settings;
    };
    return info;
}();

TEST(DemResume, hasTheSameBitsWhateverTheListHolds) {
    const Exec exec(2);
    const MethodCase method{.name = "column", .info = &kSoft};   // in double: sums of floats, in double, hardly ever depend on their order
    constexpr int kStart = 300, kSteps = 20, kResumes = 20;
    LiveWorld run(method, column());
    ASSERT_GT(run.method->count(), 7000);
    run.steps(exec, kStart);
    MemoryArchive before = run.save();
    for (int k = 0; k < kResumes; ++k) {
        LiveWorld resumed(method, column(), before);
        resumed.steps(exec, kSteps);
        run.steps(exec, kSteps);
        before = run.save();
        EXPECT_EQ(difference(resumed.save(), before), "") << "resumed after " << kStart + kSteps * k << " steps";
    }
}

}  // namespace
}  // namespace talus::contract
