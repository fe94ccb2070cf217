// SPDX-License-Identifier: Apache-2.0
// Settings as TOML, every key written out: what is read back is the same.
#pragma once

#include "core/keys.h"
#include "scene/document.h"

#include <map>
#include <string>
#include <string_view>

namespace talus::scene {

/// Shortest text that reads back as the same bits.
std::string numberText(double);
std::string quoted(std::string_view);   // as a TOML text
std::string valueText(const Value&);    // on one line

class TomlWriter final : public KeyVisitor {
public:
    /// What whoever visits the keys gets written: a file, the lines of a section, or { a = 1, b = 2 }.
    enum class Layout { file, section, inlineTable };
    /// `files` gives the name under which a file is written; none: its own.
    using FileNames = std::map<std::string, std::string>;
    explicit TomlWriter(Layout layout, const FileNames* files = nullptr) : layout_(layout), files_(files) {}

    std::string text() const { return lines_ + sections_; }

    void number(const Key&, double&) override;
    void number(const Key&, std::optional<double>&) override;
    void integer(const Key&, std::int64_t&) override;
    void integer(const Key&, std::optional<std::int64_t>&) override;
    void flag(const Key&, bool&) override;
    void flag(const Key&, std::optional<bool>&) override;
    void text(const Key&, std::string&) override;
    void text(const Key&, std::optional<std::string>&) override;
    void vector(const Key&, Vec3&) override;
    void vector(const Key&, std::optional<Vec3>&) override;
    void schedule(const Key&, Schedule<double>&) override;
    void schedule(const Key&, Schedule<Vec3>&) override;
    void numbers(const Key&, std::vector<double>&) override;
    void texts(const Key&, std::vector<std::string>&) override;
    void rows(const Key&, int width, std::vector<double>&) override;
    void rows(const Key&, std::vector<std::vector<double>>&) override;
    void file(const Key&, std::string&) override;
    void file(const Key&, std::optional<std::string>&) override;
    void changes(const Key&, std::vector<KeyChange>&) override;
    void table(const Key&, FunctionRef<void(KeyVisitor&)> body) override;
    void table(const Key&, bool& present, FunctionRef<void(KeyVisitor&)> body) override;
    void oneOf(const Key&, std::span<const std::string_view> kinds, int current,
               FunctionRef<void(int, KeyVisitor&)> body) override;

protected:
    void chooseIndex(const Key&, std::span<const std::string_view> options, int& index) override;
    void visitList(const Key&, std::size_t count, FunctionRef<void(std::size_t)> resize,
                   FunctionRef<void(std::size_t, KeyVisitor&)> item) override;

private:
    void put(std::string_view key, std::string_view value);
    template <class Body>
    std::string inlineTable(Body body) const;

    Layout layout_;
    const FileNames* files_;
    std::string lines_, sections_;
};

}  // namespace talus::scene
