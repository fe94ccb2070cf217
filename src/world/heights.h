// SPDX-License-Identifier: Apache-2.0
// How high grains stand: columns over a rectangle, and bins of distance from an origin.
#pragma once

#include "world/probes.h"

#include <cmath>
#include <vector>

namespace talus::world {

class HeightField {
public:
    explicit HeightField(const Footprint&);

    void clear();
    /// A grain at x with the given bulk volume and radius.
    void add(const Vec3& x, double volume, double radius);

    std::size_t count() const { return filled_.size(); }
    /// Above the base [m]; of a surface unknown where no grain is. Columns run along first.
    double height(std::size_t column);
    /// Of the column's centre from the corner [m].
    double along(std::size_t column) const;
    double across(std::size_t column) const;

private:
    struct Interval {
        double bottom, top, gap;   // [m]
    };
    void addImage(const Vec3& x, double volume, double radius);
    void addFilled(double s, double t, double volume);
    void addSurface(double s, double t, double height, double radius);

    Footprint footprint_;
    std::array<int, 3> images_{};                    // to either side along each periodic axis
    std::vector<double> filled_;                     // volume [m³]
    std::vector<std::vector<Interval>> intervals_;   // of the grains in each column
};

/// Bulk volume by distance from an origin, in sectors of the circle or on the two sides of a direction.
class FlankVolumes {
public:
    FlankVolumes(const Flank&, int sectors);

    void clear() { volumes_.assign(volumes_.size(), 0.0); }
    void add(const Vec3& x, double volume);

    /// False beside the strips of a direction.
    bool covers(const Vec3& x) const { return !flank_.direction || std::abs(dot(x - flank_.origin, across_)) <= 0.5 * flank_.width; }
    /// Of x from the origin, across up [m]; along a direction it has a sign.
    double distance(const Vec3& x) const;
    /// Mean height of a bin in one sector [m].
    double height(int sector, int bin) const { return volumes_[slot(sector, bin)] / area(bin); }
    /// Mean height of a bin over all sectors [m].
    double height(int bin) const;
    /// Where a straight flank has the mean height of the bin: its centroid [m].
    double centre(int bin) const;
    double binWidth() const { return flank_.reach / flank_.bins; }

private:
    std::size_t slot(int sector, int bin) const { return static_cast<std::size_t>(sector) * static_cast<std::size_t>(flank_.bins) + static_cast<std::size_t>(bin); }
    double area(int bin) const;   // in one sector [m²]

    Flank flank_;
    int sectors_;
    Vec3 across_, along_;         // along: where the angle of a sector is zero
    std::vector<double> volumes_;
};

}  // namespace talus::world
