// SPDX-License-Identifier: Apache-2.0
#include "friction_problems.h"

#include "nonsmooth/cone.h"

#include <Eigen/Dense>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

namespace talus::benchmark {
namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Block = Eigen::Matrix<double, 6, 3>;

struct Dumped {
    std::vector<std::int64_t> first, column;
    std::vector<Block> blocks;
    std::vector<Vector6> w;
    std::vector<double> mu;
    std::size_t nodes = 0;
};

Dumped load(const char* path) {
    std::ifstream file(path, std::ios::binary);
    std::int64_t sizes[3] = {};
    const auto get = [&](void* to, std::size_t bytes) { file.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes)); };
    get(sizes, sizeof sizes);
    Dumped d;
    const auto n = static_cast<std::size_t>(sizes[0]), nz = static_cast<std::size_t>(sizes[2]);
    if (!file || n > 100'000'000 || nz > 1'000'000'000) {
        std::fprintf(stderr, "%s: not a friction problem\n", path);
        std::exit(2);
    }
    d.nodes = static_cast<std::size_t>(sizes[1]);
    d.first.resize(n + 1);
    d.column.resize(nz);
    d.w.resize(n);
    d.mu.resize(n);
    get(d.first.data(), 8 * d.first.size());
    get(d.column.data(), 8 * nz);
    for (std::size_t k = 0; k < nz; ++k) {
        double h[18];
        get(h, sizeof h);
        d.blocks.push_back(Eigen::Map<const Eigen::Matrix<double, 6, 3, Eigen::RowMajor>>(h));
    }
    for (Vector6& w : d.w) get(w.data(), 48);
    get(d.mu.data(), 8 * n);
    return d;
}

/// The block of a site with itself, in axes in which Ŵ is diagonal.
struct Local {
    nonsmooth::LocalOperator<5> w;
    Eigen::Matrix<double, 5, 5> axes;
    double scale = 1;
};
Local localOf(const Dumped& d, std::size_t i) {
    Eigen::Matrix<double, 6, 6> w = Eigen::Matrix<double, 6, 6>::Zero();
    for (auto k = static_cast<std::size_t>(d.first[i]); k < static_cast<std::size_t>(d.first[i + 1]); ++k) w += d.blocks[k] * d.blocks[k].transpose();
    const double nn = std::max(w(0, 0), 1e-30);
    const Eigen::Matrix<double, 5, 1> c = w.block<5, 1>(1, 0);
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 5, 5>> eigen(w.block<5, 5>(1, 1) - c * c.transpose() / nn);
    Local local{{nn, {}, {}}, eigen.eigenvectors(), std::max(1.0, w.trace() / 6)};
    const Eigen::Matrix<double, 5, 1> turned = local.axes.transpose() * c;
    for (int k = 0; k < 5; ++k) {
        local.w.coupling[static_cast<std::size_t>(k)] = turned(k);
        local.w.reduced[static_cast<std::size_t>(k)] = std::max(eigen.eigenvalues()(k), 1e-10 * nn);   // shears that a wall takes away: no part
    }
    return local;
}

nonsmooth::Split<5> toLocal(const Local& local, const Vector6& v) {
    const Eigen::Matrix<double, 5, 1> t = local.axes.transpose() * v.tail<5>();
    return {v(0), {t(0), t(1), t(2), t(3), t(4)}};
}

/// Directions in which smooth walls hold each node.
using Walls = std::vector<std::vector<Vec3>>;
bool findWalls(const nonsmooth::FrictionProblem& problem, const nonsmooth::BodyContacts& bodies, Walls& walls) {
    walls.resize(problem.nodes.size());
    for (std::size_t i = 0; i < bodies.places(); ++i) {
        const nonsmooth::ContactCone cone = bodies.cone(i);
        if (cone.kind != nonsmooth::ContactCone::Kind::slip || cone.friction > 0 || bodies.nodesAt(i).size() != 1) return false;
        walls[bodies.nodesAt(i)[0]].push_back(cone.normal);
    }
    return true;
}

Vec3 freePart(Vec3 v, const std::vector<Vec3>& normals) {
    for (const Vec3& n : normals) v -= dot(v, n) * n;   // faces of a box: at right angles
    return v;
}

/// χ of sym(g e_aᵀ) for a = x, y, z: the block between a site and a node.
Block blockOf(const Vec3& g) {
    Block block;
    for (int axis = 0; axis < 3; ++axis) {
        Vec3 e;
        e[axis] = 1;
        const nonsmooth::Chi c = nonsmooth::chiOf({g.x * e.x, g.y * e.y, g.z * e.z, 0.5 * (g.x * e.y + g.y * e.x), 0.5 * (g.y * e.z + g.z * e.y), 0.5 * (g.x * e.z + g.z * e.x)});
        for (int k = 0; k < 6; ++k) block(k, axis) = c[static_cast<std::size_t>(k)];
    }
    return block;
}

}  // namespace

