// SPDX-License-Identifier: Apache-2.0
// Speed of the explicit MPM, unless asked otherwise of a column of sand that falls.
//   build/release/benchmarks/elastoplastic [--scene SCENE]... [--points N]... [--steps N] [--warm N] [--precision float|double]... [--threads N]... [--kernel quadratic|cubic]... [--csv FILE]
//   build/release/benchmarks/elastoplastic --implicit SCENE [--points N] [--threads N] [--csv FILE]     SCENE: collapse or push
// elastoplastic_scenes.h says what the scenes are. --steps are measured, after --warm others, a quarter of them unless given.
// Prints million point-steps per second, nanoseconds per point-step of each phase (of all threads together), the memory per point at the
// peak, and beside each phase the time that its memory traffic and its arithmetic would take at the limits of this machine, which are
// measured in the same run. benchmarks/results/elastoplastic.csv is what it wrote, elastoplastic_scenes.csv for the other scenes.
// With --implicit: wall time per simulated second of sand of 35 MPa, explicit and implicit at several steps, with iterations;
// benchmarks/results/elastoplastic_implicit.csv is what it wrote.
#include "core/table.h"
#include "core/wide.h"
#include "elastoplastic/elastoplastic.h"
#include "elastoplastic_scenes.h"
#include "world/simulation.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

using namespace talus;

namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// What this machine can do, by all threads together.
struct Limits {
    double bytes = 0;   // a[i] = b[i] + s c[i] beyond the caches, reading the line that is written included [B/s]
    double flops = 0;   // eight-wide fused multiply-adds in float, two each [1/s]
};
Limits measureLimits(const Exec& exec) {
    Limits limits;
    constexpr std::size_t kSize = std::size_t{1} << 24, kBlock = std::size_t{1} << 15;   // three arrays of 64 MB
    AlignedVector<float> a(kSize, 1), b(kSize, 2), c(kSize, 3);
    constexpr int kRounds = 2000000, kChains = 10;
    for (int turn = 0; turn < 3; ++turn) {
        auto start = Clock::now();
        exec.forBlocks(kSize, kBlock, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; i += 8) mulAdd(Wide<float>(0.5f), Wide<float>::load(&c[i]), Wide<float>::load(&b[i])).store(&a[i]);
        });
        limits.bytes = std::max(limits.bytes, 4.0 * sizeof(float) * kSize / since(start));
        start = Clock::now();
        std::vector<float> kept(static_cast<std::size_t>(exec.threads()));
        exec.forTasks(kept.size(), [&](std::size_t task, int) {
            std::array<Wide<float>, kChains> sums;
            for (auto& sum : sums) sum = Wide<float>(a[task]);
            for (int i = 0; i < kRounds; ++i)
                for (auto& sum : sums) sum = mulAdd(sum, Wide<float>(0.999f), Wide<float>(1e-3f));
            for (const auto& sum : sums) kept[task] += sum.lane(0);
        });
        limits.flops = std::max(limits.flops, 2.0 * 8 * kChains * kRounds * exec.threads() / since(start));
        a[0] = kept[0];
    }
    return limits;
}

/// Numbers that a phase moves between memory and the caches and additions and multiplications that it does, per point of a full block
/// (512 points; 216 nodes of its tile and 64 of its own, 8 numbers each; a line that is written is read before).
struct Phase {
    const char* name;
    double numbers, flops;
};
constexpr double kTile = 216.0 * 8 / 512, kNodes = 64.0 * 8 / 512;
constexpr std::array kPhases{Phase{"points to grid", 23 + 2 * kTile, 790}, Phase{"grid", kTile + 2 * kNodes, 4}, Phase{"grid to points", 24 + 31 + 6 + kNodes, 1100},
                             Phase{"volumes", 0, 0}, Phase{"sort", 0, 0}};   // the last two: now and then

/// Peak memory of the process since the last call, or 0 where the system does not tell [B].
double peakMemory() {
    std::ifstream status("/proc/self/status");
    double bytes = 0;
    for (std::string line; std::getline(status, line);)
        if (line.rfind("VmHWM:", 0) == 0) bytes = 1024 * std::atof(line.c_str() + 6);
    std::ofstream("/proc/self/clear_refs") << "5";
    return bytes;
}

