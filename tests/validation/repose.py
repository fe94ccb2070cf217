#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Angles of poured heaps against the friction angle of their sand: sweeps the scene `heap`.

PHYSICS: a heap stands at the friction angle, within 2 degrees with the material point methods and 3 with dem and guided.
"""
import sys

from sweeping import METHODS, arguments, done, sweep

ANGLES = (25, 30, 34)
GATES = {"elastoplastic": 2, "nonsmooth": 2, "dem": 3, "guided": 3}   # degrees


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--method", choices=METHODS, required=True)
    parser.add_argument("--foot", type=int, default=20, help="grains or cells from the middle of the heap to its foot")
    options = parser.parse_args()
    settings = ["angle=" + ",".join(map(str, ANGLES)), f"resolution.size==foot/{options.foot}"]
    apart = 0
    for row in done(sweep(options.talus, "heap", [options.method], settings, options.out, options.jobs)):
        asked, found = float(row["angle"]), float(row["heap.angle_deg"])
        off = abs(found - asked) > GATES[options.method]
        apart += off
        print(f"{asked:g} degrees: heap at {found:.1f}{' OUT OF' if off else ', within'} {GATES[options.method]}")
    return 1 if apart else 0


if __name__ == "__main__":
    sys.exit(main())
