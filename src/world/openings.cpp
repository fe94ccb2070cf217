// SPDX-License-Identifier: Apache-2.0
// Spaces are where the distance to all bodies is large. Taken in the order of falling distance, points of a lattice join the space next to them;
// the point at which two spaces meet is the middle of the opening between them, and twice its distance the width.
#include "world/openings.h"

#include "world/world.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>

namespace talus::world {
namespace {

constexpr double kMostLongest = 96;         // points of the lattice along the longest axis
constexpr double kMostDistances = 5e6;      // points times bodies
/// A space counts where it is so many times as wide as the opening that leads out of it.
constexpr double kWider = 1.25;

class Lattice {
public:
    Lattice(const Domain& domain, double wanted, std::size_t bodies) : domain_(domain) {
        const Vec3 size = domain.size();
        const double longest = std::max({size.x, size.y, size.z}), volume = size.x * size.y * size.z;
        const double spacing = std::max({wanted, longest / kMostLongest, std::cbrt(volume * static_cast<double>(std::max<std::size_t>(bodies, 1)) / kMostDistances)});
        for (int axis = 0; axis < 3; ++axis) {
            count_[axis] = std::max(1, static_cast<int>(std::lround(size[axis] / spacing)));
            spacing_[axis] = size[axis] / count_[axis];
        }
    }
    std::size_t points() const { return static_cast<std::size_t>(count_.x) * static_cast<std::size_t>(count_.y) * static_cast<std::size_t>(count_.z); }
    double coarsest() const { return std::max({spacing_.x, spacing_.y, spacing_.z}); }
    Vec3i coord(std::size_t i) const {
        const auto nz = static_cast<std::size_t>(count_.z), ny = static_cast<std::size_t>(count_.y);
        return {static_cast<int>(i / (ny * nz)), static_cast<int>(i / nz % ny), static_cast<int>(i % nz)};
    }
    Vec3 place(std::size_t i) const {
        const Vec3i c = coord(i);
        return domain_.min + componentProduct(spacing_, Vec3{c.x + 0.5, c.y + 0.5, c.z + 0.5});
    }
    /// The neighbour along an axis; none beyond a face that is not periodic.
    std::optional<std::size_t> neighbour(std::size_t i, int axis, int by) const {
        Vec3i c = coord(i);
        c[axis] += by;
        if (c[axis] < 0 || c[axis] >= count_[axis]) {
            if (!domain_.periodic(axis)) return std::nullopt;
            c[axis] = (c[axis] + count_[axis]) % count_[axis];
        }
        return (static_cast<std::size_t>(c.x) * static_cast<std::size_t>(count_.y) + static_cast<std::size_t>(c.y)) * static_cast<std::size_t>(count_.z) + static_cast<std::size_t>(c.z);
    }

    /// Calls take(points of a line along the axis, their spacing).
    template <class Take>
    void forLines(int axis, const Take& take) const {
        const std::size_t stride = axis == 2 ? 1 : axis == 1 ? static_cast<std::size_t>(count_.z) : static_cast<std::size_t>(count_.y) * static_cast<std::size_t>(count_.z);
        std::vector<std::size_t> line(static_cast<std::size_t>(count_[axis]));
        for (std::size_t first = 0; first < points(); ++first) {
            if (coord(first)[axis] != 0) continue;
            for (std::size_t k = 0; k < line.size(); ++k) line[k] = first + k * stride;
            take(line, spacing_[axis]);
        }
    }

private:
    Domain domain_;
    Vec3i count_;
    Vec3 spacing_;
};

/// The distance to all bodies, `farthest` at most. Shapes that know a bound only are looked at along many rays, which it is safe to go along in steps of the bound.
class Room {
public:
    Room(std::span<const BodySnapshot> bodies, double farthest) : bodies_(bodies), farthest_(farthest) {}
    double operator()(const Vec3& x) const {
        double d = farthest_;
        for (const BodySnapshot& body : bodies_)
            if (body.body().shape->exact()) d = std::min(d, body.distance(x));
        for (const BodySnapshot& body : bodies_)
            if (!body.body().shape->exact()) d = alongRays(body, x, d);
        return d;
    }
    /// Climbs in the plane across an axis, from x, by steps that halve. The middle of an opening is near; where spaces are open, room grows for ever.
    Vec3 widest(Vec3 x, int across, double step) const {
        constexpr int kHalvings = 6;
        const Vec3 from = x;
        const double farthest = 6 * step;
        double best = (*this)(x);
        for (int halving = 0; halving < kHalvings; ++halving, step *= 0.5)
            for (bool better = true; better;) {
                better = false;
                for (int side = 1; side <= 2; ++side)
                    for (const double by : {-step, step}) {
                        Vec3 y = x;
                        y[(across + side) % 3] += by;
                        if (std::abs(y[(across + side) % 3] - from[(across + side) % 3]) > farthest) continue;
                        if (const double d = (*this)(y); d > best + 1e-9 * std::abs(best)) {
                            best = d;
                            x = y;
                            better = true;
                        }
                    }
            }
        return x;
    }

private:
    static double alongRays(const BodySnapshot& body, const Vec3& x, double farthest) {
        constexpr int kRays = 200;
        const double near = body.distance(x);
        if (near <= 0) return near;
        for (int i = 0; i < kRays; ++i) {
            const double z = 1 - (2 * i + 1.0) / kRays, r = std::sqrt(1 - z * z), turn = i * std::numbers::pi * (3 - std::sqrt(5.0));
            const Vec3 ray{r * std::cos(turn), r * std::sin(turn), z};
            double gone = near;
            while (gone < farthest) {
                const double step = body.distance(x + gone * ray);
                gone += step;
                if (step <= 1e-3 * gone) break;
            }
            farthest = std::min(farthest, gone);
        }
        return farthest;
    }

