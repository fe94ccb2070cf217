// SPDX-License-Identifier: Apache-2.0
#include "study/sweep_run.h"

#include "study/children.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <limits>
#include <thread>

namespace talus::study {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kRecordFile = "sweep.json", kTableFile = "sweep.csv", kPlotFile = "sweep.png";

Path logOf(const Path& folder, const SweepPlan& plan, std::int64_t number) { return folder / (plan.folderOf(number) + ".log"); }

/// The end of what a case said, in one line.
std::string lastWords(const Path& log) {
    constexpr std::size_t kMost = 500;
    if (!fs::exists(log)) return {};
    std::string text = io::readFile(log);
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    if (text.size() > kMost) text = "…" + text.substr(text.size() - kMost);
    std::ranges::replace(text, '\n', ' ');
    return text;
}

void removeSweep(const Path& folder, const SweepPlan& plan) {
    for (std::int64_t i = 0; i < plan.cases(); ++i) {
        if (const Path run = folder / plan.folderOf(i); fs::exists(run / "run.json")) fs::remove_all(run);
        fs::remove(logOf(folder, plan, i));
    }
    for (const std::string_view file : {kRecordFile, kTableFile, kPlotFile}) fs::remove(folder / file);
}

Path folderOf(const SweepOptions& options) {
    if (options.out) return *options.out;
    if (!options.plan) throw Error(ExitCode::usage, "--resume needs a scene or --out DIR");
    return Path(options.plan->request.scene).stem().string() + "-sweep";
}

SweepRecord newRecord(const Path& folder, const SweepOptions& options, std::string fingerprint) {
    const Path file = folder / kRecordFile;
    if (!fs::is_empty(folder)) {
        if (!options.overwrite) throw Error(ExitCode::usage, fmt::format("'{}' is not empty; use --out for another folder, --resume to go on with the sweep in it, or --overwrite", folder.string()));
        if (!fs::exists(file)) throw Error(ExitCode::usage, fmt::format("'{}' holds no sweep; --overwrite replaces nothing else", folder.string()));
        removeSweep(folder, SweepRecord::parse(io::readFile(file), file.string()).plan);
    }
    SweepRecord record{.plan = *options.plan, .scene = std::move(fingerprint)};
    record.outcomes.resize(static_cast<std::size_t>(record.plan.cases()));
    return record;
}

SweepRecord storedRecord(const Path& folder, const SweepOptions& options) {
    const Path file = folder / kRecordFile;
    SweepRecord record = SweepRecord::parse(io::readFile(file), file.string());
    if (options.plan && SweepRecord{.plan = record.plan}.json() != SweepRecord{.plan = *options.plan}.json())
        throw Error(ExitCode::usage, fmt::format("the sweep in '{}' is another: of other values, or of another scene; leave them out with --resume, or use --out for another folder", folder.string()));
    return record;
}

/// The fingerprint of the first case that can be read. A mistake that every case shares is an error now, not a table of failures later.
std::string fingerprintOf(const SweepPlan& plan) {
    std::optional<Error> first;
    for (std::int64_t i = 0; i < plan.cases(); ++i) {
        try {
            const scene::Scene scene = scene::read(plan.requestOf(i), scene::builtInMethods());
            return fmt::format("{} to {} s", run::fingerprint(scene), scene.endTime());   // a run may get another end, the cases of a table may not
        } catch (const Error& error) {
            if (!first) first = error;
        }
    }
    throw *first;
}

bool isUnfinished(const std::optional<CaseOutcome>& outcome) { return !outcome || outcome->unfinished(); }

/// Cases of one table are of one scene: its file, or a mesh, may have changed since the others ran.
void requireSameScene(const SweepRecord& record, const Path& folder) {
    if (record.scene.empty() || std::ranges::none_of(record.outcomes, isUnfinished) || fingerprintOf(record.plan) == record.scene) return;
    throw Error(ExitCode::usage, fmt::format("the scene '{}' has changed since the sweep in '{}' began; bring it back, or use --out for another folder", record.plan.request.scene, folder.string()));
}

std::optional<fs::file_time_type> timeOf(const Path& file) {
    std::error_code error;
    const fs::file_time_type time = fs::last_write_time(file, error);
    return error ? std::nullopt : std::optional(time);
}

class Sweep {
public:
    Sweep(const SweepOptions& options, Path folder, SweepRecord record) : options_(options), folder_(std::move(folder)), record_(std::move(record)) {
        for (std::int64_t i = 0; i < record_.plan.cases(); ++i)
            if (isUnfinished(at(i))) waiting_.push_back(i);
        std::ranges::reverse(waiting_);   // taken from the back
        todo_ = static_cast<std::int64_t>(waiting_.size());
    }

    SweepOutcome run(FunctionRef<void(const SweepProgress&)> show, run::StopRequested stop) {
        write();
        std::optional<ExitCode> stopped;
        while (!waiting_.empty() || !children_.empty()) {
            if (!stopped && (stopped = stop())) tellChildren(*stopped == ExitCode::terminated ? SIGTERM : SIGINT);
            if (stopped && children_.empty()) break;
            while (!stopped && !waiting_.empty() && static_cast<int>(children_.size()) < options_.jobs) startNext();
            const Ended ended = waitForAny();
            const std::string news = ended.process > 0 ? finish(ended) : std::string();
            show(progress(news.empty() ? nullptr : &news));
        }
        return {stopped.value_or(ExitCode::done), folder_, record_};
    }

private:
    std::optional<CaseOutcome>& at(std::int64_t number) { return record_.outcomes[static_cast<std::size_t>(number)]; }

