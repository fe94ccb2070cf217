// SPDX-License-Identifier: Apache-2.0
// The shape of a bed: heights, slope, front, angle of repose.
#include "world/heights.h"
#include "world/probes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::world {
namespace {

constexpr double kDegrees = 180 / std::numbers::pi;

/// Straight line through points by least squares.
class LineFit {
public:
    void add(double s, double h) { points_.push_back({s, h}); }
    std::size_t count() const { return points_.size(); }
    double slope() const {
        const auto [s, h] = mean();
        double above = 0, below = 0;
        for (const auto& p : points_) {
            above += (p.value - s) * (p.weight - h);
            below += (p.value - s) * (p.value - s);
        }
        return above / below;
    }
    /// Σ of the squares of what the line misses.
    double squares() const {
        const auto [s, h] = mean();
        const double b = slope();
        double sum = 0;
        for (const auto& p : points_) sum += std::pow(p.weight - h - b * (p.value - s), 2);
        return sum;
    }

private:
    Weighted mean() const {
        Weighted sum;
        for (const auto& p : points_) sum = {sum.value + p.value, sum.weight + p.weight};
        const auto n = static_cast<double>(points_.size());
        return {sum.value / n, sum.weight / n};
    }
    std::vector<Weighted> points_;   // distance and height
};

class OverFootprint : public Probe {
public:
    OverFootprint(ProbeSetup setup, const Footprint& footprint) : Probe(std::move(setup.name), setup.filter), footprint_(footprint), field_(footprint) {}
    std::vector<std::string_view> fields() const override { return {field::position.name, field::volume.name, field::radius.name}; }
    void begin(const Simulation&) override { field_.clear(); }
    void take(const Grains& grains) override {
        for (std::size_t i = 0; i < grains.count; ++i)
            if (filter().accepts(grains, i)) field_.add(grains.position(i), grains.volume[i], grains.radius[i]);
    }

protected:
    Footprint footprint_;
    HeightField field_;
};

class Height final : public OverFootprint {
public:
    using OverFootprint::OverFootprint;
    bool line() const { return footprint_.columns == 1; }

    std::vector<ProbeColumn> columns() const override {
        std::vector<ProbeColumn> columns;
        if (line()) columns.push_back({"distance", "m"});
        else addVectorColumns(columns, "position", "m");
        columns.push_back({"height", "m"});
        return columns;
    }
    std::vector<double> finish(const Simulation&) override {
        std::vector<double> rows;
        for (std::size_t c = 0; c < field_.count(); ++c) {
            const double height = field_.height(c);
            if (line()) rows.push_back(field_.along(c));
            else {
                const Vec3 x = footprint_.corner + field_.along(c) * footprint_.along + field_.across(c) * footprint_.across;
                rows.insert(rows.end(), {x.x, x.y, x.z});
            }
            rows.push_back(height);
        }
        return rows;
    }
};

/// h = a + b s + c t by least squares over the columns that have grains; columns that miss it by more than three times the rms, which
/// flying grains make, are then left out and the fit is done once more.
class Slope final : public OverFootprint {
public:
    using OverFootprint::OverFootprint;

