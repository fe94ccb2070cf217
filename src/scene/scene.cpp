// SPDX-License-Identifier: Apache-2.0
#include "scene/scene.h"

#include "io/checksum.h"
#include "scene/assets.h"
#include "scene/build.h"
#include "scene/description.h"
#include "scene/diagnostics.h"
#include "scene/document.h"
#include "scene/overrides.h"
#include "scene/presets.h"
#include "scene/reader.h"
#include "scene/source.h"
#include "scene/suggestion.h"
#include "scene/table_fill.h"
#include "scene/writer.h"
#include "world/covered_walls.h"
#include "world/rehearsal.h"
#include "world/stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace talus::scene {

namespace {

/// Problems know the path of a key; the tree knows where that was written.
void place(const Problems& problems, const Value& root, Diagnostics& diagnostics) {
    const auto sentence = [](const Problem& p) {
        return p.path.empty() ? p.message : fmt::format("'{}': {}", p.path, p.message);
    };
    for (const Problem& p : problems.errors()) diagnostics.error(nearestValue(root, p.path).place, p.path, sentence(p));
    for (const Problem& p : problems.warnings()) diagnostics.warn(nearestValue(root, p.path).place, p.path, sentence(p));
}

/// `missing` of the errors are files that are not there: a scene that is right otherwise.
/// How near to bodies grains of the scene's method feel them, along the axes for which that matters.
Vec3 bodyReach(const SceneDescription& scene, const world::World& world) {
    const world::Domain& domain = world.domain;
    const auto known = scene.methodInfo().bodyReach;
    return known && (domain.periodic(0) || domain.periodic(1) || domain.periodic(2)) ? known(scene.methodSettings(), world) : Vec3{};
}

void throwIfWrong(const Diagnostics& diagnostics, std::size_t missing = 0) {
    if (diagnostics.ok()) return;
    throw Error(diagnostics.errorCount() == missing ? ExitCode::missing : ExitCode::usage, diagnostics.errorText());
}

std::unique_ptr<SceneDescription> describe(const Value& root, Methods methods, Diagnostics& diagnostics) {
    const Table& table = *root.as<Table>();
    auto scene = std::make_unique<SceneDescription>(methods);
    Parameters parameters(table.find("parameters"), diagnostics);
    const auto evaluate = [&](std::string_view expression) { return parameters.evaluate(expression); };
    Reader reader({diagnostics, evaluate}, &table, "", root.place);
    scene->keys(reader);
    reader.alsoKnown("parameters");
    reader.alsoKnown("variant");
    scene->parameters = parameters.all();
    for (const Parameter& parameter : scene->parameters) reader.alsoSuggest(parameter.name);   // --set r0=…
    reader.reportUnknownKeys();
    scene->resolve();
    return scene;
}

std::vector<std::string> fieldsToWrite(const SceneDescription& scene) {
    std::vector<std::string> fields;
    const auto add = [&](std::string_view name) {
        if (std::ranges::find(fields, name) == fields.end()) fields.emplace_back(name);
    };
    for (const world::FieldInfo& field : world::kPromisedFields) add(field.name);
    if (const auto drawn = scene.methodInfo().drawnFields)
        for (const std::string_view name : drawn(scene.methodSettings())) add(name);
    const std::vector<std::string>& asked = scene.output.fields;
    if (std::ranges::find(asked, "all") != asked.end())
        for (const world::FieldInfo& field : scene.methodInfo().fields) add(field.name);
    else
        for (const std::string& field : asked) add(field);
    return fields;
}

/// The world of each stage: that of the scene with the changes of the stage and of all before it.
class StageReader {
public:
    StageReader(const Value& root, const std::string& folder, SceneDescription& scene, const world::World& whole, Methods methods)
        : root_(root), folder_(folder), scene_(scene), whole_(whole), methods_(methods) {}

