// SPDX-License-Identifier: Apache-2.0
#include "elastoplastic/elastoplastic.h"
#include "geometry/primitives.h"

#include <gtest/gtest.h>

#include <vector>

namespace talus::elastoplastic {
namespace {

// Found by fuzzing: positions of blocks are multiplied as whole numbers, materials are indices.
TEST(Load, refusesBlocksOutsideOfAnyGridAndUnknownMaterials) {
    world::World world;
    world.materials = {{.name = "sand"}};
    world.resolution.size = 0.1;
    const auto region = std::make_shared<geometry::Sphere>(0.3);
    world.domain = {{-1, -1, -1}, {1, 1, 1}, {}, -1};
    world.fills = {{.region = region, .material = 0, .source = 0, .velocity = {}, .listed = {}}};
    const auto settings = info.settings();
    const auto method = info.create(*settings, world, world::Precision::float32), other = info.create(*settings, world, world::Precision::float32);
    const Exec exec(1);
    ASSERT_GT(method->insert(exec, world, world.fills[0]).count, 0);
    MemoryArchive archive;
    method->save(archive);
    EXPECT_NO_THROW(other->load(exec, archive));
    MemoryArchive farBlock = archive, otherMaterial = archive;
    auto coords = archive.get<std::int32_t>("block_coords");
    coords[1] = 553858109;
    farBlock.put("block_coords", coords);
    EXPECT_THROW(other->load(exec, farBlock), ArchiveError);
    auto materials = archive.get<std::int32_t>("points/material");
    materials[0] = -1;
    otherMaterial.put("points/material", materials);
    EXPECT_THROW(other->load(exec, otherMaterial), ArchiveError);
}

}  // namespace
}  // namespace talus::elastoplastic
