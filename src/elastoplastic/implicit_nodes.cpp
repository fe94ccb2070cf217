// SPDX-License-Identifier: Apache-2.0
// The equations of the nodes in the implicit update, and their derivative. See implicit_step.cpp.
#include "elastoplastic/method.h"
#include "mpm/quadratic_vector.h"

#include <algorithm>
#include <cmath>

namespace talus::elastoplastic {
namespace {

constexpr int kReals = mpm::kVectorReals;
constexpr std::size_t kBlockReals = mpm::kBlockNodes * kReals;

template <class Real>
Vec3 vectorAt(const Real* from) { return {from[0], from[1], from[2]}; }
template <class Real>
void putVector(const Vec3& v, Real* to) {
    for (int axis = 0; axis < 3; ++axis) to[axis] = static_cast<Real>(v[axis]);
}

}  // namespace

template <class Real>
double ElastoplasticMethod<Real>::evaluate(const Exec& exec, double dt) {
    endStress(exec, dt, system_.impulse);
    struct Sum {
        double squares = 0, nodes = 0;
    };
    const Sum sum = exec.reduce(
        blocks_.nodes.size(), 8, Sum{},
        [&](std::size_t begin, std::size_t end) {
            Sum part;
            for (std::size_t b = begin; b < end; ++b) {
                Real *impulse = system_.impulse.data() + b * kBlockReals, *imbalance = system_.imbalance.data() + b * kBlockReals;
                const Real *velocity = system_.velocity.data() + b * kBlockReals, *free = system_.free.data() + b * kBlockReals;
                const Real* mass = nodes_.data() + b * mpm::kBlockNodes * mpm::kNodeReals;
                for (int n = 0; n < mpm::kBlockNodes; ++n, mass += mpm::kNodeReals) {
                    using Q = Quad<Real>;
                    const Q r = *mass > Real(0) ? mulAdd(Q(*mass), Q::load(velocity + kReals * n) - Q::load(free + kReals * n), Q::load(impulse + kReals * n)) : Q(Real(0));
                    r.store(impulse + kReals * n);
                    r.store(imbalance + kReals * n);
                    part.nodes += *mass > Real(0);
                }
                if (contact_.near(b)) balance(b, dt);
                for (std::size_t i = 0; i < kBlockReals; ++i) part.squares += static_cast<double>(imbalance[i]) * static_cast<double>(imbalance[i]);
            }
            return part;
        },
        [](Sum a, const Sum& b) { return Sum{a.squares + b.squares, a.nodes + b.nodes}; });
    return std::sqrt(sum.squares / std::max(1.0, sum.nodes)) / system_.scale;
}

// R = a (v − P(v − r/a)): P is what bodies make of a velocity. Where they do nothing R = r; a node that is held has R = 0 with the velocity of its
// body and |r_t| ≤ μ r_n, one that slides with |r_t| = μ r_n. These do not depend on a > 0, which is about what it takes to move the node.
template <class Real>
void ElastoplasticMethod<Real>::balance(std::size_t b, double dt) {
    system_.slopes[b].resize(mpm::kBlockNodes);
    for (int n = 0; n < mpm::kBlockNodes; ++n) {
        const std::size_t node = b * mpm::kBlockNodes + static_cast<std::size_t>(n);
        if (nodes_[node * mpm::kNodeReals] == Real(0)) continue;
        const auto a = static_cast<double>(system_.weight[node]);
        const Vec3 v = vectorAt(system_.velocity.data() + kReals * node), r = vectorAt(system_.impulse.data() + kReals * node);
        const mpm::ContactTrial contact = contact_.trial(b, n, dt, {frame_.nodePosition(blocks_.nodes[b].coord, n), a, v - r / a});
        system_.slopes[b][static_cast<std::size_t>(n)] = contact.slope;
        putVector(contact.slope == Mat3::identity() ? r : a * (v - contact.velocity), system_.imbalance.data() + kReals * node);
    }
}

template <class Real>
void ElastoplasticMethod<Real>::buildDiagonal(const Exec& exec, bool first) {
    exec.forBlocks(blocks_.nodes.size(), 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b) {
            Real* diagonal = system_.diagonal.data() + b * mpm::kBlockNodes * mpm::kNodeReals;
            const Real* mass = nodes_.data() + b * mpm::kBlockNodes * mpm::kNodeReals;
            for (std::size_t n = 0; n < mpm::kBlockNodes; ++n) {
                for (std::size_t k = 0; k < 3; ++k) diagonal[mpm::kNodeReals * n + k] += mass[mpm::kNodeReals * n];
                const Real* d = diagonal + mpm::kNodeReals * n;
                if (first) system_.weight[b * mpm::kBlockNodes + n] = (d[0] + d[1] + d[2]) / Real(3);
            }
        }
    });
}

