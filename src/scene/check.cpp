// SPDX-License-Identifier: Apache-2.0
// Rules of a scene that no range of a single key can say.
#include "scene/build.h"
#include "scene/description.h"
#include "scene/probe_check.h"
#include "scene/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace talus::scene {

namespace {

class Checker {
public:
    Checker(const SceneDescription& scene, WellRead wellRead, Problems& problems)
        : scene_(scene), wellRead_(wellRead), problems_(problems) {
        for (const MaterialDescription& material : scene.materials) materials_.push_back(material.name);
        nameless_ = std::ranges::find(materials_, "") != materials_.end();
    }

    void run() {
        names("materials", scene_.materials);
        names("bodies", scene_.bodies);
        names("probes", scene_.probes);
        names("stages", scene_.stages);
        frictions();
        contacts();
        faces();
        bodies();
        grains();
        fields();
        seconds();
        checkProbes(scene_, wellRead_, problems_);
        checkFlows(scene_, wellRead_, problems_);
        checkSlab(scene_, wellRead_, problems_);
        checkStages(scene_, wellRead_, problems_);
    }

    void runChanged() {
        frictions();
        contacts();
        for (std::size_t i = 0; i < scene_.bodies.size(); ++i)
            if (scene_.bodies[i].material) material(fmt::format("bodies[{}].material", i), *scene_.bodies[i].material);
    }

private:
    void error(std::string_view path, std::string message) {
        if (wellRead_(path)) problems_.error(path, std::move(message));
    }

    template <class Item>
    void names(std::string_view list, const std::vector<Item>& items) {
        std::set<std::string_view> seen;
        for (std::size_t i = 0; i < items.size(); ++i) {
            const std::string path = fmt::format("{}[{}].name", list, i);
            if (!wellRead_(fmt::format("{}[{}].type", list, i))) continue;   // without its type an item is not read
            if (!isPlainName(items[i].name))
                error(path, fmt::format("\"{}\" is not a name; use letters, digits, _ and -", items[i].name));
            else if (!seen.insert(items[i].name).second)
                error(path, fmt::format("the name \"{}\" is taken by an earlier one of the {}", items[i].name, list));
        }
    }

    void material(const std::string& path, const std::string& name) {
        if (!nameless_ && std::ranges::find(materials_, name) == materials_.end())
            error(path, fmt::format("there is no material \"{}\"{}", name, suggestion(name, materials_, "materials", '"')));
    }

    // Beyond the cone that touches uniaxial tension (PHYSICS §1) a heap of dry grains stands as a cliff.
    void frictions() {
        for (std::size_t i = 0; i < scene_.materials.size(); ++i) {
            const MaterialDescription& m = scene_.materials[i];
            if (m.slope() <= world::kMostMuHat) continue;
            problems_.warn(fmt::format("materials[{}].{}", i, m.muHat ? "mu_hat" : "friction_angle_deg"),
                           fmt::format("mu_hat is {:.4g}; above {:.3f} dry grains carry tension and stand as cliffs", m.slope(),
                                       world::kMostMuHat));
        }
    }

    void contacts() {
        std::set<std::set<std::string>> seen;
        for (std::size_t i = 0; i < scene_.contacts.size(); ++i) {
            const std::vector<std::string>& pair = scene_.contacts[i].between;
            const std::string path = fmt::format("contacts[{}].between", i);
            if (pair.size() != 2) {
                error(path, fmt::format("write the names of two materials, not {}", pair.size()));
                continue;
            }
            for (std::size_t k = 0; k < 2; ++k) material(fmt::format("{}[{}]", path, k), pair[k]);
            if (!seen.insert({pair.begin(), pair.end()}).second)
                error(path, fmt::format("the contact of \"{}\" and \"{}\" is given twice", pair[0], pair[1]));
        }
    }

    void faces() {
        const auto& all = scene_.domain.faces;
        for (std::size_t face = 0; face < all.size(); ++face) {
            const bool same = face % 2 == 1 && all[face].key == all[face - 1].key;   // both were given as one axis
            if (all[face].material && !same) material(fmt::format("domain.{}.material", all[face].key), *all[face].material);
        }
    }

    void bodies() {
        for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
            const BodyDescription& body = scene_.bodies[i];
            const std::string path = fmt::format("bodies[{}]", i);
            if (body.material) material(path + ".material", *body.material);
            if (!wellRead_(path + ".shape")) continue;
            const std::size_t before = problems_.errors().size();
            geometry::check(body.shape, path + ".shape", problems_);
            if (problems_.errors().size() > before) continue;
            geometry::warnOfSkins(body.shape, path + ".shape", problems_);
            if (body.free() && wellRead_(path + ".motion")) checkFreeBody(body, path, problems_);
        }
        copyNames();
    }

