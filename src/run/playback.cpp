// SPDX-License-Identifier: Apache-2.0
#include "run/playback.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <sstream>

namespace talus::run {
namespace {

/// Steps between two frames, at least; and the way of the fastest grain in one, at most [spacings].
constexpr double kLeastSteps = 4, kMostWay = 0.25;

/// Cells of a line of CSV, quotes taken off (RFC 4180).
std::vector<std::string> cellsOf(const std::string& line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') cells.back() += line[++i];
        else if (line[i] == '"') quoted = !quoted;
        else if (line[i] == ',' && !quoted) cells.emplace_back();
        else cells.back() += line[i];
    }
    return cells;
}

/// frames/bodies.csv: where each body was, by name and the time of the frame.
std::map<std::string, std::map<double, RigidTransform>> readPoses(const Path& file, const std::vector<io::FrameTime>& frames) {
    std::map<std::string, std::map<double, RigidTransform>> poses;
    std::map<double, double> times;   // by number of the frame
    for (const io::FrameTime& frame : frames) times[static_cast<double>(frame.number)] = frame.time;
    if (!std::filesystem::exists(file)) return poses;
    std::istringstream table(io::readFile(file));
    std::string line;
    std::getline(table, line);   // frame,time_s,name,x_m,y_m,z_m,qw,qx,qy,qz
    while (std::getline(table, line)) {
        const std::vector<std::string> cells = cellsOf(line);
        std::array<double, 10> v{};
        for (std::size_t k = 0; cells.size() == v.size() && k < v.size(); ++k)
            if (k != 2 && std::from_chars(cells[k].data(), cells[k].data() + cells[k].size(), v[k]).ec != std::errc{}) v[k] = std::nan("");
        if (cells.size() != v.size() || std::ranges::any_of(v, [](double x) { return std::isnan(x); }))
            throw Error(ExitCode::io, fmt::format("'{}' is damaged: '{}' is not a row of a pose", file.string(), line));
        if (const auto time = times.find(v[0]); time != times.end()) poses[cells[2]][time->second] = {Quat{v[6], v[7], v[8], v[9]}, Vec3{v[3], v[4], v[5]}};
    }
    return poses;
}

}  // namespace

std::vector<io::FrameTime> framesOf(const Path& directory) {
    const Path list = directory / "frames" / "grains.vtp.series";
    return std::filesystem::exists(list) ? io::readVtpSeries(list) : std::vector<io::FrameTime>{};
}

void PlaybackSettings::keys(KeyVisitor& v) { v.text({"directory", "of the run whose frames are the guides"}, directory); }

Playback::Playback(const Path& directory, const world::Domain& domain)
    : directory_(directory), domain_(domain), frames_(framesOf(directory)), poses_(readPoses(directory / "frames" / "bodies.csv", frames_)) {
    if (frames_.empty()) throw Error(ExitCode::missing, fmt::format("'{}' has no frames to play back", directory.string()));
}

std::vector<Playback::Grain> Playback::readFrame(std::size_t frame) const {
    const Path file = directory_ / "frames" / io::frameName(frames_[frame].number);
    const io::Frame stored = io::readVtp(file);
    const auto column = [&](std::string_view name) -> const io::FrameColumn& {
        const io::FrameColumn* found = stored.find(name);
        if (!found) throw Error(ExitCode::io, fmt::format("'{}' has no field '{}', which playing it back needs", file.string(), name));
        return *found;
    };
    const io::FrameColumn &id = column("id"), &x = column("position"), &v = column("velocity"), &radius = column("radius"), &mass = column("mass"), &volume = column("volume"),
                          &material = column("material"), &source = column("source"), &birth = column("birth_time");
    const double offset = frames_[frame].time - stored.time;   // of the clock then
    std::vector<Grain> grains(stored.count);
    for (std::size_t i = 0; i < grains.size(); ++i)
        grains[i] = {.id = id.integers[i], .position = {x.reals[3 * i], x.reals[3 * i + 1], x.reals[3 * i + 2]}, .velocity = {v.reals[3 * i], v.reals[3 * i + 1], v.reals[3 * i + 2]},
                     .radius = radius.reals[i], .mass = mass.reals[i], .volume = volume.reals[i], .birthTime = birth.reals[i] + offset, .material = material.integers[i],
                     .source = source.integers[i]};
    std::ranges::sort(grains, {}, &Grain::id);
    return grains;
}

// Grains with another mass than in the frame before were halved, or two became one. What carried fine grains then is not in the frames.
void Playback::refuseParts() const {
    auto next = after_.begin();
    for (const Grain& grain : before_) {
        while (next != after_.end() && next->id < grain.id) ++next;
        if (next == after_.end()) return;
        if (next->id == grain.id && std::abs(next->mass - grain.mass) > 1e-5 * grain.mass)
            throw Error(ExitCode::usage, fmt::format("grain {} of the run in '{}' is split, or merged with another, between frames {} and {}, and fine grains cannot follow its parts; run the scene without that (nonsmooth.frames = \"follow\")",
                                                     grain.id, directory_.string(), frames_[loaded_].number, frames_[loaded_ + 1].number));
    }
}

