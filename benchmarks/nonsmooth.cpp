// SPDX-License-Identifier: Apache-2.0
// Speed of the nonsmooth method, on the scenes of the authors and at their tolerance.
//   build/release/benchmarks/nonsmooth problems|frames|refine|profile|memory|dump DIR|PROBLEM.bin [--csv FILE] [--scene NAME] [--threads N]
// problems: friction problems of `column` and `zb05`, from no stress; frames: seconds a frame of `column`, `wheel`, `zb05`, `silo` by phase; refine:
// sweeps at h, h/2, h/4; profile: all solvers on problems of the scenes, warm and cold [Dolan2002]; memory: bytes a node; dump: problems as
// files (friction_problems.h). The authors' tolerance is a mean square of 1e-6 in units of ρ g L*, ρ that of the bulk, L* the shortest
// side of their box over the most cells along one; their measure leaves rates as they are where ours divides them by the
// size of W, which is below 1 in those units: ours is at least as strict.
#include "friction_problems.h"

#include "nonsmooth/method.h"
#include "scene/scene.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <malloc.h>
#include <memory>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace talus;

namespace {

struct Case {
    const char *name, *scene, *variant;
    double length;                     // L* [m]
    double height;                     // of the grains at the start [m]
    double longestStep = 1;            // as theirs: by speeds alone [s]
    std::vector<std::string> sets = {};
};

const std::vector<Case> kCases{
    {"column", "column", "daviet", 0.25 / 40, 0.35},
    {"wheel", "wheel", "daviet", 0.3 / 42, 0.15, 1.0 / 192},
    {"zb05", "zb05", "paper", 0.5 / 100, 0.5},
    {"silo", "silo", "daviet", 0.05 / 72, 0.05},
};
const Case& caseOf(std::string_view name) {
    for (const Case& c : kCases)
        if (name == c.name) return c;
    std::fprintf(stderr, "no case '%.*s'\n", static_cast<int>(name.size()), name.data());
    std::exit(2);
}

struct Output {
    std::ofstream csv;
    void row(const std::string& text) {
        std::printf("%s\n", text.c_str());
        std::fflush(stdout);
        if (csv) csv << text << '\n' << std::flush;
    }
};

struct Run {
    scene::Scene scene;
    world::Simulation simulation;
    nonsmooth::NonsmoothMethod* method;   // of the simulation
};

/// The scene with the authors' tolerance; ρ g L of the default is that of grains `height` high.
Run begin(const Case& c, const Exec& exec, std::vector<std::string> sets = {}) {
    sets.insert(sets.begin(), c.sets.begin(), c.sets.end());
    sets.push_back("nonsmooth.hourglass_friction=false");   // theirs has none
    sets.push_back("nonsmooth.dt=" + std::to_string(c.longestStep));
    sets.push_back("nonsmooth.tolerance=" + std::to_string(1e-3 * c.length / c.height));
    scene::Scene scene = scene::read({.scene = c.scene, .method = {}, .variant = c.variant, .precision = {}, .sets = sets}, scene::builtInMethods());
    world::World world = scene.buildWorld();
    auto method = scene.createMethod(world);
    auto* watched = dynamic_cast<nonsmooth::NonsmoothMethod*>(method.get());
    if (!watched) std::exit(2);
    world::Simulation simulation(std::move(world), std::move(method));
    simulation.fill(exec);
    return {std::move(scene), std::move(simulation), watched};
}

double metric(const world::Method& method, std::string_view name) {
    for (const world::Metric& m : method.metrics())
        if (m.name == name) return m.value;
    return 0;
}

/// A problem as a step met it.
struct Problem {
    std::string name;
    nonsmooth::FrictionProblem problem;
    nonsmooth::BodyContacts bodies;
    double tolerance = 0;              // [Pa s]
    bool single = false;
};

/// The problem of the step that begins at `seconds`.
Problem problemAt(const Case& c, double seconds, const Exec& exec) {
    Run run = begin(c, exec);
    const auto on = [] { return true; };
    if (seconds > 0 && run.simulation.advance(exec, seconds, on) != world::Reached::target) std::exit(1);
    Problem found;
    run.method->watchProblems([&](const nonsmooth::FrictionProblem& problem, const nonsmooth::BodyContacts& bodies, double tolerance) {
        if (found.problem.sites() == 0) found = {c.name + std::string(" ") + std::to_string(seconds).substr(0, 4), problem, bodies, tolerance, true};
    });
    if (run.simulation.advance(exec, seconds + 0.5 / run.scene.framesPerSecond(), on) != world::Reached::target) std::exit(1);
    return found;
}

void forget(Problem& p) {
    std::ranges::fill(p.problem.stress, nonsmooth::SymTensor{});
    for (std::size_t i = 0; i < p.bodies.places(); ++i) p.bodies.setImpulse(i, {});
}

struct Solved {
    double seconds = 0;
    nonsmooth::SolveReport report;
};
Solved solve(const Problem& given, nonsmooth::Solver solver, const Exec& exec, int mostSweeps, int repeats = 1) {
    Solved best;
    for (int i = 0; i < repeats; ++i) {
        Problem p = given;
        const auto with = nonsmooth::makeSolver(solver);
        const auto start = std::chrono::steady_clock::now();
        const nonsmooth::SolveReport report = with->solve(exec, p.problem, &p.bodies, {.tolerance = p.tolerance, .mostSweeps = mostSweeps, .single = p.single});
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (i == 0 || seconds < best.seconds) best = {seconds, report};
    }
    return best;
}

std::string text(const char* format, auto... values) {
    char line[512];
    std::snprintf(line, sizeof line, format, values...);
    return line;
}

void problems(Output& out, const std::vector<std::string>& names) {
    struct Wanted {
        const char* name;
        double seconds, gate;
    };
    out.row("problem,gate_s,sites,nodes,threads,seconds,sweeps,residual_over_tolerance");
    const Exec two(2);
    for (const Wanted& w : {Wanted{"column", 0, 0.06}, Wanted{"column", 0.4, 0.06}, Wanted{"zb05", 0, 0.7}, Wanted{"zb05", 0.1, 1.2}}) {
        if (!names.empty() && std::ranges::find(names, w.name) == names.end()) continue;
        Problem p = problemAt(caseOf(w.name), w.seconds, two);
        forget(p);
        for (const int threads : {1, 2}) {
            const Exec exec(threads);
            const Solved s = solve(p, nonsmooth::Solver::gaussSeidel, exec, 5000, 3);
            out.row(text("%s,%g,%zu,%zu,%d,%.4f,%d,%.3f", p.name.c_str(), w.gate, p.problem.sites(), p.problem.nodes.size(), threads, s.seconds, s.report.sweeps, s.report.residual / p.tolerance));
        }
    }
}

void frames(Output& out, const std::vector<std::string>& names, int threads) {
    struct Wanted {
        const char* name;
        double gate;
        int skipped, frames;           // before the clock starts, and timed
    };
    out.row("scene,gate_s,points,nodes,threads,frames,steps,seconds_a_frame,points_to_grid,assembly,viscosity,friction,volume,grid_to_points,sort,sweeps_a_step,missed");
    for (const Wanted& w : {Wanted{"column", 0, 10, 40}, Wanted{"wheel", 1.4, 30, 20}, Wanted{"zb05", 2.7, 6, 8}, Wanted{"silo", 18, 4, 2}}) {
        if (!names.empty() && std::ranges::find(names, w.name) == names.end()) continue;
        const auto exec = std::make_unique<Exec>(threads);
        Run run = begin(caseOf(w.name), *exec);
        const double fps = run.scene.framesPerSecond();
        const auto on = [] { return true; };
        if (run.simulation.advance(*exec, w.skipped / fps, on) != world::Reached::target) std::exit(1);
        const auto before = exec->phaseSeconds();
        const auto stepsBefore = run.simulation.steps();
        double sweeps = 0;
        const auto start = std::chrono::steady_clock::now();
        if (run.simulation.advance(*exec, (w.skipped + w.frames) / fps, [&] {
                sweeps += metric(run.simulation.method(), "sweeps");
                return true;
            }) != world::Reached::target)
            std::exit(1);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        const double steps = static_cast<double>(run.simulation.steps() - stepsBefore);
        std::string line = text("%s,%g,%lld,%.0f,%d,%d,%.0f,%.3f", w.name, w.gate, static_cast<long long>(run.simulation.method().count()), metric(run.simulation.method(), "nodes"), threads, w.frames, steps,
                                seconds / w.frames);
        for (const char* phase : {"points to grid", "assembly", "viscosity", "friction", "volume", "grid to points", "sort"}) {
            const auto at = [&](const auto& phases) { return phases.count(phase) ? phases.find(phase)->second : 0.0; };
            line += text(",%.4f", (at(exec->phaseSeconds()) - at(before)) / w.frames);
        }
        line += text(",%.1f,%.0f", sweeps / std::max(steps, 1.0), run.simulation.method().fallbacks().front().value);
        out.row(line);
    }
}

void refine(Output& out) {
    out.row("cells,seconds,sites,start,sweeps,solve_s");
    const Exec exec(2);
    for (const int n : {1, 2, 4}) {
        Case c = caseOf("column");
        c.sets = {"nonsmooth.cells=[" + std::to_string(40 * n) + ",10," + std::to_string(20 * n) + "]"};
        Problem p = problemAt(c, 0.1, exec);
        for (const char* start : {"warm", "cold"}) {
            if (start[0] == 'c') forget(p);
            const Solved s = solve(p, nonsmooth::Solver::gaussSeidel, exec, 5000);
            out.row(text("%dx10x%d,0.1,%zu,%s,%d,%.3f", 40 * n, 20 * n, p.problem.sites(), start, s.report.sweeps, s.seconds));
        }
    }
}

/// The set of problems that solvers are compared on.
std::vector<Problem> problemSet(const Exec& exec) {
    std::vector<Problem> set;
    const auto add = [&](const char* name, std::initializer_list<double> times, std::vector<std::string> sets) {
        Case c = caseOf(name);
        c.sets = std::move(sets);
        for (const double t : times) set.push_back(problemAt(c, t, exec));
    };
    add("column", {0, 0.05, 0.2, 0.4, 0.7, 1.2}, {});
    add("wheel", {0.05, 0.15, 0.3}, {"nonsmooth.cells=[28,16,16]"});
    add("zb05", {0, 0.05, 0.2, 0.5}, {"nonsmooth.cells=[50,50,25]", "nonsmooth.points_per_cell=8"});
    add("silo", {0.01, 0.1, 0.3}, {"nonsmooth.cells=[18,18,24]", "nonsmooth.points_per_cell=8"});
    return set;
}

/// Part of the problems that a solver solves within a multiple of the time of the fastest [Dolan2002].
void profile(Output& out) {
    constexpr int kMostSweeps = 1500;
    const Exec exec(2);
    std::vector<Problem> set = problemSet(exec);
    std::vector<std::vector<double>> ratios(nonsmooth::kSolverNames.size());
    out.row("problem,sites,start,solver,seconds,sweeps,solved");
    for (Problem& p : set)
        for (const char* start : {"warm", "cold"}) {
            if (start[0] == 'c') forget(p);
            std::vector<double> seconds;
            for (std::size_t k = 0; k < nonsmooth::kSolverNames.size(); ++k) {
                const Solved s = solve(p, static_cast<nonsmooth::Solver>(k), exec, kMostSweeps);
                seconds.push_back(s.report.converged ? s.seconds : 1e300);
                out.row(text("%s,%zu,%s,%s,%.4f,%d,%d", p.name.c_str(), p.problem.sites(), start, nonsmooth::kSolverNames[k].data(), s.seconds, s.report.sweeps, s.report.converged ? 1 : 0));
            }
            const double best = *std::ranges::min_element(seconds);
            for (std::size_t k = 0; k < seconds.size(); ++k) ratios[k].push_back(best < 1e300 ? seconds[k] / best : 1e300);
        }
    out.row("solver,within_1,1.5,2,4,8,16,at_all");
    for (std::size_t k = 0; k < ratios.size(); ++k) {
        std::string line(nonsmooth::kSolverNames[k]);
        for (const double most : {1.0, 1.5, 2.0, 4.0, 8.0, 16.0, 1e299})
            line += text(",%.2f", static_cast<double>(std::ranges::count_if(ratios[k], [&](double r) { return r <= most; })) / static_cast<double>(ratios[k].size()));
        out.row(line);
    }
}

/// Of this process, by the system's count [bytes]: VmRSS now, VmHWM at the peak.
double resident(std::string_view what) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(what)) return 1024 * std::strtod(line.c_str() + what.size() + 1, nullptr);
    return 0;
}

