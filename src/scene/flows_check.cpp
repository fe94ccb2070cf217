// SPDX-License-Identifier: Apache-2.0
// Rules of emitters, sinks and forces that no range of a single key can say.
#include "scene/description.h"
#include "scene/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <set>

namespace talus::scene {
namespace {

class FlowChecker {
public:
    FlowChecker(const SceneDescription& scene, WellRead wellRead, Problems& problems) : scene_(scene), wellRead_(wellRead), problems_(problems), bodyNames_(bodyNames(scene)), bodies_(bodyNames_.begin(), bodyNames_.end()) {
        for (const MaterialDescription& material : scene.materials) materials_.push_back(material.name);
    }

    void run() {
        for (std::size_t i = 0; i < scene_.emitters.size(); ++i) emitter(scene_.emitters[i], fmt::format("emitters[{}]", i));
        for (std::size_t i = 0; i < scene_.sinks.size(); ++i) {
            const std::string path = fmt::format("sinks[{}]", i);
            name(scene_.sinks[i].name, path);
            if (wellRead_(path + ".region")) geometry::check(scene_.sinks[i].region, path + ".region", problems_);
        }
        for (std::size_t i = 0; i < scene_.forces.size(); ++i) {
            const std::string path = fmt::format("forces[{}].region", i);
            if (scene_.forces[i].hasRegion && wellRead_(path)) geometry::check(scene_.forces[i].region, path, problems_);
        }
    }

private:
    void error(std::string_view path, std::string message) {
        if (wellRead_(path)) problems_.error(path, std::move(message));
    }

    // Emitters and sinks share the columns of flows.csv.
    void name(const std::string& name, const std::string& path) {
        if (!isPlainName(name)) error(path + ".name", fmt::format("\"{}\" is not a name; use letters, digits, _ and -", name));
        else if (name == "open_faces") error(path + ".name", "the name \"open_faces\" is that of the open faces of the domain in flows.csv; choose another");
        else if (!names_.insert(name).second) error(path + ".name", fmt::format("the name \"{}\" is taken by an earlier emitter or sink", name));
    }

    void material(const std::string& path, const std::string& name) {
        if (std::ranges::find(materials_, name) == materials_.end())
            error(path, fmt::format("there is no material \"{}\"{}", name, suggestion(name, materials_, "materials", '"')));
    }

    void emitter(const EmitterDescription& e, const std::string& path) {
        name(e.name, path);
        if (e.material) material(path + ".material", *e.material);
        for (std::size_t p = 0; p < e.mixture.size(); ++p) material(fmt::format("{}.mixture[{}].material", path, p), e.mixture[p].material);
        if (scene_.domain.slab == Slab::none && !(e.ratePerMetre.constant() && e.ratePerMetre.at(0) == 0))
            error(path + ".rate_per_metre", "a rate per metre of width belongs to a two-dimensional case; give domain.slab, or rate in kg/s");
        if (e.body && std::ranges::find(bodies_, *e.body) == bodies_.end())
            error(path + ".body", fmt::format("there is no body \"{}\"{}", *e.body, suggestion(*e.body, bodies_, "bodies", '"')));
        if (!e.hasRegion || !wellRead_(path + ".region")) return;
        const std::size_t before = problems_.errors().size();
        geometry::check(e.region, path + ".region", problems_);
        if (problems_.errors().size() == before && !geometry::build(e.region)->bounded())
            error(path + ".region", "the region of an emitter must have an end; choose a box, a sphere or a cylinder, or a disc");
    }

    const SceneDescription& scene_;
    WellRead wellRead_;
    Problems& problems_;
    std::vector<std::string> bodyNames_;
    std::vector<std::string_view> bodies_, materials_;
    std::set<std::string> names_;
};

}  // namespace

void checkFlows(const SceneDescription& scene, WellRead wellRead, Problems& problems) { FlowChecker(scene, wellRead, problems).run(); }

}  // namespace talus::scene
