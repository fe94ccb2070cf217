// SPDX-License-Identifier: Apache-2.0
#include "render/compared_fields.h"

#include "core/problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::render {

namespace {

constexpr double kMostCells = 16e6;
constexpr double kDiametersPerCell = 3, kLeastAlong = 8, kMostAlong = 64;
constexpr double kSlack = 1e-6;            // of the domain's size: ends that are the same
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

void requireDomain(const NamedRun& run) {
    if (!run.files->hasLook())
        throw Error(ExitCode::missing, fmt::format("run '{}' has no look.json, which says what its domain is; go on with it by 'talus run --resume' or run it again", run.name));
}

/// What all domains have in common.
Aabb commonDomain(const std::vector<NamedRun>& runs, bool& differ) {
    Aabb common{{-1e300, -1e300, -1e300}, {1e300, 1e300, 1e300}};
    std::string list;
    for (const NamedRun& run : runs) {
        requireDomain(run);
        const io::Look& look = run.files->look();
        common.min = max(common.min, look.domainMin);
        common.max = min(common.max, look.domainMax);
        list += fmt::format("; '{}' has [{:.6g}, {:.6g}, {:.6g}] to [{:.6g}, {:.6g}, {:.6g}]", run.name, look.domainMin.x, look.domainMin.y, look.domainMin.z, look.domainMax.x,
                            look.domainMax.y, look.domainMax.z);
    }
    if (!(common.min.x < common.max.x && common.min.y < common.max.y && common.min.z < common.max.z))
        throw Error(ExitCode::usage, fmt::format("the domains of the runs have no part in common{}", list));
    for (const NamedRun& run : runs) {
        const io::Look& look = run.files->look();
        const double slack = kSlack * norm(common.size());
        differ = differ || norm(look.domainMin - common.min) > slack || norm(look.domainMax - common.max) > slack;
    }
    return common;
}

struct GrainsSeen {
    Aabb box;
    double diameter = 0;                   // the largest mean of a frame [m]
};
GrainsSeen grainsOf(const std::vector<NamedRun>& runs, const std::vector<Moment>& moments) {
    GrainsSeen seen;
    for (const Moment& moment : moments)
        for (std::size_t r = 0; r < runs.size(); ++r) {
            const io::Frame frame = runs[r].files->frame(moment.frames[r].number);
            if (frame.count == 0) continue;
            const io::FrameColumn& position = requireField(frame, "position", "where the grains are");
            for (std::size_t i = 0; i < frame.count; ++i) seen.box.extend({position.reals[3 * i], position.reals[3 * i + 1], position.reals[3 * i + 2]});
            double sum = 0;
            if (const io::FrameColumn* radius = frame.find("radius"))
                for (const float r2 : radius->reals) sum += 2 * static_cast<double>(r2);
            seen.diameter = std::max(seen.diameter, sum / static_cast<double>(frame.count));
        }
    return seen;
}

/// The part of the cells of an axis that has grains, and one cell more on both sides.
struct Cut {
    int first = 0, count = 1;
};
Cut cut(double low, double high, double least, double cell, int all) {
    if (low > high) return {0, all};
    const auto index = [&](double x) { return std::clamp(static_cast<int>(std::floor((x - least) / cell)), 0, all - 1); };
    const int first = std::max(index(low) - 1, 0), last = std::min(index(high) + 1, all - 1);
    return {first, last - first + 1};
}

bool endsThere(double a, double b, double size) { return std::abs(a - b) <= kSlack * size; }

world::Lattice latticeOf(const io::Look& look, world::Lattice cells) {
    for (int axis = 0; axis < 3; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        const double size = look.domainMax[axis] - look.domainMin[axis];
        const bool low = endsThere(cells.origin[axis], look.domainMin[axis], size), high = endsThere(cells.origin[axis] + cells.size[axis], look.domainMax[axis], size);
        const bool periodic = look.faces[2 * a] == world::FaceType::periodic;
        cells.periodic[a] = periodic && low && high;
        cells.closed[2 * a] = !periodic && low && look.faces[2 * a] == world::FaceType::wall;
        cells.closed[2 * a + 1] = !periodic && high && look.faces[2 * a + 1] == world::FaceType::wall;
    }
    return cells;
}

std::vector<double> densities(const NamedRun& run) {
    std::vector<double> values;
    for (const io::MaterialLook& material : run.files->look().materials) values.push_back(material.density);
    if (values.empty() || std::ranges::any_of(values, [](double v) { return !(v > 0); }))
        throw Error(ExitCode::missing, fmt::format("run '{}' does not say in look.json how dense its grains are: an older Talus made it; run it again", run.name));
    return values;
}

Vec3 vectorAt(const io::FrameColumn& column, std::size_t i) { return {column.reals[3 * i], column.reals[3 * i + 1], column.reals[3 * i + 2]}; }

}  // namespace

bool hasField(const io::Frame& frame, ComparedField field) {
    return field != ComparedField::pressure || (frame.find("volume") != nullptr && (frame.find("stress") != nullptr || frame.find("pressure") != nullptr));
}

