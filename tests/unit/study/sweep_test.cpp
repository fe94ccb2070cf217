// SPDX-License-Identifier: Apache-2.0
#include "study/sweep.h"

#include "core/problems.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace talus::study {
namespace {

using Values = std::vector<std::string>;

TEST(Variation, isAListARangeOrBoth) {
    EXPECT_EQ(parseVariation("outlet=0.03,0.04").values, (Values{"0.03", "0.04"}));
    EXPECT_EQ(parseVariation("seed=1:5").values, (Values{"1", "2", "3", "4", "5"}));
    EXPECT_EQ(parseVariation("mu=0.1:0.5:0.1").values, (Values{"0.1", "0.2", "0.3", "0.4", "0.5"}));
    EXPECT_EQ(parseVariation("n=4:0:-2").values, (Values{"4", "2", "0"}));
    EXPECT_EQ(parseVariation("n=1:2,7").values, (Values{"1", "2", "7"}));
    EXPECT_EQ(parseVariation("size=4 cm,5 cm").values, (Values{"4 cm", "5 cm"}));
    EXPECT_EQ(parseVariation("seed=3").values, Values{"3"});
}

TEST(Variation, keepsCommasInsideAValue) {
    EXPECT_EQ(parseVariation("domain.max=[1, 1, 1],[2, 2, 2]").values, (Values{"[1, 1, 1]", "[2, 2, 2]"}));
    EXPECT_EQ(parseVariation("motion={type=\"spin\",rate=2},\"a,b\"").values, (Values{"{type=\"spin\",rate=2}", "\"a,b\""}));
    EXPECT_EQ(parseVariation("r==max(1,2),3").values, (Values{"=max(1,2)", "3"}));
}

TEST(Variation, refusesWhatIsNone) {
    for (const char* text : {"outlet", "=1", "outlet=", "outlet=1,,2", "seed=1.5:3", "seed=5:1", "seed=1:2:-1", "seed=1:1e9", "seed=1:2:0"}) EXPECT_THROW(parseVariation(text), Error) << text;
}

SweepPlan plan() {
    SweepPlan plan;
    plan.request.scene = "column";
    plan.request.sets = {"time.end=1"};
    plan.variations = {{"method", {"dem", "nonsmooth"}}, {"r0", {"0.1", "0.2", "0.3"}}};
    return plan;
}

TEST(SweepPlan, goesThroughAllCombinationsTheLastKeyFastest) {
    const SweepPlan sweep = plan();
    ASSERT_EQ(sweep.cases(), 6);
    EXPECT_EQ(sweep.valuesOf(0), (Values{"dem", "0.1"}));
    EXPECT_EQ(sweep.valuesOf(1), (Values{"dem", "0.2"}));
    EXPECT_EQ(sweep.valuesOf(5), (Values{"nonsmooth", "0.3"}));
    EXPECT_EQ(sweep.requestOf(4).method, "nonsmooth");
    EXPECT_EQ(sweep.requestOf(4).sets, (Values{"time.end=1", "r0=0.2"}));
    EXPECT_EQ(sweep.folderOf(5), "006");
}

TEST(SweepPlan, refusesMoreCasesThanAnyoneWants) {
    SweepPlan sweep = plan();
    for (const char* key : {"a", "b"}) sweep.variations.push_back(parseVariation(std::string(key) + "=1:1000"));
    EXPECT_THROW(sweep.cases(), Error);
}

SweepRecord record() {
    SweepRecord record{plan(), {}};
    record.outcomes.resize(6);
    record.outcomes[1] = CaseOutcome{0, 1.5, "", {{"outflow", "Q", "kg/s", "mean", 0.25}, {"floor", "weight", "N m", "last", std::numeric_limits<double>::quiet_NaN()}}, 100, 20, 0.5};
    record.outcomes[4] = CaseOutcome{4, 0.5, "it diverged, \"badly\"", {{"heap", "angle", "deg", "last", 30}}, 7, 8, 0.25};
    return record;
}

TEST(SweepRecord, hasARowForEachCaseThatHasEnded) {
    EXPECT_EQ(sweepTable(record()),
              "case,method,r0,exit_code,wall_s,grains,steps,time_s,outflow.Q_kg_s,floor.weight_N_m,heap.angle_deg,message\n"
              "002,dem,0.2,0,1.500,100,20,0.5,0.25,,,\n"
              "005,nonsmooth,0.2,4,0.500,7,8,0.25,,,30,\"it diverged, \"\"badly\"\"\"\n");
}

TEST(SweepRecord, comesBackFromItsFile) {
    const SweepRecord read = SweepRecord::parse(record().json(), "sweep.json");
    EXPECT_EQ(read.json(), record().json());
    EXPECT_EQ(sweepTable(read), sweepTable(record()));
    EXPECT_FALSE(read.outcomes[0]);
    EXPECT_TRUE(std::isnan(read.outcomes[1]->results[1].value));
    EXPECT_THROW(SweepRecord::parse("{", "sweep.json"), Error);
    EXPECT_THROW(SweepRecord::parse("{\"scene\":\"a\"}", "sweep.json"), Error);
}

TEST(CaseOutcome, isUnfinishedWhereItWasStopped) {
    for (const int code : {6, 130, 143, -2, -15}) EXPECT_TRUE((CaseOutcome{code, 0, ""}.unfinished())) << code;
    for (const int code : {-2, -15}) EXPECT_FALSE((CaseOutcome{code, 0, ""}.stopped())) << code;   // without a checkpoint
    for (const int code : {0, 2, 4, -9, -11}) EXPECT_FALSE((CaseOutcome{code, 0, ""}.unfinished())) << code;
}

}  // namespace
}  // namespace talus::study
