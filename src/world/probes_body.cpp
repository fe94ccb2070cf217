// SPDX-License-Identifier: Apache-2.0
// What bodies feel and where they are.
#include "world/probes.h"

namespace talus::world {
namespace {

class ForceOnBody final : public Probe {
public:
    ForceOnBody(ProbeSetup setup, const ForceProbe& settings) : Probe(std::move(setup.name), setup.filter), settings_(settings) {}

    std::vector<ProbeColumn> columns() const override {
        std::vector<ProbeColumn> columns;
        addVectorColumns(columns, "force", "N");
        addVectorColumns(columns, "torque", "N m");
        columns.push_back({"power", "W"});
        columns.push_back({"slip_power", "W"});
        return columns;
    }
    // The load of a body only grows, so its change over the interval is exact: F = ΔJ / Δt. The angular impulse is about the
    // body's position x; about a fixed point P the torque gains (x − P) × F, with x taken halfway: exact for a body that stays in its place.
    std::vector<double> finish(const Simulation& simulation) override {
        const Body& body = simulation.world().bodies[settings_.body];
        const double now = simulation.world().time, interval = now - time_;
        const Vec3 position = BodySnapshot(body, now).pose().position;
        std::vector<double> row(8, kUnknown);
        if (known_ && interval > 0) {
            const Vec3 force = (body.load.impulse - last_.impulse) / interval;
            Vec3 torque = (body.load.angularImpulse - last_.angularImpulse) / interval;
            if (settings_.point) torque += cross(0.5 * (position + position_) - *settings_.point, force);
            row = {force.x, force.y, force.z, torque.x, torque.y, torque.z, (body.load.work - last_.work) / interval,
                   (body.load.slipWork - last_.slipWork) / interval};
        }
        last_ = body.load;
        position_ = position;
        time_ = now;
        known_ = true;
        return row;
    }
    void setClockBack(double by) override { time_ -= by; }
    void save(Archive& archive) const override {
        const BodyLoad& l = last_;
        archive.put("load", std::vector<double>{known_ ? 1.0 : 0.0, time_, position_.x, position_.y, position_.z, l.impulse.x, l.impulse.y, l.impulse.z,
                                                l.angularImpulse.x, l.angularImpulse.y, l.angularImpulse.z, l.work, l.slipWork});
    }
    void load(const Archive& archive) override {
        const std::vector<double> v = archive.get<double>("load");
        if (v.size() != 13) throw ArchiveError("the load of a body is incomplete");
        known_ = v[0] != 0;
        time_ = v[1];
        position_ = {v[2], v[3], v[4]};
        last_ = {{v[5], v[6], v[7]}, {v[8], v[9], v[10]}, v[11], v[12]};
    }

private:
    ForceProbe settings_;
    bool known_ = false;
    double time_ = 0;
    Vec3 position_;
    BodyLoad last_;
};

class PoseOfBody final : public Probe {
public:
    PoseOfBody(ProbeSetup setup, const MotionProbe& settings) : Probe(std::move(setup.name), setup.filter), body_(settings.body) {}

    std::vector<ProbeColumn> columns() const override {
        std::vector<ProbeColumn> columns;
        addVectorColumns(columns, "position", "m");
        for (const char* part : {"qw", "qx", "qy", "qz"}) columns.push_back({part});
        addVectorColumns(columns, "velocity", "m/s");
        addVectorColumns(columns, "angular_velocity", "rad/s");
        return columns;
    }
    std::vector<double> finish(const Simulation& simulation) override {
        const Pose p = BodySnapshot(simulation.world().bodies[body_], simulation.world().time).pose();
        const Quat& q = p.rotation;
        return {p.position.x, p.position.y, p.position.z, q.w, q.x, q.y, q.z, p.velocity.x, p.velocity.y, p.velocity.z,
                p.angularVelocity.x, p.angularVelocity.y, p.angularVelocity.z};
    }

private:
    std::size_t body_;
};

}  // namespace

ProbePtr makeProbe(ProbeSetup setup, const ForceProbe& settings) { return std::make_unique<ForceOnBody>(std::move(setup), settings); }
ProbePtr makeProbe(ProbeSetup setup, const MotionProbe& settings) { return std::make_unique<PoseOfBody>(std::move(setup), settings); }

}  // namespace talus::world