// γ = Σ_i B_i (u_i + Σ B_jᵀ·2 λ_j/m_i): ½ χ(r):χ(u) = r·u makes the force on a node 2 Bᵀ r, so that H = √2 B/√m. With λ in units of S and γ in units of Γ the
// blocks carry √(S/Γ); Γ is chosen so that the median tr H Hᵀ/6 is 1.
bool dump(const std::string& path, const nonsmooth::FrictionProblem& problem, const nonsmooth::BodyContacts& bodies, double stress) {
    Walls walls;
    if (!findWalls(problem, bodies, walls)) return false;
    std::vector<std::int64_t> first{0}, column;
    std::vector<Block> blocks;
    std::vector<double> w, sizes;
    for (std::size_t j = 0; j < problem.sites(); ++j) {
        Vector6 rate = Vector6::Zero();
        double size = 0;
        for (std::size_t p = j * problem.width; p < (j + 1) * problem.width; ++p) {
            const nonsmooth::Node& node = problem.nodes[problem.pairNode[p]];
            const Vec3& g = problem.pairVector[p];
            const Block b = blockOf(g);
            const Vec3 u = freePart(node.velocity, walls[problem.pairNode[p]]);
            rate += b * Eigen::Vector3d(u.x, u.y, u.z);
            if (node.inverseMass == 0 || g == Vec3{}) continue;
            Block h = std::sqrt(2 * node.inverseMass) * b;
            for (const Vec3& n : walls[problem.pairNode[p]]) h -= (h * Eigen::Vector3d(n.x, n.y, n.z)) * Eigen::RowVector3d(n.x, n.y, n.z);
            column.push_back(problem.pairNode[p]);
            blocks.push_back(h);
            size += h.squaredNorm() / 6;
        }
        rate(0) += problem.slack[j] / std::sqrt(6.0);
        for (int k = 0; k < 6; ++k) w.push_back(rate(k));
        sizes.push_back(size);
        first.push_back(static_cast<std::int64_t>(column.size()));
    }
    std::nth_element(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2), sizes.end());
    const double unit = stress * sizes[sizes.size() / 2];
    std::ofstream file(path, std::ios::binary);
    const auto put = [&](const void* from, std::size_t bytes) { file.write(static_cast<const char*>(from), static_cast<std::streamsize>(bytes)); };
    const std::int64_t counts[3] = {static_cast<std::int64_t>(problem.sites()), static_cast<std::int64_t>(problem.nodes.size()), static_cast<std::int64_t>(column.size())};
    put(counts, sizeof counts);
    put(first.data(), 8 * first.size());
    put(column.data(), 8 * column.size());
    for (const Block& block : blocks) {
        const Eigen::Matrix<double, 6, 3, Eigen::RowMajor> rows = std::sqrt(stress / unit) * block;
        put(rows.data(), 144);
    }
    for (double& rate : w) rate /= unit;
    put(w.data(), 8 * w.size());
    put(problem.friction.data(), 8 * problem.friction.size());
    return static_cast<bool>(file);
}

void solveFile(const char* path) {
    const Dumped d = load(path);
    std::vector<Local> locals;
    for (std::size_t i = 0; i < d.mu.size(); ++i) locals.push_back(localOf(d, i));
    std::vector<nonsmooth::Split<5>> force(d.mu.size());
    std::vector<Eigen::Vector3d> u(d.nodes, Eigen::Vector3d::Zero());
    const auto rate = [&](std::size_t i) {
        Vector6 y = d.w[i];
        for (auto k = static_cast<std::size_t>(d.first[i]); k < static_cast<std::size_t>(d.first[i + 1]); ++k) y += d.blocks[k] * u[static_cast<std::size_t>(d.column[k])];
        return toLocal(locals[i], y);
    };
    const auto start = std::chrono::steady_clock::now();
    double wanted = 1e-6;
    for (int sweep = 1; sweep <= 2000; ++sweep) {
        for (std::size_t i = 0; i < d.mu.size(); ++i) {
            nonsmooth::Split<5> b = rate(i);
            const nonsmooth::Split<5> own = locals[i].w.apply(force[i]);
            b.normal -= own.normal;
            for (std::size_t k = 0; k < 5; ++k) b.tangential[k] -= own.tangential[k];
            const nonsmooth::Split<5> r = nonsmooth::solveCone(locals[i].w, d.mu[i], b);
            Vector6 change;
            Eigen::Matrix<double, 5, 1> t;
            for (int k = 0; k < 5; ++k) t(k) = r.tangential[static_cast<std::size_t>(k)] - force[i].tangential[static_cast<std::size_t>(k)];
            change << r.normal - force[i].normal, locals[i].axes * t;
            force[i] = r;
            for (auto k = static_cast<std::size_t>(d.first[i]); k < static_cast<std::size_t>(d.first[i + 1]); ++k) u[static_cast<std::size_t>(d.column[k])] += d.blocks[k].transpose() * change;
        }
        if (sweep % 25 != 0) continue;
        double sum = 0;
        for (std::size_t i = 0; i < d.mu.size(); ++i) {
            nonsmooth::Split<5> r = force[i];
            r.normal *= locals[i].scale;
            for (double& t : r.tangential) t *= locals[i].scale;
            sum += nonsmooth::complementaritySquared(d.mu[i], r, rate(i));
        }
        const double mean = sum / static_cast<double>(d.mu.size());
        while (mean <= wanted && wanted > 1e-9) {
            std::printf("%s: %zu sites, mean square %.0e after %d sweeps, %.2f s (1 thread, general blocks)\n", path, d.mu.size(), wanted, sweep,
                        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
            wanted *= 1e-2;
        }
        if (wanted < 1e-8) return;
    }
    std::printf("%s: not solved in 2000 sweeps\n", path);
}

}  // namespace talus::benchmark
