// SPDX-License-Identifier: Apache-2.0
// A finished run as a method: its grains move as its frames say. Guides for fine grains, without computing anything again.
#pragma once

#include "io/frame.h"
#include "io/vtp.h"
#include "run/run_directory.h"
#include "world/method.h"

#include <map>
#include <string>
#include <vector>

namespace talus::run {

/// Of a run; none where it has not written any.
std::vector<io::FrameTime> framesOf(const Path& directory);

struct PlaybackSettings final : world::MethodSettings {
    std::string directory;   // of the run
    void keys(KeyVisitor&) override;
};

extern const world::MethodInfo playbackInfo;

/// Between two frames a grain moves along the cubic that has its positions and velocities in both. One that is in the later frame
/// alone came at its birth time, one that is in the earlier alone flies on until the later. Free bodies move as they did. All
/// times in here are since the start of the run, whatever its clock showed.
class Playback final : public world::Method {
public:
    Playback(const Path& directory, const world::Domain&);

    world::Inserted insert(const Exec&, world::World&, const world::Fill&) override;   // the first brings all that there is
    world::Removed erase(const Exec&, const world::Region&, world::ChunkSink*) override { return {}; }   // its frames say who is there
    std::int64_t count() const override { return static_cast<std::int64_t>(now_.size()); }
    void setClockBack(double by) override { offset_ += by; }
    double stableStep(const world::World&) const override;
    world::StepReport step(const Exec&, world::World&, double dt) override;
    std::span<const world::FieldInfo> fields() const override;
    void read(const Exec&, world::FieldNames, world::ChunkSink&) const override;
    void save(Archive&) const override;
    void load(const Exec&, const Archive&) override;

private:
    struct Grain {
        std::int64_t id = 0;
        Vec3 position, velocity;             // [m], [m/s]
        Vec3 lag = {};                       // by which the way in the last step differs from velocity times step [m]
        double radius = 0, mass = 0, volume = 0, birthTime = 0;
        std::int64_t material = 0, source = 0;
    };
    std::vector<Grain> readFrame(std::size_t frame) const;   // by id
    /// Loads the frames around a time, and places the grains.
    void refuseParts() const;
    void goTo(double time);
    void moveBodies(world::World&, double time) const;

    Path directory_;
    world::Domain domain_;
    std::vector<io::FrameTime> frames_;
    std::map<std::string, std::map<double, RigidTransform>> poses_;   // of bodies, by time
    double time_ = 0;                        // [s]
    double offset_ = 0;                      // time since the start less what the clock of the world shows [s]
    bool begun_ = false;

    std::size_t loaded_ = static_cast<std::size_t>(-1);   // frame that before_ is of
    std::vector<Grain> before_, after_, now_;
    double pace_ = 0;                        // largest speed over spacing in the two frames [1/s]
};

}  // namespace talus::run
