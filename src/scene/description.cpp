// SPDX-License-Identifier: Apache-2.0
#include "scene/description.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace talus::scene {

namespace {

constexpr std::array<std::string_view, 2> kPrecisionNames{"float", "double"};
constexpr double kDefaultDensity = 2600, kDefaultPacking = 0.6, kDefaultAngle = 30;
constexpr std::int64_t kDefaultGrains = 100000;
constexpr double kMostInteger = 9007199254740992.0;   // 2^53
constexpr double kLongestRun = 1e6;         // [s] eleven days, some 1e10 steps
constexpr double kMostFrameRate = 1e6;      // [1/s] of the fastest cameras
constexpr double kMostFrames = 1e7;         // files in a folder


void contactKey(KeyVisitor& v, world::ContactMode& contact) {
    v.choice(
        {"contact", "what grains may do at the surface; separate: leave it, and slide with friction; slip: only slide with friction; "
                    "sticky: neither"},
        world::kContactModeNames, contact);
}

}  // namespace

void TimeDescription::keys(KeyVisitor& v) {
    v.number({"end", "simulated time at which the run ends", Dimension::time, between(kShortestTime, kLongestRun)}, end);
    v.number({"frames_per_second", "frames written per second of simulated time", Dimension::frequency, positiveUpTo(kMostFrameRate)},
             framesPerSecond);
    if (end * framesPerSecond > kMostFrames)
        v.problem("end", fmt::format("'time.end' times 'time.frames_per_second' makes {:.3g} frames; at most {:.0f} are possible",
                                     end * framesPerSecond, kMostFrames));
}

void FaceDescription::keys(KeyVisitor& v, std::span<const std::string_view> types) {
    v.choice({"type", "wall: closed; open: grains that pass it are removed; periodic: what leaves here enters on the other side"},
             types, type);
    v.text({"material", "name of the material of the wall, for its friction"}, material);
    contactKey(v, contact);
}

void ResolutionDescription::keys(KeyVisitor& v) {
    v.integer(
        {"grains", "about how many grains to simulate; default 100000 unless size is given", Dimension::none, between(1, 1e12)},
        grains);
    v.number({"size", "size of a simulated grain (grid spacing of the MPM methods) instead of their number", Dimension::length,
              positive()},
             size);
    if (grains && size)
        v.problem("size", fmt::format("'resolution.grains' and 'resolution.size' are both given; keep one of them, or replace both "
                                      "with --set 'resolution={{size={}}}'",
                                      *size));
}

void ResolutionDescription::resolve() {
    if (!grains && !size) grains = kDefaultGrains;
}

void MaterialDescription::keys(KeyVisitor& v) {
    v.text({.name = "name", .help = "name that grains, bodies and contacts refer to", .required = true}, name);
    v.text({"preset", "name of a preset (`talus materials`) for what is not given here: dry sand, steel, …"}, preset);
    v.number({"density", "of a grain itself; give any two of density, bulk_density, packing_fraction; default 2600",
              Dimension::density, positive()},
             density);
    v.number({"bulk_density", "of the packed grains with the pores between them", Dimension::density, positive()}, bulkDensity);
    v.number({"packing_fraction", "part of the space that packed grains take up; default 0.6", Dimension::none,
              Range{.min = 0, .max = 1, .minExcluded = true}},
             packingFraction);
    v.number({"friction_angle_deg", "angle at which a heap stands (see match); default 30", Dimension::angle, openBetween(0, 90)},
             frictionAngleDeg);
    v.number(
        {"mu_hat", "instead of the angle: slope of the Drucker-Prager cone, sqrt(J2) <= mu_hat p", Dimension::none, positive()},
        muHat);
    v.choice({"match", "how the angle becomes the slope of the cone; tan: a heap stands at the angle"},
             world::kFrictionMatchNames, match);
    v.number(
        {"grain_diameter", "physical size of a grain; the simulated size follows from resolution", Dimension::length, positive()},
        grainDiameter);
    v.number({"cohesion", "k of the cone sqrt(J2) <= mu_hat p + k: what wet grains hold without pressure", Dimension::pressure, nonNegative()}, cohesion);
    v.table({"look", "how its grains look in pictures"}, [&](KeyVisitor& inside) { look.keys(inside); });

    if (density && bulkDensity && *bulkDensity > *density)
        v.problem("bulk_density",
                  fmt::format("bulk_density {} is greater than the density {} of the grains", *bulkDensity, *density));
    else if (density && bulkDensity && packingFraction && std::abs(*density * *packingFraction / *bulkDensity - 1) > 1e-3)
        v.problem("bulk_density",
                  fmt::format("density times packing_fraction is {:.6g}, but bulk_density is {}; give any two of the three",
                              *density * *packingFraction, *bulkDensity));
    if (frictionAngleDeg && muHat) v.problem("mu_hat", "friction_angle_deg and mu_hat are both given; keep one of them");
}

