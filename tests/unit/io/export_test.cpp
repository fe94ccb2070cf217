// SPDX-License-Identifier: Apache-2.0
#include "io/export.h"

#include "unit/io/example_frame.h"
#include "unit/io/temporary_folder.h"

#include <gtest/gtest.h>

namespace talus::io {
namespace {

using test::exampleFrame;
using test::TemporaryFolder;

TEST(Export, csvHasARowPerGrain) {
    const TemporaryFolder folder;
    exportFrame(folder / "a.csv", exampleFrame(2, 0.1), ExportFormat::csv);
    EXPECT_EQ(readFile(folder / "a.csv"),
              "id,x,y,z,radius,stress_xx,stress_yy,stress_zz,stress_xy,stress_yz,stress_xz\n"
              "3,3.25,3.5,-3,0.375,30,31,32,33,34,35\n"
              "6,6.25,6.5,-6,0.75,60,61,62,63,64,65\n");
}

TEST(Export, numpyReadsNpz) {
    const TemporaryFolder folder;
    exportFrame(folder / "a.npz", exampleFrame(5000, 0.1), ExportFormat::npz);
    exportFrame(folder / "empty.npz", exampleFrame(0, 0), ExportFormat::npz);
    test::python(R"(
import sys, zipfile, numpy as np
assert zipfile.ZipFile(sys.argv[1]).testzip() is None
a = np.load(sys.argv[1])
ids = 3 * np.arange(1, 5001)
assert a['time'].shape == () and a['time'] == 0.1
assert a['id'].dtype == np.int64 and (a['id'] == ids).all()
assert a['position'].dtype == np.float32 and a['position'].shape == (5000, 3) and (a['position'][:, 0] == ids + 0.25).all()
assert a['radius'].shape == (5000,) and a['stress'].shape == (5000, 6)
assert np.load(sys.argv[2])['position'].shape == (0, 3)
)",
                 (folder / "a.npz").string() + " " + (folder / "empty.npz").string());
}

TEST(Export, plyKeepsEveryValue) {
    const TemporaryFolder folder;
    Frame frame = exampleFrame(4, 0.1);
    frame.columns[0].integers.back() = (std::int64_t{1} << 40) + 1;   // does not fit an int
    exportFrame(folder / "large.ply", frame, ExportFormat::ply);
    exportFrame(folder / "small.ply", exampleFrame(4, 0.1), ExportFormat::ply);
    test::python(R"(
import sys, numpy as np
kinds = {'float': '<f4', 'int': '<i4', 'double': '<f8'}
def read(path):
    head, body = open(path, 'rb').read().split(b'end_header\n', 1)
    lines = head.decode().splitlines()
    assert lines[:2] == ['ply', 'format binary_little_endian 1.0'] and 'element vertex 4' in lines
    return np.frombuffer(body, [(l.split()[2], kinds[l.split()[1]]) for l in lines if l.startswith('property')])
large, small = read(sys.argv[1]), read(sys.argv[2])
assert large['id'].dtype == np.float64 and large['id'][3] == 2**40 + 1
assert small['id'].dtype == np.int32 and (small['id'] == [3, 6, 9, 12]).all()
assert (small['x'] == small['id'] + 0.25).all() and (small['stress_xz'] == 10 * small['id'] + 5).all()
)",
                 (folder / "large.ply").string() + " " + (folder / "small.ply").string());
}

}  // namespace
}  // namespace talus::io
