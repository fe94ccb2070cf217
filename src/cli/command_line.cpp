// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include "scene/suggestion.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <tuple>

namespace talus::cli {

namespace {

constexpr std::string_view kExitCodes =
    "Exit codes: 0 done, 1 a bug in Talus, 2 bad usage or scene, 3 missing scene or folder, 4 diverged, 5 files, 6 time is up, 130/143 interrupted.";

/// Refuses what `accepted` is false for, in one form of words.
template <class Accepted>
CLI::Validator mustBe(std::string what, Accepted accepted) {
    return CLI::Validator([=](std::string& text) { return accepted(text) ? std::string() : fmt::format("'{}' is not {}", text, what); }, "");
}
CLI::Validator wholeNumber(std::int64_t least, std::int64_t most) {
    return mustBe(fmt::format("a whole number from {} to {}", least, most), [=](const std::string& text) {
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        return error == std::errc{} && end == text.data() + text.size() && value >= least && value <= most;
    });
}
CLI::Validator numberFrom(double least, double most) {
    return mustBe(fmt::format("a number from {} to {}", least, most), [=](const std::string& text) {
        double value = 0;
        return CLI::detail::lexical_cast(text, value) && value >= least && value <= most;
    });
}
CLI::Validator nonNegative() {
    return mustBe("a number of at least 0", [](const std::string& text) {
        double value = 0;
        return CLI::detail::lexical_cast(text, value) && value >= 0;
    });
}
CLI::Validator seconds() {
    return mustBe("a time in seconds", [](const std::string& text) {
        double value = 0;
        return CLI::detail::lexical_cast(text, value) && std::isfinite(value);
    });
}
std::optional<std::pair<int, int>> parsedSize(const std::string& text) {
    constexpr int kMostPixels = 32768;
    std::pair<int, int> size;
    const std::size_t times = text.find('x');
    const auto number = [&](std::size_t from, std::size_t to, int& value) {
        const auto [end, error] = std::from_chars(text.data() + from, text.data() + to, value);
        return error == std::errc{} && end == text.data() + to && value >= 8 && value <= kMostPixels;
    };
    if (times == std::string::npos || !number(0, times, size.first) || !number(times + 1, text.size(), size.second)) return {};
    return size;
}
CLI::Validator pictureSize() {
    return mustBe("a size like 1920x1080, from 8 to 32768 pixels a side", [](const std::string& text) { return parsedSize(text).has_value(); });
}
std::optional<render::ValueRange> parsedRange(const std::string& text) {
    const std::size_t colon = text.find(':');
    render::ValueRange range;
    if (colon == std::string::npos || !CLI::detail::lexical_cast(text.substr(0, colon), range.low) || !CLI::detail::lexical_cast(text.substr(colon + 1), range.high)) return {};
    return range.low < range.high ? std::optional(range) : std::nullopt;
}
std::optional<Vec3> parsedVector(const std::string& text) {
    const std::size_t first = text.find(','), second = first == std::string::npos ? first : text.find(',', first + 1);
    Vec3 v;
    if (second == std::string::npos || !CLI::detail::lexical_cast(text.substr(0, first), v.x) || !CLI::detail::lexical_cast(text.substr(first + 1, second - first - 1), v.y) ||
        !CLI::detail::lexical_cast(text.substr(second + 1), v.z) || !isFinite(v))
        return {};
    return v;
}
CLI::Validator threeNumbers() {
    return mustBe("three numbers X,Y,Z", [](const std::string& text) { return parsedVector(text).has_value(); });
}
CLI::Validator valueRange() {
    return mustBe("a range LOW:HIGH with LOW below HIGH", [](const std::string& text) { return parsedRange(text).has_value(); });
}
std::optional<render::SlicePlane> parsedSlice(const std::string& text) {
    render::SlicePlane plane;
    const std::size_t axis = text.empty() ? std::string::npos : std::string_view("xyz").find(text[0]);
    if (axis == std::string::npos) return {};
    plane.axis = static_cast<int>(axis);
    if (text.size() == 1) return plane;
    double position = 0;
    if (text[1] != '=' || !CLI::detail::lexical_cast(text.substr(2), position) || !std::isfinite(position)) return {};
    plane.position = position;
    return plane;
}
CLI::Validator slicePlane() {
    return mustBe("an axis and a position, like y or y=0.05", [](const std::string& text) { return parsedSlice(text).has_value(); });
}
CLI::Validator path() {
    return mustBe("a path", [](const std::string& text) { return !text.empty(); });
}
CLI::Validator oneOf(const std::vector<std::string>& names) {
    return mustBe(fmt::format("one of {}", fmt::join(names, ", ")), [=](const std::string& text) { return std::ranges::find(names, text) != names.end(); });
}

/// CLI11 says "--out: 1 required DIR missing" and "--out: At Most 1 required but received 2".
std::string describeMismatch(const std::string& message) {
    const std::string option = message.substr(0, message.find(':'));
    if (message.ends_with("missing")) return option + " needs a value";
    if (message.find("received") != std::string::npos) return option + " is given more than once";
    return message;
}

/// The program's commands; each subcommand leaves what it was given in `command`.
class CommandLine {
public:
    CommandLine() {
        app_.require_subcommand(1);
        app_.footer(std::string(kExitCodes));
        app_.set_version_flag("--version", fmt::format("talus {} ({})", run::version(), run::simd()), "Print the version and the instruction set");
        addRun();
        addRefine();
        addSweep();
        addCalibrate();
        addCheck();
        addNames();
        addDirectories();
        addRender();
        addCompare();
        for (CLI::App* command : app_.get_subcommands({})) command->get_formatter()->column_width(34);
    }
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;

