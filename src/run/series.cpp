// SPDX-License-Identifier: Apache-2.0
#include "run/series.h"

#include "io/csv_text.h"
#include "run/body_meshes.h"

#include <fmt/format.h>

#include <cmath>

namespace talus::run {

namespace {

constexpr std::string_view kSeriesColumns =
    "time_s,steps,dt_s,grains,mass_kg,kinetic_energy_J,potential_energy_J,elastic_energy_J,body_work_J,dissipated_J,com_x_m,com_y_m,com_z_m,"
    "max_speed_m_s";

class Row {
public:
    Row& cell(std::int64_t value) { return text(fmt::format("{}", value)); }
    Row& cell(double value) { return text(std::isfinite(value) ? fmt::format("{}", value) : std::string()); }
    Row& cell(std::optional<double> value) { return value ? cell(*value) : text({}); }
    Row& text(const std::string& value) {
        line_ += value;
        line_ += ',';
        return *this;
    }
    std::string finish() {
        line_.back() = '\n';
        return std::move(line_);
    }

private:
    std::string line_;
};

}  // namespace

bool bodiesAloneWork(const world::World& world) {
    return (!world.gravityOverTime || world.gravityOverTime->constant()) && world.forces.forces.empty();
}

std::optional<double> dissipated(const StartEnergy& start, const world::Totals& now, const world::Account& account) {
    const bool sameGrains = account.removedCount == 0 && account.insertedCount == start.inserted;
    const std::optional<double> energy = now.energy();
    if (!sameGrains || !energy || !start.energy) return {};
    return *start.energy + now.bodyWork - *energy;
}

std::string seriesHeader(const world::Simulation& simulation) {
    std::string header(kSeriesColumns);
    for (const world::Metric& metric : simulation.method().metrics()) header.append(1, ',').append(io::csvCell(metric.name));
    return header + "\n";
}

std::string seriesRow(const world::Simulation& simulation, const world::Totals& totals, const StartEnergy& start) {
    const bool grains = totals.grains > 0;   // without any there is no centre of mass
    const auto centre = [&](int axis) { return grains ? std::optional(totals.centreOfMass[axis]) : std::nullopt; };
    Row row;
    row.cell(simulation.world().time).cell(simulation.steps()).cell(simulation.dt()).cell(totals.grains).cell(totals.mass);
    row.cell(totals.kineticEnergy).cell(totals.potentialEnergy).cell(totals.elasticEnergy).cell(totals.bodyWork);
    row.cell(dissipated(start, totals, simulation.account()));
    row.cell(centre(0)).cell(centre(1)).cell(centre(2)).cell(totals.maxSpeed);
    for (const world::Metric& metric : simulation.method().metrics()) row.cell(metric.value);
    return row.finish();
}

namespace {

/// Calls emitter(e) for each emitter, then sink(name, account) for each sink and for the open faces where there are any.
template <class ForEmitter, class ForSink>
void eachFlow(const world::World& world, const ForEmitter& emitter, const ForSink& sink) {
    for (const world::Emitter& e : world.emitters) emitter(e);
    for (const world::Sink& s : world.sinks) sink(s.name, s.account);
    if (world.domain.anyOpen()) sink("open_faces", world.openFaces);
}

}  // namespace

std::string flowsHeader(const world::World& world) {
    std::string header = "time_s";
    eachFlow(
        world, [&](const world::Emitter& e) { header += fmt::format(",{0}_count,{0}_mass_kg,{0}_owed_{1}", e.name, e.byCount ? "count" : "kg"); },
        [&](const std::string& name, const world::SinkAccount&) {
            header += fmt::format(",{0}_count,{0}_mass_kg,{0}_momentum_x_kg_m_s,{0}_momentum_y_kg_m_s,{0}_momentum_z_kg_m_s", name);
        });
    return header + "\n";
}

std::string flowsRow(const world::World& world) {
    Row row;
    row.cell(world.time);
    eachFlow(
        world, [&](const world::Emitter& e) { row.cell(e.state.count()).cell(e.state.mass()).cell(e.owed(world.time)); },
        [&](const std::string&, const world::SinkAccount& s) { row.cell(s.count).cell(s.mass).cell(s.momentum.x).cell(s.momentum.y).cell(s.momentum.z); });
    return row.finish();
}

std::string bodiesHeader() { return "frame,time_s,name,x_m,y_m,z_m,qw,qx,qy,qz\n"; }

std::string bodiesRows(const world::Simulation& simulation, std::int64_t frameNumber) {
    const double time = simulation.world().time;
    std::string rows;
    for (const world::Body& body : simulation.world().bodies) {
        if (isDomainFace(body) || !body.activeAt(time)) continue;
        const world::Pose pose = body.pose(time);
        const Quat& q = pose.rotation;
        Row row;
        row.cell(frameNumber).cell(time).text(io::csvCell(body.name)).cell(pose.position.x).cell(pose.position.y).cell(pose.position.z);
        rows += row.cell(q.w).cell(q.x).cell(q.y).cell(q.z).finish();
    }
    return rows;
}

}  // namespace talus::run
