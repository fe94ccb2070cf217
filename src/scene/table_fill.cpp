// SPDX-License-Identifier: Apache-2.0
#include "scene/table_fill.h"

#include "io/grain_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::scene {
namespace {

constexpr double kDegree = std::numbers::pi / 180;   // [rad]

Vec3 vectorAt(const io::GrainColumn& column, std::size_t i) { return {column.values[3 * i], column.values[3 * i + 1], column.values[3 * i + 2]}; }

/// R σ Rᵀ
std::array<double, 6> turned(const Mat3& r, const double* s) {
    const Mat3 sigma{{s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2]}};
    const Mat3 t = r * sigma * transpose(r);
    return {t(0, 0), t(1, 1), t(2, 2), t(0, 1), t(1, 2), t(0, 2)};
}

class TableLoader {
public:
    TableLoader(const SceneDescription& scene, const FillDescription& fill, std::string path, Problems& problems)
        : scene_(scene), fill_(fill), path_(std::move(path)), problems_(problems), rotation_(Quat::fromFixedAxes(kDegree * fill.rotationDeg)) {}

    std::shared_ptr<const world::ListedGrains> load(const std::string& bytes, bool stateFollows) {
        io::GrainColumns table;
        try {
            table = io::parseGrains(bytes, *fill_.table);
        } catch (const io::TableFault& fault) {
            return refuse(fmt::format("cannot read '{}': {}", *fill_.table, fault.what()));
        }
        const io::GrainColumn* position = column(table, "position", 3);
        if (!position) return refuse(fmt::format("'{}' has no columns x, y, z of the position", *fill_.table));
        const io::GrainColumn *velocity = column(table, "velocity", 3), *stress = column(table, "stress", 6), *material = column(table, "material", 1);
        const io::GrainColumn *slope = column(table, "friction_angle", 1), *angle = column(table, "friction_angle_deg", 1);
        const io::GrainColumn *turn = column(table, "orientation", 3), *turnScalar = column(table, "orientation_w", 1), *spin = column(table, "angular_velocity", 3), *shape = column(table, "template", 1);
        if (slope && angle) return refuse(fmt::format("'{}' has both friction_angle and friction_angle_deg; keep one of them", *fill_.table));
        if (fill_.material.empty() && !material) return refuse(fmt::format("'{}' has no column 'material'; give the material of all its grains: material = \"NAME\"", *fill_.table));
        auto grains = std::make_shared<world::ListedGrains>();
        grains->keepClear = true;
        grains->standIn = stateFollows;
        std::size_t outside = 0;
        for (std::size_t i = 0; i < table.count; ++i) {
            const Vec3 x = fill_.position + rotation_.rotate(fill_.scale * vectorAt(*position, i));
            if (!inDomain(x)) {
                ++outside;
                continue;
            }
            const std::optional<int> m = materialOf(material, i);
            if (!m) return refuse(fmt::format("grain {} of '{}' is of material {}, and the scene has {}; give material = \"NAME\" for all of them", i, *fill_.table,
                                              material->values[i], scene_.materials.size()));
            grains->positions.push_back(x);
            grains->velocities.push_back(fill_.velocity + (velocity ? rotation_.rotate(vectorAt(*velocity, i)) : Vec3{}));
            grains->materials.push_back(*m);
            if (stress) grains->stresses.push_back(turned(rotation_.matrix(), &stress->values[6 * i]));
            if (turn && turnScalar) {
                const Vec3 q = vectorAt(*turn, i);
                const Quat orientation{turnScalar->values[i], q.x, q.y, q.z};
                if (!(std::abs(orientation.w * orientation.w + normSquared(q) - 1) < 0.01)) return refuse(fmt::format("grain {} of '{}' has an orientation that is no unit quaternion", i, *fill_.table));
                grains->orientations.push_back((rotation_ * orientation).normalizedQuat());
                grains->spins.push_back(spin ? rotation_.rotate(vectorAt(*spin, i)) : Vec3{});
            }
            if (shape) grains->shapes.push_back(static_cast<int>(std::clamp(shape->values[i], -1.0, 127.0)));
            if (slope || angle) {
                const io::GrainColumn& given = slope ? *slope : *angle;
                const double degrees = given.values[i];
                if (!(degrees >= 0 && degrees < 90)) return refuse(fmt::format("grain {} of '{}' has {} = {:g}; it must be at least 0 and below 90 degrees", i, *fill_.table, given.name, degrees));
                grains->muHats.push_back(world::muHatFromAngle(degrees, slope ? world::FrictionMatch::tan : scene_.materials[static_cast<std::size_t>(*m)].match));
            }
            if (const std::optional<double> volume = packedVolume(table, i, scene_.materials[static_cast<std::size_t>(*m)])) {
                if (!(*volume > 0)) return refuse(fmt::format("grain {} of '{}' has no mass, volume or radius greater than 0", i, *fill_.table));
                grains->volumes.push_back(*volume);
            }
        }
        if (grains->positions.empty()) return refuse(fmt::format("'{}' has no grain inside the domain", *fill_.table));
        if (outside > 0) problems_.warn(path_, fmt::format("{} of its {} grains lie outside the domain and are left out", outside, table.count));
        return grains;
    }

private:
    std::shared_ptr<const world::ListedGrains> refuse(std::string message) {
        problems_.error(path_, std::move(message));
        return nullptr;
    }
    static const io::GrainColumn* column(const io::GrainColumns& table, std::string_view name, std::size_t components) {
        const io::GrainColumn* found = table.find(name);
        return found && found->components == components ? found : nullptr;
    }
    bool inDomain(const Vec3& x) const {
        for (int axis = 0; axis < 3; ++axis)
            if (!(x[axis] >= scene_.domain.min[axis] && x[axis] <= scene_.domain.max[axis])) return false;
        return true;
    }
    std::optional<int> materialOf(const io::GrainColumn* column, std::size_t i) const {
        if (!fill_.material.empty()) return static_cast<int>(std::ranges::find(scene_.materials, fill_.material, &MaterialDescription::name) - scene_.materials.begin());
        const double index = column->values[i];
        if (!(index >= 0 && index < static_cast<double>(scene_.materials.size()) && index == std::floor(index))) return {};
        return static_cast<int>(index);
    }
    /// Mass over bulk density; else the volume, or that of a sphere with the pores that belong to it.
    std::optional<double> packedVolume(const io::GrainColumns& table, std::size_t i, const MaterialDescription& m) const {
        const double cube = fill_.scale * fill_.scale * fill_.scale;
        if (const io::GrainColumn* mass = column(table, "mass", 1)) return mass->values[i] / (*m.density * *m.packingFraction);
        if (const io::GrainColumn* volume = column(table, "volume", 1)) return cube * volume->values[i];
        if (const io::GrainColumn* radius = column(table, "radius", 1)) return cube * 4 * std::numbers::pi / 3 * std::pow(radius->values[i], 3) / *m.packingFraction;
        return {};
    }