    std::span<const BodySnapshot> bodies_;
    double farthest_;
};

/// Distances from points of the lattice to those that lie in a body whose shape knows a bound only, less half a spacing; exactly, axis by axis as
/// lower envelopes of parabolas [Felzenszwalb2012].
std::vector<double> distanceToBounds(const Lattice& lattice, std::span<const BodySnapshot> bodies) {
    constexpr double kFar = 1e100;
    std::vector<double> squared(lattice.points(), kFar);
    bool any = false;
    for (const BodySnapshot& body : bodies) {
        if (body.body().shape->exact()) continue;
        any = true;
        for (std::size_t i = 0; i < squared.size(); ++i)
            if (squared[i] > 0 && body.distance(lattice.place(i)) <= 0) squared[i] = 0;
    }
    for (int axis = 0; any && axis < 3; ++axis) lattice.forLines(axis, [&](std::span<const std::size_t> line, double spacing) {
        std::vector<double> value;
        for (const std::size_t i : line) value.push_back(squared[i]);
        std::vector<int> lowest;                 // parabolas of the envelope
        std::vector<double> begins;              // where each of them is the lowest from
        for (int q = 0; q < static_cast<int>(line.size()); ++q) {
            const auto crossing = [&](int p) { return (value[static_cast<std::size_t>(q)] - value[static_cast<std::size_t>(p)] + spacing * spacing * (1.0 * q * q - 1.0 * p * p)) / (2 * spacing * spacing * (q - p)); };
            while (!lowest.empty() && crossing(lowest.back()) <= begins.back()) {
                lowest.pop_back();
                begins.pop_back();
            }
            begins.push_back(lowest.empty() ? -kFar : crossing(lowest.back()));
            lowest.push_back(q);
        }
        std::size_t k = 0;
        for (int q = 0; q < static_cast<int>(line.size()); ++q) {
            while (k + 1 < lowest.size() && begins[k + 1] <= q) ++k;
            const double d = spacing * (q - lowest[k]);
            squared[line[static_cast<std::size_t>(q)]] = d * d + value[static_cast<std::size_t>(lowest[k])];
        }
    });
    for (double& d : squared) d = std::sqrt(d) - 0.5 * lattice.coarsest();
    return squared;
}

/// Spaces that grow and meet.
class Spaces {
public:
    explicit Spaces(std::size_t points) : parent_(points, kNone), widest_(points), grains_(points) {}
    bool known(std::size_t i) const { return parent_[i] != kNone; }
    void begin(std::size_t i, double room) {
        parent_[i] = static_cast<std::uint32_t>(i);
        widest_[i] = room;
    }
    void join(std::size_t i, std::size_t space) { parent_[i] = static_cast<std::uint32_t>(space); }
    std::size_t of(std::size_t i) {
        while (parent_[i] != i) {
            parent_[i] = parent_[parent_[i]];
            i = parent_[i];
        }
        return i;
    }
    void putGrains(std::size_t space) { grains_[space] = 1; }
    bool hasGrains(std::size_t space) const { return grains_[space] != 0; }
    double widest(std::size_t space) const { return widest_[space]; }
    void unite(std::size_t a, std::size_t b) {
        if (widest_[a] < widest_[b]) std::swap(a, b);
        parent_[b] = static_cast<std::uint32_t>(a);
        grains_[a] = grains_[a] | grains_[b];
    }

private:
    static constexpr std::uint32_t kNone = 0xffffffff;
    std::vector<std::uint32_t> parent_;
    std::vector<double> widest_;           // room at the widest place of a space [m]
    std::vector<std::uint8_t> grains_;
};

/// The lattice seldom has a point in the middle of an opening: along the axis on which spaces meet, the narrowest of the widest places across it.
Opening refined(const Room& room, const Vec3& from, int axis, double spacing) {
    constexpr int kSteps = 6;
    Opening best{from, std::numeric_limits<double>::infinity()};
    for (int i = -kSteps; i <= kSteps; ++i) {
        Vec3 x = from;
        x[axis] += 1.5 * spacing * i / kSteps;
        x = room.widest(x, axis, 0.5 * spacing);
        if (const double width = 2 * room(x); width < best.width) best = {x, width};
    }
    return best;
}

}  // namespace

std::vector<Opening> findOpenings(std::span<const BodySnapshot> bodies, const Domain& domain, const std::function<bool(const Vec3&)>& holdsGrains, double size) {
    const Lattice lattice(domain, size, bodies.size());
    const Room room(bodies, norm(domain.size()));
    std::vector<double> distance = distanceToBounds(lattice, bodies);
    for (const BodySnapshot& body : bodies)
        if (body.body().shape->exact())
            for (std::size_t i = 0; i < distance.size(); ++i) distance[i] = std::min(distance[i], body.distance(lattice.place(i)));
    std::vector<std::uint32_t> order(distance.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) { return distance[a] != distance[b] ? distance[a] > distance[b] : a < b; });

