// SPDX-License-Identifier: Apache-2.0
// Speed of the nonsmooth method.
//   build/release/benchmarks/nonsmooth collapse|zb05|refine|frames|all|PROBLEM.bin
// collapse, zb05: the friction problem of a step of 40 x 10 x 20 and 100 x 100 x 50 cells, from no stress, to the authors' tolerance, early and
// later; refine: the same at h, h/2, h/4 in the plane of the slab; frames: milliseconds a step of each phase. A file holds, little endian, int64 n, m, nz;
// rowptr[n+1]; col[nz]; float64 H[nz][6][3]; w[6n]; mu[n]: find λ with γ = H Hᵀ λ + w in DP(μ). Its blocks are general (stress at smooth walls
// lacks shears), so it is solved here with the method's local law and a full 6x6 block, in the order of its nodes.
#include "geometry/operators.h"
#include "geometry/primitives.h"
#include "nonsmooth/nonsmooth.h"
#include "world/simulation.h"

#include "nonsmooth/cone.h"

#include <Eigen/Dense>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string_view>
#include <vector>

using namespace talus;

namespace {

/// The authors' collapse: 1.25 x 0.25 x 0.35 m, sand in the last 0.25 m along x.
world::World collapse() {
    world::World world;
    world.domain = {{0, 0, 0}, {1.25, 0.25, 0.35}, {}};
    world.materials = {world::Material{.name = "sand", .density = 2500, .packingFraction = 0.6, .muHat = 0.3184}, world::Material{.name = "glass"}};
    world.contacts.set(0, 1, {0, 0});
    world.bodies = world::domainFaces(world.domain);
    for (world::Body& body : world.bodies) {
        body.material = 1;
        if (body.name == "domain.z_min") body.contact = world::ContactMode::sticky;
    }
    const Vec3 low{1, 0, 0}, high{1.25, 0.25, 0.35};
    world.fills = {{std::make_shared<geometry::Placed>(std::make_shared<geometry::Box>(high - low), RigidTransform{{}, 0.5 * (low + high)}), 0, 0, {}}};
    return world;
}

/// Their column of Zhu and Bridson: a cylinder in a box of 100 x 100 x 50 cells with 5.1e5 points.
world::World cylinder() {
    world::World world;
    world.domain = {{0, 0, 0}, {1, 1, 0.5}, {}};
    world.materials = {world::Material{.name = "sand", .density = 2500, .packingFraction = 0.6, .muHat = 0.5}, world::Material{.name = "glass"}};
    world.contacts.set(0, 1, {0, 0});
    world.bodies = world::domainFaces(world.domain);
    for (world::Body& body : world.bodies) {
        body.material = 1;
        if (body.name == "domain.z_min") body.contact = world::ContactMode::sticky;
    }
    world.fills = {{std::make_shared<geometry::Placed>(std::make_shared<geometry::Cylinder>(0.17, 0.35), RigidTransform{{}, {0.5, 0.5, 0}}), 0, 0, {}}};
    return world;
}

struct Case {
    const char* name;
    world::World (*world)();
    Vec3 cells;
    std::int64_t perCell;
    double dt;                   // longest step, and that of the friction problem [s]
    double stressUnit;           // the authors' ρ g L*, of which their tolerance is 1e-3 [Pa]
};

nonsmooth::Settings settingsOf(const Case& c) {
    nonsmooth::Settings settings;
    settings.cells = c.cells;
    settings.pointsPerCell = c.perCell;
    settings.start = c.perCell == 8 ? mpm::Start::lattice : mpm::Start::jittered;
    settings.dt = c.dt;
    return settings;
}

double metric(const world::Method& method, std::string_view name) {
    for (const world::Metric& m : method.metrics())
        if (m.name == name) return m.value;
    return 0;
}

world::Simulation begin(const Case& c, const nonsmooth::Settings& settings, const Exec& exec) {
    world::World world = c.world();
    auto method = nonsmooth::info.create(settings, world, world::Precision::float64);
    world::Simulation run(std::move(world), std::move(method));
    run.fill(exec);
    return run;
}

void printPhases(const Exec& exec, double steps) {
    for (const char* phase : {"points to grid", "assembly", "viscosity", "friction", "volume", "grid to points", "sort"})
        std::printf("  %8.2f", 1e3 * (exec.phaseSeconds().count(phase) ? exec.phaseSeconds().find(phase)->second : 0.0) / steps);
}

/// Whole frames at the default tolerance.
void frames(const Case& c, double seconds, int threads) {
    const Exec exec(threads);
    world::Simulation run = begin(c, settingsOf(c), exec);
    if (run.advance(exec, seconds, [] { return true; }) != world::Reached::target) std::exit(1);
    const auto steps = static_cast<double>(run.steps());
    std::printf("%-14s %7d %6.0f", c.name, threads, steps);
    printPhases(exec, steps);
    std::printf("  %6.0f nodes, %3.0f sweeps, residual %.3g Pa, missed %.0f\n", metric(run.method(), "nodes"), metric(run.method(), "sweeps"), metric(run.method(), "residual_Pa"),
                run.method().fallbacks().front().value);
}

/// The friction problem of one step at `seconds`, from no stress, to the authors' tolerance.
void problem(const Case& c, double seconds, const std::vector<nonsmooth::StressBasis>& bases) {
    const Exec two(2);
    world::Simulation run = begin(c, settingsOf(c), two);
    if (seconds > 0 && run.advance(two, seconds, [] { return true; }) != world::Reached::target) std::exit(1);
    world::FieldTable now;
    run.method().read(two, std::vector<std::string_view>{"position", "velocity", "volume"}, now);
    auto list = std::make_shared<world::ListedGrains>();
    double top = 0;
    for (std::size_t i = 0; i < now.count(); ++i) {
        const auto vector = [&](std::string_view name) { return Vec3{now.reals(name)[3 * i], now.reals(name)[3 * i + 1], now.reals(name)[3 * i + 2]}; };
        list->positions.push_back(vector("position"));
        list->velocities.push_back(vector("velocity"));
        list->volumes.push_back(now.reals("volume")[i]);
        top = std::max(top, list->positions.back().z);
    }
    for (const auto basis : bases)
        for (const int threads : {1, 2}) {
            const Exec exec(threads);
            nonsmooth::Settings settings = settingsOf(c);
            settings.stressBasis = basis;
            settings.tolerance = 1e-3 * c.stressUnit / (1500 * 9.81 * top);
            settings.mostSweeps = 5000;
            world::World world = c.world();
            const auto method = nonsmooth::info.create(settings, world, world::Precision::float64);
            world::Fill fill{};
            fill.listed = list;
            method->insert(exec, world, fill);
            const world::StepReport report = method->step(exec, world, c.dt);
            std::printf("%-14s %5.2f s  %-9s %7d  %8.1f ms  %6.0f nodes, %4.0f sweeps, residual %.3g of %.3g Pa%s\n", c.name, seconds, nonsmooth::kStressBasisNames[static_cast<std::size_t>(basis)].data(), threads,
                        1e3 * exec.phaseSeconds().find("friction")->second, metric(*method, "nodes"), metric(*method, "sweeps"), metric(*method, "residual_Pa"), metric(*method, "tolerance_Pa"),
                        std::holds_alternative<world::Done>(report) ? "" : " (rejected)");
        }
}

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Block = Eigen::Matrix<double, 6, 3>;

struct Dumped {
    std::vector<std::int64_t> first, column;
    std::vector<Block> blocks;
    std::vector<Vector6> w;
    std::vector<double> mu;
    std::size_t nodes = 0;
};

Dumped load(const char* path) {
    std::ifstream file(path, std::ios::binary);
    std::int64_t sizes[3] = {};
    const auto get = [&](void* to, std::size_t bytes) { file.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes)); };
    get(sizes, sizeof sizes);
    Dumped d;
    const auto n = static_cast<std::size_t>(sizes[0]), nz = static_cast<std::size_t>(sizes[2]);
    if (!file || n > 100'000'000 || nz > 1'000'000'000) {
        std::fprintf(stderr, "%s: not a friction problem\n", path);
        std::exit(2);
    }
    d.nodes = static_cast<std::size_t>(sizes[1]);
    d.first.resize(n + 1);
    d.column.resize(nz);
    d.w.resize(n);
    d.mu.resize(n);
    get(d.first.data(), 8 * d.first.size());
    get(d.column.data(), 8 * nz);
    for (std::size_t k = 0; k < nz; ++k) {
        double h[18];
        get(h, sizeof h);
        d.blocks.push_back(Eigen::Map<const Eigen::Matrix<double, 6, 3, Eigen::RowMajor>>(h));
    }
    for (Vector6& w : d.w) get(w.data(), 48);
    get(d.mu.data(), 8 * n);
    return d;
}

