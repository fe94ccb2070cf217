// SPDX-License-Identifier: Apache-2.0
#include "scene/probe_description.h"

#include <fmt/format.h>

#include <cmath>

namespace talus::scene {

namespace {

constexpr std::array<std::string_view, 7> kUpNames{"auto", "x", "y", "z", "-x", "-y", "-z"};
constexpr std::array<std::string_view, 2> kMixByNames{"material", "source"};
constexpr double kMostBins = 1e5, kMostCells = 1e7, kMostRate = 1e6;

Key lengthKey(std::string_view name, std::string_view help, Range range = {}, bool required = false) { return {name, help, Dimension::length, range, required}; }

void binsKey(KeyVisitor& v, std::string_view help, std::int64_t& bins) { v.integer({"bins", help, Dimension::none, between(1, kMostBins)}, bins); }
void upKey(KeyVisitor& v, Up& up) { v.choice({"up", "which way heights are counted; auto: the axis nearest to against gravity"}, kUpNames, up); }
void directionRule(KeyVisitor& v, std::string_view key, const Vec3& direction) {
    if (!(norm(direction) > 0)) v.problem(key, fmt::format("'{}.{}' must not be zero; write for example [1, 0, 0]", v.path(), key));
}

void cellsKey(KeyVisitor& v, std::size_t axes, std::string_view help, std::vector<double>& cells) {
    v.numbers({"cells", help, Dimension::none, between(1, kMostBins)}, cells);
    double count = 1;
    for (const double n : cells) {
        count *= n;
        if (n != std::floor(n)) return v.problem("cells", fmt::format("'{}.cells' has {}; cells are counted in whole numbers", v.path(), n));
    }
    if (cells.size() != axes) v.problem("cells", fmt::format("'{}.cells' must be {} whole numbers, not {}", v.path(), axes, cells.size()));
    else if (count > kMostCells)
        v.problem("cells", fmt::format("'{}.cells' makes {:.3g} cells, each a row of the table at every sample; at most {:.0e} are possible", v.path(), count, kMostCells));
}

void boxKeys(KeyVisitor& v, std::optional<Vec3>& min, std::optional<Vec3>& max) {
    v.vector(lengthKey("min", "lower corner; default: that of the domain"), min);
    v.vector(lengthKey("max", "upper corner; default: that of the domain"), max);
    if (min && max && !(minComponent(*max - *min) > 0))
        v.problem("max", fmt::format("'{}.max' must be greater than 'min' along every axis", v.path()));
}

void lineKeys(KeyVisitor& v, Vec3& from, Vec3& to) {
    v.vector(lengthKey("from", "where the line begins", {}, true), from);
    v.vector(lengthKey("to", "where it ends", {}, true), to);
    if (from == to) v.problem("to", fmt::format("'{}.from' and 'to' are the same point; a line needs two", v.path()));
}

void bodyKey(KeyVisitor& v, std::string& body) {
    v.text({.name = "body", .help = "name of a body, or of a wall of the domain: \"domain.z_min\"", .required = true}, body);
}

}  // namespace

void FilterDescription::keys(KeyVisitor& v) {
    v.text({"material", "name of the only material that counts"}, material);
    v.integer({"source", "index of the only [[grains]] that count, from 0", Dimension::none, nonNegative()}, source);
    v.numbers({"size", "smallest and largest diameter that count", Dimension::length, nonNegative()}, size);
    if (!size.empty() && (size.size() != 2 || !(size[0] < size[1])))
        v.problem("size", fmt::format("'{}.size' must be a smallest and a larger diameter, [min, max]", v.path()));
}

void ReductionDescription::keys(KeyVisitor& v) {
    v.text({.name = "name", .help = "name of the result in results.json", .required = true}, name);
    v.text({"column", "column of the probe's table; may be left out where it has only one"}, column);
    v.choice({"reduce", "what is made of the column over the window; slope: change per second"}, world::kReduceNames, reduce);
    v.number({"percentile", "for reduce = \"percentile\", in percent", Dimension::none, between(0, 100)}, percentile);
    v.number({"from", "begin of the window; default: of the run", Dimension::time, nonNegative()}, from);
    v.number({"to", "end of the window; default: of the run", Dimension::time, nonNegative()}, to);
    if (from && to && !(*from <= *to)) v.problem("to", fmt::format("the window ends at {} s, before it begins at {} s", *to, *from));
}

void OptionalRegion::keys(KeyVisitor& v, std::string_view help) {
    v.table({"region", help}, given, [&](KeyVisitor& inside) { shape.keys(inside); });
}

void RegionProbeDescription::keys(KeyVisitor& v) { region.keys(v, "the shape to look into; default: the whole domain"); }

void StatisticProbeDescription::keys(KeyVisitor& v) {
    region.keys(v, "the shape to look into; default: the whole domain");
    v.text({.name = "field", .help = "a field of the grains: velocity, stress, mass and others of the method", .required = true}, field);
    v.text({"component", "x, y, z or magnitude (default) of a vector; xx … xz or pressure (default) of a tensor"}, component);
    v.choice({"statistic", "what is made of the values of all grains"}, world::kStatisticNames, statistic);
    v.choice({"weight", "what a grain counts for"}, world::kWeightNames, weight);
    v.numbers({"percentiles", "for statistic = \"percentile\", in percent; default [10, 50, 90]", Dimension::none, between(0, 100)}, percentiles);
    v.number({"from", "lower end of the histogram, in the SI unit of the field"}, from);
    v.number({"to", "upper end of the histogram"}, to);
    binsKey(v, "of the histogram", bins);
    if (statistic == world::Statistic::percentile && percentiles.empty())
        v.problem("percentiles", fmt::format("'{}.percentiles' is empty; write for example [10, 50, 90]", v.path()));
    if (statistic == world::Statistic::histogram && (!from || !to || !(*from < *to)))
        v.problem("from", fmt::format("a histogram needs '{}.from' and a greater 'to'", v.path()));
}

void ForceProbeDescription::keys(KeyVisitor& v) {
    bodyKey(v, body);
    v.vector(lengthKey("point", "about which the torque is counted; default: the position of the body"), point);
}

void MotionProbeDescription::keys(KeyVisitor& v) { bodyKey(v, body); }

void FluxProbeDescription::keys(KeyVisitor& v) {
    v.vector(lengthKey("point", "on the plane, or the centre of the disc", {}, true), point);
    v.vector({"normal", "direction that counts as forward"}, normal);
    v.number(lengthKey("radius", "of the disc; default: the whole plane", positive()), radius);
    directionRule(v, "normal", normal);
}

void ResidenceProbeDescription::keys(KeyVisitor& v) { region.keys(v, "where grains leave that count; default: anywhere"); }

void TrackProbeDescription::keys(KeyVisitor& v) {
    v.numbers({"ids", "ids of the grains", Dimension::none, nonNegative()}, ids);
    v.rows(lengthKey("near", "instead: points [x, y, z]; the nearest grains at the first sample are tracked"), 3, near);
    v.integer({"count", "how many grains near each point", Dimension::none, between(1, 10000)}, count);
    v.texts({"fields", "further fields of the grains for the table"}, fields);
    if (ids.empty() == near.empty()) v.problem("ids", fmt::format("'{}' needs either ids or near", v.path()));
    for (const double id : ids)
        if (id != std::floor(id)) return v.problem("ids", fmt::format("'{}.ids' has {}; ids are whole numbers", v.path(), id));
}

void HeightProbeDescription::keys(KeyVisitor& v) {
    lineKeys(v, from, to);
    v.number(lengthKey("width", "of the strip along the line; default: the length of a bin", positive()), width);
    binsKey(v, "along the line", bins);
    v.choice({"measure", "filled: bulk volume over area; surface: upper end of the topmost grain below a gap"}, world::kHeightMeasureNames, measure);
    v.number(lengthKey("gap", "empty height above which grains fly and do not count as surface; default: two diameters", positive()), gap);
    upKey(v, up);
}

void GroundDescription::keys(KeyVisitor& v) {
    boxKeys(v, min, max);
    cellsKey(v, 2, "columns along the two axes of the ground, in the order x, y, z; default [32, 32]", cells);
    v.choice({"measure", "filled: bulk volume over area; surface: upper end of the topmost grain below a gap"}, world::kHeightMeasureNames, measure);
    v.number(lengthKey("gap", "empty height above which grains fly and do not count as surface; default: two diameters", positive()), gap);
    upKey(v, up);
}

void FlankDescription::keys(KeyVisitor& v) {
    v.vector(lengthKey("origin", "from which distances count; its height is the base", {}, true), origin);
    v.vector({"direction", "along which distances count; default: in all directions about the origin"}, direction);
    v.number(lengthKey("reach", "greatest distance; default: to the farthest side of the domain", positive()), reach);
    v.number(lengthKey("width", "of the strip along the direction; default: the whole domain", positive()), width);
    binsKey(v, "of distance", bins);
    upKey(v, up);
    if (direction) directionRule(v, "direction", *direction);
    else if (width) v.problem("width", fmt::format("'{}.width' is that of a strip and needs a direction", v.path()));
}

void FrontProbeDescription::keys(KeyVisitor& v) {
    FlankDescription::keys(v);
    v.number({"fraction", "of the mass that lies behind mass_front", Dimension::none, Range{.min = 0, .max = 1, .minExcluded = true}}, fraction);
    v.number(lengthKey("thickness", "of the bed at thickness_front", positive()), thickness);
}

void ReposeProbeDescription::keys(KeyVisitor& v) {
    FlankDescription::keys(v);
    v.integer({"sectors", "flanks about the origin; along a direction 1, or 2 for both sides", Dimension::none, between(1, 360)}, sectors);
    v.number({"low", "part of the height where the fit of the flank ends", Dimension::none, between(0, 1)}, low);
    v.number({"high", "part of the height where the fit of the flank begins", Dimension::none, between(0, 1)}, high);
    if (!(low < high)) v.problem("high", fmt::format("'{}.high' must be greater than 'low'", v.path()));
    if (bins < 8) v.problem("bins", fmt::format("'{}.bins' is {}; a flank cannot be fitted with fewer than 8", v.path(), bins));
}

void ProfileProbeDescription::keys(KeyVisitor& v) {
    lineKeys(v, from, to);
    v.number(lengthKey("width", "of the square bar about the line that counts; default: the whole domain, for a line along an axis", positive()), width);
    binsKey(v, "along the line", bins);
}

void LatticeProbeDescription::keys(KeyVisitor& v) {
    boxKeys(v, min, max);
    cellsKey(v, 3, "cells along x, y, z; default [16, 16, 16]", cells);
}

void MixingProbeDescription::keys(KeyVisitor& v) {
    v.choice({"by", "what tells the two parts apart"}, kMixByNames, by);
    v.texts({"materials", "names of the two materials, for by = \"material\""}, materials);
    v.numbers({"sources", "indices of two [[grains]], from 0, for by = \"source\"", Dimension::none, nonNegative()}, sources);
    boxKeys(v, min, max);
    cellsKey(v, 3, "samples along x, y, z; default [8, 8, 8]", cells);
    v.integer({"least_grains", "in a cell that counts as a sample", Dimension::none, between(1, 1e9)}, leastGrains);
    const bool two = by == MixBy::material ? materials.size() == 2 && materials[0] != materials[1] : sources.size() == 2 && sources[0] != sources[1];
    if (!two) v.problem(by == MixBy::material ? "materials" : "sources", fmt::format("'{}' needs two different {}", v.path(), by == MixBy::material ? "materials" : "sources"));
}

void ProbeDescription::keys(KeyVisitor& v) {
    v.oneOf({"", ""}, kind, [this](auto& probe, KeyVisitor& inside) {
        inside.text({.name = "name", .help = "name of the probe and of its table, probes/NAME.csv", .required = true}, name);
        probe.keys(inside);
        inside.table({"filter", "which grains count: all that fit what is given"}, filter.given, [this](KeyVisitor& keys) { filter.keys(keys); });
        inside.number({"rate", "samples per second of simulated time; default: one at every frame", Dimension::frequency, positiveUpTo(kMostRate)}, rate);
        inside.list({"results", "numbers for results.json; default: last, and mean over the last half, of every column"}, results);
    });
}

Vec3 upwards(Up up, const Vec3& gravity) {
    static constexpr std::array<Vec3, 7> kDirections{Vec3{}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    if (up != Up::againstGravity) return kDirections[static_cast<std::size_t>(up)];
    Vec3 best{0, 0, 1};
    for (const Vec3& direction : std::span(kDirections).subspan(1))
        if (dot(direction, -gravity) > dot(best, -gravity)) best = direction;
    return best;
}

}  // namespace talus::scene