/// A step of the scene over two frames, in a process that does nothing else: memory of the points, and what the peak needs beyond them.
void memoryOf(Output& out, const Case& c) {
    constexpr double kOfPoint = 160, kOfNode = 1200;
    mallopt(M_MMAP_THRESHOLD, 1 << 17);   // what is freed goes back at once
    const Exec exec(2);
    {
        Run first = begin(c, exec);   // brings code and threads into memory
        if (first.simulation.advance(exec, 1e-6, [] { return true; }) != world::Reached::target) std::exit(1);
    }
    malloc_trim(0);
    const double before = resident("VmRSS");
    Run run = begin(c, exec);
    malloc_trim(0);
    const double filled = resident("VmRSS") - before;
    std::ofstream("/proc/self/clear_refs") << 5;   // the peak from here on
    if (run.simulation.advance(exec, 2 / run.scene.framesPerSecond(), [] { return true; }) != world::Reached::target) std::exit(1);
    const auto points = static_cast<double>(run.simulation.method().count());
    const double peak = resident("VmHWM") - before, nodes = metric(run.simulation.method(), "nodes");
    out.row(text("%s,%.0f,%.0f,%.0f,%.0f,%.2f", c.name, points, nodes, filled / points, (peak - filled) / nodes, peak / (kOfPoint * points + kOfNode * nodes)));
}

