// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "scene/suggestion.h"

#ifdef TALUS_HAS_RENDER
#include "render/plot_panels.h"
#include "render/program.h"
#include "render/sweep_plot.h"
#endif

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

namespace talus::cli {

namespace {

/// What varies, and what is given with one value only.
study::SweepPlan planOf(const SweepCommand& command) {
    study::SweepPlan plan{command.request, {}};
    plan.request.sets.clear();
    if (scene::isFile(plan.request.scene)) plan.request.scene = std::filesystem::absolute(plan.request.scene).lexically_normal().string();   // for --resume from another folder
    study::requireDistinct("--method", command.methods);
    for (const std::string& method : command.methods) {   // a name that is mistyped would make a column of failures
        if (std::ranges::any_of(scene::builtInMethods(), [&](const world::MethodInfo* known) { return known->name == method; })) continue;
        scene::Request asked = command.request;
        asked.method = method;
        asked.sets.clear();
        scene::read(asked, scene::builtInMethods());   // says which there are
    }
    if (command.methods.size() == 1) plan.request.sets.push_back("method=" + command.methods.front());
    else if (!command.methods.empty()) plan.variations.push_back({"method", command.methods});
    std::set<std::string> given;
    if (!command.methods.empty()) given.insert("method");
    for (const std::string& text : command.request.sets) {
        const study::Variation v = study::parseVariation(text);
        if (!given.insert(v.key).second) throw Error(ExitCode::usage, fmt::format("--set {} is given twice; put all its values into one", v.key));
        if (v.varies()) plan.variations.push_back(v);
        else plan.request.sets.push_back(v.key + "=" + v.values.front());
    }
    if (plan.variations.empty()) throw Error(ExitCode::usage, "a sweep needs a key with several values: --set outlet=0.04,0.05 or --set seed=1:5 or --method dem,nonsmooth");
    return plan;
}

#ifdef TALUS_HAS_RENDER

constexpr std::size_t kMostPanels = 24;

/// "4 cm": the number and what follows it.
std::optional<std::pair<double, std::string>> quantity(const std::string& text) {
    std::size_t end = 0;
    try {
        const double value = std::stod(text, &end);
        while (end < text.size() && text[end] == ' ') ++end;
        return std::pair(value, text.substr(end));
    } catch (const std::exception&) {
        return {};
    }
}

/// Places of the values of a variation along an axis; where they are not numbers of one unit, they are named one after the other.
struct Places {
    std::map<std::string, double> of;
    render::SweepAxis axis;
    bool numbers = true;
};
Places placesOf(const study::Variation& v) {
    Places places;
    std::string unit;
    for (const std::string& text : v.values) {
        const auto q = quantity(text);
        places.numbers &= q && (places.of.empty() || q->second == unit);
        if (!places.numbers) break;
        unit = q->second;
        places.of[text] = q->first;
    }
    places.axis.label = render::axisLabel(v.key, places.numbers ? unit : "");
    if (places.numbers) return places;
    places.of.clear();
    for (std::size_t i = 0; i < v.values.size(); ++i) {
        places.of[v.values[i]] = static_cast<double>(i);
        places.axis.names.emplace_back(static_cast<double>(i), v.values[i]);
    }
    return places;
}

/// What runs along the axis: the numbers of which there are most; seeds only where nothing else varies.
std::size_t axisOf(const std::vector<study::Variation>& variations) {
    const auto weight = [](const study::Variation& v) { return (v.key == "seed" ? 0.0 : 1e6) + (placesOf(v).numbers ? 1e3 : 0.0) + static_cast<double>(v.values.size()); };
    return static_cast<std::size_t>(std::ranges::max_element(variations, {}, weight) - variations.begin());
}

/// "method = dem, mu = 0.4": all that varies but for the axis, and for the seed, whose cases lie on one curve.
std::string curveOf(const study::SweepPlan& plan, const std::vector<std::string>& values, std::size_t axis) {
    std::string label;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (i != axis && plan.variations[i].key != "seed") label += fmt::format("{}{} = {}", label.empty() ? "" : ", ", plan.variations[i].key, values[i]);
    return label;
}

std::vector<render::SweepPanel> panelsOf(const study::SweepRecord& record, std::size_t axis, const Places& places) {
    std::vector<render::SweepPanel> panels;
    for (const study::SweepColumn& column : study::columnsOf(record)) {
        if (column.name.ends_with(".mean")) continue;   // beside the last value of each column
        std::map<std::string, render::SweepCurve> curves;
        for (std::size_t i = 0; i < record.outcomes.size(); ++i) {
            const double value = record.outcomes[i] ? column.valueIn(*record.outcomes[i]) : std::nan("");
            if (!std::isfinite(value)) continue;
            const std::vector<std::string> values = record.plan.valuesOf(static_cast<std::int64_t>(i));
            const std::string label = curveOf(record.plan, values, axis);
            curves[label].label = label;
            curves[label].points.emplace_back(places.of.at(values[axis]), value);
        }
        if (curves.empty()) continue;
        render::SweepPanel panel{render::axisLabel(fmt::format("{}: {}", column.probe, column.name), column.unit == "1" ? "" : column.unit), {}};
        for (auto& [label, curve] : curves) panel.curves.push_back(std::move(curve));
        panels.push_back(std::move(panel));
    }
    return panels;
}

void plot(const study::SweepOutcome& outcome) {
    const study::SweepRecord& record = outcome.record;
    const std::size_t axis = axisOf(record.plan.variations);
    const Places places = placesOf(record.plan.variations[axis]);
    std::vector<render::SweepPanel> panels = panelsOf(record, axis, places);
    if (panels.empty()) {
        warn("no plot: the probes of the scene have no results");
        return;
    }
    if (panels.size() > kMostPanels) {
        warn(fmt::format("the plot shows {} of {} results", kMostPanels, panels.size()));
        panels.resize(kMostPanels);
    }
    const std::optional<io::Path> gnuplot = render::findProgram("gnuplot");
    if (!gnuplot) warn("no plot: gnuplot is not installed");
    else render::drawSweep(*gnuplot, places.axis, panels, outcome.folder / "sweep.png");
}

#else

void plot(const study::SweepOutcome&) { warn("no plot: this Talus makes no pictures: " TALUS_WITHOUT_PICTURES); }

#endif

/// A bar on a terminal; elsewhere a line for each case.
class SweepDisplay {
public:
    explicit SweepDisplay(bool quiet) : quiet_(quiet), bar_(!quiet && ::isatty(STDERR_FILENO) == 1) {}