CommonLattice commonLattice(const std::vector<NamedRun>& runs, const std::vector<Moment>& moments, std::optional<double> spacing) {
    CommonLattice common;
    const Aabb domain = commonDomain(runs, common.domainsDiffer);
    const GrainsSeen seen = grainsOf(runs, moments);
    const Aabb held = seen.box.empty() ? domain : Aabb{max(seen.box.min, domain.min), min(seen.box.max, domain.max)};
    const Vec3 size = held.empty() ? domain.size() : held.size();
    const double longest = std::max({size.x, size.y, size.z, kSlack * norm(domain.size())});
    const double wanted = spacing.value_or(std::clamp(kDiametersPerCell * seen.diameter, longest / kMostAlong, longest / kLeastAlong));

    world::Lattice cells;
    double count = 1;
    std::array<double, 3> along{};
    for (int axis = 0; axis < 3; ++axis) along[static_cast<std::size_t>(axis)] = std::max(1.0, std::round(domain.size()[axis] / wanted));
    if (*std::ranges::max_element(along) > kMostCells) count = *std::ranges::max_element(along);
    else
        for (int axis = 0; axis < 3; ++axis) {
            const auto a = static_cast<std::size_t>(axis);
            const int all = static_cast<int>(along[a]);
            const double cell = domain.size()[axis] / all;
            const bool periodic = std::ranges::any_of(runs, [&](const NamedRun& run) { return run.files->look().faces[2 * a] == world::FaceType::periodic; });
            const Cut part = periodic || held.empty() ? Cut{0, all} : cut(held.min[axis], held.max[axis], domain.min[axis], cell, all);
            cells.origin[axis] = domain.min[axis] + part.first * cell;
            cells.size[axis] = part.count * cell;
            cells.cells[a] = part.count;
            count *= part.count;
        }
    if (count > kMostCells)
        throw Error(ExitCode::usage, fmt::format("--lattice {:.6g} m makes {:.3g} cells or more; at most {:.3g} are compared, so make it larger", wanted, count, kMostCells));
    for (const NamedRun& run : runs) common.ofRun.push_back(latticeOf(run.files->look(), cells));
    return common;
}

double CellFields::shown(ComparedField field, std::size_t cell) const {
    if (field == ComparedField::volumeFraction) return volumeFraction[cell];
    if (field == ComparedField::pressure) return pressure[cell];
    return volumeFraction[cell] >= kLeastFraction ? norm(velocity[cell]) : kNone;
}

CellFields averaged(const NamedRun& run, const io::Frame& frame, const world::Lattice& lattice) {
    world::LatticeAverages averages(lattice);
    const bool stressed = hasField(frame, ComparedField::pressure);
    CellFields fields;
    double all = 0;
    if (frame.count > 0) {
        const std::vector<double> density = densities(run);
        const io::FrameColumn &position = requireField(frame, "position", "to be averaged"), &velocity = requireField(frame, "velocity", "to be averaged"),
                              &mass = requireField(frame, "mass", "to be averaged"), &material = requireField(frame, "material", "to be averaged");
        const io::FrameColumn *volume = frame.find("volume"), *stress = frame.find("stress"), *pressure = frame.find("pressure");
        std::array<double, 6> sigma{};
        for (std::size_t i = 0; i < frame.count; ++i) {
            const double m = mass.reals[i];
            const std::int64_t kind = material.integers[i];
            if (kind < 0 || static_cast<std::size_t>(kind) >= density.size())
                throw Error(ExitCode::io, fmt::format("a frame of run '{}' is damaged: a grain has material {}, of {}", run.name, kind, density.size()));
            world::AveragedGrain grain{vectorAt(position, i), vectorAt(velocity, i), m, m / density[static_cast<std::size_t>(kind)], 0, nullptr};
            if (stressed) {
                for (std::size_t c = 0; c < 6; ++c) sigma[c] = stress != nullptr ? stress->reals[6 * i + c] : c < 3 ? -pressure->reals[i] : 0;
                grain.volume = volume->reals[i];
                grain.stress = sigma.data();
            }
            averages.add(grain);
            all += m;
        }
    }
    for (std::size_t c = 0; c < lattice.count(); ++c) {
        fields.volumeFraction.push_back(averages.volumeFraction(c));
        fields.velocity.push_back(averages.velocity(c));
        fields.mass += averages.sums()[c].mass;
        const std::array<double, 6> sigma = averages.contactStress(c);
        if (stressed || frame.count == 0) fields.pressure.push_back(-(sigma[0] + sigma[1] + sigma[2]) / 3);
    }
    fields.massOutside = all - fields.mass;
    if (std::abs(fields.massOutside) < 1e-9 * all) fields.massOutside = 0;   // rounding
    return fields;
}

FieldDifference difference(ComparedField field, const CellFields& a, const CellFields& b) {
    FieldDifference d;
    double sum = 0, squares = 0, ownSum = 0, ownSquares = 0;
    for (std::size_t c = 0; c < a.cells(); ++c) {
        const bool heldByA = a.volumeFraction[c] >= kLeastFraction, heldByB = b.volumeFraction[c] >= kLeastFraction;
        if (field == ComparedField::velocity ? !(heldByA && heldByB) : !(heldByA || heldByB)) continue;
        double apart = 0, own = 0;
        switch (field) {
        case ComparedField::volumeFraction: apart = std::abs(a.volumeFraction[c] - b.volumeFraction[c]), own = b.volumeFraction[c]; break;
        case ComparedField::velocity: apart = norm(a.velocity[c] - b.velocity[c]), own = norm(b.velocity[c]); break;
        case ComparedField::pressure: apart = std::abs(a.pressure[c] - b.pressure[c]), own = std::abs(b.pressure[c]); break;
        }
        ++d.cells;
        sum += apart, squares += apart * apart, ownSum += own, ownSquares += own * own;
    }
    if (d.cells == 0) return {0, kNone, kNone, kNone, kNone};
    const auto n = static_cast<double>(d.cells);
    const auto relative = [](double part, double whole) { return part == 0 ? 0 : whole > 0 ? part / whole : kNone; };
    d.l1 = sum / n, d.l2 = std::sqrt(squares / n);
    d.relativeL1 = relative(sum, ownSum), d.relativeL2 = relative(std::sqrt(squares), std::sqrt(ownSquares));
    return d;
}

}  // namespace talus::render
