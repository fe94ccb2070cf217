#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the constants of src/core/wide_math.h: the parts of ln 2 and the polynomials of exp and log.

The polynomial p with n coefficients for which max w(x) |p(x) - g(x)| over an interval is least is found by Remez' exchange: solve
w(x_i) (p(x_i) - g(x_i)) = (-1)^i E at n + 1 points, move the points to the extrema of the error so found, and repeat until all
extrema are equal. The weights make w |p - g| the relative error of the function that is built on p:

    e^x - 1 = x + x^2 p(x),     |x| <= ln(2)/2,                                              w = x^2 / |e^x - 1|
    ln(1+f) = 2s + s z p(z),    s = f/(2 + f), z = s^2 <= (3 - sqrt(8))^2 (1+f = sqrt(2)),   w = z / (2 + z g)

The arithmetic is decimal with 70 digits. Beside each polynomial stands its error after rounding of the coefficients.
"""
import math
import re
import struct
from decimal import Decimal, getcontext

getcontext().prec = 70
LN2 = Decimal(2).ln()
GRID = 1201    # points on which extrema are looked for; the highest error between them is larger by less than 0.1 %

FORMATS = {    # how to round to the type, and the bits of its mantissa and of its largest exponent
    "float": (lambda x: struct.unpack("f", struct.pack("f", float(x)))[0], 24, 8),
    "double": (float, 53, 11),
}


def expm1_remainder(x):
    return (x.exp() - 1 - x) / (x * x)


def expm1_weight(x):
    return x * x / abs(x.exp() - 1)


def log_remainder(z):
    s = z.sqrt()
    return (((1 + s) / (1 - s)).ln() - 2 * s) / (s * z)


def log_weight(z):
    return z / (2 + z * log_remainder(z))


def horner(coefficients, x):
    total = Decimal(0)
    for c in reversed(coefficients):
        total = total * x + c
    return total


def solve(matrix, right):
    """Gaussian elimination with row pivoting."""
    n = len(matrix)
    rows = [row + [b] for row, b in zip(matrix, right)]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k])]
    x = [Decimal(0)] * n
    for k in reversed(range(n)):
        x[k] = (rows[k][n] - sum(rows[k][j] * x[j] for j in range(k + 1, n))) / rows[k][k]
    return x


def alternating_extrema(errors):
    """Indices of the largest |error| of each run of one sign."""
    extrema = [0]
    for i, error in enumerate(errors):
        if (error > 0) != (errors[extrema[-1]] > 0):
            extrema.append(i)
        elif abs(error) > abs(errors[extrema[-1]]):
            extrema[-1] = i
    return extrema


class Target:
    """g and w on the Chebyshev points of an interval, whose ends and middle (where g may be 0/0) are left out."""

    def __init__(self, g, w, low, high):
        angles = (math.pi * (i + 0.75) / GRID for i in range(GRID))
        self.x = [(low + high) / 2 - (high - low) / 2 * Decimal(math.cos(angle)) for angle in angles]
        self.g = [g(x) for x in self.x]
        self.w = [w(x) for x in self.x]

    def errors(self, coefficients):
        return [horner(coefficients, x) - g for x, g in zip(self.x, self.g)]

    def worst(self, coefficients):
        return max(w * abs(e) for w, e in zip(self.w, self.errors(coefficients)))

    def minimax(self, n):
        points = [(2 * i + 1) * GRID // (2 * n + 2) for i in range(n + 1)]
        while True:
            rows = [[self.x[p] ** j for j in range(n)] + [(-1) ** i / self.w[p]] for i, p in enumerate(points)]
            *coefficients, level = solve(rows, [self.g[p] for p in points])
            errors = self.errors(coefficients)
            points = alternating_extrema([w * e for w, e in zip(self.w, errors)])
            assert len(points) == n + 1, "the error does not alternate"
            if self.worst(coefficients) < abs(level) * Decimal("1.0001"):
                return coefficients


def literal(x, type_name):
    """As C++ writes it."""
    return re.sub(r"\.?0*p", "p", x.hex()) + ("f" if type_name == "float" else "")


def print_ln2(type_name):
    """ln 2 = high + low with so few bits in high that its product with every exponent is exact."""
    round_to_type, digits, exponent_bits = FORMATS[type_name]
    scale = 2 ** (digits - exponent_bits)
    high = Decimal(round(LN2 * scale)) / scale
    low = round_to_type(LN2 - high)
    print(f"{type_name} kLn2High = {literal(float(high), type_name)}, kLn2Low = {literal(low, type_name)}")


def print_polynomial(name, target, n, type_name):
    round_to_type, digits, _ = FORMATS[type_name]
    rounded = [round_to_type(c) for c in target.minimax(n)]
    error = target.worst([Decimal(c) for c in rounded])
    print(f"{type_name} {name}, relative error 2^{math.log2(error):.1f}, at most {float(error) * 2**digits:.3f} ulp:")
    print("    " + ", ".join(literal(c, type_name) for c in rounded))


if __name__ == "__main__":
    exp = Target(expm1_remainder, expm1_weight, -LN2 / 2, LN2 / 2)
    log = Target(log_remainder, log_weight, Decimal(0), (3 - Decimal(8).sqrt()) ** 2)
    for type_name, exp_terms, log_terms in (("float", 6, 3), ("double", 11, 7)):
        print_ln2(type_name)
        print_polynomial("kExp", exp, exp_terms, type_name)
        print_polynomial("kLog", log, log_terms, type_name)
