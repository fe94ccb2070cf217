// SPDX-License-Identifier: Apache-2.0
#include "io/mesh_file.h"
#include "io/polygon.h"
#include "io/text_scanner.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

namespace talus::io {
namespace {

enum class Encoding { text, little, big };

struct Type {
    std::size_t size = 0;   // bytes
    char kind = 'i';        // i: signed, u: unsigned, f: real
};
std::optional<Type> typeNamed(std::string_view name) {
    if (name == "char" || name == "int8") return Type{1, 'i'};
    if (name == "uchar" || name == "uint8") return Type{1, 'u'};
    if (name == "short" || name == "int16") return Type{2, 'i'};
    if (name == "ushort" || name == "uint16") return Type{2, 'u'};
    if (name == "int" || name == "int32") return Type{4, 'i'};
    if (name == "uint" || name == "uint32") return Type{4, 'u'};
    if (name == "float" || name == "float32") return Type{4, 'f'};
    if (name == "double" || name == "float64") return Type{8, 'f'};
    return {};
}

struct Property {
    std::string name;
    Type type;
    std::optional<Type> count;   // of a list
};
struct Element {
    std::string name;
    std::size_t number = 0;
    std::vector<Property> properties;
    std::size_t line = 0;        // of the header
};

/// Values of the body one after the other, whatever their encoding.
class Body {
public:
    Body(std::string_view bytes, std::size_t offset, std::size_t line, Encoding encoding)
        : bytes_(bytes), offset_(offset), encoding_(encoding), lines_(bytes, line + 1) {}

    /// Refuses an element that cannot fit into what is left of the file.
    void require(const Element& element) const {
        std::size_t least = 0;
        for (const Property& p : element.properties) least += encoding_ == Encoding::text ? 2 : p.count ? p.count->size : p.type.size;
        const std::size_t left = (encoding_ == Encoding::text ? lines_.rest().size() : bytes_.size() - at_) + 1;   // no last newline
        if (least > 0 && element.number > left / least)
            faultAtLine(element.line, fmt::format("{} of '{}' are announced, more than the rest of the file can hold: it is cut off, or no PLY file",
                                                  element.number, shown(element.name)));
    }

    void begin() {   // of the next item
        if (encoding_ != Encoding::text) return;
        do {
            const auto line = lines_.next();
            if (!line) faultAtLine(lines_.number(), "the file ends too early");
            words_ = *line;
        } while (words_.find_first_not_of(kBlanks) == std::string_view::npos);
    }

    double value(const Type& type) {
        if (encoding_ == Encoding::text) {
            const std::string_view word = takeWord(words_);
            if (word.empty()) faultAtLine(lines_.number(), "a value is missing");
            const auto number = numberIn<double>(word);
            if (!number) faultAtLine(lines_.number(), fmt::format("'{}' is not a finite number", shown(word)));
            return *number;
        }
        if (type.size > bytes_.size() - at_) faultAtByte(offset_ + at_, "the file ends too early");
        std::array<char, 8> raw{};
        for (std::size_t i = 0; i < type.size; ++i) raw[encoding_ == Encoding::big ? type.size - 1 - i : i] = bytes_[at_ + i];
        at_ += type.size;
        return decoded(raw.data(), type);
    }

    [[noreturn]] void fault(std::string_view what) const {
        if (encoding_ == Encoding::text) faultAtLine(lines_.number(), what);
        faultAtByte(offset_ + at_, what);
    }

private:
    template <class T>
    static double as(const char* raw) {
        T value;
        std::memcpy(&value, raw, sizeof value);
        return static_cast<double>(value);
    }
    static double decoded(const char* raw, const Type& type) {
        if (type.kind == 'f') return type.size == 4 ? as<float>(raw) : as<double>(raw);
        if (type.kind == 'u') return type.size == 1 ? as<std::uint8_t>(raw) : type.size == 2 ? as<std::uint16_t>(raw) : as<std::uint32_t>(raw);
        return type.size == 1 ? as<std::int8_t>(raw) : type.size == 2 ? as<std::int16_t>(raw) : as<std::int32_t>(raw);
    }