    Command parse(int argc, const char* const* argv) {
        refuseUnknownCommand(argc, argv);
        const auto refuse = [&](const std::string& message) {
            const CLI::App* used = usedCommand();
            return Error(ExitCode::usage, fmt::format("{}\ntry: talus {}--help", message, used ? used->get_name() + " " : ""));
        };
        try {
            app_.parse(argc, argv);
        } catch (const CLI::CallForHelp&) {
            return TextCommand{app_.help()};
        } catch (const CLI::CallForVersion&) {
            return TextCommand{app_.version() + "\n"};
        } catch (const CLI::ExtrasError& error) {
            throw Error(ExitCode::usage, describeExtras(error));
        } catch (const CLI::ArgumentMismatch& error) {
            throw refuse(describeMismatch(error.what()));
        } catch (const CLI::ParseError& error) {
            throw refuse(error.what());
        }
        return finished_();
    }

    std::vector<CommandDescription> describe() {
        std::vector<CommandDescription> commands;
        for (const CLI::App* app : app_.get_subcommands([](const CLI::App* c) { return !c->get_group().empty(); })) {
            CommandDescription command{app->get_name(), app->get_description(), app->get_footer(), {}};
            for (const CLI::Option* option : app->get_options([&](const CLI::Option* o) { return !o->get_group().empty() && o != app->get_help_ptr(); })) {
                OptionDescription& described = command.options.emplace_back();
                for (const std::string& name : option->get_lnames()) described.names.push_back("--" + name);
                for (const std::string& name : option->get_snames()) described.names.push_back("-" + name);
                described.value = option->get_positional() ? option->get_name(true) : option->get_expected_max() == 0 ? "" : option->get_type_name();
                described.help = option->get_description();
            }
            commands.push_back(std::move(command));
        }
        return commands;
    }

private:
    template <class T>
    CLI::App& add(const std::string& name, const std::string& summary, const std::string& example, T& command) {
        CLI::App& app = *app_.add_subcommand(name, summary);
        app.footer(example);
        app.callback([this, &command] { finished_ = [&command] { return Command(command); }; });
        return app;
    }
    static CLI::ParseError missingScene(const std::string& command, bool resume) {
        if (!resume) return CLI::RequiredError("SCENE");
        return {fmt::format("--resume needs the folder to go on with: talus {} --resume DIR", command), CLI::ExitCodes::RequiredError};
    }
    static void addChanges(CLI::App& app, scene::Request& request) {
        app.add_option("--method", request.method, "Solve it with this method instead of the scene's own")->type_name("M");
        app.add_option("--variant", request.variant, "Take this variant of the scene")->type_name("V");
        app.add_option("--set", request.sets, "Override a key or parameter; repeat for several")->type_name("KEY=VALUE")->expected(1)->take_all();
        app.add_option("--precision", request.precision, "float or double")->type_name("float|double")->check(oneOf({"float", "double"}));
    }
    void addRun() {
        run::Options& options = run_.options;
        CLI::App& app = add("run", "Run a scene", "Examples:\n  talus run hourglass\n  talus run mine.toml --set resolution.grains=1e6 --out big\n  talus run --resume big", run_);
        app.add_option("SCENE", options.request.scene, "A built-in scene, or a file (with a '/' or ending in .toml); with --resume the folder of a run, or nothing if --out names that")->type_name("");
        addChanges(app, options.request);
        app.add_option("--out", options.out, "Where the run is written; ./NAME-METHOD unless given")->type_name("DIR");
        app.add_option("--frames", options.frames, "Stop after N frames beyond frame 0")->type_name("N")->check(wholeNumber(0, 1'000'000'000));
        app.add_option("--threads", options.threads, "Threads; all cores unless given; the results are the same")->type_name("N")->check(wholeNumber(1, 256));
        app.add_option("--max-time", options.maxSeconds, "Wall seconds after which to write a checkpoint and leave with exit code 6")->type_name("S")->check(nonNegative());
        CLI::Option* resume = app.add_flag("--resume", options.resume, "Go on with the run in DIR from its last checkpoint");
        app.add_option("--from", options.from, "Put in the grains of another run besides the scene's own: with all their state from its last checkpoint, or as its frame FRAME has them")->type_name("DIR[@FRAME]")->excludes(resume);
        CLI::Option* overwrite = app.add_flag("--overwrite", options.overwrite, "Replace the run in DIR")->excludes(resume);
        app.add_flag("--force", options.force, "Resume a run of another build or scene; the results will differ")->needs(resume);
        app.add_flag("--dry-run", run_.dryRun, "Check, estimate memory, take one step to estimate the time; write nothing")->excludes(resume)->excludes(overwrite);
        CLI::Option* quiet = app.add_flag("-q,--quiet", run_.quiet, "No progress, only warnings and errors");
        app.add_flag("-v,--verbose", run_.verbose, "Progress in plain lines, one a second")->excludes(quiet);
        app.add_flag("--json", run_.json, "Print run.json instead of the folder");
        app.add_flag("!--no-preview", run_.preview, "Leave out preview.png, poster.png and plots.png");
        app.callback([this] {
            if (run_.options.request.scene.empty() && !(run_.options.resume && run_.options.out)) throw missingScene("run", run_.options.resume);
            finished_ = [this] { return Command(run_); };
        });
    }
    void addRefine() {
        run::Options& options = refine_.options.run;
        CLI::App& app = add("refine", "Fill a finished run with finer grains, without simulating it again",
                            "Examples:\n  talus refine column-elastoplastic --factor 32 --out column-fine\n  talus refine --resume --out column-fine", refine_);
        app.add_option("DIR", refine_.options.directory, "A run directory; not needed with --resume --out DIR2")->type_name("");
        app.add_option("--factor", refine_.options.factor, "Fine grains for each grain of the run; 32 unless given")->type_name("N")->check(wholeNumber(1, 100000));
        app.add_option("--out", options.out, "Where the refined run is written; DIR-refined unless given")->type_name("DIR2")->check(path());
        app.add_option("--set", options.request.sets, "Override a key of [guided]; repeat for several")->type_name("KEY=VALUE")->expected(1)->take_all();
        app.add_option("--frames", options.frames, "Stop after N frames beyond frame 0")->type_name("N")->check(wholeNumber(0, 1'000'000'000));
        app.add_option("--threads", options.threads, "Threads; all cores unless given; the results are the same")->type_name("N")->check(wholeNumber(1, 256));
        app.add_option("--max-time", options.maxSeconds, "Wall seconds after which to write a checkpoint and leave with exit code 6")->type_name("S")->check(nonNegative());
        CLI::Option* resume = app.add_flag("--resume", options.resume, "Go on with the refined run in DIR2 from its last checkpoint");
        app.add_flag("--overwrite", options.overwrite, "Replace the run in DIR2")->excludes(resume);
        CLI::Option* quiet = app.add_flag("-q,--quiet", refine_.quiet, "No progress, only warnings and errors");
        app.add_flag("-v,--verbose", refine_.verbose, "Progress in plain lines, one a second")->excludes(quiet);
        app.add_flag("--json", refine_.json, "Print run.json instead of the folder");
        app.add_flag("!--no-preview", refine_.preview, "Leave out preview.png, poster.png and plots.png");
        app.callback([this] {
            if (refine_.options.directory.empty() && !(refine_.options.run.resume && refine_.options.run.out)) throw CLI::RequiredError("DIR");
            finished_ = [this] { return Command(refine_); };
        });
    }
    void addSweep() {
        study::SweepOptions& options = sweep_.options;
        CLI::App& app = add("sweep", "Run a scene for every combination of several values",
                            "Examples:\n  talus sweep silo --set outlet=0.04,0.05,0.06 --set seed=1:3 --jobs 2\n  talus sweep column --variant smoke --method dem,nonsmooth --out methods\n  talus sweep --resume methods", sweep_);
        app.add_option("SCENE", sweep_.request.scene, "A built-in scene or a file; with --resume the folder of a sweep, or nothing if --out names that")->type_name("");
        app.add_option("--set", sweep_.request.sets, "Values of a key or parameter: 1,2,4 or 1:5 (1, 2, 3, 4, 5) or 0.1:0.5:0.1; repeat for several")->type_name("KEY=VALUES")->expected(1)->take_all();
        app.add_option("--method", sweep_.methods, "Methods to solve it with, separated by commas")->type_name("M,M…")->delimiter(',');
        app.add_option("--variant", sweep_.request.variant, "Take this variant of the scene")->type_name("V");
        app.add_option("--precision", sweep_.request.precision, "float or double")->type_name("float|double")->check(oneOf({"float", "double"}));
        app.add_option("--out", options.out, "Folder of the sweep; ./SCENE-sweep unless given")->type_name("DIR")->check(path());
        app.add_option("--jobs", options.jobs, "Cases at a time; 1 unless given")->type_name("N")->check(wholeNumber(1, 256));
        app.add_option("--threads", options.threads, "Threads of each case; the cores divided among the jobs unless given")->type_name("N")->check(wholeNumber(1, 256));
        CLI::Option* resume = app.add_flag("--resume", options.resume, "Run what has no row yet");
        app.add_flag("--overwrite", options.overwrite, "Replace the sweep in DIR")->excludes(resume);
        app.add_flag("--previews", options.previews, "Leave the pictures of talus run in each case");
        app.add_flag("-q,--quiet", sweep_.quiet, "No progress, only warnings and errors");
        app.callback([this] {
            if (sweep_.request.scene.empty() && !(sweep_.options.resume && sweep_.options.out)) throw missingScene("sweep", sweep_.options.resume);
            finished_ = [this] { return Command(sweep_); };
        });
    }
    void addCalibrate() {
        study::CalibrationOptions& options = calibrate_.options;
        CLI::App& app = add("calibrate", "Find the friction of dem grains that heap up, or roll in a drum, like a real material",
                            "Pours small heaps with the scene `heap`, or turns small drums with the scene `drum`, until one has the angle, and prints the tables for a scene. Exit code 4: none did.\n"
                            "Examples:\n  talus calibrate --angle 33 --density 2650 --bulk-density 1560 --template cube8 --out gravel\n  talus calibrate --angle 33 --density 2650 --bulk-density 1560 --template cube8 --out gravel --resume\n  talus calibrate --by drum --angle 38 --set speed=\"10 rpm\" --out drums",
                            calibrate_);
        app.add_option("--by", options.experiment, "What was measured: the angle of a poured heap (unless given), or the slope of the bed in a drum that turns slowly")->type_name("heap|drum")->check(oneOf({"heap", "drum"}));
        app.add_option("--angle", options.angle, "Angle at which the material heaps up, or its bed slopes in the drum, in degrees")->type_name("DEG")->required()->check(numberFrom(5, 60));
        app.add_option("--tolerance", options.tolerance, "How near an experiment must come, in degrees; 1 unless given")->type_name("DEG")->check(numberFrom(0.05, 60));
        app.add_option("--density", options.density, "Of a grain, in kg/m^3")->type_name("D")->check(numberFrom(1, 1e5));
        app.add_option("--bulk-density", options.bulkDensity, "Of the heap with its pores, in kg/m^3")->type_name("D")->check(numberFrom(1, 1e5));
        app.add_option("--template", options.shape, "Kind of grain: sphere, tetra4 (unless given), octa6, cube8, bcc9")->type_name("NAME")->check(oneOf({"sphere", "tetra4", "octa6", "cube8", "bcc9"}));
        app.add_option("--most-runs", options.mostRuns, "Give up after so many heaps or drums; 8 unless given")->type_name("N")->check(wholeNumber(1, 100));
        app.add_option("--set", options.sets, "Override a key or parameter of the scene heap or drum; repeat for several")->type_name("KEY=VALUE")->expected(1)->take_all();
        app.add_option("--out", options.out, "Folder of the runs; ./calibration unless given")->type_name("DIR")->check(path());
        app.add_option("--threads", options.threads, "Threads; all cores unless given; the results are the same")->type_name("N")->check(wholeNumber(1, 256));
        CLI::Option* resume = app.add_flag("--resume", options.resume, "Go on with the runs in DIR");
        app.add_flag("--overwrite", options.overwrite, "Replace the calibration in DIR")->excludes(resume);
        app.add_flag("-q,--quiet", calibrate_.quiet, "No progress, only warnings and errors");
    }
    void addCheck() {
        CLI::App& app = add("check", "Check a scene and say what it would take", "Example:\n  talus check mine.toml --set time.end=5", check_);
        app.add_option("SCENE", check_.request.scene, "A built-in scene or a file")->type_name("")->required();
        addChanges(app, check_.request);
        app.add_flag("--resolved", check_.resolved, "Print the scene with every default written out");
    }
    void addNames() {
        add("scenes", "List the built-in scenes", "Example:\n  talus scenes", scenes_);
        add("materials", "List the presets of materials", "Example:\n  talus materials", materials_);
        CLI::App& newScene = add("new", "Write NAME.toml, a scene to start from", "Example:\n  talus new mine && talus run mine.toml", new_);
        newScene.add_option("NAME", new_.name, "Name of the scene")->type_name("")->required();
        add("schema", "Print the JSON Schema of scene files, for editors", "Example:\n  talus schema > talus.schema.json", schema_);
        CLI::App& completion = add("completion", "Print a completion script for a shell", "Example:\n  source <(talus completion bash)", completion_);
        completion.add_option("SHELL", completion_.shell, "bash, zsh or fish")->type_name("")->required()->check(oneOf({"bash", "zsh", "fish"}));
        add("manual", "Print docs/commands.md", "", manual_).group("");
    }
    void addDirectories() {
        CLI::App& info = add("info", "Say what is in a run directory", "Example:\n  talus info hourglass-elastoplastic", info_);
        info.add_option("DIR", info_.directory, "A run directory")->type_name("")->required();
        info.add_flag("--json", info_.json, "Print run.json");
        CLI::App& exported = add("export", "Write the frames of a run for other programs", "Example:\n  talus export hourglass-elastoplastic --to npz --frames 10:20 --fields id,position,velocity", export_);
        exported.add_option("DIR", export_.directory, "A run directory")->type_name("")->required();
        exported.add_option("--to", formatName_, "csv, ply (binary) or npz (NumPy)")->type_name("csv|ply|npz")->required()->check(oneOf({"csv", "ply", "npz"}));
        exported.add_option("--out", export_.out, "Folder for the files; DIR/export unless given")->type_name("PATH")->check(path());
        exported.add_option("--frames", export_.frames, "Frames A to B; A: and :B leave an end open")->type_name("A:B");
        exported.add_option("--fields", export_.fields, "Only these fields, separated by commas")->type_name("NAMES")->delimiter(',');
        exported.add_flag("--spheres", export_.spheres, "A row for each sphere of every clump, with id of the grain, number, position, velocity and radius of the sphere");
        exported.callback([this] {
            export_.format = static_cast<io::ExportFormat>(std::ranges::find(io::kExportFormatNames, formatName_) - io::kExportFormatNames.begin());
            finished_ = [this] { return Command(export_); };
        });
    }

    void addRender() {
        render::SequenceOptions& o = render_.options;
        render::PictureStyle& s = o.style;
        CLI::App& app = add("render", "Make pictures or a video of a run",
                            "Examples:\n  talus render hourglass-elastoplastic --video hourglass.mp4\n  talus render column-elastoplastic --out last.png --size 1920x1080 --colour-by velocity --map magma --time --scale-bar", render_);
        app.add_option("DIR", o.directory, "A run directory")->type_name("")->required();
        app.add_option("--out", o.out, "Folder for the pictures, DIR/pictures unless given; or a .png or .exr file for one")->type_name("PATH")->check(path());
        app.add_option("--frames", render_.frames, "Frames A to B; A: and :B leave an end open; all unless given, the last for a single file")->type_name("A:B");
        app.add_option("--format", o.format, "Of the files in the folder; exr has linear light, without legend and stamps")->type_name("png|exr")->check(oneOf({"png", "exr"}));
        app.add_option("--video", o.video, "Make a video of the pictures too, with ffmpeg")->type_name("FILE");
        app.add_option("--fps", o.videoRate, "Pictures per second of the video; as in the run unless given")->type_name("N")->check(numberFrom(0.01, 1000));
        app.add_flag("--resume", o.resume, "Keep pictures that are there already; their options must be the same");
        app.add_option("--size", renderTexts_.size, "Width and height in pixels; 1280x720 unless given")->type_name("WxH")->check(pictureSize());
        app.add_option("--samples", s.samples, "Paths of light per pixel; 16 unless given, 4 for a quick look")->type_name("N")->check(wholeNumber(1, 65536));
        addLook(app, s, renderTexts_, render_.clips);
        app.add_flag("--time", s.timeStamp, "Write the time into the picture");
        addView(app, s, renderTexts_);
        addLens(app, s);
        app.add_option("--threads", o.threads, "Threads; all cores unless given; the pictures are the same")->type_name("N")->check(wholeNumber(1, 256));
        app.add_flag("-q,--quiet", render_.quiet, "No progress, only warnings and errors");
        app.callback([this] {
            finishStyle(render_.options.style, renderTexts_);
            finished_ = [this] { return Command(render_); };
        });
    }
    void addCompare() {
        render::ComparisonOptions& o = compare_.options;
        o.style.width = 480, o.style.height = 360, o.style.samples = 8;
        CLI::App& app = add("compare", "Show several runs side by side and measure how far they are apart",
                            "Examples:\n  talus compare coarse fine --out refined.png\n  talus compare dense loose rough --times 0.1,0.4 --lattice 0.02 --colour-by velocity", compare_);
        app.add_option("DIR", compare_.directories, "Run directories, two or more; the others are compared with the first")->type_name("")->required();
        app.add_option("--out", o.out, "The picture, comparison.png unless given; X.png brings X-plot.png, X-fields.png and X.csv")->type_name("X.png")->check(path());
        CLI::Option* times = app.add_option("--times", o.times, "Moments in seconds, separated by commas; of each run the nearest frame is taken")->type_name("T,T…")->delimiter(',')->check(seconds());
        CLI::Option* frames = app.add_option("--frames", o.frames, "Moments of these frames of the first run, separated by commas")->type_name("N,N…")->delimiter(',')->check(wholeNumber(0, 1'000'000'000))->excludes(times);
        app.add_option("--moments", o.moments, "How many moments, spread over the time that all runs have; 4 unless given")->type_name("N")->check(wholeNumber(1, 24))->excludes(times)->excludes(frames);
        app.add_option("--lattice", o.spacing, "Size of the cells on which fields are averaged, in metres; about three grains unless given")->type_name("M")->check(numberFrom(1e-9, 1e9));
        app.add_option("--fields", o.fields, "Only these of volume_fraction, velocity, pressure, separated by commas")->type_name("NAMES")->delimiter(',');
        app.add_option("--slice", compareSlice_, "Plane of the field pictures, like y or y=0.05 in metres; upright through the middle unless given")->type_name("AXIS[=M]")->check(slicePlane());
        app.add_option("--size", compareTexts_.size, "Width and height of each picture in pixels; 480x360 unless given")->type_name("WxH")->check(pictureSize());
        app.add_option("--samples", o.style.samples, "Paths of light per pixel; 8 unless given")->type_name("N")->check(wholeNumber(1, 65536));
        addView(app, o.style, compareTexts_);
        addLook(app, o.style, compareTexts_, compare_.clips);
        app.add_option("--threads", o.threads, "Threads; all cores unless given; the files are the same")->type_name("N")->check(wholeNumber(1, 256));
        app.add_flag("-q,--quiet", compare_.quiet, "No progress, only warnings and errors");
        app.callback([this] {
            finishStyle(compare_.options.style, compareTexts_);
            if (!compareSlice_.empty()) compare_.options.slice = parsedSlice(compareSlice_);
            finished_ = [this] { return Command(compare_); };
        });
    }

    /// The name that an option once had: an error that says the present one.
    static void renamed(CLI::App& app, const std::string& before, std::string_view now) {
        app.add_option_function<std::string>(before, [=](const std::string&) { throw CLI::ValidationError(before, fmt::format("is called {} now", now)); })->group("");
    }
    /// Options that become a value only when all are read.
    struct StyleTexts {
        std::string size, range, camera, target, sun;
    };
    static void addLook(CLI::App& app, render::PictureStyle& s, StyleTexts& texts, std::vector<std::string>& clips) {
        app.add_option("--bounces", s.bounces, "Surfaces that a path may meet; 3 unless given")->type_name("N")->check(wholeNumber(1, 64));
        app.add_flag("!--no-denoise", s.denoise, "Leave the noise of few samples in");
        app.add_option("--exposure", s.exposure, "Brightness; 1 unless given")->type_name("X")->check(numberFrom(1e-6, 1e6));
        app.add_option("--colour-by", s.colours.by, "mix (by the scene's materials, sand unless they say otherwise), material, source, plastic_case, or a field: pressure, velocity, velocity.z, stress.xx")->type_name("WHAT");
        app.add_option("--map", s.colours.map, "Colour map of a field: viridis, magma, inferno, plasma, cividis, turbo, coolwarm, grey")->type_name("NAME");
        app.add_option("--range", texts.range, "Values at the ends of the map; found in the run unless given")->type_name("LOW:HIGH")->check(valueRange());
        app.add_flag("!--no-legend", s.legend, "Leave out the legend of colours");
        app.add_option("--grains", s.grains, "spheres (or the mesh of a clump template), clumps (always spheres), or a smooth surface of the heap")->type_name("spheres|clumps|surface")->check(oneOf({"spheres", "clumps", "surface"}));
        app.add_option("--grain-scale", s.grainScale, "Draw grains larger or smaller than they are")->type_name("X")->check(numberFrom(1e-3, 1e3));
        app.add_flag("--chains", s.chains, "Forces between grains as tubes, where the run wrote contacts");
        app.add_option("--clip", clips, "Keep only this part, in metres: 'x<0.1', 'y>0', '0<z<0.2'; repeat for several")->type_name("CUT")->expected(1)->take_all();
        app.add_option("--ground", s.ground, "A plane, a catcher of shadows that is itself unseen, or none; a plane at the domain's floor unless given")->type_name("plane|catcher|none")->check(oneOf({"plane", "catcher", "none"}));
        app.add_option("--ground-finish", s.groundFinish, "Finish of the ground plane")->type_name("plain|checker")->check(oneOf({"plain", "checker"}));
        renamed(app, "--floor", "--ground-finish");
        app.add_option("--background", s.background, "studio, sky, white, black, transparent, or a colour like '#e1a95f'")->type_name("NAME");
        app.add_option("--sun", texts.sun, "Direction towards the sun")->type_name("X,Y,Z")->check(threeNumbers());
        app.add_flag("--area-light", s.areaLight, "A large soft lamp instead of most of the sun");
        app.add_flag("--scale-bar", s.scaleBar, "Draw a length for scale, true at the distance of the camera's target");
    }
    static void addView(CLI::App& app, render::PictureStyle& s, StyleTexts& texts) {
        app.add_option("--view", s.view, "Look from here and fit all grains in, instead of the scene's camera: fit, front, side, iso, top, close")->type_name("fit|front|side|iso|top|close")->check(oneOf({"fit", "front", "side", "iso", "top", "close"}));
        app.add_option("--camera", texts.camera, "Where the camera stands, in metres")->type_name("X,Y,Z")->check(threeNumbers());
        app.add_option("--target", texts.target, "What it looks at, in metres")->type_name("X,Y,Z")->check(threeNumbers());
        app.add_option("--fov", s.fovDegrees, "Angle that the picture's height spans, in degrees")->type_name("DEG")->check(numberFrom(0.01, 170));
        app.add_flag("--orthographic", s.orthographic, "No perspective");
    }
    static void addLens(CLI::App& app, render::PictureStyle& s) {
        app.add_option("--orbit", s.orbitDegrees, "Turn about the grains by this angle over the run, in degrees")->type_name("DEG")->check(numberFrom(-1e6, 1e6));
        app.add_option("--aperture", s.aperture, "Diameter of the lens in metres: what is not in focus blurs")->type_name("M")->check(numberFrom(0, 1e6));
        app.add_option("--focus", s.focus, "Distance in metres that is sharp; that of the target unless given")->type_name("M")->check(numberFrom(1e-9, 1e9));
        app.add_option("--motion-blur", s.shutter, "Part of the time between frames for which the shutter is open, 0 to 1")->type_name("X")->check(numberFrom(0, 1));
    }
    static void finishStyle(render::PictureStyle& s, const StyleTexts& texts) {
        if (!texts.size.empty()) std::tie(s.width, s.height) = *parsedSize(texts.size);
        if (!texts.range.empty()) s.colours.range = *parsedRange(texts.range);
        if (!texts.camera.empty()) s.position = parsedVector(texts.camera);
        if (!texts.target.empty()) s.target = parsedVector(texts.target);
        if (texts.sun.empty()) return;
        const Vec3 sun = *parsedVector(texts.sun);
        s.sunDirection = {static_cast<float>(sun.x), static_cast<float>(sun.y), static_cast<float>(sun.z)};
        if (!(norm(s.sunDirection) > 0)) throw CLI::ValidationError("--sun", "the direction towards the sun must not be zero");
    }

    static std::string meant(std::string_view name, const std::vector<std::string>& candidates, std::string_view what) {
        const std::vector<std::string_view> views(candidates.begin(), candidates.end());
        return scene::suggestion(name, views, what);
    }
    void refuseUnknownCommand(int argc, const char* const* argv) const {
        if (argc >= 2 && argv[1][0] == '-') {
            if (app_.get_option_no_throw(argv[1]) == nullptr)
                throw Error(ExitCode::usage, fmt::format("unknown option '{}' of talus; the options of a command follow its name\ntry: talus --help", argv[1]));
            return;
        }
        std::vector<std::string> names;
        for (const CLI::App* command : app_.get_subcommands([](const CLI::App*) { return true; })) {
            if (argc >= 2 && command->get_name() == argv[1]) return;
            if (!command->get_group().empty()) names.push_back(command->get_name());
        }
        if (argc < 2) throw Error(ExitCode::usage, fmt::format("talus needs a command: {}\ntry: talus --help", fmt::join(names, ", ")));
        throw Error(ExitCode::usage, fmt::format("unknown command '{}'{}", argv[1], meant(argv[1], names, "commands")));
    }
    const CLI::App* usedCommand() const {
        const auto used = app_.get_subcommands();
        return used.empty() ? nullptr : used.front();
    }
    std::string describeExtras(const CLI::ExtrasError& error) const {
        const CLI::App* used = usedCommand();
        const std::vector<std::string> extras = app_.remaining(true);
        if (!used || extras.empty()) return error.what();
        const std::string name = extras.front().substr(0, extras.front().find('='));
        if (!name.starts_with('-')) return fmt::format("unexpected argument '{}'; try: talus {} --help", name, used->get_name());
        std::vector<std::string> known;
        for (const CLI::Option* option : used->get_options())
            for (const std::string& longName : option->get_lnames())
                if (!option->get_group().empty()) known.push_back("--" + longName);
        return fmt::format("unknown option '{}' of talus {}{}", name, used->get_name(), meant(name, known, "options"));
    }

    CLI::App app_{"Talus simulates granular matter: sand, soil, gravel, grain, coins.", "talus"};
    RunCommand run_;
    RefineCommand refine_;
    SweepCommand sweep_;
    CalibrateCommand calibrate_;
    CheckCommand check_;
    ScenesCommand scenes_;
    MaterialsCommand materials_;
    NewCommand new_;
    SchemaCommand schema_;
    InfoCommand info_;
    ExportCommand export_;
    RenderCommand render_;
    CompareCommand compare_;
    StyleTexts renderTexts_, compareTexts_;
    std::string compareSlice_;
    std::string formatName_;
    CompletionCommand completion_;
    ManualCommand manual_;
    std::function<Command()> finished_;
};

}  // namespace

Command parse(int argc, const char* const* argv) { return CommandLine().parse(argc, argv); }

std::vector<CommandDescription> describeCommands() { return CommandLine().describe(); }

}  // namespace talus::cli