void Playback::goTo(double time) {
    const std::size_t last = frames_.size() - 1;
    std::size_t frame = last;
    const double slack = 1e-9 * std::max(1.0, std::abs(time));
    while (frame > 0 && frames_[frame].time > time + slack) --frame;
    if (loaded_ != frame) {
        before_ = loaded_ + 1 == frame && !after_.empty() ? std::move(after_) : readFrame(frame);
        after_ = frame < last ? readFrame(frame + 1) : std::vector<Grain>{};
        loaded_ = frame;
        refuseParts();
        pace_ = 0;
        for (const auto* grains : {&before_, &after_})
            for (const Grain& grain : *grains) pace_ = std::max(pace_, norm(grain.velocity) / std::cbrt(grain.volume));
    }
    time_ = time;
    const double interval = frame < last ? frames_[frame + 1].time - frames_[frame].time : 0, since = time - frames_[frame].time;
    const double s = interval > 0 ? std::clamp(since / interval, 0.0, 1.0) : 0;
    const bool onFrame = interval == 0 || since <= slack;
    now_.clear();
    auto next = after_.begin();
    for (const Grain& grain : before_) {
        for (; next != after_.end() && next->id < grain.id; ++next)
            if (!onFrame && next->birthTime <= time) {
                now_.push_back(*next);
                now_.back().position = domain_.wrap(next->position - (interval - since) * next->velocity);
            }
        Grain& moved = now_.emplace_back(grain);
        if (next == after_.end() || next->id != grain.id) {
            moved.position = domain_.wrap(grain.position + since * grain.velocity);
            continue;
        }
        // x(s) = x₀ + (3s² − 2s³) d + h (s − 2s² + s³) v₀ + h (s³ − s²) v₁ with d the way from x₀ to x₁.
        const Vec3 guess = 0.5 * interval * (grain.velocity + next->velocity), way = guess + domain_.nearestImage(next->position - grain.position - guess);
        moved.position = domain_.wrap(grain.position + s * s * (3 - 2 * s) * way + interval * (s * (1 - s) * (1 - s) * grain.velocity - s * s * (1 - s) * next->velocity));
        if (interval > 0) moved.velocity = 6 * s * (1 - s) / interval * way + (1 - s) * (1 - 3 * s) * grain.velocity + s * (3 * s - 2) * next->velocity;
        ++next;
    }
    for (; next != after_.end(); ++next)
        if (!onFrame && next->birthTime <= time) {
            now_.push_back(*next);
            now_.back().position = domain_.wrap(next->position - (interval - since) * next->velocity);
        }
}

void Playback::moveBodies(world::World& world, double time) const {
    for (world::Body& body : world.bodies) {
        auto* free = std::get_if<world::FreeBody>(&body.motion);
        const auto known = poses_.find(body.name);
        if (!free || known == poses_.end() || known->second.empty()) continue;
        auto after = known->second.upper_bound(time);
        if (after == known->second.end() && known->second.size() > 1 && time == known->second.rbegin()->first) --after;   // it comes there with the velocity of its last way
        if (after == known->second.begin() || after == known->second.end()) {
            const RigidTransform& pose = after == known->second.end() ? known->second.rbegin()->second : after->second;
            free->pose = {pose.translation, pose.rotation, {}, {}};
            continue;
        }
        const auto& [t0, p0] = *std::prev(after);
        const auto& [t1, p1] = *after;
        const double s = (time - t0) / (t1 - t0);
        Quat turn = p1.rotation * p0.rotation.conjugate();
        if (turn.w < 0) turn = {-turn.w, -turn.x, -turn.y, -turn.z};
        const Vec3 axis{turn.x, turn.y, turn.z};
        const Vec3 angle = normalized(axis) * (2 * std::atan2(norm(axis), turn.w));
        free->pose = {p0.translation + s * (p1.translation - p0.translation), (Quat::fromRotationVector(s * angle) * p0.rotation).normalizedQuat(), (p1.translation - p0.translation) / (t1 - t0),
                      angle / (t1 - t0)};
    }
}

world::Inserted Playback::insert(const Exec&, world::World& world, const world::Fill&) {
    if (begun_) return {};
    begun_ = true;
    goTo(offset_ + world.time);
    world::Inserted inserted{count(), 0};
    for (const Grain& grain : now_) inserted.mass += grain.mass;
    return inserted;
}

namespace {

constexpr auto kFields = [] {
    std::array<world::FieldInfo, world::kPromisedFields.size() + 1> all;
    std::ranges::copy(world::kPromisedFields, all.begin());
    all.back() = {"lag", "m", world::FieldType::real, 3, "by which the way in the last step differs from velocity times step"};
    return all;
}();

}  // namespace

std::span<const world::FieldInfo> Playback::fields() const { return kFields; }

double Playback::stableStep(const world::World&) const {
    double interval = std::numeric_limits<double>::infinity();
    if (const std::size_t last = frames_.size() - 1; last > 0) {
        const std::size_t frame = loaded_ < last ? loaded_ : 0;   // before the first step none is loaded
        interval = frames_[frame + 1].time - frames_[frame].time;
    }
    return std::min(interval / kLeastSteps, pace_ > 0 ? kMostWay / pace_ : interval);
}

