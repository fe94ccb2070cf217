// SPDX-License-Identifier: Apache-2.0
#include "study/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace talus::study {

namespace fs = std::filesystem;

namespace {

constexpr double kLeast = 0, kMost = 2;   // ends of frictionAt
constexpr double kStride = 0.35;          // towards a target that is not yet between two measurements
constexpr double kNarrowest = 0.01;       // beyond this, noise decides
constexpr std::string_view kTableFile = "calibration.csv", kMaterialFile = "material.toml";

/// An experiment with a real material, done with grains of dem: its scene, of which a small version is run, and the result that is the angle.
struct Experiment {
    std::string_view scene, variant, probe, result;
    std::vector<std::string_view> materials;
    std::vector<std::string> small;
    double steeper;   // than a heap of the same grains, about [degrees]
    std::string_view failed;
};

/// Heaps of about 1,900 grains with ten steps to half a period of a contact. How steep a heap is depends on how it is poured and on its size: from five times as
/// high it is four degrees flatter, 2.5 times as fast eight, and with 14 grains to the foot instead of 20 two to three steeper. So the spout stands as many grains above the tip as in the scene,
/// and pours so much faster that these heaps stand as those of the scene, poured steadily, do.
const Experiment kHeap{"heap", "steady", "heap", "angle", {"sand"}, {"resolution.size== foot/14", "gap== 0.043*foot", "full=1.8", "time.end=2.6", "dem.step_fraction=0.1"}, 0,
                       "no heap formed in '{}': take more grains, --set resolution.size=…, or pour longer, --set full=…"};
/// Drums of about 3,000 grains; the mean slope from the end of the first quarter turn on.
const Experiment kDrum{"drum", "", "bed", "slope", {"red", "blue"}, {"resolution.size== radius/12", "time.end=3", "steady_from=1", "dem.step_fraction=0.1"}, 9,
                       "no bed was found in '{}': take more grains, --set resolution.size=…, or turn it longer, --set time.end=…"};

const Experiment& experimentOf(const CalibrationOptions& options) { return options.experiment == kDrum.scene ? kDrum : kHeap; }

/// Where heaps of most kinds of grains stand about at the angle [degrees].
double likelyPlace(double angle) { return std::clamp(0.65 + (angle - 30) / 30, 0.1, 1.5); }

/// a (b/a)^x.
double geometric(double a, double b, double x) { return a * std::pow(b / a, std::clamp(x, 0.0, 1.0)); }

double packingFraction(const CalibrationOptions& options) {
    if (options.bulkDensity.has_value() != options.density.has_value()) throw Error(ExitCode::usage, "--density and --bulk-density go together: their ratio is the packing fraction");
    if (!options.bulkDensity) return 0;
    constexpr double kLoosest = 0.2, kDensest = 0.74;
    const double fraction = *options.bulkDensity / *options.density;
    if (!(fraction >= kLoosest && fraction <= kDensest))
        throw Error(ExitCode::usage, fmt::format("--bulk-density {} of grains of --density {} is a packing fraction of {:.3g}; grains lie at {} to {}", *options.bulkDensity, *options.density, fraction, kLoosest, kDensest));
    return fraction;
}

Path folderOf(const CalibrationOptions& options, std::size_t number) { return options.out / fmt::format("{:02}", number); }

/// A sweep of one case, so that it is a process of its own and can be gone on with.
SweepOptions trialOf(const CalibrationOptions& options, double fraction, double place, std::size_t number) {
    const Friction friction = frictionAt(options.shape, place);
    const Experiment& experiment = experimentOf(options);
    SweepPlan plan;
    plan.request.scene = experiment.scene;
    if (!experiment.variant.empty()) plan.request.variant = experiment.variant;
    plan.request.sets = experiment.small;
    plan.request.sets.emplace_back("method=dem");   // in the record of the sweep, as all that it goes on with
    if (&experiment == &kHeap) plan.request.sets.push_back(fmt::format("angle={}", std::clamp(options.angle, 10.0, 45.0)));
    plan.request.sets.push_back(fmt::format("dem.templates=\"{}\"", options.shape));
    plan.request.sets.push_back(fmt::format("dem.rolling_friction={:.6g}", friction.rolling));
    for (const std::string_view material : experiment.materials) {
        if (options.density) plan.request.sets.push_back(fmt::format("materials.{}.density={}", material, *options.density));
        if (options.bulkDensity) plan.request.sets.push_back(fmt::format("materials.{}.packing_fraction={:.6g}", material, fraction));
    }
    if (options.bulkDensity && &experiment == &kHeap) plan.request.sets.push_back(fmt::format("bulk={}", *options.bulkDensity));
    for (const std::string& set : options.sets) {   // those given by hand stand instead
        std::erase_if(plan.request.sets, [&](const std::string& known) { return known.substr(0, known.find('=')) == set.substr(0, set.find('=')); });
        plan.request.sets.push_back(set);
    }
    plan.variations = {{"dem.contact_friction", {fmt::format("{:.6g}", friction.contact)}}};
    const Path folder = folderOf(options, number);
    return {.plan = plan, .program = options.program, .out = folder, .jobs = 1, .threads = options.threads, .resume = fs::exists(folder / "sweep.json")};
}

CalibrationRow rowOf(const Experiment& experiment, const SweepOutcome& outcome, double place) {
    const CaseOutcome& trial = *outcome.record.outcomes.front();
    if (trial.exitCode != 0) throw Error(ExitCode::diverged, fmt::format("the {} in '{}' failed with exit code {}: {}", experiment.scene, outcome.folder.string(), trial.exitCode, trial.message));
    const double angle = SweepColumn{std::string(experiment.probe), std::string(experiment.result), ""}.valueIn(trial);
    if (!std::isfinite(angle)) throw Error(ExitCode::diverged, fmt::format(fmt::runtime(experiment.failed), outcome.folder.string()));
    return {place, angle, trial.wallSeconds};
}

std::string table(const CalibrationOptions& options, const std::vector<CalibrationRow>& rows) {
    std::string text = "contact_friction,rolling_friction,angle_deg,wall_s\n";
    for (const CalibrationRow& row : rows) {
        const Friction friction = frictionAt(options.shape, row.place);
        text += fmt::format("{:.6g},{:.6g},{},{}\n", friction.contact, friction.rolling, row.angle, row.wallSeconds);
    }
    return text;
}

/// And nothing else that lies in its folder.
void removeCalibration(const CalibrationOptions& options) {
    for (std::size_t number = 1; fs::exists(folderOf(options, number) / "sweep.json"); ++number) fs::remove_all(folderOf(options, number));
    for (const std::string_view file : {kTableFile, kMaterialFile}) fs::remove(options.out / file);
}

void prepare(const CalibrationOptions& options) {
    const bool known = fs::exists(folderOf(options, 1) / "sweep.json");
    if (options.resume && !known) throw Error(ExitCode::missing, fmt::format("there is no calibration in '{}'", options.out.string()));
    if (fs::exists(options.out) && !fs::is_empty(options.out) && !options.resume) {
        if (!options.overwrite) throw Error(ExitCode::usage, fmt::format("'{}' is not empty; use --out for another folder, --resume to go on with the calibration in it, or --overwrite", options.out.string()));
        if (!known) throw Error(ExitCode::usage, fmt::format("'{}' holds no calibration; --overwrite replaces nothing else", options.out.string()));
        removeCalibration(options);
    }
    io::createDirectories(options.out);
}

}  // namespace

