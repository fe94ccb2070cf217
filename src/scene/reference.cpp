// SPDX-License-Identifier: Apache-2.0
// The keys of a scene as a page of the manual.
#include "scene/description.h"
#include "scene/expressions.h"
#include "scene/reader.h"
#include "scene/suggestion.h"
#include "scene/units.h"
#include "scene/writer.h"

#include <fmt/format.h>

#include <map>

namespace talus::scene {

namespace {

constexpr std::string_view kIntroduction = R"(# Scene reference

Made from the program's own keys; `talus schema` has the same for editors. A scene is a [TOML](https://toml.io) file:

```toml
time = { end = 2.0 }                          # tables may be written in braces
[domain]                                      # or under a heading
min = [0, 0, 0]
max = ["50 cm", "50 cm", 1]
[[materials]]                                 # each [[…]] starts one more item of a list
name = "sand"
[[grains]]
material = "sand"
region = { type = "sphere", radius = "= r", position = [0.25, 0.25, "= 2*r"] }
[parameters]
r = { default = 0.1, min = 0.01, help = "radius of the ball of sand [m]" }
[variant.smoke]
"time.end" = 0.1
```

**Numbers** are in SI units, angles (their keys end in `_deg`) in degrees. A text may carry another unit, which is
converted by what the key measures: `"4 mm"`, `"12 rpm"`, `"1.5 g/cm3"`.

)";

constexpr std::string_view kParameters = R"(
**Schedules.** Where the value "may be a schedule", a number or vector is constant in time, and two kinds of table change
it: `{{ table = [[0, 0], ["2 s", 5]] }}` has rows of time and value, joined by straight lines, held before the first and
after the last; two rows of the same time are a jump. `{{ mean = 5, amplitude = 2, frequency = "3 Hz", phase_deg = 90 }}`
is mean + amplitude sin(2 pi frequency t + phase).

**Expressions** are texts that begin with `=` and may stand wherever a number may: `"= 2*r0 + 0.1"`. They know the names
of `[parameters]`, `+ - * / ^`, parentheses,
{}.
`log` is the natural logarithm; `sin` and its like work in radians.

## [parameters]

Each is a number, or a table:

)";

constexpr std::string_view kVariants = R"(
`--set r=0.2` gives a parameter another value.

## [variant.NAME]

Changes that `--variant NAME` makes. A key is the path of a key in the scene, in quotes: `"time.end"`,
`"grains[0].region.radius"`, `"bodies.floor.contact"` (by the name of the body), or the name of a parameter. A table in
braces replaces the one in the scene. `--set PATH=VALUE` does the same for one key; the order is file, variant,
`--set`, `--method` and `--precision`.

)";

struct Pages {
    std::map<const std::string_view*, std::string> kinds;   // heading by the list of kinds, each described once
    std::string appendix;
};

std::string anchor(std::string_view heading) {
    std::string link;
    for (const char c : heading)
        if (c == ' ') link += '-';
        else if (c != '[' && c != ']' && c != '.') link += c;
    return link;
}

class ReferenceVisitor final : public KeyVisitor {
public:
    /// `heading` is how the manual calls the table: "domain", "bodies.motion".
    ReferenceVisitor(Pages& pages, std::string heading) : pages_(pages), heading_(std::move(heading)) {}

    /// The table of its own keys and the sections of the tables inside.
    std::string text() const { return ownRows() + sections_; }

    void number(const Key& key, double& value) override { row(key, numberType(key), numberText(value)); }
    void number(const Key& key, std::optional<double>&) override { row(key, numberType(key)); }
    void integer(const Key& key, std::int64_t& value) override {
        row(key, withRange("whole number", key), std::to_string(value));
    }
    void integer(const Key& key, std::optional<std::int64_t>&) override { row(key, withRange("whole number", key)); }
    void flag(const Key& key, bool& value) override { row(key, "true or false", value ? "true" : "false"); }
    void flag(const Key& key, std::optional<bool>&) override { row(key, "true or false"); }
    void text(const Key& key, std::string& value) override { row(key, "text", value.empty() ? "" : scene::quoted(value)); }
    void text(const Key& key, std::optional<std::string>&) override { row(key, "text"); }
    void vector(const Key& key, Vec3& v) override {
        row(key, "3 × " + numberType(key), fmt::format("[{}, {}, {}]", numberText(v.x), numberText(v.y), numberText(v.z)));
    }
    void vector(const Key& key, std::optional<Vec3>&) override { row(key, "3 × " + numberType(key)); }
    void schedule(const Key& key, Schedule<double>& value) override { row(key, numberType(key) + "; may be a schedule", numberText(value.at(0))); }
    void schedule(const Key& key, Schedule<Vec3>& value) override {
        const Vec3 v = value.at(0);
        row(key, "3 × " + numberType(key) + "; may be a schedule", fmt::format("[{}, {}, {}]", numberText(v.x), numberText(v.y), numberText(v.z)));
    }
    void numbers(const Key& key, std::vector<double>&) override { row(key, "list of " + numberType(key)); }
    void texts(const Key& key, std::vector<std::string>&) override { row(key, "list of texts"); }
    void rows(const Key& key, int width, std::vector<double>&) override {
        row(key, fmt::format("rows of {} × {}", width, numberType(key)));
    }

    void rows(const Key& key, std::vector<std::vector<double>>&) override { row(key, "rows of " + numberType(key)); }
    void file(const Key& key, std::string&) override { row(key, "name of a file"); }
    void file(const Key& key, std::optional<std::string>&) override { row(key, "name of a file"); }