    std::vector<ProbeColumn> columns() const override {
        return {{"slope", "deg"}, {"slope_along", "deg"}, {"slope_across", "deg"}, {"height", "m"}, {"residual", "m"}, {"columns"}};
    }
    std::vector<double> finish(const Simulation&) override {
        std::vector<Point> points;
        for (std::size_t c = 0; c < field_.count(); ++c)
            if (const double h = field_.height(c); h > 0) points.push_back({field_.along(c), field_.across(c), h});
        Plane plane = fit(points);
        std::erase_if(points, [&](const Point& p) { return std::abs(plane.miss(p)) > 3 * plane.rms; });
        plane = fit(points);
        return {std::atan(std::hypot(plane.b, plane.c)) * kDegrees, std::atan(plane.b) * kDegrees, std::atan(plane.c) * kDegrees, plane.mean.h, plane.rms,
                static_cast<double>(points.size())};
    }

private:
    struct Point {
        double s, t, h;
    };
    struct Plane {
        Point mean{kUnknown, kUnknown, kUnknown};
        double b = kUnknown, c = kUnknown, rms = kUnknown;
        double miss(const Point& p) const { return p.h - mean.h - b * (p.s - mean.s) - c * (p.t - mean.t); }
    };
    // Along one row of columns the slope across is zero.
    Plane fit(const std::vector<Point>& points) const {
        Plane plane;
        const auto n = static_cast<double>(points.size());
        if (points.size() < 3) return plane;
        Point mean{0, 0, 0};
        for (const Point& p : points) mean = {mean.s + p.s / n, mean.t + p.t / n, mean.h + p.h / n};
        double ss = 0, st = 0, tt = 0, sh = 0, th = 0;
        for (const Point& p : points) {
            const double s = p.s - mean.s, t = p.t - mean.t, h = p.h - mean.h;
            ss += s * s;
            st += s * t;
            tt += t * t;
            sh += s * h;
            th += t * h;
        }
        const double det = ss * tt - st * st;
        plane.mean = mean;
        if (footprint_.columns == 1) plane.b = sh / ss, plane.c = 0;
        else if (footprint_.rows == 1) plane.b = 0, plane.c = th / tt;
        else if (det > 1e-12 * ss * tt) plane.b = (tt * sh - st * th) / det, plane.c = (ss * th - st * sh) / det;
        double squares = 0;
        for (const Point& p : points) squares += plane.miss(p) * plane.miss(p);
        plane.rms = std::sqrt(squares / n);
        return plane;
    }
};

class Front final : public Probe {
public:
    Front(ProbeSetup setup, const FrontProbe& settings) : Probe(std::move(setup.name), setup.filter), settings_(settings), volumes_(settings.flank, 1) {}

    std::vector<ProbeColumn> columns() const override { return {{"mass_front", "m"}, {"thickness_front", "m"}, {"farthest", "m"}}; }
    std::vector<std::string_view> fields() const override { return {field::position.name, field::mass.name, field::volume.name}; }
    void begin(const Simulation&) override {
        volumes_.clear();
        distances_.clear();
    }
    void take(const Grains& grains) override {
        for (std::size_t i = 0; i < grains.count; ++i) {
            const Vec3 x = grains.position(i);
            if (!filter().accepts(grains, i) || !volumes_.covers(x)) continue;
            distances_.push_back({volumes_.distance(x), grains.mass[i]});
            volumes_.add(x, grains.volume[i]);
        }
    }
    std::vector<double> finish(const Simulation&) override {
        const double front = quantile(distances_, settings_.fraction);   // sorts
        return {front, thicknessFront(), distances_.empty() ? kUnknown : distances_.back().value};
    }

private:
    // Outward from the highest bin, so that a tongue or a few grains that ran ahead do not count.
    double thicknessFront() const {
        const int bins = settings_.flank.bins;
        int peak = 0;
        for (int bin = 1; bin < bins; ++bin)
            if (volumes_.height(bin) > volumes_.height(peak)) peak = bin;
        if (!(volumes_.height(peak) >= settings_.thickness)) return kUnknown;
        int bin = peak;
        while (bin + 1 < bins && volumes_.height(bin + 1) >= settings_.thickness) ++bin;
        if (bin + 1 == bins) return settings_.flank.reach;
        const double above = volumes_.height(bin), below = volumes_.height(bin + 1);
        const double part = (above - settings_.thickness) / (above - below);
        return volumes_.centre(bin) + part * (volumes_.centre(bin + 1) - volumes_.centre(bin));
    }

    FrontProbe settings_;
    FlankVolumes volumes_;
    std::vector<Weighted> distances_;
};

class Repose final : public Probe {
public:
    Repose(ProbeSetup setup, const ReposeProbe& settings) : Probe(std::move(setup.name), setup.filter), settings_(settings), volumes_(settings.flank, settings.sectors) {}