/// The block of a site with itself, in axes in which Ŵ is diagonal.
struct Local {
    nonsmooth::LocalOperator<5> w;
    Eigen::Matrix<double, 5, 5> axes;
    double scale = 1;
};
Local localOf(const Dumped& d, std::size_t i) {
    Eigen::Matrix<double, 6, 6> w = Eigen::Matrix<double, 6, 6>::Zero();
    for (auto k = static_cast<std::size_t>(d.first[i]); k < static_cast<std::size_t>(d.first[i + 1]); ++k) w += d.blocks[k] * d.blocks[k].transpose();
    const double nn = std::max(w(0, 0), 1e-30);
    const Eigen::Matrix<double, 5, 1> c = w.block<5, 1>(1, 0);
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 5, 5>> eigen(w.block<5, 5>(1, 1) - c * c.transpose() / nn);
    Local local{{nn, {}, {}}, eigen.eigenvectors(), std::max(1.0, w.trace() / 6)};
    const Eigen::Matrix<double, 5, 1> turned = local.axes.transpose() * c;
    for (int k = 0; k < 5; ++k) {
        local.w.coupling[static_cast<std::size_t>(k)] = turned(k);
        local.w.reduced[static_cast<std::size_t>(k)] = std::max(eigen.eigenvalues()(k), 1e-10 * nn);   // shears that a wall takes away: no part
    }
    return local;
}