void MaterialDescription::resolve() {
    if (bulkDensity && density) packingFraction = packingFraction.value_or(*bulkDensity / *density);
    if (bulkDensity && !density) density = *bulkDensity / packingFraction.value_or(kDefaultPacking);
    bulkDensity.reset();
    density = density.value_or(kDefaultDensity);
    packingFraction = packingFraction.value_or(kDefaultPacking);
    if (!frictionAngleDeg && !muHat) frictionAngleDeg = kDefaultAngle;
}

double MaterialDescription::slope() const { return muHat ? *muHat : world::muHatFromAngle(*frictionAngleDeg, match); }

void ContactDescription::keys(KeyVisitor& v) {
    v.texts({.name = "between", .help = "names of two materials", .required = true}, between);
    v.number({"friction", "Coulomb coefficient of sliding", Dimension::none, nonNegative()}, friction);
    v.number({"restitution", "of an impact; unless given, bodies do not bounce off each other and grains do as their method says", Dimension::none, talus::between(0, 1)}, restitution);
}

void VelocityDescription::keys(KeyVisitor& v) {
    v.schedule({.name = "velocity", .help = "of the body", .dimension = Dimension::velocity, .required = true}, velocity);
}

void SpinDescription::keys(KeyVisitor& v) {
    v.vector({"axis", "direction of the axis, through the position of the body"}, axis);
    v.schedule({.name = "rate",
              .help = "turns about the axis by the right-hand rule",
              .dimension = Dimension::angularVelocity,
              .required = true},
             rate);
    if (!(norm(axis) > 0)) v.problem("axis", "the axis of a spin must not be zero; write for example [0, 0, 1]");
}

void OscillationDescription::keys(KeyVisitor& v) {
    v.vector({"amplitude", "largest displacement; the body moves by amplitude sin(2 pi frequency t + phase)", Dimension::length},
             amplitude);
    v.vector({"amplitude_deg", "instead: largest angle about each axis, for a rocking body", Dimension::angle}, amplitudeDeg);
    v.number({.name = "frequency",
              .help = "oscillations per second",
              .dimension = Dimension::frequency,
              .range = positive(),
              .required = true},
             frequency);
    v.number({"phase_deg", "phase at time 0", Dimension::angle}, phaseDeg);
    if (amplitude.has_value() == amplitudeDeg.has_value())
        v.problem("amplitude", "an oscillation needs either amplitude or amplitude_deg");
}

void KeyframesDescription::keys(KeyVisitor& v) {
    v.choice({"interpolation", "between keyframes: straight lines, or a curve with continuous velocity that does not overshoot"},
             world::kInterpolationNames, interpolation);
    v.numbers({.name = "times", .help = "ascending times", .dimension = Dimension::time, .required = true}, times);
    v.rows({"displacements", "[x, y, z] at each time, from the position of the body", Dimension::length}, 3, displacements);
    v.rows({"rotations_deg", "[x, y, z] at each time: a rotation vector, its length the angle", Dimension::angle}, 3,
           rotationsDeg);

    if (!std::ranges::is_sorted(times, std::less_equal<>{})) v.problem("times", "the times of keyframes must ascend");
    for (const auto& [key, rows] : {std::pair{"displacements", &displacements}, std::pair{"rotations_deg", &rotationsDeg}})
        if (!rows->empty() && rows->size() != 3 * times.size())
            v.problem(key, fmt::format("{} times need as many rows of {}, not {}", times.size(), key, rows->size() / 3));
    if (displacements.empty() && rotationsDeg.empty()) v.problem("times", "keyframes need displacements, rotations_deg or both");
}

void MotionDescription::keys(KeyVisitor& v) {
    v.oneOf({"", ""}, kind, [](auto& motion, KeyVisitor& inside) { motion.keys(inside); });
}

