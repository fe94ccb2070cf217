#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A picture of every built-in scene's smoke variant: not empty, the grains inside it. And what `run` and `render` leave behind."""
import argparse
import os
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

SIZE = (160, 120)


def read_png(path: Path) -> tuple[int, int, int, list[bytes]]:
    """Width, height, channels and rows of an 8-bit RGB or RGBA picture."""
    data = path.read_bytes()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise SystemExit(f"{path} is not a PNG picture")
    at, packed, header = 8, b"", b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        header, packed = (body if kind == b"IHDR" else header), (packed + body if kind == b"IDAT" else packed)
        at += 12 + length
    width, height, _, colour = struct.unpack(">IIBB", header[:10])
    channels = {2: 3, 6: 4}[colour]
    raw, stride, rows = zlib.decompress(packed), width * channels, []
    above = bytes(stride)
    for y in range(height):
        method, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride):
            left, corner = (line[x - channels], above[x - channels]) if x >= channels else (0, 0)
            if method == 1:
                line[x] = (line[x] + left) & 255
            elif method == 2:
                line[x] = (line[x] + above[x]) & 255
            elif method == 3:
                line[x] = (line[x] + (left + above[x]) // 2) & 255
            elif method == 4:
                guess = left + above[x] - corner
                nearest = min((abs(guess - left), 0, left), (abs(guess - above[x]), 1, above[x]), (abs(guess - corner), 2, corner))
                line[x] = (line[x] + nearest[2]) & 255
        above = bytes(line)
        rows.append(above)
    return width, height, channels, rows


def covered(path: Path) -> tuple[float, bool]:
    """Part of a picture with a transparent background that is opaque, and whether that touches an edge."""
    width, height, channels, rows = read_png(path)
    if channels != 4:
        return 1, True
    solid = [[row[4 * x + 3] > 127 for x in range(width)] for row in rows]
    edge = any(solid[0]) or any(solid[-1]) or any(row[0] or row[-1] for row in solid)
    return sum(map(sum, solid)) / (width * height), edge


def run(talus: Path, *arguments: str, env: dict[str, str] | None = None, code: int = 0) -> str:
    result = subprocess.run([str(talus), *arguments], capture_output=True, text=True, check=False, env=env)
    if result.returncode != code:
        raise SystemExit(f"exit code {result.returncode} instead of {code} from talus {' '.join(arguments)}\n{result.stderr}")
    return result.stderr if code else result.stdout


def check_scene(talus: Path, scene: str, folder: Path) -> list[str]:
    found, out = [], folder / scene
    run(talus, "run", scene, "--variant", "smoke", "--frames", "2", "--out", str(out), "--no-preview", "-q")
    if (out / "preview.png").exists():
        found.append(f"{scene}: --no-preview makes a preview")
    size = f"{SIZE[0]}x{SIZE[1]}"
    plain = [str(out), "--size", size, "--samples", "2", "-q"]
    run(talus, "render", *plain, "--out", str(folder / "a.png"), "--background", "transparent", "--ground", "none", "--view", "fit")
    part, edge = covered(folder / "a.png")
    if not 0.03 < part < 0.8:
        found.append(f"{scene}: grains and bodies cover {part:.3f} of the picture")
    bodies = any((out / "frames").glob("body_*.vtp"))
    if edge and not bodies:
        found.append(f"{scene}: grains touch the edge of the picture")
    for threads in ("1", "3"):
        run(talus, "render", *plain, "--out", str(folder / f"{threads}.png"), "--threads", threads)
    if (folder / "1.png").read_bytes() != (folder / "3.png").read_bytes():
        found.append(f"{scene}: pictures of 1 and 3 threads differ")
    return found


def check_outputs(talus: Path, folder: Path) -> list[str]:
    found, out = [], folder / "outputs"
    run(talus, "run", "column", "--variant", "smoke", "--set", "resolution.grains=500", "--frames", "3", "--out", str(out), "-q")
    for name, least in (("preview.png", 600), ("poster.png", 1000), ("plots.png", 600)):
        if not (out / name).exists() or read_png_size(out / name)[0] < least:
            found.append(f"{name} is missing or small")
    small = ["--size", "65x49", "--samples", "1", "-q"]
    run(talus, "render", str(out), *small, "--video", str(folder / "v.mp4"))
    if not (folder / "v.mp4").read_bytes()[4:8] == b"ftyp" or len(list((out / "pictures").glob("*.png"))) != 4:
        found.append("no video of four pictures")
    nothing = {**os.environ, "PATH": str(folder / "nowhere")}
    if "needs the program ffmpeg" not in run(talus, "render", str(out), *small, "--video", str(folder / "w.mp4"), env=nothing, code=3):
        found.append("no message without ffmpeg")
    run(talus, "render", str(out), *small, "--out", str(folder / "x.exr"))
    if (folder / "x.exr").read_bytes()[:4] != b"\x76\x2f\x31\x01":
        found.append("no EXR picture")
    result = subprocess.run([str(talus), "run", "column", "--variant", "smoke", "--set", "resolution.grains=500", "--frames", "1", "--out", str(folder / "bare"), "-q"],
                            capture_output=True, text=True, check=False, env=nothing)
    if result.returncode != 0 or "plots.png was not made: it needs the program gnuplot" not in result.stderr:
        found.append(f"without gnuplot: exit code {result.returncode}, {result.stderr}")
    return found


def read_png_size(path: Path) -> tuple[int, int]:
    return struct.unpack(">II", path.read_bytes()[16:24])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--talus", type=Path, required=True)
    talus = parser.parse_args().talus.resolve()
    scenes = [line.split()[0] for line in run(talus, "scenes").splitlines() if line.strip() and not line.startswith(" ")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = [line for scene in scenes for line in check_scene(talus, scene, folder)] + check_outputs(talus, folder)
    print(*found, sep="\n", end="\n" if found else "")
    print(f"pictures: {len(scenes)} scenes, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
