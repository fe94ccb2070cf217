// SPDX-License-Identifier: Apache-2.0
// Averaged fields along a line and on a lattice.
#include "world/probes.h"

namespace talus::world {
namespace {

class Fields final : public Probe {
public:
    Fields(ProbeSetup setup, const LatticeProbe& settings)
        : Probe(std::move(setup.name), setup.filter), settings_(settings), averages_(settings.lattice) {}

    std::vector<ProbeColumn> columns() const override {
        std::vector<ProbeColumn> columns;
        if (settings_.line) columns.push_back({"distance", "m"});
        else addVectorColumns(columns, "position", "m");
        columns.push_back({"mass", "kg"});
        columns.push_back({"volume_fraction"});
        addVectorColumns(columns, "velocity", "m/s");
        addTensorColumns(columns, "kinetic_stress", "Pa");
        if (settings_.stressed) addTensorColumns(columns, "contact_stress", "Pa");
        return columns;
    }
    std::vector<std::string_view> fields() const override {
        std::vector<std::string_view> names{field::position.name, field::velocity.name, field::mass.name, field::material.name};
        if (settings_.stressed) names.insert(names.end(), {field::volume.name, field::stress.name});
        return names;
    }
    void begin(const Simulation&) override { averages_.clear(); }
    void take(const Grains& grains) override {
        const Lattice& lattice = settings_.lattice;
        Vec3 middle = lattice.origin;
        for (std::size_t a = 0; a < 3; ++a) middle += 0.5 * lattice.size[static_cast<int>(a)] * lattice.axes[a];
        for (std::size_t i = 0; i < grains.count; ++i) {
            if (!filter().accepts(grains, i)) continue;
            AveragedGrain grain{middle + settings_.domain.nearestImage(grains.position(i) - middle), grains.velocity(i), grains.mass[i],
                                grains.mass[i] / settings_.density[static_cast<std::size_t>(grains.material[i])], 0, nullptr};
            if (settings_.stressed) {
                grain.volume = grains.volume[i];
                grain.stress = &grains.stress[6 * i];
            }
            averages_.add(grain);
        }
    }
    std::vector<double> finish(const Simulation&) override {
        std::vector<double> rows;
        const Lattice& lattice = settings_.lattice;
        for (std::size_t c = 0; c < lattice.count(); ++c) {
            const Vec3 x = lattice.centre(c), v = averages_.velocity(c);
            if (settings_.line) rows.push_back(dot(x - lattice.origin, lattice.axes[0]));
            else rows.insert(rows.end(), {x.x, x.y, x.z});
            rows.insert(rows.end(), {averages_.sums()[c].mass, averages_.volumeFraction(c), v.x, v.y, v.z});
            for (const double s : averages_.kineticStress(c)) rows.push_back(s);
            if (settings_.stressed)
                for (const double s : averages_.contactStress(c)) rows.push_back(s);
        }
        return rows;
    }

private:
    LatticeProbe settings_;
    LatticeAverages averages_;
};

}  // namespace

ProbePtr makeProbe(ProbeSetup setup, const LatticeProbe& settings) { return std::make_unique<Fields>(std::move(setup), settings); }

}  // namespace talus::world
