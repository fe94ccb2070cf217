// SPDX-License-Identifier: Apache-2.0
#include "run/record.h"

#include "core/problems.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace talus::run {

namespace {

/// visit(key, member) for every entry of run.json, in its order.
template <class AnyRecord, class Visit>
void eachEntry(AnyRecord& record, const Visit& visit) {
    visit("status", record.status);
    visit("scene", record.scene);
    visit("version", record.version);
    visit("method", record.method);
    visit("seed", record.seed);
    visit("precision", record.precision);
    visit("simd", record.simd);
    visit("threads", record.threads);
    visit("grains", record.grains);
    visit("frames", record.frames);
    visit("steps", record.steps);
    visit("time_s", record.time);
    visit("end_s", record.endTime);
    visit("wall_s", record.wallSeconds);
    visit("phase_s", record.phaseSeconds);
    visit("grain_steps_per_s", record.grainStepsPerSecond);
    visit("peak_memory_bytes", record.peakMemoryBytes);
    visit("fallbacks", record.fallbacks);
    visit("warnings", record.warnings);
}

}  // namespace

void Record::carryOver(const Record& earlier) {
    status = earlier.status;
    scene = earlier.scene;
    wallSeconds = earlier.wallSeconds;
    phaseSeconds = earlier.phaseSeconds;
    peakMemoryBytes = earlier.peakMemoryBytes;
    warnings = earlier.warnings;
    startedFrom = earlier.startedFrom;
    refinedFrom = earlier.refinedFrom;
}

std::string Record::json() const {
    nlohmann::ordered_json json;
    eachEntry(*this, [&](const char* key, const auto& value) { json[key] = value; });
    if (!assets.empty()) json["assets"] = assets;
    if (!startedFrom.empty()) json["started_from"] = startedFrom;
    if (!refinedFrom.empty()) json["refined_from"] = refinedFrom;
    for (const StageRecord& stage : stages)
        json["stages"].push_back({{"name", stage.name}, {"begin_s", stage.begin}, {"clock_s", stage.clock}, {"begin_step", stage.step}, {"ended_by", stage.ended}});
    if (!failure.empty()) json["failure"] = failure;
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Record Record::parse(std::string_view text, std::string_view origin) {
    Record record;
    try {
        const auto json = nlohmann::json::parse(text);
        eachEntry(record, [&](const char* key, auto& value) { json.at(key).get_to(value); });
        for (const auto& stage : json.value("stages", nlohmann::json::array()))
            record.stages.push_back({stage.at("name"), stage.at("begin_s"), stage.at("clock_s"), stage.at("begin_step"), stage.at("ended_by")});
        record.failure = json.value("failure", "");
        record.assets = json.value("assets", std::vector<std::string>{});
        record.startedFrom = json.value("started_from", "");
        record.refinedFrom = json.value("refined_from", "");
    } catch (const nlohmann::json::exception& error) {
        const std::string_view what = error.what();   // "[json.exception.parse_error.101] parse error at line 1, …"
        throw Error(ExitCode::io, fmt::format("'{}' is damaged: {}", origin, what.substr(what.find("] ") + 2)));
    }
    return record;
}

}  // namespace talus::run
