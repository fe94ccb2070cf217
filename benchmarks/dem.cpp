// SPDX-License-Identifier: Apache-2.0
// Speed of dem on scenes that other codes run too; benchmarks/dem.py runs both and compares.
//   build/release/benchmarks/dem SCENE STATE.csv [--steps 400] [--warm 0] [--threads 2] [--precision float|double] [--skin 0.1] [--copies 1] [--share 1]
//                                [--mesh STL] [--out FILE]
// SCENE: bed_spring, bed_capped, clumps, hourglass, hourglass_mesh. STATE: a row body,x,y,z,r[,vx,vy,vz,wx,wy,wz] per sphere, velocities being those
// of the body; `copies` of it stand side by side, or what is in a share of both its widths. The walls of hourglass are a cylinder and two cones, those of
// hourglass_mesh the surface in STL, which is open at the top. Prints M sphere-steps/s, the ns that phases take per sphere-step and thread, and
// bytes per sphere. FILE gets the centres of all spheres after the last step, in the order of STATE.
#include "core/archive.h"
#include "dem/grains.h"
#include "dem/dem.h"
#include "geometry/lathe.h"
#include "geometry/mesh_shape.h"
#include "geometry/operators.h"
#include "geometry/primitives.h"
#include "io/mesh_file.h"
#include "world/simulation.h"

#include <malloc.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

using namespace talus;

namespace {

constexpr double kRadius = 1e-3, kDensity = 2500, kStep = 1e-5, kBox = 0.08;   // [m], [kg/m³], [s], [m]

struct Options {
    std::string scene, state, mesh, out;
    int steps = 400, warm = 0, threads = 2, copies = 1;
    double skin = 0.1, share = 1;
    world::Precision precision = world::Precision::float32;

    bool bed() const { return scene == "bed_spring" || scene == "bed_capped"; }
};

[[noreturn]] void giveUp(const std::string& why) {
    std::fprintf(stderr, "benchmarks/dem: %s\n", why.c_str());
    std::exit(2);
}

Options readOptions(int argc, char** argv) {
    if (argc < 3) giveUp("give a scene and a state; see the head of benchmarks/dem.cpp");
    Options options;
    options.scene = argv[1];
    options.state = argv[2];
    for (int i = 3; i + 1 < argc; i += 2) {
        const std::string key = argv[i], value = argv[i + 1];
        if (key == "--steps") options.steps = std::stoi(value);
        else if (key == "--warm") options.warm = std::stoi(value);
        else if (key == "--threads") options.threads = std::stoi(value);
        else if (key == "--copies") options.copies = std::stoi(value);
        else if (key == "--skin") options.skin = std::stod(value);
        else if (key == "--share") options.share = std::stod(value);
        else if (key == "--mesh") options.mesh = value;
        else if (key == "--out") options.out = value;
        else if (key == "--precision") options.precision = value == "double" ? world::Precision::float64 : world::Precision::float32;
        else giveUp("unknown option " + key);
    }
    return options;
}

struct Body {
    std::vector<Vec3> spheres;
    Vec3 velocity, spin;
};

std::string readFile(const std::string& path) {
    std::ifstream file(path);
    if (!file) giveUp("cannot read " + path);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<Body> readState(const std::string& path, int copies, double share) {
    std::istringstream file(readFile(path));
    std::vector<Body> bodies;
    std::string line, last;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::array<double, 10> n{};
        const std::size_t comma = line.find(',');
        std::istringstream rest(line.substr(comma + 1));
        std::string cell;
        for (double& value : n)
            if (std::getline(rest, cell, ',')) value = std::strtod(cell.c_str(), nullptr);
        if (const std::string body = line.substr(0, comma); body != last) {
            bodies.push_back({{}, {n[4], n[5], n[6]}, {n[7], n[8], n[9]}});
            last = body;
        }
        bodies.back().spheres.push_back({n[0], n[1], n[2]});
    }
    if (share < 1) std::erase_if(bodies, [&](const Body& body) { return std::max(body.spheres.front().x, body.spheres.front().y) + kRadius > share * kBox; });
    const std::size_t once = bodies.size();
    for (int copy = 1; copy < copies; ++copy)
        for (std::size_t i = 0; i < once; ++i) {
            bodies.push_back(bodies[i]);
            for (Vec3& x : bodies.back().spheres) x.x += kBox * copy;
        }
    return bodies;
}

Vec3 centreOf(const Body& body) {
    Vec3 sum;
    for (const Vec3& x : body.spheres) sum += x;
    return sum / static_cast<double>(body.spheres.size());
}

Quat quaternion(const Mat3& r) {
    const std::array<double, 4> squares{1 + r(0, 0) + r(1, 1) + r(2, 2), 1 + r(0, 0) - r(1, 1) - r(2, 2), 1 - r(0, 0) + r(1, 1) - r(2, 2), 1 - r(0, 0) - r(1, 1) + r(2, 2)};
    const auto most = static_cast<std::size_t>(std::ranges::max_element(squares) - squares.begin());
    const double x = r(2, 1) - r(1, 2), y = r(0, 2) - r(2, 0), z = r(1, 0) - r(0, 1), xy = r(0, 1) + r(1, 0), xz = r(0, 2) + r(2, 0), yz = r(1, 2) + r(2, 1);
    const std::array<Quat, 4> candidates{Quat{squares[0], x, y, z}, Quat{x, squares[1], xy, xz}, Quat{y, xy, squares[2], yz}, Quat{z, xz, yz, squares[3]}};
    return candidates[most].normalizedQuat();
}

/// That takes the spheres of the template, corners of a regular tetrahedron or one alone, to those of the body: Σ body ⊗ template is a multiple of it.
Quat orientationOf(const Body& body, const dem::ClumpTemplate& shape) {
    if (shape.isSphere()) return {};
    Mat3 sum{};
    double size = 0;
    const Vec3 centre = centreOf(body);
    for (std::size_t s = 0; s < body.spheres.size(); ++s)
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) sum(i, j) += (body.spheres[s] - centre)[i] * shape.spheres[s].centre[j];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) size += sum(i, j) * sum(i, j);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) sum(i, j) *= std::sqrt(3 / size);
    return quaternion(sum);
}

