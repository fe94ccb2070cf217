// SPDX-License-Identifier: Apache-2.0
// From descriptions to the world.
#pragma once

#include "scene/description.h"

namespace talus::scene {

/// The part of a region inside the domain; the same pointer where that is all of it.
geometry::ShapePtr insideDomain(const geometry::ShapePtr&, const DomainDescription&);

/// A region with its images beyond the faces of periodic axes that it reaches through; the same pointer where it does not.
geometry::ShapePtr acrossFaces(const geometry::ShapePtr&, const DomainDescription&);

/// The part of a shape inside the slab of a two-dimensional case; the same pointer where there is no slab.
geometry::ShapePtr insideSlab(const geometry::ShapePtr&, const DomainDescription&);
/// Gives a slab that has no width yet the one that the method wants. Of a description that passed check() with any width.
void chooseSlabWidth(SceneDescription&);
/// Before that: a width with which the scene can be checked. Refuses what has a width of its own.
void assumeSlabWidth(SceneDescription&, Problems&);
/// Says what is not the same all along a slab.
void checkSlab(const SceneDescription&, WellRead, Problems&);

/// Of a description that passed check().
world::World build(const SceneDescription&);
void buildFlows(const SceneDescription&, world::World&);   // emitters, sinks and forces, once bodies and fills are there
void changeFlows(const SceneDescription&, world::World&);  // what a stage may change of them
/// The world of a scene that differs from that of `whole` by what a stage may change; shapes are shared.
world::World buildChanged(const SceneDescription&, const world::World& whole);

}  // namespace talus::scene
