// SPDX-License-Identifier: Apache-2.0
#include "scene/flows.h"

#include <fmt/format.h>

#include <cmath>

namespace talus::scene {
void TimeWindow::keys(KeyVisitor& v, std::string_view what) {
    v.number({"begin", what, Dimension::time, nonNegative()}, begin);
    v.number({"end", "time at which that ends; never unless given", Dimension::time, positive()}, end);
    if (end && *end <= begin) v.problem("end", fmt::format("'end' is {} s and 'begin' {} s; the end must come later", *end, begin));
}

void DiscDescription::keys(KeyVisitor& v) {
    v.vector({.name = "centre", .help = "middle of the disc", .dimension = Dimension::length, .required = true}, centre);
    v.vector({"normal", "direction in which grains pass the disc"}, normal);
    v.number({.name = "radius", .help = "of the disc", .dimension = Dimension::length, .range = positive(), .required = true}, radius);
    if (!(norm(normal) > 0)) v.problem("normal", "the normal of a disc must not be zero; write for example [0, 0, -1]");
}

void MixturePart::keys(KeyVisitor& v) {
    v.text({.name = "material", .help = "name of the material", .required = true}, material);
    v.number({.name = "fraction", .help = "its part of the mass", .range = Range{.min = 0, .max = 1, .minExcluded = true}, .required = true}, fraction);
}

void EmitterDescription::keys(KeyVisitor& v) {
    v.text({.name = "name", .help = "name of the emitter in flows.csv", .required = true}, name);
    v.text({"material", "name of the material of the grains"}, material);
    v.list({"mixture", "instead: several materials with their parts of the mass, which make 1 together"}, mixture);
    v.table({"disc", "an outlet that grains pass along its normal; this or region"}, hasDisc, [&](KeyVisitor& inside) { disc.keys(inside); });
    v.table({"region", "a shape in which grains appear wherever there is room"}, hasRegion, [&](KeyVisitor& inside) { region.keys(inside); });
    v.schedule({"rate", "mass per time; this or grains_per_second", Dimension::massFlow, nonNegative()}, rate);
    v.schedule({"rate_per_metre", "mass per time and metre of width, instead of rate, in a slab: kg/s per metre", Dimension::massFlow, nonNegative()}, ratePerMetre);
    v.schedule({"grains_per_second", "simulated grains per time", Dimension::frequency, nonNegative()}, grainsPerSecond);
    v.schedule({"speed", "of the grains along the normal of the disc", Dimension::velocity, nonNegative()}, speed);
    v.schedule({"velocity", "of the grains, instead of speed; in the axes of the body where one is named", Dimension::velocity}, velocity);
    v.number({"spread_deg", "directions fill a cone of this half angle", Dimension::angle, between(0, 90)}, spreadDeg);
    v.number({"speed_spread", "speeds depart from the mean by at most this part of it", Dimension::none, between(0, 1)}, speedSpread);
    window.keys(v, "time from which grains come");
    v.number({"mass_limit", "mass after which it stops", Dimension::mass, positive()}, massLimit);
    v.text({"body", "name of a body that it moves with: disc, region and velocity are then in coordinates of the body"}, body);

    if (material.has_value() != mixture.empty())
        v.problem("material", "an emitter needs either material or mixture");
    double sum = 0;
    for (const MixturePart& part : mixture) sum += part.fraction;
    if (!mixture.empty() && std::abs(sum - 1) > 1e-6) v.problem("mixture", fmt::format("the fractions of a mixture must make 1, not {:.6g}", sum));
    if (hasDisc == hasRegion) v.problem("disc", "an emitter needs either a disc or a region where its grains come out");
    const int rates = (isZero(rate) ? 0 : 1) + (isZero(ratePerMetre) ? 0 : 1) + (isZero(grainsPerSecond) ? 0 : 1);
    if (rates != 1) v.problem("rate", "an emitter needs either rate, such as \"3 t/h\", or grains_per_second, such as 500");
    if (!isZero(speed) && !isZero(velocity)) v.problem("speed", "speed and velocity are both given; keep one of them");
    if (!isZero(speed) && hasRegion) v.problem("speed", "a region has no normal that a speed could follow; give velocity = [x, y, z] instead");
    if (hasDisc && isZero(speed) && isZero(velocity)) v.problem("speed", "grains pass a disc only if they move: give speed, such as \"1 m/s\"");
    if (hasDisc && !isZero(velocity) && velocity.constant() && !(dot(velocity.at(0), disc.normal) > 0))
        v.problem("velocity", "the velocity points back through the disc; it must go along the disc's normal");
}

void SinkDescription::keys(KeyVisitor& v) {
    v.text({.name = "name", .help = "name of the sink in flows.csv", .required = true}, name);
    region.keys(v, {.name = "region", .help = "grains inside are removed; a plane takes all that lies behind it", .required = true});
    window.keys(v, "time from which grains are removed");
}

void WindDescription::keys(KeyVisitor& v) {
    v.schedule({.name = "velocity", .help = "of the air; a sine or a table makes gusts", .dimension = Dimension::velocity, .required = true}, velocity);
}

void VortexDescription::keys(KeyVisitor& v) {
    v.vector({.name = "centre", .help = "a point of the axis", .dimension = Dimension::length, .required = true}, centre);
    v.vector({"axis", "direction of the axis; the air turns about it by the right-hand rule"}, axis);
    v.schedule({.name = "circulation", .help = "2 pi r times the velocity far from the axis [m2/s]", .required = true}, circulation);
    v.number({"core_radius", "within which the air turns like a solid", Dimension::length, positive()}, coreRadius);
    if (!(norm(axis) > 0)) v.problem("axis", "the axis of a vortex must not be zero; write for example [0, 0, 1]");
}

void FieldDescription::keys(KeyVisitor& v) {
    v.file({.name = "file",
            .help = "CSV with columns x, y, z and velocity_x, velocity_y, velocity_z of the air, or acceleration_x …, on a lattice",
            .required = true},
           file);
    v.schedule({"scale", "factor of all its values"}, scale);
}

void ForceDescription::keys(KeyVisitor& v) {
    v.oneOf({"", ""}, kind, [](auto& force, KeyVisitor& inside) { force.keys(inside); });
    v.table({"region", "a shape outside which it does not act; everywhere unless given"}, hasRegion, [&](KeyVisitor& inside) { region.keys(inside); });
    window.keys(v, "time from which it acts");
}

void AirDescription::keys(KeyVisitor& v) {
    v.number({"density", "of the air", Dimension::density, positive()}, air.density);
    v.number({"viscosity", "of the air, dynamic [Pa s]", Dimension::none, positive()}, air.viscosity);
    v.choice({"drag", "law of the drag coefficient of a grain: of Schiller and Naumann, or constant"}, world::kDragLawNames, air.law);
    v.number({"drag_coefficient", "of the constant law", Dimension::none, positive()}, air.coefficient);
}

}  // namespace talus::scene
