// SPDX-License-Identifier: Apache-2.0
// Checkpoints: bytes as a file, or the entries of a true checkpoint with some of them replaced, as a file with a right
// checksum could hold them. They are refused or loaded; what was loaded can be read out and saved.
#include "io/checkpoint.h"
#include "run/bookmark.h"
#include "run/machine.h"
#include "scene/scene.h"

#include "temporary_file.h"

#include <cstdlib>
#include <fuzzer/FuzzedDataProvider.h>

using namespace talus;

namespace {

/// Entries that can be put back one by one.
class LooseArchive final : public Archive {
public:
    std::map<std::string, MemoryArchive::Entry> entries;
    bool contains(std::string_view name) const override { return entries.contains(path(name)); }

protected:
    void putBytes(const std::string& path, ElementType type, std::span<const std::byte> bytes) override {
        entries[path] = {type, {bytes.begin(), bytes.end()}};
    }
    void getBytes(const std::string& path, ElementType type, Room room) const override {
        const auto found = entries.find(path);
        if (found == entries.end() || found->second.type != type) throw ArchiveError("'" + path + "' is missing or of another type");
        const std::size_t bytes = found->second.bytes.size() / elementSize(type) * elementSize(type);   // a file holds whole elements
        const std::span<std::byte> to = room(bytes);
        std::copy_n(found->second.bytes.begin(), bytes, to.begin());
    }
};

world::Simulation smallSimulation() {
    scene::Request request;
    request.scene = "column";
    request.sets = {"resolution.grains=64"};
    const scene::Scene scene = scene::read(request, scene::builtInMethods());
    world::World world = scene.buildWorld();
    auto method = scene.createMethod(world);
    return {std::move(world), std::move(method)};
}

LooseArchive trueCheckpoint() {
    const Exec exec(1);
    world::Simulation simulation = smallSimulation();
    simulation.fill(exec);
    simulation.advance(exec, 0.01, [] { return true; });
    LooseArchive archive;
    run::Stamp{"0", "simd", "float", "scene"}.save(archive);
    run::Bookmark{}.save(archive);
    const auto group = archive.group("simulation");
    simulation.save(archive);
    return archive;
}

void loadFile(std::string_view bytes) {
    static const fuzz::TemporaryFile file("a.h5");
    file.hold(bytes);
    try {
        const io::Checkpoint checkpoint(file.path());
        run::Bookmark::load(checkpoint.archive());
    } catch (const Error&) {
    } catch (const ArchiveError&) {
    }
}

void replaceEntries(LooseArchive& archive, FuzzedDataProvider& input) {
    while (input.remaining_bytes() > 2) {
        auto entry = archive.entries.begin();
        std::advance(entry, input.ConsumeIntegralInRange<std::size_t>(0, archive.entries.size() - 1));
        std::vector<std::byte>& bytes = entry->second.bytes;
        switch (input.ConsumeIntegralInRange(0, 3)) {
            case 0: entry->second.type = static_cast<ElementType>(input.ConsumeIntegralInRange(0, 6)); break;
            case 1: bytes.resize(input.ConsumeIntegralInRange<std::size_t>(0, 4096)); break;
            case 2: bytes = input.ConsumeBytes<std::byte>(input.ConsumeIntegralInRange<std::size_t>(0, 64)); break;
            default: {
                const std::vector<std::byte> piece = input.ConsumeBytes<std::byte>(8);
                if (bytes.size() < piece.size()) break;
                const std::size_t at = input.ConsumeIntegralInRange<std::size_t>(0, (bytes.size() - piece.size()) / 4) * 4;
                std::copy(piece.begin(), piece.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
            }
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size > 0 && data[0] == 't') {   // as the header of a checkpoint begins
        loadFile({reinterpret_cast<const char*>(data), size});
        return 0;
    }
    static const Exec exec(1);
    static const LooseArchive whole = trueCheckpoint();
    static world::Simulation simulation = smallSimulation();
    FuzzedDataProvider input(data, size);
    LooseArchive archive = whole;
    replaceEntries(archive, input);
    try {
        run::Stamp::load(archive);
        run::Bookmark::load(archive);
        const auto group = archive.group("simulation");
        simulation.load(exec, archive);
    } catch (const ArchiveError&) {
        return 0;
    }
    world::FieldTable grains;
    std::vector<std::string_view> names;
    for (const world::FieldInfo& field : simulation.method().fields()) names.push_back(field.name);
    simulation.method().read(exec, names, grains);
    LooseArchive again;
    simulation.save(again);
    return 0;
}