void BodyDescription::keys(KeyVisitor& v) {
    v.text({.name = "name", .help = "name of the body in results and in --set bodies.NAME", .required = true}, name);
    v.text({"material", "name of its material, for friction"}, material);
    contactKey(v, contact);
    v.vector({"position", "origin of the body, about which it spins", Dimension::length}, position);
    v.vector({"rotation_deg", "rotation at time 0 about the fixed axes x, then y, then z, through position", Dimension::angle},
             rotationDeg);
    v.list({.name = "motion", .help = "\"fixed\" (the default), \"free\", a motion, or a list of motions that add up", .shorthand = "type"},
           motion);
    v.numbers({"active", "[from, until] or [from]: when the body is there; always unless given", Dimension::time}, active);
    v.list({.name = "surface_velocity", .help = "a surface that runs while the body stays: { type = \"along\", velocity = [1, 0, 0] } for a belt, { type = \"about\", … } for a turntable", .shorthand = "type"}, surfaceVelocity);
    v.table({"copies", "several bodies that are alike"}, copies.given, [&](KeyVisitor& inside) { copies.keys(inside); });
    shape.keys(v, {.name = "shape", .help = "the solid, in coordinates of the body: 0 is at its position", .required = true});
    v.table({.name = "look", .help = "how it looks in pictures: \"plain\" (the default), \"checker\", \"glass\", \"hidden\", or a table", .shorthand = "finish"},
            [&](KeyVisitor& inside) { look.keys(inside); });

    if (active.size() > 2) v.problem("active", fmt::format("'active' is [from, until] or [from], not {} numbers", active.size()));
    else if (active.size() == 2 && !(active[0] < active[1]))
        v.problem("active", fmt::format("the body would never be there: 'active' ends at {} s, not after it begins at {} s", active[1], active[0]));
    if (surfaceVelocity.size() > 1) v.problem("surface_velocity", "a surface has one velocity; keep one of them");
    if (motion.size() > 1 && free())
        v.problem("motion", "a free body moves by the forces on it alone; \"free\" cannot be added to other motions");
}

const FreeDescription* BodyDescription::free() const {
    for (const MotionDescription& part : motion)
        if (const auto* description = std::get_if<FreeDescription>(&part.kind)) return description;
    return nullptr;
}

void FillDescription::keys(KeyVisitor& v) {
    v.text({"material", "name of the material of the grains; a table may have a column 'material' with the index of each instead"}, material);
    v.table({"region", "the shape to fill; this or table"}, hasRegion, [&](KeyVisitor& inside) { region.keys(inside); });
    v.file({"table", "a file of grains: .csv, .npz, or .vtp (a frame of another run, points of ParaView); columns by the names of fields, SI units"}, table);
    v.number({"scale", "of the lengths in a table: position, radius, volume", Dimension::none, positive()}, scale);
    v.vector({"position", "where the origin of a table goes", Dimension::length}, position);
    v.vector({"rotation_deg", "turns a table about the fixed axes x, then y, then z, through its origin", Dimension::angle}, rotationDeg);
    v.vector({"velocity", "at time 0; added to that of a table", Dimension::velocity}, velocity);
    if (!table && material.empty()) v.problem("material", fmt::format("missing key '{}.material': name of the material of the grains", v.path()));
    if (!table && !hasRegion) v.problem("region", fmt::format("missing key '{}.region': the shape to fill", v.path()));
    if (table && hasRegion) v.problem("table", "region and table are both given; keep one of them");
}

void OutputDescription::keys(KeyVisitor& v) {
    v.texts({"fields", "fields to write besides the ones that every method has; [\"all\"] for every field of the method"},
            fields);
    for (Second& second : seconds) v.flag({second.output.name, second.output.help}, second.wanted);
    v.choice({"positions", "in frames: exact, or quantised: rounded to a power of two, at most 1/64 of the smallest radius, and frames compressed as ParaView does it (zlib)"}, io::kFrameStyleNames, positions);
    v.integer({"first_frame", "number of the first frame file", Dimension::none, between(0, 1e9)}, firstFrame);
    v.number({"checkpoint_interval", "simulated time between checkpoints; 0: with every frame", Dimension::time, nonNegative()},
             checkpointInterval);
}

SceneDescription::SceneDescription(Methods known) : methods(known.begin(), known.end()) {
    for (const world::MethodInfo* info : methods) {
        settings.push_back(info->settings());
        if (info->name == "elastoplastic") method = static_cast<int>(settings.size()) - 1;
        for (const world::SecondOutput& second : info->secondOutputs) output.seconds.push_back({info, second});
    }
    std::vector<world::KnownMethod> all;
    for (std::size_t i = 0; i < methods.size(); ++i) all.push_back({methods[i], settings[i].get()});
    for (const auto& own : settings) own->meet(all);
}

