// SPDX-License-Identifier: Apache-2.0
#include "contract/spheres.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace talus::contract {

using namespace world;

namespace {

Vec3 rotationVector(const Quat& q) {
    const Vec3 axis{q.x, q.y, q.z};
    return 2 * std::atan2(norm(axis), q.w) * normalized(axis);
}

/// A real field of row i, one or three components.
Vec3 realField(const Spheres& s, std::string_view name, std::size_t i) {
    if (name == field::position.name) return get(s.position, i);
    if (name == field::velocity.name) return get(s.velocity, i);
    if (name == sphere_field::spin.name) return get(s.spin, i);
    if (name == sphere_field::rotation.name) return rotationVector(rotationOf(s, i));
    if (name == field::radius.name) return {s.radius(i), 0, 0};
    if (name == field::mass.name) return {s.mass(i), 0, 0};
    if (name == field::volume.name) return {s.volume(i), 0, 0};
    if (name == field::birthTime.name) return {s.birthTime(i), 0, 0};
    if (name == field::elasticEnergy.name) return {s.elasticEnergy(i), 0, 0};
    return {0.5 * inertia(s, i) * normSquared(get(s.spin, i)), 0, 0};
}
std::int64_t integerField(const Spheres& s, std::string_view name, std::size_t i) {
    return name == field::id.name ? s.id(i) : name == field::material.name ? s.material(i) : s.source(i);
}

}  // namespace

void readSpheres(const Spheres& spheres, FieldNames names, ChunkSink& sink, const std::vector<std::size_t>* listed) {
    const std::size_t count = listed ? listed->size() : spheres.rows();
    std::vector<std::vector<double>> reals(names.size());
    std::vector<std::vector<std::int64_t>> integers(names.size());
    for (std::size_t begin = 0; begin < count; begin += Chunk::kMostGrains) {
        const std::size_t end = std::min(count, begin + Chunk::kMostGrains);
        std::vector<FieldColumn> columns;
        for (std::size_t n = 0; n < names.size(); ++n) {
            const FieldInfo& info = *findField(kSphereFields, names[n]);
            reals[n].clear();
            integers[n].clear();
            for (std::size_t k = begin; k < end; ++k) {
                const std::size_t i = listed ? (*listed)[k] : k;
                if (info.type == FieldType::integer) integers[n].push_back(integerField(spheres, info.name, i));
                else
                    for (int c = 0; c < info.components; ++c) reals[n].push_back(realField(spheres, info.name, i)[c]);
            }
            columns.push_back({&info, reals[n], integers[n]});
        }
        sink.take({end - begin, columns});
    }
}

}  // namespace talus::contract