    const SceneDescription& scene_;
    const FillDescription& fill_;
    std::string path_;
    Problems& problems_;
    Quat rotation_;
};

/// Coordinates of the lattice along an axis: equally spaced, each once.
struct Ticks {
    double first = 0, spacing = 1;
    int count = 1;
    bool equal = true;
};
Ticks ticksOf(const io::GrainColumn& position, int axis) {
    std::vector<double> all;
    for (std::size_t i = static_cast<std::size_t>(axis); i < position.values.size(); i += 3) all.push_back(position.values[i]);
    std::ranges::sort(all);
    const double slack = 1e-6 * (all.back() - all.front());
    std::vector<double> ticks{all.front()};
    for (const double x : all)
        if (x > ticks.back() + slack) ticks.push_back(x);
    Ticks t{ticks.front(), 1, static_cast<int>(ticks.size()), true};
    if (t.count > 1) t.spacing = (ticks.back() - ticks.front()) / (t.count - 1);
    for (std::size_t k = 0; k < ticks.size(); ++k) t.equal &= std::abs(ticks[k] - (t.first + static_cast<double>(k) * t.spacing)) <= 1e-3 * t.spacing;
    return t;
}

/// The lattice of a table of points with a vector each; what is wrong is thrown as a TableFault.
world::LatticeField latticeOf(const io::GrainColumns& table) {
    const io::GrainColumn *position = table.find("position"), *velocity = table.find("velocity"), *acceleration = table.find("acceleration");
    if (!position || position->components != 3 || table.count == 0) throw io::TableFault("it has no rows with x, y, z");
    if ((velocity == nullptr) == (acceleration == nullptr)) throw io::TableFault("it needs either velocity_x, velocity_y, velocity_z or acceleration_x, acceleration_y, acceleration_z");
    const io::GrainColumn& vectors = velocity ? *velocity : *acceleration;
    world::LatticeField lattice;
    lattice.acceleration = acceleration != nullptr;
    double points = 1;
    for (int axis = 0; axis < 3; ++axis) {
        const Ticks t = ticksOf(*position, axis);
        if (!t.equal) throw io::TableFault(fmt::format("its points are not equally spaced along {}", "xyz"[axis]));
        lattice.origin[axis] = t.first;
        lattice.spacing[axis] = t.spacing;
        lattice.points[axis] = t.count;
        points *= t.count;
    }
    if (points != static_cast<double>(table.count))
        throw io::TableFault(fmt::format("its {} points do not make a lattice of {} x {} x {}", table.count, lattice.points.x, lattice.points.y, lattice.points.z));
    lattice.values.resize(table.count);
    std::vector<bool> set(table.count, false);
    for (std::size_t i = 0; i < table.count; ++i) {
        std::size_t at = 0;
        for (int axis = 2; axis >= 0; --axis)
            at = at * static_cast<std::size_t>(lattice.points[axis]) + static_cast<std::size_t>(std::lround((position->values[3 * i + static_cast<std::size_t>(axis)] - lattice.origin[axis]) / lattice.spacing[axis]));
        if (set[at]) throw io::TableFault("a point of its lattice is there twice");
        set[at] = true;
        lattice.values[at] = vectorAt(vectors, i);
    }
    return lattice;
}