struct Run {
    std::string scene;
    double points;
    int steps, warm, threads;
    world::Precision precision;
    mpm::Kernel kernel;
};

void measure(const Run& run, const Limits& limits, std::FILE* csv) {
    const Exec exec(run.threads);
    auto [world, settings] = benchmark::makeScene(run.scene, run.points);
    settings.kernel = run.kernel;
    peakMemory();
    const double before = peakMemory();
    std::unique_ptr<world::Method> method = elastoplastic::info.create(settings, world, run.precision);
    for (const world::Fill& fill : world.fills) method->insert(exec, world, fill);
    const auto take = [&](int count) {
        for (int i = 0; i < count; ++i) {
            const double dt = method->stableStep(world);
            if (!std::holds_alternative<world::Done>(method->step(exec, world, dt))) std::exit(1);
            world.time += dt;
        }
    };
    take(run.warm);
    const auto phasesBefore = exec.phaseSeconds();
    const auto start = Clock::now();
    take(run.steps);
    const double seconds = since(start), count = static_cast<double>(method->count()), pointSteps = count * run.steps;
    const double bytes = (peakMemory() - before) / count;
    const bool single = run.precision == world::Precision::float32;
    const char* precision = single ? "float" : "double";
    const char* kernel = mpm::kKernelNames[static_cast<std::size_t>(run.kernel)].data();
    std::printf("\n%s, %.0f points, %d thread%s, %s, %s: %.2f million point-steps per second, %.0f bytes per point\n", run.scene.c_str(), count, run.threads, run.threads == 1 ? "" : "s", precision, kernel, pointSteps / seconds / 1e6, bytes);
    std::printf("  %-16s %10s %12s %12s\n", "phase", "ns·thread", "traffic", "arithmetic");
    if (csv) std::fprintf(csv, "%s,%.0f,%d,%s,%s,%.3f,%.0f", run.scene.c_str(), count, run.threads, precision, kernel, pointSteps / seconds / 1e6, bytes);
    for (const Phase& phase : kPhases) {
        const auto at = [&](const auto& phases) { return phases.count(phase.name) ? phases.find(phase.name)->second : 0.0; };
        const double spent = (at(exec.phaseSeconds()) - at(phasesBefore)) / pointSteps * 1e9 * run.threads;
        std::printf("  %-16s %10.1f", phase.name, spent);
        if (phase.flops > 0)
            std::printf(" %12.1f %12.1f", phase.numbers * (single ? 4 : 8) / limits.bytes * 1e9 * run.threads, phase.flops * (single ? 1 : 2) / limits.flops * 1e9 * run.threads);
        std::printf("\n");
        if (csv) std::fprintf(csv, ",%.2f", spent);
    }
    if (csv) std::fprintf(csv, ",%.2f,%.1f\n", limits.bytes / 1e9, limits.flops / 1e9);
    std::fflush(stdout);
}

