// SPDX-License-Identifier: Apache-2.0
// Probes that know grains by their ids.
#include "world/probes.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace talus::world {
namespace {

/// Grains are remembered with their place at the last sample. One that was on the negative side and is on the positive side
/// now has crossed forward once; where it went in between does not show, so the net mass through a plane is exact and the counts of
/// both directions leave out those that came back. On a disc the place of the crossing is taken on the straight line
/// between the two places.
class Flux final : public Probe {
public:
    Flux(ProbeSetup setup, const FluxProbe& settings) : Probe(std::move(setup.name), setup.filter), settings_(settings) {
        for (int axis = 0; axis < 3; ++axis) {
            // Of a whole plane only images in front or behind are others.
            const bool repeats = settings.domain.periodic(axis) && (settings.radius || settings.normal[axis] != 0);
            images_[static_cast<std::size_t>(axis)] = repeats ? 1 : 0;
        }
    }

    std::vector<ProbeColumn> columns() const override {
        return {{"mass_flow", "kg/s"}, {"mass", "kg"}, {"grains_forward"}, {"grains_backward"}};
    }
    std::vector<std::string_view> fields() const override { return {field::id.name, field::position.name, field::mass.name}; }
    void begin(const Simulation&) override { now_.clear(); }
    void take(const Grains& grains) override {
        for (std::size_t i = 0; i < grains.count; ++i)
            if (filter().accepts(grains, i)) now_.push_back({grains.id[i], grains.mass[i], grains.position(i)});
    }
    bool wantsRemoved() const override { return true; }
    void removed(const Grains& grains, double) override {
        for (std::size_t i = 0; i < grains.count; ++i)
            if (filter().accepts(grains, i)) count({grains.id[i], grains.mass[i], grains.position(i)});
    }
    std::vector<double> finish(const Simulation& simulation) override {
        std::ranges::sort(now_, {}, &Place::id);
        for (const Place& place : now_) count(place);
        const double time = simulation.world().time, flow = known_ && time > time_ ? (mass_ - lastMass_) / (time - time_) : kUnknown;
        last_.swap(now_);
        time_ = time;
        lastMass_ = mass_;
        known_ = true;
        return {flow, mass_, forward_, backward_};
    }
    void setClockBack(double by) override { time_ -= by; }
    void save(Archive& archive) const override {
        std::vector<std::int64_t> ids;
        std::vector<double> places;
        for (const Place& p : last_) {
            ids.push_back(p.id);
            places.insert(places.end(), {p.mass, p.position.x, p.position.y, p.position.z});
        }
        archive.put("ids", ids);
        archive.put("places", places);
        archive.put("account", std::vector<double>{known_ ? 1.0 : 0.0, time_, mass_, lastMass_, forward_, backward_});
    }
    void load(const Archive& archive) override {
        const auto ids = archive.get<std::int64_t>("ids");
        const auto p = archive.get<double>("places"), a = archive.get<double>("account");
        if (p.size() != 4 * ids.size() || a.size() != 6) throw ArchiveError("the account of a flux is incomplete");
        last_.clear();
        for (std::size_t i = 0; i < ids.size(); ++i) last_.push_back({ids[i], p[4 * i], {p[4 * i + 1], p[4 * i + 2], p[4 * i + 3]}});
        known_ = a[0] != 0;
        time_ = a[1];
        mass_ = a[2];
        lastMass_ = a[3];
        forward_ = a[4];
        backward_ = a[5];
    }

private:
    struct Place {
        std::int64_t id;
        double mass;
        Vec3 position;
    };

    void count(const Place& now) {
        const auto before = std::ranges::lower_bound(last_, now.id, {}, &Place::id);
        if (before == last_.end() || before->id != now.id) return;   // it is new
        const Vec3 from = before->position, way = settings_.domain.nearestImage(now.position - from), size = settings_.domain.size();
        for (int x = -images_[0]; x <= images_[0]; ++x)
            for (int y = -images_[1]; y <= images_[1]; ++y)
                for (int z = -images_[2]; z <= images_[2]; ++z) cross(from - componentProduct(size, shift(x, y, z)), way, now.mass);
    }
    static Vec3 shift(int x, int y, int z) { return {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)}; }