    std::string_view bytes_;
    std::size_t offset_, at_ = 0;
    Encoding encoding_;
    LineScanner lines_;
    std::string_view words_;
};

struct Header {
    Encoding encoding = Encoding::text;
    std::vector<Element> elements;
};

Property readProperty(std::string_view rest, std::size_t line) {
    Property property;
    std::string_view type = takeWord(rest);
    if (type == "list") {
        property.count = typeNamed(takeWord(rest));
        if (!property.count || property.count->kind == 'f') faultAtLine(line, "the count of a list must be of a whole-number type");
        type = takeWord(rest);
    }
    const auto known = typeNamed(type);
    if (!known) faultAtLine(line, fmt::format("unknown type '{}'", shown(type)));
    property.type = *known;
    property.name = takeWord(rest);
    return property;
}

Header readHeader(LineScanner& lines) {
    Header header;
    bool format = false;
    for (auto line = lines.next(); line; line = lines.next()) {
        std::string_view rest = *line;
        const std::string_view word = takeWord(rest);
        const std::size_t number = lines.number();
        if (word == "end_header") {
            if (!format) faultAtLine(number, "the header has no line 'format'");
            return header;
        }
        if (word == "format") {
            const std::string_view name = takeWord(rest);
            if (name != "ascii" && name != "binary_little_endian" && name != "binary_big_endian")
                faultAtLine(number, fmt::format("unknown format '{}'", shown(name)));
            header.encoding = name == "ascii" ? Encoding::text : name == "binary_little_endian" ? Encoding::little : Encoding::big;
            format = true;
        } else if (word == "element") {
            Element element;
            element.name = takeWord(rest);
            const auto count = numberIn<std::uint64_t>(takeWord(rest));
            if (!count || *count > 0xffffffffULL) faultAtLine(number, "an element needs a name and a number below 2^32");
            element.number = *count;
            element.line = number;
            header.elements.push_back(std::move(element));
        } else if (word == "property") {
            if (header.elements.empty()) faultAtLine(number, "a property before any element");
            header.elements.back().properties.push_back(readProperty(rest, number));
        } else if (word != "comment" && word != "obj_info" && !(word == "ply" && number == 1) && !word.empty()) {
            faultAtLine(number, fmt::format("'{}' in the header", shown(word)));
        }
    }
    faultAtLine(lines.number(), "the header has no line 'end_header'");
}

std::size_t listLength(Body& body, const Property& property) {
    const double count = body.value(*property.count);
    if (!(count >= 0) || count != std::floor(count) || count > 4294967295.0) body.fault("a list with an impossible length");
    return static_cast<std::size_t>(count);
}

void skip(Body& body, const Property& property) {
    const std::size_t count = property.count ? listLength(body, property) : 1;
    for (std::size_t i = 0; i < count; ++i) body.value(property.type);
}

void readVertices(Body& body, const Element& element, geometry::Mesh& mesh) {
    std::array<bool, 3> given{};
    for (const Property& p : element.properties)
        for (std::size_t axis = 0; axis < 3; ++axis) given[axis] = given[axis] || (!p.count && p.name == std::string(1, "xyz"[axis]));
    if (!given[0] || !given[1] || !given[2]) faultAtLine(element.line, "vertices need the properties x, y and z");
    mesh.vertices.reserve(mesh.vertices.size() + element.number);
    for (std::size_t i = 0; i < element.number; ++i) {
        Vec3 p;
        body.begin();
        for (const Property& property : element.properties) {
            const bool coordinate = !property.count && property.name.size() == 1 && property.name[0] >= 'x' && property.name[0] <= 'z';
            if (coordinate) p[property.name[0] - 'x'] = body.value(property.type);
            else skip(body, property);
        }
        if (!isFinite(p)) body.fault(fmt::format("vertex {} is not finite", i));
        mesh.vertices.push_back(p);
    }
}

void readFaces(Body& body, const Element& element, geometry::Mesh& mesh) {
    const auto isCorners = [](const Property& p) { return p.count && (p.name == "vertex_indices" || p.name == "vertex_index"); };
    if (std::ranges::none_of(element.properties, isCorners)) faultAtLine(element.line, "faces need the list 'vertex_indices'");
    std::vector<std::uint32_t> corners;
    for (std::size_t i = 0; i < element.number; ++i) {
        body.begin();
        for (const Property& property : element.properties) {
            if (!isCorners(property)) {
                skip(body, property);
                continue;
            }
            corners.clear();
            const std::size_t count = listLength(body, property);
            for (std::size_t k = 0; k < count; ++k) {
                const double index = body.value(property.type);
                if (!(index >= 0 && index < static_cast<double>(mesh.vertices.size())) || index != std::floor(index))
                    body.fault(fmt::format("face {} has the vertex {}, and there are {}", i, index, mesh.vertices.size()));
                corners.push_back(static_cast<std::uint32_t>(index));
            }
            appendPolygon(mesh, corners);
        }
    }
}

}  // namespace

geometry::Mesh parsePly(std::string_view bytes) {
    if (!bytes.starts_with("ply")) throw FileFault("not a PLY file: it does not begin with 'ply'");
    LineScanner lines(bytes);
    const Header header = readHeader(lines);
    Body body(lines.rest(), bytes.size() - lines.rest().size(), lines.number(), header.encoding);
    geometry::Mesh mesh;
    bool vertices = false, faces = false;
    for (const Element& element : header.elements) {
        body.require(element);
        if (element.name == "vertex" && !vertices) {
            readVertices(body, element, mesh);
            vertices = true;
        } else if (element.name == "face" && !faces) {
            if (!vertices) faultAtLine(element.line, "faces before the vertices");
            readFaces(body, element, mesh);
            faces = true;
        } else if (!element.properties.empty()) {
            for (std::size_t i = 0; i < element.number; ++i) {
                body.begin();
                for (const Property& property : element.properties) skip(body, property);
            }
        }
    }
    if (!faces) throw FileFault("no faces: points alone are not a surface");
    return mesh;
}

}  // namespace talus::io