/// Seconds of wall time per simulated second from `warm` to `until`, beside those of `reference` where it is given.
double measureStiff(const std::string& scene, double points, int threads, double step, double reference, std::FILE* csv) {
    const double warm = 0.02, until = 0.06;
    world::World world = benchmark::stiffScene(scene, points);
    elastoplastic::Settings settings;
    settings.youngsModulus = 35e6;
    settings.integration = step > 0 ? elastoplastic::Integration::implicit : elastoplastic::Integration::explicitly;
    settings.implicitStep = std::max(1.0, step);
    const Exec exec(threads);
    world::Simulation simulation(world, elastoplastic::info.create(settings, world, world::Precision::float32));
    simulation.fill(exec);
    const auto counts = [&] {
        std::array<double, 2> sums{};
        for (const world::Metric& m : simulation.method().metrics()) {
            if (m.name == "newton_iterations") sums[0] = m.value;
            if (m.name == "krylov_iterations") sums[1] = m.value;
        }
        return sums;
    };
    simulation.advance(exec, warm, [] { return true; });
    const std::array<double, 2> before = counts();
    const auto steps = static_cast<double>(simulation.steps());
    const auto start = Clock::now();
    simulation.advance(exec, until, [] { return true; });
    const double seconds = since(start) / (until - warm), taken = static_cast<double>(simulation.steps()) - steps;
    const std::array<double, 2> after = counts();
    const double newton = (after[0] - before[0]) / taken, krylov = (after[1] - before[1]) / taken, gain = reference > 0 ? reference / seconds : 1;
    std::printf("%s, %lld points, implicit_step %3.0f: %6.0f steps/s, %.2f Newton and %.1f Krylov iterations a step, %.1f s per simulated second: %.2f times as fast as explicit\n",
                scene.c_str(), static_cast<long long>(simulation.method().count()), step, taken / (until - warm), newton, krylov, seconds, gain);
    if (csv) std::fprintf(csv, "%s,%lld,%d,%g,%.0f,%.2f,%.1f,%.2f,%.3f\n", scene.c_str(), static_cast<long long>(simulation.method().count()), threads, step, taken / (until - warm), newton, krylov, seconds, gain);
    return seconds;
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<double> sizes;
    std::vector<int> threads;
    std::vector<world::Precision> precisions;
    std::vector<mpm::Kernel> kernels;
    std::vector<std::string> scenes, stiff;
    int steps = 60, warm = -1;
    std::FILE* csv = nullptr;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string option = argv[i], value = argv[i + 1];
        if (option == "--points") sizes.push_back(std::atof(value.c_str()));
        else if (option == "--steps") steps = std::max(4, std::atoi(value.c_str()));
        else if (option == "--warm") warm = std::max(0, std::atoi(value.c_str()));
        else if (option == "--scene" && std::ranges::count(benchmark::kSceneNames, value) > 0) scenes.push_back(value);
        else if (option == "--threads") threads.push_back(std::max(1, std::atoi(value.c_str())));
        else if (option == "--precision") precisions.push_back(value == "double" ? world::Precision::float64 : world::Precision::float32);
        else if (option == "--kernel") kernels.push_back(value == "cubic" ? mpm::Kernel::cubic : mpm::Kernel::quadratic);
        else if (option == "--implicit") stiff.push_back(value);
        else if (option == "--csv") csv = std::fopen(value.c_str(), "w");
        else {
            std::fprintf(stderr, "unknown option %s %s\n", option.c_str(), value.c_str());
            return 2;
        }
    }
    if (!stiff.empty()) {
        if (csv) std::fprintf(csv, "scene,points,threads,implicit_step,steps_per_s,newton_per_step,krylov_per_step,wall_s_per_s,gain\n");
        for (const std::string& scene : stiff) {
            const double points = sizes.empty() ? 2e4 : sizes.front();
            const int n = threads.empty() ? 2 : threads.front();
            const double reference = measureStiff(scene, points, n, 0, 0, csv);
            for (const double step : {3.0, 10.0, 30.0, 100.0}) measureStiff(scene, points, n, step, reference, csv);
        }
        if (csv) std::fclose(csv);
        return 0;
    }
    if (warm < 0) warm = steps / 4;
    if (scenes.empty()) scenes = {"column"};
    if (sizes.empty()) sizes = {1e6};
    if (threads.empty()) threads = {1, 2};
    if (precisions.empty()) precisions = {world::Precision::float32};
    if (kernels.empty()) kernels = {mpm::Kernel::quadratic};
    if (csv) std::fprintf(csv, "scene,points,threads,precision,kernel,million_point_steps_per_s,bytes_per_point,points_to_grid_ns,grid_ns,grid_to_points_ns,volumes_ns,sort_ns,bandwidth_GB_per_s,arithmetic_GFLOP_per_s\n");
    for (const int n : threads) {
        const Limits limits = measureLimits(Exec(n));
        std::printf("\n%d thread%s: %.1f GB/s, %.0f GFLOP/s\n", n, n == 1 ? "" : "s", limits.bytes / 1e9, limits.flops / 1e9);
        for (const std::string& scene : scenes)
            for (const double points : sizes)
                for (const world::Precision precision : precisions)
                    for (const mpm::Kernel kernel : kernels) measure({scene, points, steps, warm, n, precision, kernel}, limits, csv);
    }
    if (csv) std::fclose(csv);
}