    void changes(const Key& key, std::vector<KeyChange>&) override { row(key, "table of `PATH = VALUE`"); }
    void table(const Key& key, FunctionRef<void(KeyVisitor&)> body) override {
        section(key, fmt::format("[{}{}{}]", heading_, heading_.empty() ? "" : ".", key.name), body);
    }
    void table(const Key& key, bool&, FunctionRef<void(KeyVisitor&)> body) override {
        // Alike tables of one parent (the faces of the domain) are told in one line.
        ReferenceVisitor inside(pages_, heading_ + "." + std::string(key.name));
        body(inside);
        row(key, fmt::format("{}table of {}", key.shorthand.empty() ? "" : "text or ", inside.names_));
        if (!key.shorthand.empty() && shared_.empty())
            shared_ = fmt::format("\nA text stands for a table with only `{}`, `{} = \"…\"`:\n\n{}", key.shorthand, key.name, inside.text());
        else if (key.shorthand.empty() && !(inside.rows_.empty() && inside.shared_.empty()))
            shared_ += fmt::format("\n`{}`:\n\n{}{}", key.name, inside.text(), inside.shared_);
    }

    void oneOf(const Key& key, std::span<const std::string_view> kinds, int, FunctionRef<void(int, KeyVisitor&)> body) override {
        const std::string name = !key.name.empty() ? std::string(key.name) : topLevel_ ? "kinds of " + heading_ : heading_;
        const auto [known, isNew] = pages_.kinds.try_emplace(kinds.data(), name);
        const std::string link = fmt::format("[{0}](#{1})", known->second, anchor(known->second));
        if (isNew) {
            std::string page = fmt::format("\n## {}\n\nA table whose `type` is one of {}.\n", name, quotedList(kinds, '`'));
            for (std::size_t i = 0; i < kinds.size(); ++i) {
                ReferenceVisitor kind(pages_, name);
                body(static_cast<int>(i), kind);
                page +=
                    fmt::format("\n### type = \"{}\"\n\n{}", kinds[i], kind.rows_.empty() ? "No further keys.\n" : kind.text());
            }
            pages_.appendix += page;
        }
        if (key.name.empty()) names_ = link;
        else row(key, link);
    }

protected:
    void chooseIndex(const Key& key, std::span<const std::string_view> options, int& index) override {
        row(key, quotedList(options, '`'), options.empty() ? "" : std::string(options[static_cast<std::size_t>(index)]));
    }
    void visitList(const Key& key, std::size_t, FunctionRef<void(std::size_t)> resize,
                   FunctionRef<void(std::size_t, KeyVisitor&)> item) override {
        resize(1);
        if (heading_.empty()) return section(key, fmt::format("[[{}]]", key.name), [&](KeyVisitor& v) { item(0, v); });
        ReferenceVisitor inside(pages_, std::string(key.name));
        item(0, inside);
        row(key, fmt::format("{}list of {}", key.shorthand.empty() ? "" : "text, table or ", inside.names_));
    }

private:
    std::string ownRows() const { return rows_.empty() ? "" : fmt::format("| key | value | default | meaning |\n| --- | --- | --- | --- |\n{}", rows_); }
    static std::string withRange(std::string type, const Key& key) {
        const std::string range = rangeText(key.range);
        return range.empty() ? type : fmt::format("{}, {}", type, range);
    }
    static std::string numberType(const Key& key) {
        const std::string_view unit = dimensionInfo(key.dimension).unit;
        return withRange(unit.empty() ? "number" : key.unitAlone ? "number or unit" : std::string(unit), key);
    }
    void row(const Key& key, std::string_view type, std::string_view value = {}) {
        names_ += fmt::format("{}`{}`", names_.empty() ? "" : ", ", key.name);
        const std::string standard = key.required ? "required" : value.empty() ? "" : fmt::format("`{}`", value);
        rows_ += fmt::format("| `{}` | {} | {} | {} |\n", key.name, type, standard, key.help);
    }
    template <class Body>
    void section(const Key& key, const std::string& title, Body body) {
        ReferenceVisitor inside(pages_, std::string(key.name));
        inside.topLevel_ = true;
        body(inside);
        const std::string kinds = inside.rows_.empty() && !inside.names_.empty() ? fmt::format("Each is one of the {}.\n", inside.names_) : "";
        sections_ += fmt::format("\n{} {}\n\n{}.\n\n{}{}{}{}", heading_.empty() ? "##" : "###", title, sentence(key.help), kinds, inside.ownRows(), inside.shared_, inside.sections_);
    }
    static std::string sentence(std::string_view help) {
        std::string text(help);
        if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
        return text;
    }

    Pages& pages_;
    std::string heading_, names_, rows_, sections_, shared_;
    bool topLevel_ = false;   // a table or list at the top of the file
};

std::string unitTable() {
    std::string text = "| what | plain number in | accepted units |\n| --- | --- | --- |\n";
    for (int d = 1; d <= static_cast<int>(Dimension::temperature); ++d) {
        const DimensionInfo& info = dimensionInfo(static_cast<Dimension>(d));
        text += fmt::format("| {} | {} | {} |\n", info.noun, info.unit, info.accepted);
    }
    return text;
}

}  // namespace

std::string referencePage(Methods methods) {
    Pages pages;
    ReferenceVisitor parameter(pages, "parameters"), scene(pages, "");
    Parameter{}.keys(parameter);
    SceneDescription(methods).keys(scene);
    return fmt::format("{}{}{}{}{}## Top of the file\n\n{}{}", kIntroduction, unitTable(),
                       fmt::format(kParameters, kFunctionList), parameter.text(), kVariants, scene.text(), pages.appendix);
}

}  // namespace talus::scene
