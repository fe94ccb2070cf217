// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include "scene/suggestion.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>

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
CLI::Validator nonNegative() {
    return mustBe("a number of at least 0", [](const std::string& text) {
        double value = 0;
        return CLI::detail::lexical_cast(text, value) && value >= 0;
    });
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
        addCheck();
        addNames();
        addDirectories();
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
    static void addChanges(CLI::App& app, scene::Request& request) {
        app.add_option("--method", request.method, "Solve it with this method instead of the scene's own")->type_name("M");
        app.add_option("--variant", request.variant, "Take this variant of the scene")->type_name("V");
        app.add_option("--set", request.sets, "Override a key or parameter; repeat for several")->type_name("KEY=VALUE")->expected(1)->take_all();
        app.add_option("--precision", request.precision, "float or double")->type_name("float|double")->check(oneOf({"float", "double"}));
    }
    void addRun() {
        run::Options& options = run_.options;
        CLI::App& app = add("run", "Run a scene", "Examples:\n  talus run hourglass\n  talus run mine.toml --set resolution.grains=1e6 --out big\n  talus run --resume --out big", run_);
        app.add_option("SCENE", options.request.scene, "A built-in scene, or a file (with a '/' or ending in .toml); not needed with --resume --out DIR")->type_name("");
        addChanges(app, options.request);
        app.add_option("--out", options.out, "Where the run is written; ./NAME-METHOD unless given")->type_name("DIR");
        app.add_option("--frames", options.frames, "Stop after N frames beyond frame 0")->type_name("N")->check(wholeNumber(0, 1'000'000'000));
        app.add_option("--threads", options.threads, "Threads; all cores unless given; the results are the same")->type_name("N")->check(wholeNumber(1, 256));
        app.add_option("--max-time", options.maxSeconds, "Wall seconds after which to write a checkpoint and leave with exit code 6")->type_name("S")->check(nonNegative());
        CLI::Option* resume = app.add_flag("--resume", options.resume, "Go on with the run in DIR from its last checkpoint");
        CLI::Option* overwrite = app.add_flag("--overwrite", options.overwrite, "Replace the run in DIR")->excludes(resume);
        app.add_flag("--force", options.force, "Resume a run of another build or scene; the results will differ")->needs(resume);
        app.add_flag("--dry-run", run_.dryRun, "Check, estimate memory, take one step to estimate the time; write nothing")->excludes(resume)->excludes(overwrite);
        CLI::Option* quiet = app.add_flag("-q,--quiet", run_.quiet, "No progress, only warnings and errors");
        app.add_flag("-v,--verbose", run_.verbose, "Progress in plain lines, one a second")->excludes(quiet);
        app.add_flag("--json", run_.json, "Print run.json instead of the folder");
        app.add_flag("--no-preview")->group("");   // there are none yet; scripts may say so already
        app.callback([this] {
            if (run_.options.request.scene.empty() && !(run_.options.resume && run_.options.out)) throw CLI::RequiredError("SCENE");
            finished_ = [this] { return Command(run_); };
        });
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
        exported.add_option("--out", export_.out, "Folder for the files; DIR/export unless given")->type_name("PATH");
        exported.add_option("--frames", export_.frames, "Frames A to B; A: and :B leave an end open")->type_name("A:B");
        exported.add_option("--fields", export_.fields, "Only these fields, separated by commas")->type_name("NAMES")->delimiter(',');
        exported.callback([this] {
            export_.format = static_cast<io::ExportFormat>(std::ranges::find(io::kExportFormatNames, formatName_) - io::kExportFormatNames.begin());
            finished_ = [this] { return Command(export_); };
        });
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
    CheckCommand check_;
    ScenesCommand scenes_;
    MaterialsCommand materials_;
    NewCommand new_;
    SchemaCommand schema_;
    InfoCommand info_;
    ExportCommand export_;
    std::string formatName_;
    CompletionCommand completion_;
    ManualCommand manual_;
    std::function<Command()> finished_;
};

}  // namespace

Command parse(int argc, const char* const* argv) { return CommandLine().parse(argc, argv); }

std::vector<CommandDescription> describeCommands() { return CommandLine().describe(); }

}  // namespace talus::cli