void loadField(FieldDescription& field, AssetLoader& assets, const std::string& path, Problems& problems) {
    try {
        if (!field.file.ends_with(".csv")) throw io::TableFault("its name should end in .csv");
        if (const std::string* text = assets.read(field.file, path, problems)) field.lattice = latticeOf(io::parseGrainCsv(*text));
    } catch (const io::TableFault& fault) {
        problems.error(path, fmt::format("cannot read '{}': {}", field.file, fault.what()));
    }
}

}  // namespace

void loadTables(SceneDescription& scene, AssetLoader& assets, bool stateFollows, WellRead wellRead, Problems& problems) {
    for (std::size_t i = 0; i < scene.grains.size(); ++i) {
        FillDescription& fill = scene.grains[i];
        const std::string path = fmt::format("grains[{}]", i);
        if (!fill.table || !wellRead(path) || !wellRead("domain") || !wellRead("materials")) continue;
        const bool named = fill.material.empty() || std::ranges::find(scene.materials, fill.material, &MaterialDescription::name) != scene.materials.end();
        if (!named) continue;   // check() says so
        if (!io::isGrainTable(*fill.table)) {
            problems.error(path + ".table", fmt::format("cannot read '{}': its name should end in .csv, .npz or .vtp", *fill.table));
            continue;
        }
        if (const std::string* bytes = assets.read(*fill.table, path + ".table", problems)) fill.listed = TableLoader(scene, fill, path + ".table", problems).load(*bytes, stateFollows);
    }
    for (std::size_t i = 0; i < scene.forces.size(); ++i) {
        const std::string path = fmt::format("forces[{}].file", i);
        if (auto* field = std::get_if<FieldDescription>(&scene.forces[i].kind); field && wellRead(path)) loadField(*field, assets, path, problems);
    }
}

}  // namespace talus::scene