dem::Settings settingsOf(const Options& options) {
    dem::Settings settings;
    if (!options.bed()) settings.templates = {{.shape = dem::Shape::tetra4, .spacing = 1, .spheres = {}}};
    settings.dampingRate = 1e8;
    settings.attraction = true;
    settings.shear = options.scene == "bed_spring" ? dem::Shear::spring : dem::Shear::capped;
    settings.shearGrowth = dem::ShearGrowth::contact;
    settings.shearDampingRate = options.scene == "bed_spring" ? 5e7 : 2e8;
    settings.contactFriction = 0.5;
    settings.rollingFriction = 0;
    settings.dt = kStep;
    settings.contactVelocity = dem::ContactVelocity::halfStep;
    settings.skin = options.skin;
    return settings;
}

constexpr double kGlass = 0.03, kNeck = 0.012, kFloor = -0.12;   // radii of the hourglass; height of its floor [m]

/// The mesh of the hourglass with its open top closed, and what is outside of it.
geometry::ShapePtr outsideOfMesh(const Exec& exec, const std::string& path) {
    geometry::Mesh mesh = io::parseMesh(readFile(path), io::MeshFormat::stl, 1, io::UpAxis::z);
    for (geometry::Triangle& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);   // its normals point to the grains
    std::vector<std::uint32_t> rim;
    for (std::uint32_t v = 0; v < mesh.vertices.size(); ++v)
        if (mesh.vertices[v].z > mesh.bounds().max.z - 1e-6) rim.push_back(v);
    std::ranges::sort(rim, {}, [&](std::uint32_t v) { return std::atan2(mesh.vertices[v].y, mesh.vertices[v].x); });
    const auto centre = static_cast<std::uint32_t>(mesh.vertices.size());
    mesh.vertices.push_back({0, 0, mesh.bounds().max.z});
    for (std::size_t k = 0; k < rim.size(); ++k) mesh.triangles.push_back({rim[k], rim[(k + 1) % rim.size()], centre});
    for (const std::string& fault : geometry::faults(mesh)) giveUp(path + ": " + fault);
    constexpr double kVoxel = 5e-4;
    const auto inside = std::make_shared<geometry::MeshShape>(exec, std::make_shared<geometry::Mesh>(std::move(mesh)), kVoxel);
    return std::make_shared<geometry::Difference>(std::make_shared<geometry::Box>(Vec3{0.2, 0.2, 0.6}), std::vector<geometry::ShapePtr>{inside});
}

