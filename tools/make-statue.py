#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes scenes/statue.ply, the mesh of the scene `statue`: a seated figure on a lotus, with folds, petals and curls that are finer
than the guides of the sand which falls over it.

    tools/make-statue.py [FILE]

The solid is {f < 0} with f made of ellipsoids and capsules that run into each other (Quilez, smooth minimum). Its surface is a surface
net [Gibson 1998]: one vertex in every cell that the surface passes, moved onto it by Newton's method, and a quadrilateral about every edge of the
lattice that crosses it. Coordinates are whole numbers of 20 micrometres. Pure Python, a minute; the same bytes every time.
"""
import math
import struct
import sys
from pathlib import Path

UNIT = 2e-5      # of the coordinates in the file [m]
CELL = 0.006     # of the lattice [m]
LOW, HIGH = (-0.19, -0.19, -0.0086), (0.19, 0.19, 0.475)


def smooth_min(a, b, k):
    """The lesser of two distances, rounded within k [m] of where they meet."""
    h = max(k - abs(a - b), 0.0) / k
    return min(a, b) - h * h * k / 4


def ellipsoid(p, centre, radii):
    q = [(p[i] - centre[i]) / radii[i] for i in range(3)]
    g = math.sqrt(sum((q[i] / radii[i]) ** 2 for i in range(3)))
    n = math.sqrt(sum(x * x for x in q))
    return n * (n - 1) / g if g > 1e-9 else -min(radii)


def capsule(p, a, b, ra, rb):
    """From a to b, its radius going from ra to rb."""
    ab = [b[i] - a[i] for i in range(3)]
    t = sum((p[i] - a[i]) * ab[i] for i in range(3)) / sum(x * x for x in ab)
    t = min(max(t, 0.0), 1.0)
    return math.dist(p, [a[i] + t * ab[i] for i in range(3)]) - (ra + t * (rb - ra))


def lotus(p):
    """Two rings of petals, the upper ones between the lower."""
    angle, radius, z = math.atan2(p[1], p[0]), math.hypot(p[0], p[1]), p[2]
    lower = 0.158 + 0.012 * abs(math.sin(7 * angle)) - 6 * (z - 0.022) ** 2
    upper = 0.145 + 0.012 * abs(math.cos(7 * angle)) - 6 * (z - 0.055) ** 2
    ring = 0.8 * smooth_min(radius - lower, max(radius - upper, 0.038 - z), 0.004)
    return max(ring, z - 0.074, -z)


def body(p):
    x, y, z = p
    m = (abs(x), y, z)   # both sides alike
    trunk = ellipsoid(p, (0, 0.015, 0.175), (0.075, 0.058, 0.125))
    trunk = smooth_min(trunk, capsule(m, (0, 0.015, 0.265), (0.072, 0.015, 0.258), 0.04, 0.034), 0.03)
    robe = math.sin(2 * math.pi * (z + 0.35 * x) / 0.022)   # folds across the breast
    trunk += 0.0022 * robe * min(max((0.26 - z) / 0.02, 0.0), 1.0)
    thigh = capsule(m, (0.05, 0.02, 0.108), (0.125, -0.055, 0.1), 0.045, 0.032)
    shin = capsule(p, (-0.125, -0.06, 0.096), (0.05, -0.105, 0.1), 0.03, 0.02)
    other = capsule(p, (0.125, -0.06, 0.096), (-0.06, -0.115, 0.092), 0.03, 0.02)
    legs = smooth_min(thigh, min(shin, other), 0.012) + 0.0015 * math.sin(2 * math.pi * math.hypot(x, y + 0.02) / 0.02)
    upper = capsule(m, (0.082, 0.015, 0.25), (0.108, 0.0, 0.172), 0.028, 0.023)
    fore = capsule(m, (0.108, 0.0, 0.172), (0.03, -0.085, 0.142), 0.022, 0.014)
    hands = ellipsoid(p, (0, -0.088, 0.137), (0.042, 0.022, 0.011))
    arms = smooth_min(smooth_min(upper, fore, 0.008), hands, 0.01)
    sleeves = ellipsoid(m, (0.075, -0.015, 0.185), (0.045, 0.06, 0.075))   # the robe hangs between arms and body
    lap = ellipsoid(p, (0, -0.05, 0.125), (0.095, 0.05, 0.032))
    robe = smooth_min(sleeves, lap, 0.02) + 0.0015 * math.sin(2 * math.pi * (z - 0.3 * abs(x)) / 0.02)
    return smooth_min(smooth_min(smooth_min(trunk, legs, 0.02), robe, 0.012), arms, 0.01)


def head(p):
    x, y, z = p
    m = (abs(x), y, z)
    neck = capsule(p, (0, 0.012, 0.28), (0, 0.008, 0.34), 0.026, 0.024)
    skull = ellipsoid(p, (0, 0.002, 0.362), (0.046, 0.053, 0.06))
    face = smooth_min(skull, capsule(p, (0, -0.05, 0.375), (0, -0.056, 0.352), 0.004, 0.008), 0.012)   # the nose
    face = smooth_min(face, ellipsoid(p, (0, -0.04, 0.322), (0.017, 0.015, 0.012)), 0.014)              # the chin
    eye = ellipsoid(m, (0.018, -0.052, 0.37), (0.011, 0.006, 0.0045))
    face = max(face, 0.0015 - eye) if eye < 0.0015 else face
    ears = ellipsoid(m, (0.048, 0.004, 0.352), (0.009, 0.013, 0.032))
    hair = smooth_min(ellipsoid(p, (0, 0.009, 0.374), (0.051, 0.053, 0.056)), ellipsoid(p, (0, 0.014, 0.432), (0.026, 0.026, 0.022)), 0.008)
    around, up = math.atan2(p[0], p[1] - 0.012), z   # curls in rows
    row = math.floor(up / 0.0145)
    hair -= 0.0035 * max(0.0, math.sin(math.pi * up / 0.0145 % math.pi)) * abs(math.cos(7 * around + 0.5 * math.pi * (row % 2)))
    hair = max(hair, 0.392 - z - 1.3 * max(y + 0.03, 0.0))   # the forehead is bare
    return smooth_min(smooth_min(face, neck, 0.015), min(hair, ears), 0.003)


def f(p):
    if p[2] > 0.3:
        return smooth_min(body(p), head(p), 0.01)
    return min(lotus(p), smooth_min(body(p), head(p), 0.01))


def gradient(p, h=1e-5):
    return [(f([p[j] + h * (i == j) for j in range(3)]) - f([p[j] - h * (i == j) for j in range(3)])) / (2 * h) for i in range(3)]


def lattice():
    """f at its points; far from the surface blocks of eight are passed over."""
    n = [math.ceil((HIGH[i] - LOW[i]) / CELL) + 1 for i in range(3)]
    at = lambda i, j, k: (LOW[0] + CELL * i, LOW[1] + CELL * j, LOW[2] + CELL * k)
    values = {}
    block = 4
    for bi in range(0, n[0], block):
        for bj in range(0, n[1], block):
            for bk in range(0, n[2], block):
                middle = f(at(bi + (block - 1) / 2, bj + (block - 1) / 2, bk + (block - 1) / 2))
                far = abs(middle) > 3 * block * CELL   # f is no distance, and may be off by a factor of three
                for i in range(bi, min(bi + block, n[0])):
                    for j in range(bj, min(bj + block, n[1])):
                        for k in range(bk, min(bk + block, n[2])):
                            values[i, j, k] = middle if far else f(at(i, j, k))
    return n, values


def without_saddles(n, values):
    """Where two points across a square of the lattice are inside and the two others outside, four quadrilaterals would meet in one edge: the
    outer point that is nearest to the surface is taken in."""
    again = True
    while again:
        again = False
        for (i, j, k) in list(values):
            for u, v in (((1, 0, 0), (0, 1, 0)), ((0, 1, 0), (0, 0, 1)), ((0, 0, 1), (1, 0, 0))):
                b, c = (i + u[0], j + u[1], k + u[2]), (i + v[0], j + v[1], k + v[2])
                d = (b[0] + v[0], b[1] + v[1], b[2] + v[2])
                if d not in values:
                    continue
                square = [(i, j, k), b, d, c]
                signs = [values[q] < 0 for q in square]
                if signs[0] == signs[2] and signs[1] == signs[3] and signs[0] != signs[1]:
                    values[min((q for q in square if values[q] >= 0), key=values.get)] = -1e-3 * CELL
                    again = True


def onto_surface(start, corner):
    """Newton along the gradient, no further than the cell: neighbours stay in order."""
    p = list(start)
    for _ in range(4):
        g = gradient(p)
        square = sum(x * x for x in g)
        if square < 1e-6:
            break
        step = f(p) / square
        p = [min(max(p[i] - step * g[i], corner[i] + 0.05 * CELL), corner[i] + 0.95 * CELL) for i in range(3)]
    return p


def net():
    n, values = lattice()
    without_saddles(n, values)
    inside = {key: value < 0 for key, value in values.items()}
    vertices, number, quads = [], {}, []

    def vertex(i, j, k):
        if (i, j, k) not in number:
            corner = [LOW[a] + CELL * (i, j, k)[a] for a in range(3)]
            crossings = []
            corners = [(i + a, j + b, k + c) for c in (0, 1) for b in (0, 1) for a in (0, 1)]
            for m, u in enumerate(corners):
                for v in corners[m + 1:]:
                    if sum(abs(u[a] - v[a]) for a in range(3)) == 1 and inside[u] != inside[v]:
                        t = values[u] / (values[u] - values[v])
                        crossings.append([LOW[a] + CELL * (u[a] + t * (v[a] - u[a])) for a in range(3)])
            start = [sum(c[a] for c in crossings) / len(crossings) for a in range(3)]
            number[i, j, k] = len(vertices)
            vertices.append(onto_surface(start, corner))
        return number[i, j, k]

    for k in range(1, n[2] - 1):
        for j in range(1, n[1] - 1):
            for i in range(1, n[0] - 1):
                for axis, step in enumerate(((1, 0, 0), (0, 1, 0), (0, 0, 1))):
                    a, b = (i, j, k), (i + step[0], j + step[1], k + step[2])
                    if inside[a] == inside[b]:
                        continue
                    u, v = (axis + 1) % 3, (axis + 2) % 3
                    ring = []
                    for du, dv in ((0, 0), (1, 0), (1, 1), (0, 1)):
                        cell = [i, j, k]
                        cell[u] -= 1 - du
                        cell[v] -= 1 - dv
                        ring.append(vertex(*cell))
                    quads.append(ring if inside[a] else ring[::-1])
    return vertices, quads


def largest_part(vertices, quads):
    """Without hollows inside, which no grain can reach."""
    root = list(range(len(vertices)))

    def top(v):
        while root[v] != v:
            root[v] = root[root[v]]
            v = root[v]
        return v

    for quad in quads:
        for v in quad[1:]:
            root[top(v)] = top(quad[0])
    sizes = {}
    for v in range(len(vertices)):
        sizes[top(v)] = sizes.get(top(v), 0) + 1
    kept = max(sizes, key=sizes.get)
    number = {v: k for k, v in enumerate(v for v in range(len(vertices)) if top(v) == kept)}
    return [vertices[v] for v in number], [[number[v] for v in quad] for quad in quads if quad[0] in number]


def main():
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent / "scenes" / "statue.ply"
    vertices, quads = largest_part(*net())
    assert len(vertices) < 65536
    header = ("ply\nformat binary_little_endian 1.0\ncomment made by tools/make-statue.py; a unit is 20 micrometres\n"
              f"element vertex {len(vertices)}\nproperty short x\nproperty short y\nproperty short z\n"
              f"element face {len(quads)}\nproperty list uchar ushort vertex_indices\nend_header\n")
    data = b"".join(struct.pack("<3h", *(round(x / UNIT) for x in v)) for v in vertices)
    data += b"".join(struct.pack("<B4H", 4, *quad) for quad in quads)
    path.write_bytes(header.encode() + data)
    print(f"{path}: {len(vertices)} vertices, {2 * len(quads)} triangles, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
