// SPDX-License-Identifier: Apache-2.0
// Restarted GMRES with a preconditioner on the right [Saad1986], for operators that are only applied. Sums run over fixed pieces in a fixed
// order: the same bits for any number of threads.
#pragma once

#include "core/exec.h"
#include "core/table.h"
#include "core/wide.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace talus::elastoplastic {

template <class Real>
class Gmres {
public:
    using Vector = AlignedVector<Real>;   // of a multiple of eight numbers
    static constexpr std::size_t kRestart = 20;
    struct Report {
        int iterations = 0;
        double reduction = 1;   // of |b − A x|
    };

    /// x with |b − A x| ≤ tolerance |b|, from 0, in at most so many iterations. apply(x, y): y = A x; precondition(x, y): y ≈ A⁻¹ x.
    template <class Apply, class Precondition>
    Report solve(const Exec& exec, const Vector& b, Vector& x, double tolerance, int most, const Apply& apply, const Precondition& precondition) {
        const double whole = norm(exec, b);
        Report report;
        x.assign(b.size(), Real(0));
        if (!(whole > 0)) return {0, 0};
        Vector rest = b;
        double left = whole;
        while (report.iterations < most && left > tolerance * whole) {
            const std::size_t used = cycle(exec, rest, left, tolerance * whole, static_cast<std::size_t>(most - report.iterations), apply, precondition);
            if (used == 0) break;   // A maps the residual to nothing
            report.iterations += static_cast<int>(used);
            combine(exec, used, sum_);
            precondition(sum_, direction_);
            add(exec, Real(1), direction_, x);
            if (left <= tolerance * whole || report.iterations >= most) break;
            apply(x, rest);
            exec.forBlocks(b.size(), kPiece, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; i += 8) (W::load(b.data() + i) - W::load(rest.data() + i)).store(rest.data() + i);
            });
            left = norm(exec, rest);
        }
        report.reduction = left / whole;
        return report;
    }

    static double norm(const Exec& exec, const Vector& a) {
        return std::sqrt(exec.reduce(
            a.size(), kPiece, 0.0,
            [&](std::size_t begin, std::size_t end) {
                W squares(Real(0));
                for (std::size_t i = begin; i < end; i += 8) squares = mulAdd(W::load(a.data() + i), W::load(a.data() + i), squares);
                return static_cast<double>(sum(squares));
            },
            [](double p, double q) { return p + q; }));
    }
    /// y += s x.
    static void add(const Exec& exec, Real s, const Vector& x, Vector& y) {
        exec.forBlocks(x.size(), kPiece, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; i += 8) mulAdd(W(s), W::load(x.data() + i), W::load(y.data() + i)).store(y.data() + i);
        });
    }

private:
    using W = Wide<Real>;
    using Row = std::array<double, kRestart + 1>;
    static constexpr std::size_t kPiece = 4096;

    /// Arnoldi from the residual `rest` of size `left`, which becomes that of the best combination; returns how many directions it has.
    template <class Apply, class Precondition>
    std::size_t cycle(const Exec& exec, const Vector& rest, double& left, double goal, std::size_t most, const Apply& apply, const Precondition& precondition) {
        basis_.resize(kRestart + 1);
        for (Vector& vector : basis_) vector.resize(rest.size());
        direction_.resize(rest.size());
        basis_[0].assign(rest.size(), Real(0));
        add(exec, static_cast<Real>(1 / left), rest, basis_[0]);
        right_.fill(0);
        right_[0] = left;
        std::array<double, kRestart> cosine{}, sine{};
        std::size_t k = 0;
        while (k < std::min(kRestart, most)) {
            precondition(basis_[k], direction_);
            apply(direction_, basis_[k + 1]);
            Row& column = columns_[k];
            column = products(exec, k + 1);
            const double length = std::sqrt(orthogonalise(exec, k + 1, column));
            for (std::size_t i = 0; i < k; ++i) {
                const double upper = cosine[i] * column[i] + sine[i] * column[i + 1];
                column[i + 1] = cosine[i] * column[i + 1] - sine[i] * column[i];
                column[i] = upper;
            }
            const double size = std::hypot(column[k], length);
            if (!(size > 0) || !std::isfinite(size)) break;
            cosine[k] = column[k] / size;
            sine[k] = length / size;
            column[k] = size;
            right_[k + 1] = -sine[k] * right_[k];
            right_[k] *= cosine[k];
            left = std::abs(right_[k + 1]);
            ++k;
            if (left <= goal || !(length > 0)) break;
            scale(exec, static_cast<Real>(1 / length), basis_[k]);
        }
        return k;
    }
    /// Products of the newest vector with all before it, in one pass.
    Row products(const Exec& exec, std::size_t count) const {
        const Real* newest = basis_[count].data();
        return exec.reduce(
            basis_[count].size(), kPiece, Row{},
            [&](std::size_t begin, std::size_t end) {
                Row row{};
                for (std::size_t k = 0; k < count; ++k) {
                    W part(Real(0));
                    for (std::size_t i = begin; i < end; i += 8) part = mulAdd(W::load(basis_[k].data() + i), W::load(newest + i), part);
                    row[k] = static_cast<double>(sum(part));
                }
                return row;
            },
            [count](Row a, const Row& b) {
                for (std::size_t k = 0; k < count; ++k) a[k] += b[k];
                return a;
            });
    }
    /// Takes the part along those before it out of the newest vector; returns the square of what is left.
    double orthogonalise(const Exec& exec, std::size_t count, const Row& along) {
        Real* newest = basis_[count].data();
        return exec.reduce(
            basis_[count].size(), kPiece, 0.0,
            [&](std::size_t begin, std::size_t end) {
                for (std::size_t k = 0; k < count; ++k) {
                    const W part(static_cast<Real>(along[k]));
                    for (std::size_t i = begin; i < end; i += 8) negMulAdd(part, W::load(basis_[k].data() + i), W::load(newest + i)).store(newest + i);
                }
                W squares(Real(0));
                for (std::size_t i = begin; i < end; i += 8) squares = mulAdd(W::load(newest + i), W::load(newest + i), squares);
                return static_cast<double>(sum(squares));
            },
            [](double p, double q) { return p + q; });
    }
    static void scale(const Exec& exec, Real s, Vector& x) {
        exec.forBlocks(x.size(), kPiece, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; i += 8) (W(s) * W::load(x.data() + i)).store(x.data() + i);
        });
    }
    /// The combination of the first vectors that leaves least: back substitution, then their sum.
    void combine(const Exec& exec, std::size_t count, Vector& to) {
        Row y{};
        for (std::size_t i = count; i-- > 0;) {
            double value = right_[i];
            for (std::size_t k = i + 1; k < count; ++k) value -= columns_[k][i] * y[k];
            y[i] = value / columns_[i][i];
        }
        to.resize(basis_[0].size());
        exec.forBlocks(to.size(), kPiece, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; i += 8) {
                W part(Real(0));
                for (std::size_t k = 0; k < count; ++k) part = mulAdd(W(static_cast<Real>(y[k])), W::load(basis_[k].data() + i), part);
                part.store(to.data() + i);
            }
        });
    }

    std::vector<Vector> basis_;
    std::array<Row, kRestart> columns_{};   // of the triangular matrix, one per direction
    Row right_{};
    Vector sum_, direction_;
};

}  // namespace talus::elastoplastic