void SceneDescription::generalKeys(KeyVisitor& v) {
    std::vector<std::string_view> names;
    for (const world::MethodInfo* info : methods) names.push_back(info->name);
    v.choice({"method", "how the grains are simulated; --method overrides"}, names, method);
    v.integer({"seed", "of the random placement of grains", Dimension::none, between(0, kMostInteger)}, seed);
    v.schedule({"gravity", "acceleration of free fall", Dimension::acceleration}, gravity);
    v.choice({"precision", "of the numbers inside a method; --precision overrides"}, kPrecisionNames, precision);
}

void SceneDescription::contentKeys(KeyVisitor& v) {
    v.table({"domain", "the box that the grains live in"}, [&](KeyVisitor& inside) { domain.keys(inside); });
    v.table({"resolution", "how fine to simulate"}, [&](KeyVisitor& inside) { resolution.keys(inside); });
    v.list({"materials", "what grains and bodies are made of"}, materials);
    v.list({"contacts", "friction between two materials; pairs that are not named have the defaults"}, contacts);
    v.list({"bodies", "objects with a surface"}, bodies);
    v.list({"grains", "regions filled with grains at time 0"}, grains);
    v.list({"emitters", "where grains come from during the run"}, emitters);
    v.list({"sinks", "where grains are removed"}, sinks);
    v.list({"forces", "what acts on grains besides gravity and contact: moving air, which drags them"}, forces);
    v.table({"air", "the air of [[forces]], which drags each grain by its physical size and density"}, [&](KeyVisitor& inside) { air.keys(inside); });
    v.list({"probes", "measurements that are written while the run goes; see measurements.md"}, probes);
    v.list({"stages", "parts of the run one after the other: what each changes, and when it is over"}, stages);
    for (std::size_t i = 0; i < methods.size(); ++i)
        v.table({methods[i]->name, methods[i]->summary}, [&](KeyVisitor& inside) { settings[i]->keys(inside); });
}

void SceneDescription::keys(KeyVisitor& v) {
    generalKeys(v);
    v.table({"time", "how long to simulate and how often to write"}, [&](KeyVisitor& inside) { time.keys(inside); });
    contentKeys(v);
    v.table({"output", "what to write"}, [&](KeyVisitor& inside) { output.keys(inside); });
    v.table({"camera", "from where pictures are taken; talus render can override it"}, [&](KeyVisitor& inside) { camera.keys(inside); });
}

void SceneDescription::identityKeys(KeyVisitor& v) {
    generalKeys(v);
    parameterKeys(v);
    contentKeys(v);
}

void SceneDescription::parameterKeys(KeyVisitor& v) {
    bool any = !parameters.empty();
    v.table({"parameters", "names that expressions use and --set varies"}, any, [&](KeyVisitor& inside) {
        for (Parameter& parameter : parameters)
            inside.table({parameter.name, parameter.help}, [&](KeyVisitor& keys) { parameter.keys(keys); });
    });
}

void SceneDescription::resolve() {
    domain.resolve();
    resolution.resolve();
    for (MaterialDescription& material : materials) material.resolve();
}

// ---- over a whole scene --------------------------------------------------------------------------------------------

void eachShape(SceneDescription& scene, FunctionRef<void(geometry::ShapeDescription&, const std::string& path)> visit) {
    const auto regions = [&](std::string_view list, auto& items) {
        for (std::size_t i = 0; i < items.size(); ++i) visit(items[i].region, fmt::format("{}[{}].region", list, i));
    };
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) visit(scene.bodies[i].shape, fmt::format("bodies[{}].shape", i));
    regions("grains", scene.grains);
    regions("emitters", scene.emitters);
    regions("sinks", scene.sinks);
    regions("forces", scene.forces);
    for (std::size_t i = 0; i < scene.probes.size(); ++i)
        std::visit([&](auto& probe) {
            if constexpr (requires { probe.region.shape; }) visit(probe.region.shape, fmt::format("probes[{}].region", i));
        }, scene.probes[i].kind);
    for (std::size_t i = 0; i < scene.stages.size(); ++i) visit(scene.stages[i].until.mass.region, fmt::format("stages[{}].until.mass.region", i));
}

std::vector<std::string> bodyNames(const SceneDescription& scene) {
    std::vector<std::string> names;
    for (const BodyDescription& body : scene.bodies)
        for (std::size_t copy = 0; copy < body.copies.size(); ++copy) names.push_back(nameOfCopy(body.name, body.copies, copy));
    return names;
}

}  // namespace talus::scene