    std::vector<ProbeColumn> columns() const override {
        return {{"angle", "deg"}, {"spread", "deg"}, {"residual", "m"}, {"height", "m"}, {"flanks"}};
    }
    std::vector<std::string_view> fields() const override { return {field::position.name, field::volume.name}; }
    void begin(const Simulation&) override { volumes_.clear(); }
    void take(const Grains& grains) override {
        for (std::size_t i = 0; i < grains.count; ++i)
            if (filter().accepts(grains, i)) volumes_.add(grains.position(i), grains.volume[i]);
    }
    // A flank per sector, then the angle of their mean slope and the standard deviation of their angles; the residual is the rms over all flanks.
    std::vector<double> finish(const Simulation&) override {
        const double height = heapHeight();
        const std::vector<int> common = flankBins(height, [this](int bin) { return volumes_.height(bin); });
        double n = 0, slopes = 0, sum = 0, sumSquares = 0, missed = 0, points = 0;
        for (int sector = 0; sector < settings_.sectors; ++sector) {
            const auto heightOf = [&](int bin) { return volumes_.height(sector, bin); };
            LineFit line;
            for (const int bin : settings_.flank.direction ? flankBins(height, heightOf) : common) line.add(volumes_.centre(bin), heightOf(bin));
            if (line.count() < kLeastPoints) continue;
            const double angle = std::atan(-line.slope()) * kDegrees;
            ++n;
            slopes -= line.slope();
            sum += angle;
            sumSquares += angle * angle;
            missed += line.squares();
            points += static_cast<double>(line.count());
        }
        if (n == 0) return {kUnknown, kUnknown, kUnknown, height, 0};
        const double mean = sum / n;
        return {std::atan(slopes / n) * kDegrees, std::sqrt(std::max(0.0, sumSquares / n - mean * mean)), std::sqrt(missed / points), height, n};
    }

private:
    static constexpr std::size_t kLeastPoints = 3;

    /// Of the highest bin. The two innermost rings count as one: the first holds so few grains that chance makes it the highest.
    double heapHeight() const {
        const bool rings = !settings_.flank.direction;
        double height = rings ? 0.25 * volumes_.height(0) + 0.75 * volumes_.height(1) : volumes_.height(0);
        for (int bin = 1; bin < settings_.flank.bins; ++bin) height = std::max(height, volumes_.height(bin));
        return height;
    }

    /// Outward from the highest bin down to the lower fraction of the heap's height. The sectors of a ring share theirs: if each took those
    /// that its own heights choose, it would leave out what chance raised above or lowered below the range, and find a flatter flank.
    template <class HeightOf>
    std::vector<int> flankBins(double height, const HeightOf& heightOf) const {
        int peak = 0;
        for (int bin = 1; bin < settings_.flank.bins; ++bin)
            if (heightOf(bin) > heightOf(peak)) peak = bin;
        std::vector<int> bins;
        for (int bin = peak; height > 0 && bin < settings_.flank.bins && heightOf(bin) >= settings_.low * height; ++bin)
            if (heightOf(bin) <= settings_.high * height) bins.push_back(bin);
        return bins;
    }

    ReposeProbe settings_;
    FlankVolumes volumes_;
};

}  // namespace

ProbePtr makeProbe(ProbeSetup setup, const HeightProbe& settings) { return std::make_unique<Height>(std::move(setup), settings.footprint); }
ProbePtr makeProbe(ProbeSetup setup, const SlopeProbe& settings) { return std::make_unique<Slope>(std::move(setup), settings.footprint); }
ProbePtr makeProbe(ProbeSetup setup, const FrontProbe& settings) { return std::make_unique<Front>(std::move(setup), settings); }
ProbePtr makeProbe(ProbeSetup setup, const ReposeProbe& settings) { return std::make_unique<Repose>(std::move(setup), settings); }

}  // namespace talus::world
