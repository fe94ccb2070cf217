// SPDX-License-Identifier: Apache-2.0
#include "contract/method_contract.h"
#include "contract/sphere_dem.h"
#include "dem/dem.h"
#include "elastoplastic/elastoplastic.h"
#include "nonsmooth/nonsmooth.h"
#include "upsampling/guided.h"

#include <algorithm>

namespace talus::contract {

/// Clumps of different sizes, more than one kind of them.
const world::MethodInfo kClumps = [] {
    world::MethodInfo info = dem::info;
    info.settings = []() -> std::unique_ptr<world::MethodSettings> {
        auto settings = std::make_unique<dem::Settings>();
        settings->templates = {{.shape = dem::Shape::tetra4, .spacing = 0.8, .spheres = {}, .fraction = 2},
                               {.shape = dem::Shape::spheres, .spacing = 1, .spheres = {0, 0, 0, 1, 1.2, 0, 0, 0.8, 2.2, 0.3, 0, 0.7}, .fraction = 1}};
        settings->sizes = dem::UniformSize{0.8, 1.1};
        settings->youngsModulus = 2e5;   // longer steps: tests that count them see more happen
        settings->stepFraction = 0.1;
        return settings;
    };
    return info;
}();

/// Grains that bridges of liquid hold, beyond contact too, and that resist twisting.
const world::MethodInfo kWet = [] {
    world::MethodInfo info = dem::info;
    info.settings = []() -> std::unique_ptr<world::MethodSettings> {
        auto settings = std::make_unique<dem::Settings>();
        settings->templates = {{.shape = dem::Shape::sphere, .spacing = 1, .spheres = {}, .fraction = 2}, {.shape = dem::Shape::tetra4, .spacing = 0.8, .spheres = {}, .fraction = 1}};
        settings->sizes = dem::UniformSize{0.8, 1};
        settings->cohesion = {{.between = {}, .law = dem::BridgeCohesion{.surfaceTension = 5, .contactAngleDeg = 20, .liquid = 0.01}}};   // a bridge holds half the weight of a grain
        settings->twistingFriction = 0.1;
        settings->youngsModulus = 1e6;
        settings->stepFraction = 0.1;
        return settings;
    };
    return info;
}();

/// Clumps and spheres under the adaptive integrator.
const world::MethodInfo kAdaptive = [] {
    world::MethodInfo info = dem::info;
    info.settings = []() -> std::unique_ptr<world::MethodSettings> {
        auto settings = std::make_unique<dem::Settings>();
        settings->templates = {{.shape = dem::Shape::sphere, .spacing = 1, .spheres = {}, .fraction = 1}, {.shape = dem::Shape::tetra4, .spacing = 0.8, .spheres = {}, .fraction = 1}};
        settings->sizes = dem::UniformSize{0.8, 1};
        settings->integrator = dem::Integrator::rkf45;
        settings->tolerance = 1e-3;
        settings->youngsModulus = 2e5;
        return settings;
    };
    return info;
}();

/// A floor and a box that are covered with spheres, in worlds that have them.
const world::MethodInfo kCovered = [] {
    world::MethodInfo info = dem::info;
    info.settings = []() -> std::unique_ptr<world::MethodSettings> {
        auto settings = std::make_unique<dem::Settings>();
        settings->covered = {{.body = "domain.z_min", .radius = 0.04, .spacing = 0.05, .rough = 0.01}, {.body = "box", .radius = 0.02, .spacing = {}, .rough = {}}};
        settings->youngsModulus = 1e6;
        settings->stepFraction = 0.1;
        return settings;
    };
    info.check = [](const world::MethodSettings& given, const world::World& world, Problems& problems) {
        dem::Settings settings = static_cast<const dem::Settings&>(given);
        std::erase_if(settings.covered, [&](const dem::CoverSettings& c) { return std::ranges::none_of(world.bodies, [&](const world::Body& b) { return b.name == c.body; }); });
        dem::info.check(settings, world, problems);
    };
    return info;
}();

const MethodCase kSphereDem{.name = "sphere_dem", .info = &sphereDemInfo, .memoryGrains = 4096};
const MethodCase kDem{.name = "dem", .info = &dem::info, .velocityEntry = "grains/velocity"};
const MethodCase kDemClumps{.name = "dem_clumps", .info = &kClumps, .memoryGrains = 6000, .velocityEntry = "grains/velocity"};
const MethodCase kDemWet{.name = "dem_wet", .info = &kWet, .memoryGrains = 6000, .velocityEntry = "grains/velocity"};
const MethodCase kDemRkf45{.name = "dem_rkf45", .info = &kAdaptive, .memoryGrains = 2000, .velocityEntry = "grains/velocity"};
const MethodCase kDemCovered{.name = "dem_covered", .info = &kCovered, .velocityEntry = "grains/velocity", .bumpy = true};
const MethodCase kElastoplastic{.name = "elastoplastic", .info = &elastoplastic::info, .velocityEntry = "points/velocity"};

/// The thrown block as an elastic solid.
const world::MethodInfo kSolid = [] {
    world::MethodInfo info = elastoplastic::info;
    info.settings = []() -> std::unique_ptr<world::MethodSettings> {
        auto settings = std::make_unique<elastoplastic::Settings>();
        settings->materials = {{.name = "sand", .law = elastoplastic::Law::fixedCorotated, .youngsModulus = 2e5, .poissonRatio = 0.4}};
        return settings;
    };
    return info;
}();
const MethodCase kElastoplasticSolid{.name = "elastoplastic_solid", .info = &kSolid, .velocityEntry = "points/velocity"};

const world::MethodInfo kCubic = [] {
    world::MethodInfo info = elastoplastic::info;
    info.settings = []() -> std::unique_ptr<world::MethodSettings> {
        auto settings = std::make_unique<elastoplastic::Settings>();
        settings->kernel = mpm::Kernel::cubic;
        return settings;
    };
    return info;
}();
/// Points that remember their velocities for longer where they flow, and that are halved and put together.
elastoplastic::Settings flowing() {
    elastoplastic::Settings settings;
    settings.flowRelaxationTime = elastoplastic::settlingTime(0.05);
    settings.reseed = true;
    return settings;
}
const world::MethodInfo kFlowing = [] {
    world::MethodInfo info = elastoplastic::info;
    info.settings = []() -> std::unique_ptr<world::MethodSettings> { return std::make_unique<elastoplastic::Settings>(flowing()); };
    return info;
}();
const MethodCase kElastoplasticFlowing{.name = "elastoplastic_flowing", .info = &kFlowing, .velocityEntry = "points/velocity", .divided = true};
const MethodCase kElastoplasticCubic{.name = "elastoplastic_cubic", .info = &kCubic, .velocityEntry = "points/velocity"};

/// Velocities that are solved for. Steps are not as long as they might be: wind is felt to first order in them.
const world::MethodInfo kSolved = [] {
    world::MethodInfo info = elastoplastic::info;
    info.settings = []() -> std::unique_ptr<world::MethodSettings> {
        auto settings = std::make_unique<elastoplastic::Settings>();
        settings->integration = elastoplastic::Integration::implicit;
        settings->implicitStep = 3;
        return settings;
    };
    return info;
}();
const MethodCase kElastoplasticImplicit{.name = "elastoplastic_implicit", .info = &kSolved, .memoryGrains = 10000, .memorySteps = 20, .velocityEntry = "points/velocity", .solvedTo = 1e-3};

const MethodCase kNonsmooth{.name = "nonsmooth", .info = &nonsmooth::info, .velocityEntry = "points/velocity"};

/// Wet sand, which loses what holds it as it is sheared.
const world::MethodInfo kWetPoints = [] {
    world::MethodInfo info = nonsmooth::info;
    info.settings = []() -> std::unique_ptr<world::MethodSettings> {
        auto settings = std::make_unique<nonsmooth::Settings>();
        settings->cohesionDecay = 5;
        return settings;
    };
    return info;
}();
/// Without friction within cells, as in the paper.
const world::MethodInfo kFreePatterns = [] {
    world::MethodInfo info = nonsmooth::info;
    info.settings = []() -> std::unique_ptr<world::MethodSettings> {
        auto settings = std::make_unique<nonsmooth::Settings>();
        settings->hourglassFriction = false;
        return settings;
    };
    return info;
}();
world::World wetBlock(double size) {
    world::World world = thrownBlock(size);
    for (world::Material& material : world.materials) material.cohesion = 200;
    return world;
}
/// Flat grains, whose friction depends on the way they lie.
const world::MethodInfo kFlatPoints = [] {
    world::MethodInfo info = nonsmooth::info;
    info.settings = []() -> std::unique_ptr<world::MethodSettings> {
        auto settings = std::make_unique<nonsmooth::Settings>();
        settings->anisotropy = 0.6;
        settings->grainNormals = Vec3{0, 0, 1};
        return settings;
    };
    return info;
}();
const MethodCase kNonsmoothFlat{.name = "nonsmooth_flat", .info = &kFlatPoints, .memoryGrains = 12000, .velocityEntry = "points/velocity"};
const MethodCase kNonsmoothFreePatterns{.name = "nonsmooth_free_patterns", .info = &kFreePatterns, .velocityEntry = "points/velocity"};
const MethodCase kNonsmoothWet{.name = "nonsmooth_wet", .info = &kWetPoints, .makeWorld = wetBlock, .velocityEntry = "points/velocity"};

namespace {

/// All clumps that [Alduan2009, §3.1] tried as guides, mixed: 4, 6, 8 and 9 spheres.
dem::Settings clumpGuides() {
    dem::Settings settings;
    for (const dem::Shape shape : {dem::Shape::tetra4, dem::Shape::octa6, dem::Shape::cube8, dem::Shape::bcc9}) settings.templates.push_back({.shape = shape, .spacing = 0.8, .spheres = {}, .fraction = 1});
    settings.youngsModulus = 2e5;
    settings.stepFraction = 0.1;
    return settings;
}
/// Points that take along an ellipsoid each, and split where it is drawn out.
nonsmooth::Settings ellipsoidGuides() {
    nonsmooth::Settings settings;
    settings.frames = nonsmooth::PointFrames::split;
    return settings;
}
template <class GuideSettings>
GuideSettings asTheyAre() {
    return {};
}

/// Guided, with eight fine grains for each grain of another method.
template <const world::MethodInfo& Guides, class GuideSettings, GuideSettings (*Make)() = asTheyAre<GuideSettings>, std::int64_t Every = 3, bool Confined = false>
world::MethodInfo guidedBy() {
    world::MethodInfo info = upsampling::info;
    info.settings = [] {
        static const GuideSettings ofGuides = Make();
        const world::KnownMethod guides[] = {{&Guides, &ofGuides}};
        auto settings = std::make_unique<upsampling::Settings>();
        settings->meet(guides);
        settings->factor = 8;
        settings->interpolateEvery = Every;
        settings->confined = Confined;
        return std::unique_ptr<world::MethodSettings>(std::move(settings));
    };
    return info;
}
const world::MethodInfo kBySpheres = guidedBy<sphereDemInfo, SphereDemSettings>();
const world::MethodInfo kByPoints = guidedBy<elastoplastic::info, elastoplastic::Settings>();
const world::MethodInfo kByHalves = guidedBy<elastoplastic::info, elastoplastic::Settings, flowing>();
const world::MethodInfo kByClumps = guidedBy<dem::info, dem::Settings, clumpGuides, 1>();
const world::MethodInfo kByNonsmooth = guidedBy<nonsmooth::info, nonsmooth::Settings>();
const world::MethodInfo kByEllipsoids = guidedBy<nonsmooth::info, nonsmooth::Settings, ellipsoidGuides, 3, true>();

/// Fine grains of half the size, so that their guides have it.
world::World halfAsFine(double size) {
    world::World world = thrownBlock(size);
    world.resolution.size = 0.5 * size;
    return world;
}

// The peaks of the oracle, in its step, and of the fine grains, in their sort, are added though they do not fall together.
const MethodCase kGuidedBySpheres{.name = "guided_by_spheres", .info = &kBySpheres, .makeWorld = halfAsFine, .memoryGrains = 32768, .memorySteps = 120, .memoryExcess = 0.4, .velocityEntry = "grains/velocity", .carried = true};
const MethodCase kGuidedByPoints{.name = "guided_by_points", .info = &kByPoints, .memoryGrains = 160000, .memorySteps = 120, .velocityEntry = "grains/velocity", .carried = true};
const MethodCase kGuidedByHalves{.name = "guided_by_halves", .info = &kByHalves, .memoryGrains = 160000, .memorySteps = 120, .velocityEntry = "grains/velocity", .carried = true};
const MethodCase kGuidedByClumps{.name = "guided_by_clumps", .info = &kByClumps, .makeWorld = halfAsFine, .memoryGrains = 48000, .memorySteps = 120, .memoryExcess = 0.4, .velocityEntry = "grains/velocity", .sticksOut = 0.2, .carried = true};
const MethodCase kGuidedByNonsmooth{.name = "guided_by_nonsmooth", .info = &kByNonsmooth, .memoryGrains = 160000, .memorySteps = 120, .velocityEntry = "grains/velocity", .carried = true};
const MethodCase kGuidedByEllipsoids{.name = "guided_by_ellipsoids", .info = &kByEllipsoids, .memoryGrains = 40000, .velocityEntry = "grains/velocity", .sticksOut = 0.15, .carried = true};

}  // namespace

INSTANTIATE_TEST_SUITE_P(EveryMethod, MethodContract,
                         testing::Values(kSphereDem, kDem, kDemClumps, kDemWet, kDemWet.in(world::Precision::float32), kDemRkf45, kDemCovered,
                                         kElastoplastic, kElastoplastic.in(world::Precision::float32), kElastoplasticSolid, kElastoplasticSolid.in(world::Precision::float32),
                                         kElastoplasticFlowing, kElastoplasticFlowing.in(world::Precision::float32), kElastoplasticCubic, kElastoplasticCubic.in(world::Precision::float32), kElastoplasticImplicit, kElastoplasticImplicit.in(world::Precision::float32),
                                         kNonsmooth, kNonsmoothFreePatterns, kNonsmoothWet, kNonsmoothFlat,
                                         kGuidedBySpheres, kGuidedByPoints, kGuidedByPoints.in(world::Precision::float32), kGuidedByHalves.in(world::Precision::float32), kGuidedByClumps.in(world::Precision::float32), kGuidedByNonsmooth.in(world::Precision::float32),
                                         kGuidedByEllipsoids.in(world::Precision::float32)),
                         [](const auto& test) { return test.param.name; });

}  // namespace talus::contract