// Blocks on the diagonal of ∂R/∂v = a (1 − ∂P) + ∂P ∂r/∂v, inverted.
template <class Real>
void ElastoplasticMethod<Real>::invertDiagonal(const Exec& exec) {
    exec.forBlocks(blocks_.nodes.size(), 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t node = begin * mpm::kBlockNodes; node < end * mpm::kBlockNodes; ++node) {
            Real* to = system_.inverse.data() + 12 * node;
            std::fill_n(to, 12, Real(0));
            if (nodes_[node * mpm::kNodeReals] == Real(0)) continue;
            const Real* d = system_.diagonal.data() + mpm::kNodeReals * node;
            Mat3 m{{d[0], d[3], d[5], d[3], d[1], d[4], d[5], d[4], d[2]}};
            const double a = static_cast<double>(system_.weight[node]);
            const std::vector<Mat3>& slopes = system_.slopes[node / mpm::kBlockNodes];
            if (!slopes.empty()) {
                const Mat3& slope = slopes[node % mpm::kBlockNodes];
                m = a * (Mat3::identity() - slope) + slope * m;
            }
            const bool sound = std::abs(determinant(m)) > 1e-9 * a * a * a;
            const Mat3 inverted = sound ? inverse(m) : Mat3::identity() * (1 / a);
            for (int row = 0; row < 3; ++row)
                for (int column = 0; column < 3; ++column) to[4 * column + row] = static_cast<Real>(inverted(row, column));
        }
    });
}

template <class Real>
void ElastoplasticMethod<Real>::applyTangent(const Exec& exec, double dt, const mpm::NodeValues<Real>& x, mpm::NodeValues<Real>& y) {
    tangentStress(exec, dt, x, y);
    exec.forBlocks(blocks_.nodes.size(), 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b) {
            Real* to = y.data() + b * kBlockReals;
            const std::vector<Mat3>& slopes = system_.slopes[b];
            for (std::size_t n = 0; n < mpm::kBlockNodes; ++n) {
                using Q = Quad<Real>;
                const std::size_t node = b * mpm::kBlockNodes + n;
                const Real mass = nodes_[node * mpm::kNodeReals];
                const Q value = mass > Real(0) ? mulAdd(Q(mass), Q::load(x.data() + kReals * node), Q::load(to + kReals * n)) : Q(Real(0));
                value.store(to + kReals * n);
                if (slopes.empty() || mass == Real(0) || slopes[n] == Mat3::identity()) continue;
                const Vec3 from = vectorAt(x.data() + kReals * node);
                putVector(static_cast<double>(system_.weight[node]) * (from - slopes[n] * from) + slopes[n] * vectorAt(to + kReals * n), to + kReals * n);
            }
        }
    });
}

template <class Real>
void ElastoplasticMethod<Real>::precondition(const Exec& exec, const mpm::NodeValues<Real>& x, mpm::NodeValues<Real>& y) const {
    exec.forBlocks(x.size() / kReals, 1024, [&](std::size_t begin, std::size_t end) {
        for (std::size_t node = begin; node < end; ++node) {
            using Q = Quad<Real>;
            const Real *columns = system_.inverse.data() + 12 * node, *from = x.data() + kReals * node;
            mulAdd(Q::load(columns), Q(from[0]), mulAdd(Q::load(columns + 4), Q(from[1]), Q::load(columns + 8) * Q(from[2]))).store(y.data() + kReals * node);
        }
    });
}

template double ElastoplasticMethod<float>::evaluate(const Exec&, double);
template double ElastoplasticMethod<double>::evaluate(const Exec&, double);
template void ElastoplasticMethod<float>::buildDiagonal(const Exec&, bool);
template void ElastoplasticMethod<double>::buildDiagonal(const Exec&, bool);
template void ElastoplasticMethod<float>::invertDiagonal(const Exec&);
template void ElastoplasticMethod<double>::invertDiagonal(const Exec&);
template void ElastoplasticMethod<float>::applyTangent(const Exec&, double, const mpm::NodeValues<float>&, mpm::NodeValues<float>&);
template void ElastoplasticMethod<double>::applyTangent(const Exec&, double, const mpm::NodeValues<double>&, mpm::NodeValues<double>&);
template void ElastoplasticMethod<float>::precondition(const Exec&, const mpm::NodeValues<float>&, mpm::NodeValues<float>&) const;
template void ElastoplasticMethod<double>::precondition(const Exec&, const mpm::NodeValues<double>&, mpm::NodeValues<double>&) const;

}  // namespace talus::elastoplastic