/// Cylinder, cones and floor are bodies of their own: a sphere in the corner between two of them meets both.
std::vector<geometry::ShapePtr> glass(const Exec& exec, const Options& options) {
    if (options.scene == "hourglass_mesh") return {outsideOfMesh(exec, options.mesh)};
    const auto outside = [](const geometry::Profile& profile) -> geometry::ShapePtr {
        return std::make_shared<geometry::Difference>(std::make_shared<geometry::Box>(Vec3{0.3, 0.3, 0.6}), std::vector<geometry::ShapePtr>{std::make_shared<geometry::Lathe>(profile)});
    };
    constexpr double kFar = 0.28, kBeyond = kNeck + kFar;
    return {outside({{kGlass, -kFar}, {kGlass, kFar}}), outside({{kBeyond, -kFar}, {kNeck, 0}, {kBeyond, kFar}}), std::make_shared<geometry::Plane>(Vec3{0, 0, 1}, Vec3{0, 0, kFloor})};
}

world::World worldOf(const Exec& exec, const Options& options, const std::vector<Body>& bodies, double diameter) {
    world::World world;
    const double width = kBox * options.copies * options.share;
    world.materials = {world::Material{.name = "grain", .density = kDensity}};
    world.resolution.size = diameter;
    if (options.bed()) {
        world.domain = {{0, 0, 0}, {width, kBox * options.share, 1}, {}};
        world.domain.faces[5] = world::FaceType::open;
    } else {
        world.domain = {{-1, -1, options.scene == "clumps" ? 0.0 : -1.0}, {1 + width, 1, 1}, {}};
        world.domain.faces.fill(world::FaceType::open);
        if (options.scene == "clumps") world.domain.faces[4] = world::FaceType::wall;
    }
    world.bodies = world::domainFaces(world.domain);
    if (!options.bed() && options.scene != "clumps")
        for (const geometry::ShapePtr& shape : glass(exec, options)) world.bodies.push_back({.name = "glass", .shape = shape, .motion = world::Motion{}, .load = {}});
    auto list = std::make_shared<world::ListedGrains>();
    for (const Body& body : bodies) {
        list->positions.push_back(centreOf(body));
        list->velocities.push_back(body.velocity);
        list->volumes.push_back(std::numbers::pi / 6 * diameter * diameter * diameter / world.materials[0].packingFraction);
    }
    world.fills = {{.region = {}, .material = 0, .source = 0, .velocity = {}, .listed = list}};
    return world;
}

/// Turns and spins of a state, which a fill has no place for.
void turn(const Exec& exec, world::Method& method, const std::vector<Body>& bodies, const dem::ClumpTemplate& shape, double diameter) {
    MemoryArchive archive;
    method.save(archive);
    std::vector<double> orientations, spins;
    const double inertia = shape.inertia.x * diameter * diameter * kDensity * std::numbers::pi / 6 * diameter * diameter * diameter;
    for (const Body& body : bodies) {
        const Quat q = orientationOf(body, shape);
        const Vec3 spin = inertia * body.spin;
        orientations.insert(orientations.end(), {q.w, q.x, q.y, q.z});
        spins.insert(spins.end(), {spin.x, spin.y, spin.z});
    }
    {
        const auto group = archive.group("grains");
        archive.put("orientation", orientations);
        archive.put("angular_momentum", spins);
    }
    method.load(exec, archive);
}