    Spaces spaces(distance.size());
    std::vector<Opening> openings;
    for (const std::uint32_t i : order) {
        if (!(distance[i] > 0)) break;
        spaces.begin(i, distance[i]);
        if (holdsGrains(lattice.place(i))) spaces.putGrains(i);
        for (int axis = 0; axis < 3; ++axis)
            for (const int by : {-1, 1}) {
                const std::optional<std::size_t> next = lattice.neighbour(i, axis, by);
                if (!next || !spaces.known(*next)) continue;
                const std::size_t a = spaces.of(i), b = spaces.of(*next);
                if (a == b) continue;
                if (std::min(spaces.widest(a), spaces.widest(b)) > kWider * distance[i] && (spaces.hasGrains(a) || spaces.hasGrains(b)))
                    openings.push_back(refined(room, lattice.place(i), axis, lattice.coarsest()));
                spaces.unite(a, b);
            }
    }
    std::erase_if(openings, [](const Opening& o) { return !(o.width > 0); });
    std::ranges::sort(openings, {}, &Opening::width);
    std::vector<Opening> apart;   // the lattice may meet one opening twice
    for (const Opening& o : openings)
        if (std::ranges::none_of(apart, [&](const Opening& known) { return norm(o.place - known.place) < o.width + lattice.coarsest(); })) apart.push_back(o);
    return apart;
}

std::vector<Opening> findOpenings(const World& world, double size, const std::function<bool(const Body&)>& counts) {
    std::vector<BodySnapshot> standing;
    for (const Body& body : world.bodies) {
        const auto* motion = std::get_if<Motion>(&body.motion);
        if (motion && motion->fixed() && body.active.always() && (!counts || counts(body))) standing.emplace_back(body, 0.0);
    }
    const bool anywhere = !world.emitters.empty() || std::ranges::any_of(world.fills, [](const Fill& fill) { return fill.listed != nullptr; });
    const auto holdsGrains = [&](const Vec3& x) { return anywhere || std::ranges::any_of(world.fills, [&](const Fill& fill) { return fill.region->distance(x) <= 0; }); };
    return findOpenings(standing, world.domain, holdsGrains, size);
}

double thickness(const geometry::Shape& region, const Domain& domain) {
    Domain box = domain;
    const Aabb bounds = region.bounds();
    box.min = max(domain.min, bounds.min);
    box.max = min(domain.max, bounds.max);
    const Vec3 size = box.size();
    if (!(size.x > 0 && size.y > 0 && size.z > 0)) return 0;
    constexpr int kPoints = 33;
    double deepest = 0;
    for (int x = 0; x < kPoints; ++x)
        for (int y = 0; y < kPoints; ++y)
            for (int z = 0; z < kPoints; ++z) {
                const Vec3 part{(x + 0.5) / kPoints, (y + 0.5) / kPoints, (z + 0.5) / kPoints}, p = box.min + componentProduct(size, part);
                double depth = -region.distance(p);
                for (int axis = 0; axis < 3; ++axis)
                    if (!domain.periodic(axis)) depth = std::min({depth, p[axis] - domain.min[axis], domain.max[axis] - p[axis]});
                deepest = std::max(deepest, depth);
            }
    return 2 * deepest;
}

}  // namespace talus::world
