// SPDX-License-Identifier: Apache-2.0
// What grains felt in a step still counts after others were taken out.
#include "contract/inspect.h"
#include "contract/method_contract.h"
#include "dem/dem.h"

#include <map>
#include <vector>

namespace talus::contract {
namespace {

using namespace world;

using Felt = std::map<std::int64_t, std::vector<double>>;   // by id: coordination, contact force, energy, stress

Felt feltBy(const Method& method) {
    const FieldTable table = read(method, {"id", "coordination", "contact_force", "elastic_energy", "stress"});
    Felt felt;
    for (std::size_t i = 0; i < table.count(); ++i) {
        std::vector<double>& all = felt[table.integers("id")[i]];
        all = {static_cast<double>(table.integers("coordination")[i]), table.reals("contact_force")[i], table.reals("elastic_energy")[i]};
        for (std::size_t k = 0; k < 6; ++k) all.push_back(table.reals("stress")[6 * i + k]);
    }
    return felt;
}

TEST(DemErase, leavesWhatTheOthersFelt) {
    const Exec exec(2);
    static const MethodInfo clumps = [] {
        MethodInfo info = dem::info;
        info.settings = []() -> std::unique_ptr<MethodSettings> {
            auto settings = std::make_unique<dem::Settings>();
            settings->templates = {{.shape = dem::Shape::tetra4, .spacing = 0.8, .spheres = {}, .fraction = 1}};
            settings->sizes = dem::UniformSize{0.8, 1.1};
            settings->youngsModulus = 1e6;
            settings->stepFraction = 0.1;
            return settings;
        };
        return info;
    }();
    LiveWorld run({.name = "clumps", .info = &clumps}, thrownBlock(0.05));
    run.steps(exec, 120);
    const Felt before = feltBy(*run.method);
    std::size_t touched = 0;
    for (const double x : {5.5, 7.0}) {   // twice between two steps
        run.method->erase(exec, {box({-1, -1, -1}, {0.05 * x, 9, 9}), true}, nullptr);
        const Felt after = feltBy(*run.method);
        ASSERT_GT(after.size(), 50u);
        ASSERT_LT(after.size(), before.size());
        for (const auto& [id, felt] : after)
            for (std::size_t k = 0; k < felt.size(); ++k) {
                EXPECT_EQ(felt[k], before.at(id)[k]) << id << ", number " << k;
                touched += k == 0 && felt[k] > 0;
            }
    }
    EXPECT_GT(touched, 100u);
    run.steps(exec, 1);
    EXPECT_NE(feltBy(*run.method), before);
}

}  // namespace
}  // namespace talus::contract