    void cross(const Vec3& from, const Vec3& way, double mass) {
        const double before = dot(from - settings_.point, settings_.normal), after = dot(from + way - settings_.point, settings_.normal);
        if ((before < 0) == (after < 0)) return;
        if (settings_.radius) {
            const Vec3 through = from + before / (before - after) * way;
            if (norm(through - settings_.point) > *settings_.radius) return;
        }
        ++(before < 0 ? forward_ : backward_);
        mass_ += before < 0 ? mass : -mass;
    }

    FluxProbe settings_;
    std::array<int, 3> images_{};
    std::vector<Place> last_, now_;   // last_ by id
    bool known_ = false;
    double time_ = 0, mass_ = 0, lastMass_ = 0, forward_ = 0, backward_ = 0;
};

class Residence final : public Probe {
public:
    Residence(ProbeSetup setup, const ResidenceProbe& settings) : Probe(std::move(setup.name), setup.filter), settings_(settings) {}

    std::vector<ProbeColumn> columns() const override {
        return {{"grains"}, {"mass", "kg"}, {"residence_mean", "s"}, {"residence_median", "s"}, {"residence_min", "s"}, {"residence_max", "s"},
                {"all_grains"}, {"all_mass", "kg"}, {"all_residence_mean", "s"}};
    }
    bool wantsRemoved() const override { return true; }
    void removed(const Grains& grains, double time) override {
        for (std::size_t i = 0; i < grains.count; ++i)
            if (filter().accepts(grains, i) && (!settings_.region || settings_.region->distance(grains.position(i)) <= 0))
                left_.push_back({time - grains.birthTime[i], grains.mass[i]});
    }
    std::vector<double> finish(const Simulation&) override {
        const double median = quantile(left_, 0.5);   // sorts
        double mass = 0, product = 0;
        for (const Weighted& grain : left_) {
            mass += grain.weight;
            product += grain.weight * grain.value;
        }
        const auto count = static_cast<double>(left_.size());
        allCount_ += count;
        allMass_ += mass;
        allProduct_ += product;
        const bool any = !left_.empty();
        const std::vector<double> row{count, mass, mass > 0 ? product / mass : kUnknown, median, any ? left_.front().value : kUnknown,
                                      any ? left_.back().value : kUnknown, allCount_, allMass_, allMass_ > 0 ? allProduct_ / allMass_ : kUnknown};
        left_.clear();
        return row;
    }
    void save(Archive& archive) const override {
        std::vector<double> left;
        for (const Weighted& grain : left_) left.insert(left.end(), {grain.value, grain.weight});
        archive.put("left", left);
        archive.put("all", std::vector<double>{allCount_, allMass_, allProduct_});
    }
    void load(const Archive& archive) override {
        const auto left = archive.get<double>("left"), all = archive.get<double>("all");
        if (left.size() % 2 != 0 || all.size() != 3) throw ArchiveError("the account of residence times is incomplete");
        left_.clear();
        for (std::size_t i = 0; i < left.size(); i += 2) left_.push_back({left[i], left[i + 1]});
        allCount_ = all[0];
        allMass_ = all[1];
        allProduct_ = all[2];
    }

private:
    ResidenceProbe settings_;
    std::vector<Weighted> left_;   // residence time [s] and mass of those since the last sample
    double allCount_ = 0, allMass_ = 0, allProduct_ = 0;
};

class Track final : public Probe {
public:
    Track(ProbeSetup setup, TrackProbe settings) : Probe(std::move(setup.name), setup.filter), settings_(std::move(settings)), ids_(settings_.ids) {}

