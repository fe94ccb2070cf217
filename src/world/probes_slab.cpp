// SPDX-License-Identifier: Apache-2.0
// Measurements of a two-dimensional case: per metre of width, so that slabs of different widths can be compared.
#include "world/probes.h"

#include <algorithm>
#include <array>

namespace talus::world {
namespace {

/// Units of what grows with the width.
constexpr std::array<std::string_view, 8> kExtensive{"kg", "kg/s", "kg m/s", "J", "W", "N", "N m", "m^3"};

class PerMetre final : public Probe {
public:
    PerMetre(ProbePtr of, double width) : Probe(of->name(), of->filter()), of_(std::move(of)), width_(width) {
        for (const ProbeColumn& column : of_->columns()) extensive_.push_back(std::ranges::find(kExtensive, column.unit) != kExtensive.end());
    }

    std::vector<ProbeColumn> columns() const override {
        std::vector<ProbeColumn> columns = of_->columns();
        for (std::size_t c = 0; c < columns.size(); ++c)
            if (extensive_[c]) columns[c].unit += " per m";
        return columns;
    }
    std::vector<std::string_view> fields() const override { return of_->fields(); }
    void begin(const Simulation& simulation) override { of_->begin(simulation); }
    void take(const Grains& grains) override { of_->take(grains); }
    std::vector<double> finish(const Simulation& simulation) override {
        std::vector<double> rows = of_->finish(simulation);
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (extensive_[i % extensive_.size()]) rows[i] /= width_;
        return rows;
    }
    bool wantsRemoved() const override { return of_->wantsRemoved(); }
    void removed(const Grains& grains, double time) override { of_->removed(grains, time); }
    void setClockBack(double by) override { of_->setClockBack(by); }
    void save(Archive& archive) const override { of_->save(archive); }
    void load(const Archive& archive) override { of_->load(archive); }

private:
    ProbePtr of_;
    double width_;                  // [m]
    std::vector<bool> extensive_;   // by column
};

}  // namespace

ProbePtr perMetre(ProbePtr probe, double width) { return std::make_unique<PerMetre>(std::move(probe), width); }

}  // namespace talus::world