nonsmooth::Split<5> toLocal(const Local& local, const Vector6& v) {
    const Eigen::Matrix<double, 5, 1> t = local.axes.transpose() * v.tail<5>();
    return {v(0), {t(0), t(1), t(2), t(3), t(4)}};
}

void solveDumped(const char* path) {
    const Dumped d = load(path);
    std::vector<Local> locals;
    for (std::size_t i = 0; i < d.mu.size(); ++i) locals.push_back(localOf(d, i));
    std::vector<nonsmooth::Split<5>> force(d.mu.size());
    std::vector<Eigen::Vector3d> u(d.nodes, Eigen::Vector3d::Zero());
    const auto rate = [&](std::size_t i) {
        Vector6 y = d.w[i];
        for (auto k = static_cast<std::size_t>(d.first[i]); k < static_cast<std::size_t>(d.first[i + 1]); ++k) y += d.blocks[k] * u[static_cast<std::size_t>(d.column[k])];
        return toLocal(locals[i], y);
    };
    const auto start = std::chrono::steady_clock::now();
    double wanted = 1e-6;
    for (int sweep = 1; sweep <= 2000; ++sweep) {
        for (std::size_t i = 0; i < d.mu.size(); ++i) {
            nonsmooth::Split<5> b = rate(i);
            const nonsmooth::Split<5> own = locals[i].w.apply(force[i]);
            b.normal -= own.normal;
            for (std::size_t k = 0; k < 5; ++k) b.tangential[k] -= own.tangential[k];
            const nonsmooth::Split<5> r = nonsmooth::solveCone(locals[i].w, d.mu[i], b);
            Vector6 change;
            Eigen::Matrix<double, 5, 1> t;
            for (int k = 0; k < 5; ++k) t(k) = r.tangential[static_cast<std::size_t>(k)] - force[i].tangential[static_cast<std::size_t>(k)];
            change << r.normal - force[i].normal, locals[i].axes * t;
            force[i] = r;
            for (auto k = static_cast<std::size_t>(d.first[i]); k < static_cast<std::size_t>(d.first[i + 1]); ++k) u[static_cast<std::size_t>(d.column[k])] += d.blocks[k].transpose() * change;
        }
        if (sweep % 25 != 0) continue;
        double sum = 0;
        for (std::size_t i = 0; i < d.mu.size(); ++i) {
            nonsmooth::Split<5> r = force[i];
            r.normal *= locals[i].scale;
            for (double& t : r.tangential) t *= locals[i].scale;
            sum += nonsmooth::complementaritySquared(d.mu[i], r, rate(i));
        }
        const double mean = sum / static_cast<double>(d.mu.size());
        while (mean <= wanted && wanted > 1e-9) {
            std::printf("%s: %zu sites, mean square %.0e after %d sweeps, %.2f s (1 thread, general blocks)\n", path, d.mu.size(), wanted, sweep,
                        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
            wanted *= 1e-2;
        }
        if (wanted < 1e-8) return;
    }
    std::printf("%s: not solved in 2000 sweeps\n", path);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view what = argc > 1 ? argv[1] : "collapse";
    const auto both = std::vector{nonsmooth::StressBasis::constant, nonsmooth::StressBasis::trilinear};
    const Case coarse{"collapse", collapse, {40, 10, 20}, 8, 1.0 / 96, 1500 * 9.81 * 0.00625};
    const Case box{"zb05", cylinder, {100, 100, 50}, 16, 1.0 / 96, 1500 * 9.81 * 0.01};
    if (what == "collapse" || what == "all") {
        problem(coarse, 0, both);
        problem(coarse, 0.4, both);
    }
    if (what == "zb05" || what == "all") {
        problem(box, 0, {nonsmooth::StressBasis::constant});
        problem(box, 0.2, {nonsmooth::StressBasis::constant});
    }
    if (what == "refine" || what == "all")
        for (const int n : {1, 2, 4}) {
            Case finer = coarse;
            finer.cells = Vec3{40.0 * n, 10.0, 20.0 * n};
            finer.dt = coarse.dt / n;
            problem(finer, 0.1, {nonsmooth::StressBasis::constant});
        }
    if (what == "frames" || what == "all") {
        std::printf("ms a step      threads  steps       P2G  assembly viscosity  friction    volume       G2P      sort\n");
        for (const int threads : {1, 2}) frames(coarse, 0.5, threads);
        frames(box, 0.1, 2);
    }
    if (what.ends_with(".bin")) solveDumped(argv[1]);
}