void writeCentres(const std::string& path, const world::Method& method, const dem::ClumpTemplate& shape, double diameter) {
    world::FieldTable table;
    const std::array<std::string_view, 4> names{"id", "position", "orientation", "orientation_w"};
    method.read(Exec(1), names, table);
    std::vector<std::size_t> byId(table.count());
    const std::int64_t first = *std::ranges::min_element(table.integers("id"));
    for (std::size_t i = 0; i < byId.size(); ++i) byId[static_cast<std::size_t>(table.integers("id")[i] - first)] = i;
    std::ofstream file(path);
    std::vector<Vec3> centres(shape.spheres.size());
    for (const std::size_t i : byId) {
        const auto x = table.reals("position").subspan(3 * i, 3), q = table.reals("orientation").subspan(3 * i, 3);
        dem::placeSpheres(shape, diameter, {x[0], x[1], x[2]}, {table.reals("orientation_w")[i], q[0], q[1], q[2]}, centres.data());
        char line[96];
        for (const Vec3& c : centres) {
            std::snprintf(line, sizeof line, "%.15g,%.15g,%.15g\n", c.x, c.y, c.z);
            file << line;
        }
    }
}

/// A line of the table that the system keeps of this process [bytes].
double statusBytes(std::string_view name) {
    malloc_trim(0);
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(name)) return 1024 * std::stod(line.substr(name.size() + 1));
    return 0;
}
/// Memory of its own that is resident: addresses that were reserved and never touched, and code, do not count.
double memoryInUse() { return statusBytes("RssAnon"); }
/// The most since forgetPeak(), beyond what there is now.
double memoryMore() { return statusBytes("VmHWM") - statusBytes("VmRSS"); }
void forgetPeak() { std::ofstream("/proc/self/clear_refs") << 5; }

void run(const Exec& exec, world::World& world, world::Method& method, int steps) {
    for (int i = 0; i < steps; ++i) {
        if (!std::holds_alternative<world::Done>(method.step(exec, world, kStep))) giveUp("step " + std::to_string(i) + " was not done");
        world.time += kStep;
    }
}

}  // namespace

int main(int argc, char** argv) {
    const Options options = readOptions(argc, argv);
    const std::vector<Body> bodies = readState(options.state, options.copies, options.share);
    dem::Settings settings = settingsOf(options);
    const dem::ClumpTemplate shape = dem::makeTemplates(settings).front();
    const double diameter = kRadius / shape.spheres.front().radius, spheres = static_cast<double>(bodies.size() * shape.spheres.size());
    settings.skin *= 2 * kRadius / diameter;   // over the diameter of a sphere, as the peers have it
    const Exec exec(options.threads);
    world::World world = worldOf(exec, options, bodies, diameter);
    const double memoryBefore = memoryInUse();
    const auto method = dem::info.create(settings, world, options.precision);
    method->insert(exec, world, world.fills.front());
    turn(exec, *method, bodies, shape, diameter);
    malloc_trim(0);
    forgetPeak();
    run(exec, world, *method, std::max(1, options.warm));   // the first step builds the list

    const auto before = exec.phaseSeconds();
    const auto start = std::chrono::steady_clock::now();
    run(exec, world, *method, options.steps - (options.warm == 0));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const double sphereSteps = spheres * (options.steps - (options.warm == 0));
    std::printf("%s spheres %.0f threads %d %s M_sphere_steps/s %.2f bytes/sphere %.0f while_building +%.0f", options.scene.c_str(), spheres, options.threads,
                options.precision == world::Precision::float32 ? "float" : "double", sphereSteps / seconds / 1e6, (memoryInUse() - memoryBefore) / spheres, memoryMore() / spheres);
    for (const auto& [phase, spent] : exec.phaseSeconds()) {
        const auto earlier = before.find(phase);
        std::printf(" | %s %.1f ns", phase.c_str(), (spent - (earlier == before.end() ? 0 : earlier->second)) / sphereSteps * 1e9 * options.threads);
    }
    for (const world::Metric& metric : method->metrics()) std::printf(" | %s %g", std::string(metric.name).c_str(), metric.value);
    std::printf("\n");
    if (!options.out.empty()) writeCentres(options.out, *method, shape, diameter);
}
