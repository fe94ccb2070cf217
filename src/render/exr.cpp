// SPDX-License-Identifier: Apache-2.0
#include "core/problems.h"
#include "render/image_files.h"

#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIO.h>
#include <OpenEXR/ImfRgbaFile.h>
#include <OpenEXR/ImfStringAttribute.h>
#include <fmt/format.h>

#include <cstring>
#include <string>

namespace talus::render {

namespace {

constexpr const char* kNoteKey = "talus";

/// OpenEXR writes into memory, so that the file is written whole.
class MemoryStream final : public Imf::OStream {
public:
    MemoryStream() : Imf::OStream("memory") {}
    void write(const char* bytes, int count) override {
        const std::size_t size = static_cast<std::size_t>(count);
        if (at_ + size > text.size()) text.resize(at_ + size);
        std::memcpy(text.data() + at_, bytes, size);
        at_ += size;
    }
    std::uint64_t tellp() override { return at_; }
    void seekp(std::uint64_t position) override { at_ = position; }

    std::string text;

private:
    std::size_t at_ = 0;
};

}  // namespace

void writeExr(const io::Path& path, const Image& image, const std::string& note) {
    std::vector<Imf::Rgba> pixels(image.pixels());
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        const Vec3f& c = image.colour[i];
        pixels[i] = Imf::Rgba(c.x, c.y, c.z, image.alpha[i]);
    }
    MemoryStream stream;
    try {
        Imf::Header header(image.width, image.height, 1, {0, 0}, 1, Imf::INCREASING_Y, Imf::ZIP_COMPRESSION);
        if (!note.empty()) header.insert(kNoteKey, Imf::StringAttribute(note));
        Imf::RgbaOutputFile file(stream, header, Imf::WRITE_RGBA, 1);
        file.setFrameBuffer(pixels.data(), 1, static_cast<std::size_t>(image.width));
        file.writePixels(image.height);
    } catch (const std::exception& error) {
        throw Error(ExitCode::io, fmt::format("cannot write '{}': {}", path.string(), error.what()));
    }
    io::writeFile(path, stream.text);
}

std::string noteOfExr(const io::Path& path) {
    try {
        const Imf::RgbaInputFile file(path.c_str(), 1);
        const auto* note = file.header().findTypedAttribute<Imf::StringAttribute>(kNoteKey);
        return note != nullptr ? note->value() : std::string();
    } catch (const std::exception&) {
        return {};
    }
}

}  // namespace talus::render