    std::vector<world::Stage> read(Diagnostics& diagnostics) {
        std::vector<world::Stage> stages;
        Value changed = root_;
        for (std::size_t i = 0; i < scene_.stages.size(); ++i) {
            Diagnostics found;
            stages.push_back(readOne(i, changed, found));
            diagnostics.append(found);
            if (!found.ok()) break;   // what follows builds upon it
        }
        return stages;
    }
    std::size_t missing() const { return missing_; }   // files

private:
    world::Stage readOne(std::size_t i, Value& changed, Diagnostics& found) {
        const StageChanges changes = changesOf(root_, scene_, i, found);
        for (const Override& change : changes.overrides) apply(changed, change, found);
        const std::unique_ptr<SceneDescription> described = describe(changed, methods_, found);
        described->domain = scene_.domain;   // with the width of a slab
        for (std::size_t b = 0; b < std::min(scene_.bodies.size(), described->bodies.size()); ++b) described->bodies[b].shape = scene_.bodies[b].shape;   // with its mesh
        Problems problems;
        world::Stage stage;
        const auto wellRead = [&](std::string_view path) { return !found.hasErrorAround(path); };
        if (found.ok()) {
            missing_ += resolveGivenPaths(root_, folder_, i, changes, scene_, *described, wellRead, problems);
            checkGivenMotions(scene_, *described, changes, problems);
        }
        checkChanged(*described, wellRead, problems);
        if (found.ok() && problems.ok()) {
            stage = {.name = scene_.stages[i].name, .until = buildUntil(scene_.stages[i], scene_.domain), .resetTime = scene_.stages[i].resetTime, .world = buildChanged(*described, whole_), .given = changes.given};
            described->methodInfo().check(described->methodSettings(), stage.world, problems);
            rehearse(stage, i == 0, bodyReach(*described, stage.world), problems);
        }
        place(problems, changed, found);
        return stage;
    }

    /// The first stage is checked with the scene.
    void rehearse(const world::Stage& stage, bool first, const Vec3& reach, Problems& problems) {
        Problems ofFirst, ofEarly;
        late_.enter(stage, scene_.time.end, reach, first ? ofFirst : problems);
        early_.enter(stage, scene_.time.end, reach, first ? ofFirst : ofEarly);
        if (problems.ok())
            for (const Problem& problem : ofEarly.errors()) problems.error(problem.path, problem.message);
    }

    const Value& root_;
    const std::string& folder_;
    SceneDescription& scene_;
    const world::World& whole_;
    Methods methods_;
    world::Rehearsal late_{world::Rehearsal::Ends::late}, early_{world::Rehearsal::Ends::early};
    std::size_t missing_ = 0;
};

}  // namespace

namespace {

/// As one more of the [[grains]], so that what is wrong with it is said of the option.
void addGrains(Value& root, const std::string& file) {
    const Place place{"--from"};
    Table& scene = *root.as<Table>();
    Value* list = scene.find("grains");
    if (!list) {
        list = &scene.insert("grains", place);
        list->data = Array{};
    }
    Array* items = list->as<Array>();
    if (!items) return;   // no list: an error of its own
    Table table;
    table.insert("table", place).data = file;
    items->push_back(Value{place, std::move(table)});
}

/// Nodes of a grid feel surfaces within a cell; grains those that they overlap, by little.
void warnOfCoveredWalls(const SceneDescription& scene, const world::World& world, Problems& problems) {
    constexpr double kOverlap = 0.02;   // of a diameter
    const world::MethodInfo& method = scene.methodInfo();
    const double size = method.estimate(scene.methodSettings(), world, scene.precision).resolved();
    world::warnOfCoveredWalls(world, method.continuum ? size : kOverlap * size, problems);
}

/// Tables may say more of their grains than the method can take.
void warnOfFrictionLeftOut(const SceneDescription& scene, const world::World& world, Problems& problems) {
    const world::MethodInfo& method = scene.methodInfo();
    if (method.frictionByGrain && method.frictionByGrain(scene.methodSettings())) return;
    for (const world::Fill& fill : world.fills)
        if (fill.listed && !fill.listed->muHats.empty())
            problems.warn(fmt::format("grains[{}].table", fill.source), fmt::format("grains of '{}' have the friction of their material: the friction angles of the table are left out", method.name));
}

}  // namespace