    void write() {
        io::writeFile(folder_ / kRecordFile, record_.json());
        io::writeFile(folder_ / kTableFile, sweepTable(record_));
    }

    void startNext() {
        const std::int64_t number = waiting_.back();
        waiting_.pop_back();
        children_.push_back({startChild(options_.program, argumentsOf(number), logOf(folder_, record_.plan, number)), number, timeOf(recordOf(number))});
    }

    Path recordOf(std::int64_t number) const { return folder_ / record_.plan.folderOf(number) / "run.json"; }

    std::vector<std::string> argumentsOf(std::int64_t number) const {
        const Path out = folder_ / record_.plan.folderOf(number);
        const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
        std::vector<std::string> words{"run", "--out", out.string(), "-q", "--threads", std::to_string(options_.threads > 0 ? options_.threads : std::max(1, cores / options_.jobs))};
        if (!options_.previews) words.emplace_back("--no-preview");
        if (const auto& before = record_.outcomes[static_cast<std::size_t>(number)]; before && before->stopped() && fs::exists(out / "run.json")) {
            words.emplace_back("--resume");
            return words;
        }
        if (fs::exists(out / "run.json")) words.emplace_back("--overwrite");   // killed before it had a row
        const scene::Request request = record_.plan.requestOf(number);
        words.push_back(request.scene);
        const auto add = [&](const char* option, const std::optional<std::string>& value) {
            if (value) words.insert(words.end(), {option, *value});
        };
        add("--variant", request.variant);
        add("--precision", request.precision);
        add("--method", request.method);
        for (const std::string& set : request.sets) words.insert(words.end(), {"--set", set});
        return words;
    }

    void tellChildren(int signal) {
        for (const Child& child : children_) ::kill(child.process, signal);
    }

    /// Writes the row of the case that has ended, and says it in a line.
    std::string finish(const Ended& ended) {
        const auto child = std::ranges::find(children_, ended.process, &Child::process);
        if (child == children_.end()) return {};
        const std::int64_t number = child->number;
        CaseOutcome outcome{.exitCode = ended.code, .wallSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - child->start).count(), .message = {}};
        const bool ran = ended.code == 0 || timeOf(recordOf(number)) != child->recordBefore;   // else the record is that of an earlier run
        children_.erase(child);
        secondsSpent_ += outcome.wallSeconds;
        ++finished_;
        const Path directory = folder_ / record_.plan.folderOf(number), log = logOf(folder_, record_.plan, number);
        if (ran && fs::exists(recordOf(number))) {
            const run::Record run = run::readRecord(directory);
            outcome.wallSeconds = run.wallSeconds;
            outcome.grains = run.grains;
            outcome.steps = run.steps;
            outcome.time = run.time;
            outcome.results = run::readResults(directory);
        }
        if (outcome.exitCode == 0) fs::remove(log);
        else outcome.message = lastWords(log);
        at(number) = outcome;
        write();
        return describe(number);
    }

    std::string describe(std::int64_t number) {
        const CaseOutcome& o = *at(number);
        std::string text = record_.plan.folderOf(number);
        const std::vector<std::string> values = record_.plan.valuesOf(number);
        for (std::size_t i = 0; i < values.size(); ++i) text += fmt::format(" {}={}", record_.plan.variations[i].key, values[i]);
        return text + (o.exitCode == 0 ? fmt::format(": done in {:.1f} s", o.wallSeconds) : fmt::format(": exit code {}: {}", o.exitCode, o.message));
    }

    SweepProgress progress(const std::string* news) const {
        SweepProgress p{.ended = static_cast<std::int64_t>(std::ranges::count_if(record_.outcomes, [](const auto& o) { return o && !o->unfinished(); })),
                        .all = static_cast<std::int64_t>(record_.outcomes.size()),
                        .running = static_cast<std::int64_t>(children_.size()),
                        .secondsLeft = std::numeric_limits<double>::quiet_NaN(),
                        .news = news};
        if (finished_ > 0) p.secondsLeft = secondsSpent_ / static_cast<double>(finished_) * static_cast<double>(todo_ - finished_) / options_.jobs;
        return p;
    }

    const SweepOptions& options_;
    Path folder_;
    SweepRecord record_;
    std::vector<std::int64_t> waiting_;
    std::vector<Child> children_;
    std::int64_t todo_ = 0, finished_ = 0;   // of this part of the sweep
    double secondsSpent_ = 0;                // by those that have finished
};

}  // namespace

bool holdsSweep(const Path& folder) {
    std::error_code ignored;
    return fs::is_regular_file(folder / kRecordFile, ignored);
}

SweepOutcome sweep(const SweepOptions& options, FunctionRef<void(const SweepProgress&)> show, run::StopRequested stop) {
    const Path folder = folderOf(options);
    std::string fingerprint;
    if (options.resume) {
        if (!fs::exists(folder / kRecordFile)) throw Error(ExitCode::missing, fmt::format("there is no sweep in '{}'", folder.string()));
    } else {
        options.plan->cases();
        fingerprint = fingerprintOf(*options.plan);
        if (fs::exists(folder) && !fs::is_directory(folder)) throw Error(ExitCode::usage, fmt::format("'{}' is a file, not a folder", folder.string()));
        io::createDirectories(folder);
    }
    const run::FolderLock lock(folder);   // before anything in the folder is changed
    SweepRecord record = options.resume ? storedRecord(folder, options) : newRecord(folder, options, std::move(fingerprint));
    if (options.resume) requireSameScene(record, folder);
    return Sweep(options, folder, std::move(record)).run(show, stop);
}

}  // namespace talus::study
