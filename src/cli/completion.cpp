// SPDX-License-Identifier: Apache-2.0
// Completion scripts made from the same description of the commands that parses them.
#include "cli/commands.h"

#include <fmt/format.h>

#include <algorithm>

namespace talus::cli {

namespace {

/// What may follow an option or stand at a position.
struct Values {
    std::vector<std::string> words;
    bool files = false, folders = false;
};

Values valuesOf(const OptionDescription& option) {
    Values values;
    const std::string& name = option.value;
    if (name == "M")
        for (const world::MethodInfo* method : scene::builtInMethods()) values.words.emplace_back(method->name);
    else if (name == "SCENE") {
        for (const scene::BuiltInScene& scene : scene::builtInScenes()) values.words.emplace_back(scene.name);
        values.files = true;
    } else if (name == "V") {
        for (const scene::BuiltInScene& scene : scene::builtInScenes())
            for (const std::string& variant : scene.variants)
                if (std::ranges::find(values.words, variant) == values.words.end()) values.words.push_back(variant);
    } else if (name == "SHELL") values.words = {"bash", "zsh", "fish"};
    else if (name == "DIR" || name == "PATH") values.folders = true;
    else if (name.find('|') != std::string::npos)
        for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
            end = name.find('|', begin);
            values.words.push_back(name.substr(begin, end - begin));
        }
    return values;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) text.replace(at, what.size(), by);
    return text;
}

std::string bash(const std::vector<CommandDescription>& commands) {
    std::string names, cases;
    for (const CommandDescription& command : commands) {
        names += command.name + " ";
        std::string words = "--help ", following;
        bool files = false, folders = false;
        for (const OptionDescription& option : command.options) {
            const Values values = valuesOf(option);
            if (option.names.empty()) {
                words += fmt::format("{} ", fmt::join(values.words, " "));
                files |= values.files;
                folders |= values.folders;
                continue;
            }
            words += fmt::format("{} ", fmt::join(option.names, " "));
            if (!option.value.empty())
                following += fmt::format("                {}) words='{}'; {};;\n", fmt::join(option.names, "|"), fmt::join(values.words, " "),
                                         values.folders ? "kind=-d" : "kind=''");
        }
        cases += fmt::format("        {})\n            words='{}'; kind={}\n            case $previous in\n{}            esac;;\n", command.name, words,
                             files ? "-f" : folders ? "-d" : "''", following.empty() ? "                *) ;;\n" : following);
    }
    return fmt::format(R"(# bash completion for talus: source <(talus completion bash)
_talus() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} words='{}--help --version' kind=''
    if (( COMP_CWORD > 1 )); then
        case ${{COMP_WORDS[1]}} in
{}        esac
    fi
    local IFS=$'\n'
    COMPREPLY=($(IFS=' ' compgen -W "$words" -- "$current"; [[ -n $kind ]] && compgen $kind -- "$current"))
}}
complete -o filenames -F _talus talus
)",
                       names, cases);
}

std::string zsh(const std::vector<CommandDescription>& commands) {
    const auto quoted = [](const std::string& text) { return replaced(text, "'", "'\\''"); };
    const auto action = [](const Values& values) {
        const std::string words = fmt::format("{}", fmt::join(values.words, " "));
        if (values.files) return fmt::format("{{compadd {}; _files}}", words);
        if (values.folders) return std::string("_files -/");
        return values.words.empty() ? std::string() : fmt::format("({})", words);
    };
    std::string list, cases;
    for (const CommandDescription& command : commands) {
        list += fmt::format("        '{}:{}'\n", command.name, quoted(command.summary));
        cases += fmt::format("        {}) _arguments", command.name);
        for (const OptionDescription& option : command.options) {
            const std::string help = quoted(replaced(replaced(replaced(option.help, "[", "("), "]", ")"), ":", "\\:"));
            const std::string value = option.value.empty() ? "" : fmt::format(":{}:{}", option.value, action(valuesOf(option)));
            if (option.names.empty()) cases += fmt::format(" \\\n            '1{}'", value);
            for (const std::string& name : option.names) cases += fmt::format(" \\\n            '*{}[{}]{}'", name, help, value);
        }
        cases += ";;\n";
    }
    return fmt::format(R"(#compdef talus
# zsh completion for talus: source <(talus completion zsh)
_talus() {{
    local -a commands=(
{}    )
    if (( CURRENT == 2 )); then
        _describe command commands
        return
    fi
    local command=$words[2]
    shift words
    (( CURRENT-- ))
    case $command in
{}    esac
}}
compdef _talus talus
)",
                       list, cases);
}

std::string fish(const std::vector<CommandDescription>& commands) {
    const auto quoted = [](const std::string& text) { return replaced(replaced(text, "\\", "\\\\"), "'", "\\'"); };
    std::string script = "# fish completion for talus: talus completion fish | source\ncomplete -c talus -f\n";
    for (const CommandDescription& command : commands) {
        script += fmt::format("complete -c talus -n __fish_use_subcommand -a {} -d '{}'\n", command.name, quoted(command.summary));
        for (const OptionDescription& option : command.options) {
            std::string line = fmt::format("complete -c talus -n '__fish_seen_subcommand_from {}'", command.name);
            for (const std::string& name : option.names)
                line += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2)) : fmt::format(" -s {}", name.substr(1));
            const Values values = valuesOf(option);
            std::string words = fmt::format("{}", fmt::join(values.words, " "));
            if (values.folders) words = "(__fish_complete_directories)";
            if (values.files) words += " (__fish_complete_suffix .toml)";
            if (!option.value.empty()) line += option.names.empty() ? " -k" : " -x";
            if (!words.empty()) line += fmt::format(" -a '{}'", words);
            if (!option.names.empty()) line += fmt::format(" -d '{}'", quoted(option.help));
            script += line + "\n";
        }
    }
    return script;
}

}  // namespace

ExitCode execute(const CompletionCommand& command) {
    const std::vector<CommandDescription> commands = describeCommands();
    print(command.shell == "bash" ? bash(commands) : command.shell == "zsh" ? zsh(commands) : fish(commands));
    return ExitCode::done;
}

}  // namespace talus::cli