    std::vector<ProbeColumn> columns() const override {
        std::vector<ProbeColumn> columns{{"id"}};
        addVectorColumns(columns, "position", "m");
        addVectorColumns(columns, "velocity", "m/s");
        for (const FieldInfo& f : settings_.fields) {
            if (f.components == 1) columns.push_back({std::string(f.name), std::string(f.unit)});
            else if (f.components == 3) addVectorColumns(columns, f.name, f.unit);
            else addTensorColumns(columns, f.name, f.unit);
        }
        return columns;
    }
    std::vector<std::string_view> fields() const override {
        std::vector<std::string_view> names{field::id.name, field::position.name, field::velocity.name};
        for (const FieldInfo& f : settings_.fields) names.push_back(f.name);
        return names;
    }
    void begin(const Simulation& simulation) override {
        if (ids_.empty()) choose(simulation);
        rows_.assign(ids_.size() * columns().size(), kUnknown);
        rowOf_.clear();
        for (std::size_t g = 0; g < ids_.size(); ++g) {
            rows_[g * columns().size()] = static_cast<double>(ids_[g]);
            rowOf_[ids_[g]] = g;
        }
    }
    void take(const Grains& grains) override {
        const std::size_t width = ids_.empty() ? 0 : rows_.size() / ids_.size();
        for (std::size_t i = 0; i < grains.count; ++i) {
            const auto found = rowOf_.find(grains.id[i]);
            if (found == rowOf_.end()) continue;
            std::span<double> row = std::span(rows_).subspan(found->second * width + 1, width - 1);
            const Vec3 x = grains.position(i), v = grains.velocity(i);
            std::ranges::copy(std::array{x.x, x.y, x.z, v.x, v.y, v.z}, row.begin());
            fillOthers(grains, i, row.subspan(6));
        }
    }
    std::vector<double> finish(const Simulation&) override { return rows_; }
    void save(Archive& archive) const override { archive.put("ids", ids_); }
    void load(const Archive& archive) override { ids_ = archive.get<std::int64_t>("ids"); }

private:
    void fillOthers(const Grains& grains, std::size_t i, std::span<double> row) const {
        std::size_t at = 0;
        for (const FieldInfo& f : settings_.fields) {
            const FieldColumn& column = grains.column(f.name);
            for (std::size_t c = 0; c < static_cast<std::size_t>(f.components); ++c, ++at)
                row[at] = f.type == FieldType::integer ? static_cast<double>(column.integers[i]) : column.reals[static_cast<std::size_t>(f.components) * i + c];
        }
    }
    // Nearest first, of equals the one with the lower id; a grain that two points want is tracked once.
    void choose(const Simulation& simulation) {
        FieldTable table;
        std::vector<std::string_view> names{field::id.name, field::position.name};
        filter().addFields(names);
        const Exec exec(1);
        simulation.method().read(exec, names, table);
        std::vector<FieldColumn> columns;
        for (const FieldTable::Whole& whole : table.columns()) columns.push_back({&whole.info, whole.reals, whole.integers});
        const Grains grains({table.count(), columns});
        for (const Vec3& point : settings_.near) {
            std::vector<std::pair<double, std::int64_t>> found;
            for (std::size_t i = 0; i < grains.count; ++i)
                if (filter().accepts(grains, i)) found.emplace_back(normSquared(settings_.domain.nearestImage(grains.position(i) - point)), grains.id[i]);
            const auto wanted = static_cast<std::ptrdiff_t>(std::min(found.size(), static_cast<std::size_t>(settings_.count)));
            std::ranges::partial_sort(found, found.begin() + wanted);
            for (const auto& [distance, id] : std::span(found).first(static_cast<std::size_t>(wanted)))
                if (std::ranges::find(ids_, id) == ids_.end()) ids_.push_back(id);
        }
    }

    TrackProbe settings_;
    std::vector<std::int64_t> ids_;
    std::unordered_map<std::int64_t, std::size_t> rowOf_;
    std::vector<double> rows_;
};

}  // namespace

ProbePtr makeProbe(ProbeSetup setup, const FluxProbe& settings) { return std::make_unique<Flux>(std::move(setup), settings); }
ProbePtr makeProbe(ProbeSetup setup, const ResidenceProbe& settings) { return std::make_unique<Residence>(std::move(setup), settings); }
ProbePtr makeProbe(ProbeSetup setup, TrackProbe settings) { return std::make_unique<Track>(std::move(setup), std::move(settings)); }

}  // namespace talus::world