/// What is allocated and never touched costs nothing.
void memory(Output& out, const std::vector<std::string>& names) {
    out.row("scene,points,nodes,bytes_a_point,bytes_a_node,of_160_and_1200");
    for (const Case& c : kCases) {
        if (!names.empty() && std::ranges::find(names, c.name) == names.end()) continue;
        const pid_t child = ::fork();
        if (child == 0) {
            memoryOf(out, c);
            std::fflush(stdout);
            std::_Exit(0);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        if (status != 0) std::exit(1);
    }
}

void dumpAll(const std::string& folder) {
    const Exec exec(2);
    for (const Problem& p : problemSet(exec)) {
        std::string name = p.name;
        std::ranges::replace(name, ' ', '_');
        const std::string path = folder + "/" + name + ".bin";
        std::printf("%s: %s\n", path.c_str(), benchmark::dump(path, p.problem, p.bodies, 1e3 * p.tolerance) ? "written" : "has bodies that rub");
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::string what = argc > 1 ? argv[1] : "problems", folder;
    Output out;
    std::vector<std::string> names;
    int threads = 2, i = 2;
    if (what == "dump" && argc > 2) folder = argv[i++];
    for (; i + 1 < argc; i += 2) {
        const std::string_view option = argv[i];
        if (option == "--csv") out.csv.open(argv[i + 1]);
        else if (option == "--scene") names.emplace_back(argv[i + 1]);
        else if (option == "--threads") threads = std::atoi(argv[i + 1]);
    }
    if (what == "problems") problems(out, names);
    else if (what == "frames") frames(out, names, threads);
    else if (what == "refine") refine(out);
    else if (what == "profile") profile(out);
    else if (what == "memory") memory(out, names);
    else if (what == "dump" && !folder.empty()) dumpAll(folder);
    else if (what.ends_with(".bin")) benchmark::solveFile(argv[1]);
    else {
        std::fprintf(stderr, "what to measure: problems, frames, refine, profile, memory, dump DIR or a file .bin\n");
        return 2;
    }
}