    void show(const study::SweepProgress& p) {
        if (quiet_) return;
        if (bar_) tell("\r\033[K");
        if (p.news != nullptr) tell(fmt::format("{}\n", *p.news));
        if (bar_) tell(fmt::format("{}/{} cases, {} running, ETA {}", p.ended, p.all, p.running, std::isfinite(p.secondsLeft) ? readableTime(p.secondsLeft) : "?"));
    }
    void finish() const {
        if (bar_) tell("\r\033[K");
    }

private:
    bool quiet_, bar_;
};

}  // namespace

ExitCode execute(const SweepCommand& command) {
    study::SweepOptions options = command.options;
    const bool isFolder = options.resume && !options.out && !scene::isBuiltIn(command.request.scene) && study::holdsSweep(command.request.scene);
    if (isFolder) options.out = command.request.scene;
    else if (!command.request.scene.empty()) options.plan = planOf(command);
    options.program = std::filesystem::read_symlink("/proc/self/exe");
    const Signals signals;
    SweepDisplay display(command.quiet);
    const study::SweepOutcome outcome = study::sweep(
        options, [&](const study::SweepProgress& p) { display.show(p); }, [&] { return signals.stopRequested(); });
    display.finish();
    const auto failed = std::ranges::count_if(outcome.record.outcomes, [](const auto& o) { return o && o->exitCode != 0 && !o->unfinished(); });
    if (failed > 0) warn(fmt::format("{} of {} cases failed; see the column message of sweep.csv", failed, outcome.record.outcomes.size()));
    if (outcome.code == ExitCode::done) plot(outcome);
    else tell(fmt::format("interrupted; go on by: talus sweep --resume --out {}\n", scene::shellWord(outcome.folder.string())));
    print((outcome.folder / "sweep.csv").string() + "\n");
    return outcome.code;
}

}  // namespace talus::cli
