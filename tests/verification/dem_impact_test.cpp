// SPDX-License-Identifier: Apache-2.0
// Impacts of one or two grains against closed forms and tables (PHYSICS §3).
#include "csv.h"
#include "verification/dem_world.h"

namespace talus {
namespace {

using namespace test;

struct Impact {
    double restitution = 0, duration = 0, force = 0, overlap = 0;
};

/// Two spheres meet head-on at relative speed v. Before and after the contact they fly freely, so its beginning and end follow from
/// gap and speed.
Impact headOn(double density, double diameter, double speed, double contactTime, dem::Settings settings, double stepsPerContact) {
    settings.dt = contactTime / stepsPerContact;
    world::World world = emptyWorld(density, diameter);
    const double before = 0.3 * contactTime, gap = before * speed, end = 2.5 * contactTime;
    addGrain(world, {-0.5 * (diameter + gap), 0, 0}, {0.5 * speed, 0, 0}, diameter);
    addGrain(world, {0.5 * (diameter + gap), 0, 0}, {-0.5 * speed, 0, 0}, diameter);
    world::Simulation run = startDem(std::move(world), settings);
    Impact impact;
    const Exec exec(1);
    for (int k = 1; k <= 500; ++k) {
        advance(run, exec, end * k / 500);
        const GrainTable grains(run.method());
        impact.force = std::max(impact.force, grains.number("contact_force", 0));
        impact.overlap = std::max(impact.overlap, diameter - norm(grains.vector("position", 1) - grains.vector("position", 0)));
    }
    const GrainTable grains(run.method());
    const double out = grains.vector("velocity", 1).x - grains.vector("velocity", 0).x, gapOut = norm(grains.vector("position", 1) - grains.vector("position", 0)) - diameter;
    impact.restitution = out / speed;
    impact.duration = end - gapOut / out - before;
    return impact;
}

// G_bell_fig3_restitution.csv: figure 3 of Bell et al. with k_r = 1e6 and an effective mass of 1 kg.
TEST(DemVerification, restitutionCurves) {
    const CsvTable table("G_bell_fig3_restitution.csv");
    double worst = 0, worstTime = 0;
    constexpr double kDiameter = 0.2;
    for (std::size_t row = 0; row < table.rows(); ++row)
        for (const bool attraction : {false, true}) {
            dem::Settings settings;
            settings.normal = table.number(row, "b") == 1 ? dem::Normal::linear : dem::Normal::hertz;
            settings.dampingExponent = table.number(row, "a");
            settings.stiffness = 1e6;
            settings.damping = table.number(row, "kd");
            settings.attraction = attraction;
            settings.contactFriction = 0;
            const double time = table.number(row, attraction ? "t_contact_s" : "t_contact_clamped_s");
            const Impact impact = headOn(2 / sphereVolume(kDiameter), kDiameter, table.number(row, "v_m_s"), time, settings, 1200);
            if (attraction && table.text(row, "e_n (end at overlap=0)") == "nan") continue;   // so strongly damped that it never parts
            const double e = table.number(row, attraction ? "e_n (end at overlap=0)" : "e_n (end at f_n=0, no attraction)");
            worst = std::max(worst, std::abs(impact.restitution - e));
            if (attraction) worstTime = std::max(worstTime, std::abs(impact.duration / time - 1));
            EXPECT_NEAR(impact.restitution, e, 1e-3) << "row " << row << ", attraction " << attraction;
        }
    std::printf("    restitution %.1e, contact time %.1e\n", worst, worstTime);
    EXPECT_LT(worstTime, 5e-3);
}

// Restitution as a setting: what is asked for at the reference speed comes out, for masses of any size.
TEST(DemVerification, restitutionIsWhatWasAskedFor) {
    for (const bool linear : {false, true})
        for (const double e : {0.2, 0.5, 0.9}) {
            dem::Settings settings;
            settings.normal = linear ? dem::Normal::linear : dem::Normal::hertz;
            settings.restitution = e;
            settings.referenceSpeed = 0.3;
            settings.contactFriction = 0;
            if (linear) settings.contactTime = 1e-4;
            const double density = 2500, diameter = 2e-3, mass = 0.5 * density * sphereVolume(diameter);
            const double kr = 4.0 / 3 * 1e7 / (2 * (1 - 0.09)) * std::sqrt(0.25 * diameter), depth = std::pow(1.25 * mass * 0.09 / kr, 0.4);
            const Impact impact = headOn(density, diameter, 0.3, linear ? 1e-4 : 2.943 * depth / 0.3, settings, 1500);
            EXPECT_NEAR(impact.restitution, e, 2e-3) << linear;
            if (linear && e == 0.9) {   // the gap closes a little after the force has ended
                EXPECT_NEAR(impact.duration, 1e-4, 3e-2 * 1e-4);
            }
        }
}

// Chung & Ooi 2011, tests 1 and 2: Hertz impacts of stiff spheres.
TEST(DemVerification, hertzImpactsOfChungAndOoi) {
    dem::Settings limestone;
    limestone.youngsModulus = 20e9;
    limestone.poissonRatio = 0.25;
    limestone.restitution = 1;
    limestone.contactFriction = 0;
    const Impact pair = headOn(2500, 0.02, 20, 54.2e-6, limestone, 2000);
    std::printf("    pair: %.1f N, %.2f um, %.3f us\n", pair.force, 1e6 * pair.overlap, 1e6 * pair.duration);
    EXPECT_NEAR(pair.force, 7108.2, 1e-3 * 7108.2);
    EXPECT_NEAR(pair.overlap, 368.30e-6, 1e-3 * 368.3e-6);
    EXPECT_NEAR(pair.duration, 54.20e-6, 1e-3 * 54.2e-6);
    EXPECT_NEAR(pair.restitution, 1, 1e-4);

    dem::Settings alloy;
    alloy.youngsModulus = 40e9;
    alloy.bodyYoungsModulus = 1e30;
    alloy.poissonRatio = 0.35;
    alloy.restitution = 1;
    alloy.dt = 1e-7;
    world::World world = emptyWorld(1800, 0.2);
    addFloor(world);
    addGrain(world, {0, 0, 0.1 + 1e-6}, {0, 0, -0.2}, 0.2);
    world::Simulation run = startDem(std::move(world), alloy);
    double force = 0;
    for (int k = 1; k <= 2000; ++k) {
        advance(run, Exec(1), 5e-7 * k);
        force = std::max(force, GrainTable(run.method()).number("contact_force", 0));
    }
    std::printf("    wall: %.1f N\n", force);
    EXPECT_NEAR(force, 7232.7, 1e-3 * 7232.7);
}

// G_hertz_contact_times.csv: undamped, for the stiffness of each row.
TEST(DemVerification, contactTimes) {
    const CsvTable table("G_hertz_contact_times.csv");
    double worst = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const double diameter = 2 * table.number(row, "R_m"), time = table.number(row, "tc_s");
        dem::Settings settings;
        settings.stiffness = table.number(row, "kr_N_m^1.5");
        settings.damping = 0;
        settings.contactFriction = 0;
        const Impact impact = headOn(table.number(row, "m_kg") / sphereVolume(diameter), diameter, table.number(row, "v"), time, settings, 1000);
        worst = std::max({worst, std::abs(impact.duration / time - 1), std::abs(impact.overlap / table.number(row, "xmax_m") - 1)});
    }
    std::printf("    worst %.1e\n", worst);
    EXPECT_LT(worst, 1e-3);
}

// G_oblique_impact.csv: a sphere on a plane, law (18). The table takes moments about the surface of the round sphere, dem about the contact
// point, nearer by the overlap: 7 % of the radius for its stiffness. Restitution and slide do not change if k_r grows by s, k_d by s^0.6 and k_t
// by s^0.4, and the overlap shrinks by s^0.4: so the spheres are made stiffer.
TEST(DemVerification, obliqueImpact) {
    const CsvTable table("G_oblique_impact.csv");
    double worst = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        dem::Settings settings;
        constexpr double kStiffer = 1e7;
        const double shorter = std::pow(kStiffer, -0.4), time = shorter * table.number(row, "t_c");
        settings.stiffness = 1e6 * kStiffer;
        settings.damping = 20 * std::pow(kStiffer, 0.6);
        settings.shear = dem::Shear::capped;
        settings.shearViscosity = table.number(row, "kt_Ns/m") / shorter;
        settings.rollingFriction = 0;
        settings.dt = std::min(1e-3 * time, 0.02 * 0.0105 / (3.5 * *settings.shearViscosity));
        world::World world = emptyWorld(2500, 0.02);
        world.contacts.set(0, 1, {.friction = 0.4});
        addFloor(world);
        const double in = table.number(row, "vt_in");
        addGrain(world, {0, 0, 0.01 + 0.01 * time}, {in, 0, -1}, 0.02);
        world::Simulation run = startDem(std::move(world), settings);
        advance(run, Exec(1), 1.5 * time);
        const GrainTable grains(run.method());
        const Vec3 v = grains.vector("velocity", 0), spin = grains.vector("angular_velocity", 0);
        const double scale = table.number(row, "vt_out");
        worst = std::max({worst, std::abs(v.x / scale - 1), std::abs(std::abs(spin.y) / std::abs(table.number(row, "omega_out")) - 1), std::abs(v.z / table.number(row, "e_n") - 1)});
        EXPECT_NEAR(v.x, scale, 1e-3 * scale) << "row " << row;
        EXPECT_NEAR(std::abs(spin.y), std::abs(table.number(row, "omega_out")), 1e-3 * std::abs(table.number(row, "omega_out"))) << "row " << row;
        EXPECT_NEAR(v.z, table.number(row, "e_n"), 1e-3) << "row " << row;
    }
    std::printf("    worst %.1e\n", worst);
}

}  // namespace
}  // namespace talus