    void copyNames() {
        std::set<std::string> seen;
        for (const BodyDescription& body : scene_.bodies)
            if (!body.copies.given) seen.insert(body.name);
        for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
            const BodyDescription& body = scene_.bodies[i];
            for (std::size_t copy = 0; body.copies.given && copy < body.copies.size(); ++copy)
                if (const std::string name = nameOfCopy(body.name, body.copies, copy); !seen.insert(name).second) {
                    error(fmt::format("bodies[{}].copies", i), fmt::format("a copy would get the name \"{}\", which another body has", name));
                    break;
                }
        }
    }

    void grains() {
        const bool free = std::ranges::any_of(scene_.bodies, [](const BodyDescription& body) { return body.free() != nullptr; });
        if (scene_.grains.empty() && scene_.emitters.empty() && !free)
            error("grains", "the scene has no grains, no emitter and no free body; add [[grains]] with a material and a region, or [[emitters]]");
        for (std::size_t i = 0; i < scene_.grains.size(); ++i) {
            const FillDescription& fill = scene_.grains[i];
            const std::string path = fmt::format("grains[{}]", i);
            if (!fill.table || !fill.material.empty()) material(path + ".material", fill.material);
            if (!fill.table && wellRead_(path + ".region")) region(path + ".region", fill.region);
        }
    }

    void region(const std::string& path, const geometry::ShapeDescription& description) {
        const DomainDescription& domain = scene_.domain;
        const std::size_t before = problems_.errors().size();
        geometry::check(description, path, problems_);
        if (problems_.errors().size() > before || !wellRead_("domain")) return;
        const geometry::ShapePtr shape = geometry::build(description);
        const Aabb box = shape->bounds();
        for (int axis = 0; axis < 3; ++axis)
            if (box.max[axis] <= domain.min[axis] || box.min[axis] >= domain.max[axis])
                return error(path, fmt::format("the region lies outside the domain: along {} it reaches from {:.4g} to {:.4g} m, "
                                               "the domain from {:.4g} to {:.4g} m",
                                               "xyz"[axis], box.min[axis], box.max[axis], domain.min[axis], domain.max[axis]));
        const geometry::ShapePtr inside = insideDomain(shape, domain);
        if (!(inside->volume() > 0)) return error(path, "the region is empty: no grain fits into it");
        if (inside != shape && beyondOtherAxes(box)) problems_.warn(path, "the region reaches beyond the domain; only the part inside is filled");
    }

    bool beyondOtherAxes(const Aabb& box) const {
        const DomainDescription& domain = scene_.domain;
        const double slack = 1e-9 * maxComponent(domain.max - domain.min);
        for (int axis = 0; axis < 3; ++axis)
            if (axis != domain.slabAxis() && (box.min[axis] < domain.min[axis] - slack || box.max[axis] > domain.max[axis] + slack)) return true;
        return false;
    }

    void fields() {
        std::vector<std::string_view> known{"all"};
        for (const world::FieldInfo& field : scene_.methodInfo().fields) known.push_back(field.name);
        for (const world::FieldInfo& field : world::kPromisedFields)
            if (std::ranges::find(known, field.name) == known.end()) known.push_back(field.name);
        for (std::size_t i = 0; i < scene_.output.fields.size(); ++i) {
            const std::string& name = scene_.output.fields[i];
            if (std::ranges::find(known, name) == known.end())
                error(fmt::format("output.fields[{}]", i), fmt::format("{} has no field \"{}\"{}", scene_.methodInfo().name, name,
                                                                       suggestion(name, known, "fields", '"')));
        }
    }

    void seconds() {
        for (const OutputDescription::Second& second : scene_.output.seconds)
            if (second.wanted && second.of != &scene_.methodInfo())
                problems_.warn(fmt::format("output.{}", second.output.name), fmt::format("{} has no {} to write; {} has", scene_.methodInfo().name, second.output.name, second.of->name));
    }

    const SceneDescription& scene_;
    WellRead wellRead_;
    Problems& problems_;
    std::vector<std::string_view> materials_;
    bool nameless_ = false;   // a material whose name is missing may be the one that is meant
};

}  // namespace

void check(const SceneDescription& scene, WellRead wellRead, Problems& problems) { Checker(scene, wellRead, problems).run(); }
void checkChanged(const SceneDescription& scene, WellRead wellRead, Problems& problems) { Checker(scene, wellRead, problems).runChanged(); }

}  // namespace talus::scene