Scene read(const Request& request, Methods methods) {
    if (methods.empty()) throw std::invalid_argument("a scene is read for at least one method");
    const Source source = request.text ? Source{request.scene, *request.text, {}} : findSource(request.scene);
    Value root = parseToml(source.text, request.scene);
    Diagnostics diagnostics;
    applyOverrides(root, request, diagnostics);
    if (request.grains) addGrains(root, *request.grains);
    applyPresets(root, diagnostics);
    std::unique_ptr<SceneDescription> scene = describe(root, methods, diagnostics);
    const auto wellRead = [&](std::string_view path) { return !diagnostics.hasErrorAround(path); };
    const bool slabIsOpen = scene->domain.widthIsOpen() && wellRead("domain");
    Problems ofFiles;
    if (slabIsOpen) assumeSlabWidth(*scene, ofFiles);
    AssetLoader assets(source.folder);
    assets.load(*scene, wellRead, ofFiles);
    const std::size_t missingPaths = resolvePaths(*scene, source.folder, wellRead, ofFiles);
    loadTables(*scene, assets, request.stateFollows, wellRead, ofFiles);
    place(ofFiles, root, diagnostics);
    Problems problems;
    check(*scene, wellRead, problems);
    if (slabIsOpen && problems.ok() && diagnostics.ok()) {
        chooseSlabWidth(*scene);
        problems = {};   // of the width that was assumed
        check(*scene, wellRead, problems);
    }
    place(problems, root, diagnostics);
    throwIfWrong(diagnostics, assets.missing() + missingPaths);

    // What no method can do, then what the chosen one cannot, asked of a world that is otherwise right.
    world::World world = build(*scene);
    StageReader stageReader(root, source.folder, *scene, world, methods);
    std::vector<world::Stage> stages = stageReader.read(diagnostics);
    throwIfWrong(diagnostics, stageReader.missing());
    if (!stages.empty()) {
        world = stages.front().world;
        world.emitted = world::emittedThrough(stages, scene->time.end);
    }
    Problems ofWorld;
    world::check(world, stages.empty() || !stages.front().until ? scene->time.end : stages.front().until->longest(), bodyReach(*scene, world), ofWorld);
    scene->methodInfo().check(scene->methodSettings(), world, ofWorld);
    if (ofWorld.ok()) warnOfCoveredWalls(*scene, world, ofWorld);
    warnOfFrictionLeftOut(*scene, world, ofWorld);
    checkResults(*scene, world, ofWorld);
    checkProbeConditions(*scene, world, ofWorld);
    place(ofWorld, root, diagnostics);
    throwIfWrong(diagnostics);
    const world::MethodInfo& method = scene->methodInfo();
    return Scene(std::move(scene), std::move(world), std::move(stages), method, request.name.value_or(source.name), diagnostics.warningTexts(), assets.takeAssets(), assets.assetOfFile());
}

Scene::Scene(std::unique_ptr<SceneDescription> description, world::World world, std::vector<world::Stage> stages, const world::MethodInfo& method,
             std::string name, std::vector<std::string> warnings, std::vector<Asset> assets, std::map<std::string, std::size_t> assetOfFile)
    : description_(std::move(description)),
      world_(std::move(world)),
      stages_(std::move(stages)),
      method_(&method),
      name_(std::move(name)),
      warnings_(std::move(warnings)),
      outputFields_(fieldsToWrite(*description_)),
      assets_(std::move(assets)),
      assetOfFile_(std::move(assetOfFile)) {}
Scene::~Scene() = default;
Scene::Scene(Scene&&) noexcept = default;
Scene& Scene::operator=(Scene&&) noexcept = default;