std::optional<double> RisingSearch::next() const {
    if (known_.empty()) return first_;
    if (met()) return std::nullopt;
    const Measured *below = nullptr, *above = nullptr;
    for (const Measured& m : known_) {
        if (m.value < target_ && (!below || m.place > below->place)) below = &m;
        if (m.value >= target_ && (!above || m.place < above->place)) above = &m;
    }
    if (!above) return below->place >= high_ ? std::nullopt : std::optional(std::min(high_, below->place + kStride));
    if (!below) return above->place <= low_ ? std::nullopt : std::optional(std::max(low_, above->place - kStride));
    const double width = above->place - below->place;
    if (width < kNarrowest) return std::nullopt;
    const double part = (target_ - below->value) / (above->value - below->value);
    return below->place + std::clamp(part, 0.15, 0.85) * width;
}

const RisingSearch::Measured& RisingSearch::best() const {
    return *std::ranges::min_element(known_, {}, [&](const Measured& m) { return std::abs(m.value - target_); });
}

bool RisingSearch::met() const { return !known_.empty() && std::abs(best().value - target_) <= tolerance_; }

Friction frictionAt(std::string_view shape, double place) {
    if (shape == "sphere") return {place <= 1 ? 0.5 : geometric(0.5, 1, place - 1), place <= 1 ? geometric(0.02, 0.4, place) : geometric(0.4, 1, place - 1)};
    return {geometric(0.03, 0.8, place), place <= 1 ? 0 : 0.5 * (place - 1)};
}

CalibrationOutcome calibrate(const CalibrationOptions& options, FunctionRef<void(const CalibrationRow&)> show, run::StopRequested stop) {
    CalibrationOutcome outcome;
    outcome.packingFraction = packingFraction(options);
    prepare(options);
    RisingSearch search(kLeast, kMost, likelyPlace(options.angle - experimentOf(options).steeper), options.angle, options.tolerance);
    for (int run = 1; run <= options.mostRuns; ++run) {
        const std::optional<double> place = search.next();
        if (!place) break;
        const SweepOutcome trial = sweep(trialOf(options, outcome.packingFraction, *place, outcome.rows.size() + 1), [](const SweepProgress&) {}, stop);
        outcome.code = trial.code;
        if (trial.code != ExitCode::done) return outcome;
        const CalibrationRow row = rowOf(experimentOf(options), trial, *place);
        outcome.rows.push_back(row);
        search.add({row.place, row.angle});
        io::writeFile(options.out / kTableFile, table(options, outcome.rows));
        show(row);
    }
    outcome.met = search.met();
    outcome.best = *std::ranges::find(outcome.rows, search.best().place, &CalibrationRow::place);
    io::writeFile(options.out / kMaterialFile, calibratedTables(options, outcome));
    return outcome;
}

std::string calibratedTables(const CalibrationOptions& options, const CalibrationOutcome& outcome) {
    const Friction friction = frictionAt(options.shape, outcome.best.place);
    const bool heaps = &experimentOf(options) == &kHeap;
    std::string text = fmt::format("# {} {:.1f} degrees; {:g} were asked for.\n[[materials]]\nname = \"grains\"\n", heaps ? "Heaps stand at" : "In a drum the bed slopes by", outcome.best.angle, options.angle);
    if (options.density) text += fmt::format("density = {}\nbulk_density = {}   # a packing fraction of {:.3f}\n", *options.density, *options.bulkDensity, outcome.packingFraction);
    // The ends of a drum hold its bed up: its slope is not the angle that the other methods need.
    text += heaps ? fmt::format("friction_angle_deg = {:g}   # for the other methods\n", options.angle) : "# friction_angle_deg, for the other methods: the angle of a heap of these grains\n";
    text += fmt::format("\n[dem]\ntemplates = \"{}\"\ncontact_friction = {:.3g}\nrolling_friction = {:.3g}\n", options.shape, friction.contact, friction.rolling);
    return text;
}

}  // namespace talus::study