world::StepReport Playback::step(const Exec&, world::World& world, double dt) {
    begun_ = true;
    std::vector<Grain> earlier;
    earlier.swap(now_);
    goTo(offset_ + world.time + dt);
    auto old = earlier.begin();   // both by id
    for (Grain& grain : now_) {
        while (old != earlier.end() && old->id < grain.id) ++old;
        if (old != earlier.end() && old->id == grain.id) grain.lag = domain_.nearestImage(grain.position - old->position - dt * grain.velocity);
    }
    moveBodies(world, time_);
    return world::Done{};
}

void Playback::read(const Exec&, world::FieldNames names, world::ChunkSink& sink) const {
    for (std::size_t begin = 0; begin < now_.size(); begin += world::Chunk::kMostGrains) {
        const std::size_t end = std::min(now_.size(), begin + world::Chunk::kMostGrains);
        std::vector<std::vector<double>> reals(names.size());
        std::vector<std::vector<std::int64_t>> integers(names.size());
        std::vector<world::FieldColumn> columns;
        for (std::size_t n = 0; n < names.size(); ++n) {
            const auto vectors = [&](Vec3 Grain::*member) {
                for (std::size_t i = begin; i < end; ++i) reals[n].insert(reals[n].end(), {(now_[i].*member).x, (now_[i].*member).y, (now_[i].*member).z});
            };
            const auto numbers = [&](double Grain::*member) {
                for (std::size_t i = begin; i < end; ++i) reals[n].push_back(now_[i].*member);
            };
            const auto counts = [&](std::int64_t Grain::*member) {
                for (std::size_t i = begin; i < end; ++i) integers[n].push_back(now_[i].*member);
            };
            if (names[n] == "id") counts(&Grain::id);
            else if (names[n] == "position") vectors(&Grain::position);
            else if (names[n] == "velocity") vectors(&Grain::velocity);
            else if (names[n] == "lag") vectors(&Grain::lag);
            else if (names[n] == "radius") numbers(&Grain::radius);
            else if (names[n] == "mass") numbers(&Grain::mass);
            else if (names[n] == "volume") numbers(&Grain::volume);
            else if (names[n] == "material") counts(&Grain::material);
            else if (names[n] == "source") counts(&Grain::source);
            else if (names[n] == "birth_time")
                for (std::size_t i = begin; i < end; ++i) reals[n].push_back(now_[i].birthTime - offset_);
            else throw std::out_of_range("playback has no field '" + std::string(names[n]) + "'");
            columns.push_back({world::findField(fields(), names[n]), reals[n], integers[n]});
        }
        sink.take({end - begin, columns});
    }
}

void Playback::save(Archive& archive) const {
    archive.put("time", time_);
    archive.put("offset", offset_);
    archive.put("begun", static_cast<std::int32_t>(begun_));
}

void Playback::load(const Exec&, const Archive& archive) {
    begun_ = archive.value<std::int32_t>("begun") != 0;
    offset_ = archive.value<double>("offset");
    if (begun_) goTo(archive.value<double>("time"));
}

namespace {

void check(const world::MethodSettings& given, const world::World&, Problems& problems) {
    const auto& settings = static_cast<const PlaybackSettings&>(given);
    if (settings.directory.empty()) problems.error("playback.directory", "say which run to play back");
    else if (framesOf(settings.directory).empty()) problems.error("playback.directory", fmt::format("there is no run with frames in '{}'", settings.directory));
}

world::Estimate estimate(const world::MethodSettings& given, const world::World&, world::Precision) {
    const Path directory = static_cast<const PlaybackSettings&>(given).directory;
    const std::vector<io::FrameTime> frames = framesOf(directory);
    if (frames.empty()) return {};
    std::uintmax_t largest = 0;   // frame file [bytes]
    for (const io::FrameTime& frame : frames) {
        std::error_code missing;
        const std::uintmax_t size = std::filesystem::file_size(directory / "frames" / io::frameName(frame.number), missing);
        if (!missing) largest = std::max(largest, size);
    }
    constexpr double kStored = 3 * 8 + 10 * 4, kKept = 3 * 112;   // a grain: promised fields in the file; in two frames and between them
    const double grains = static_cast<double>(largest) / kStored;
    return {static_cast<std::int64_t>(grains), grains * kKept + 2 * static_cast<double>(largest), 0};
}

}  // namespace

const world::MethodInfo playbackInfo{
    .name = "playback",
    .summary = "grains that move as the frames of a finished run say",
    .citation = "",
    .fields = kFields,
    .settings = [] { return std::unique_ptr<world::MethodSettings>(std::make_unique<PlaybackSettings>()); },
    .check = check,
    .estimate = estimate,
    .create = [](const world::MethodSettings& given, const world::World& world, world::Precision) -> std::unique_ptr<world::Method> {
        return std::make_unique<Playback>(static_cast<const PlaybackSettings&>(given).directory, world.domain);
    },
};

}  // namespace talus::run