const std::string& Scene::name() const { return name_; }
const world::MethodInfo& Scene::method() const { return *method_; }
world::Precision Scene::precision() const { return description_->precision; }
double Scene::endTime() const { return description_->time.end; }
const std::vector<world::Stage>& Scene::stages() const { return stages_; }
double Scene::framesPerSecond() const { return description_->time.framesPerSecond; }
std::int64_t Scene::firstFrame() const { return description_->output.firstFrame; }
double Scene::checkpointInterval() const { return description_->output.checkpointInterval; }
const std::vector<std::string>& Scene::outputFields() const { return outputFields_; }
std::vector<world::SecondOutput> Scene::secondOutputs() const {
    std::vector<world::SecondOutput> wanted;
    for (const OutputDescription::Second& second : description_->output.seconds)
        if (second.wanted && second.of == method_) wanted.push_back(second.output);
    return wanted;
}
io::FrameStyle Scene::frameStyle() const { return description_->output.positions; }
const std::vector<std::string>& Scene::warnings() const { return warnings_; }
const std::vector<Asset>& Scene::assets() const { return assets_; }
io::Look Scene::look() const { return lookOf(*description_); }

namespace {

std::string commented(std::string_view header) {
    std::string comments;
    while (!header.empty()) {
        const std::size_t end = std::min(header.find('\n'), header.size());
        comments += fmt::format("# {}\n", header.substr(0, end));
        header.remove_prefix(std::min(end + 1, header.size()));
    }
    return comments;
}

std::string written(SceneDescription& description, const TomlWriter::FileNames* files) {
    TomlWriter writer(TomlWriter::Layout::file, files);
    description.parameterKeys(writer);
    description.keys(writer);
    return writer.text();
}

}  // namespace

std::string Scene::toml(std::string_view header) const { return commented(header) + written(*description_, nullptr); }

std::string Scene::toml(std::string_view header, std::string_view folder) const {
    TomlWriter::FileNames names;
    for (const auto& [file, asset] : assetOfFile_) names[file] = fmt::format("{}/{}", folder, assets_[asset].name);
    return commented(header) + written(*description_, &names);
}

std::string Scene::identity() const {
    TomlWriter::FileNames contents;   // a file is what it holds, wherever it lies
    for (const auto& [file, asset] : assetOfFile_) {
        io::Checksum sum;
        sum.add(std::as_bytes(std::span(assets_[asset].bytes)));
        contents[file] = fmt::format("{} ({:016x})", assets_[asset].name, sum.value());
    }
    TomlWriter writer(TomlWriter::Layout::file, &contents);
    description_->identityKeys(writer);
    return writer.text();
}

world::World Scene::buildWorld() const { return world_; }
namespace {

double bytesOf(const world::ListedGrains& grains) {
    const auto bytes = [](const auto& values) { return static_cast<double>(values.capacity() * sizeof(values[0])); };
    return bytes(grains.positions) + bytes(grains.velocities) + bytes(grains.materials) + bytes(grains.volumes) + bytes(grains.stresses) + bytes(grains.muHats) + bytes(grains.orientations) + bytes(grains.spins) + bytes(grains.shapes);
}

}  // namespace

// Tables of grains, and the files that the scene names, stay in memory through the run.
world::Estimate Scene::estimate() const {
    world::Estimate result = method_->estimate(description_->methodSettings(), world_, precision());
    for (const world::Fill& fill : world_.fills)
        if (fill.listed) result.bytes += bytesOf(*fill.listed);
    for (const Asset& asset : assets_) result.bytes += static_cast<double>(asset.bytes.size());
    return result;
}
std::unique_ptr<world::Method> Scene::createMethod(const world::World& world) const {
    return method_->create(description_->methodSettings(), world, precision());
}

std::vector<world::ProbePlan> Scene::createProbes() const { return buildProbes(*description_, world_); }

}  // namespace talus::scene
