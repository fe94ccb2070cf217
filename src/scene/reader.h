// SPDX-License-Identifier: Apache-2.0
// Fills settings from a table of a scene and says everything that does not fit.
#pragma once

#include "core/keys.h"
#include "scene/diagnostics.h"
#include "scene/document.h"
#include "scene/expressions.h"

#include <string>
#include <string_view>
#include <vector>

namespace talus::scene {

class Reader final : public KeyVisitor {
public:
    enum class Units { ofKey, any };   // any: a parameter, whose dimension is not known
    struct Context {
        Diagnostics& diagnostics;
        FunctionRef<Evaluated(std::string_view expression)> evaluate;
        Units units = Units::ofKey;
    };

    /// `table` may be null: nothing is given, required keys are missing. `place` is where a missing key belongs.
    Reader(const Context& context, const Table* table, std::string path, Place place)
        : context_(context), table_(table), path_(std::move(path)), place_(std::move(place)) {}

    /// Names that stand in the table and are read by somebody else.
    void alsoKnown(std::string_view name) { known_.push_back(name); }
    /// Names that stand elsewhere and that a wrong key may have meant.
    void alsoSuggest(std::string_view name) { suggested_.push_back(name); }
    /// Reports what nobody asked for. To be called when all keys were visited.
    void reportUnknownKeys() const;

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
    void changes(const Key&, std::vector<KeyChange>&) override;
    void table(const Key&, FunctionRef<void(KeyVisitor&)> body) override;
    void table(const Key&, bool& present, FunctionRef<void(KeyVisitor&)> body) override;
    void oneOf(const Key&, std::span<const std::string_view> kinds, int current,
               FunctionRef<void(int, KeyVisitor&)> body) override;
    std::string path() const override { return path_; }
    void problem(std::string_view key, std::string message) override;

protected:
    void chooseIndex(const Key&, std::span<const std::string_view> options, int& index) override;
    void visitList(const Key&, std::size_t count, FunctionRef<void(std::size_t)> resize,
                   FunctionRef<void(std::size_t, KeyVisitor&)> item) override;

private:
    const Value* take(const Key&);   // the value of the key, if given; it is known from then on
    std::string pathOf(std::string_view key) const;
    void error(const Value&, std::string_view path, std::string message);

    std::optional<double> readNumber(const Value&, const Key&, std::string_view path);
    std::optional<std::int64_t> readInteger(const Value&, const Key&, std::string_view path);
    std::optional<std::string> readText(const Value&, std::string_view path);
    std::optional<std::vector<double>> readNumbers(const Value&, const Key&, std::string_view path,
                                                   std::optional<std::size_t> count);
    template <class T>
    void readSchedule(const Key&, Schedule<T>&);
    template <class T>
    std::optional<Schedule<T>> readTimeTable(const Value&, const Key&, std::string_view path);
    template <class T>
    std::optional<Schedule<T>> readSine(const Key&);
    std::optional<int> readChoice(const Value&, std::span<const std::string_view> options, std::string_view path);
    void readTable(const Value&, const Key&, const std::string& path, FunctionRef<void(Reader&)> body);
    void readKind(std::span<const std::string_view> kinds, FunctionRef<void(int, KeyVisitor&)> body);

    Context context_;
    const Table* table_;
    std::string path_;
    Place place_;
    std::vector<std::string_view> known_, suggested_;
    bool misread_ = false;    // a key of this table has no value, so nothing is said about rules between them
    bool kindKnown_ = true;   // false: its `type` is wrong, so nobody can say which keys belong here
};

/// "greater than 0", "between 0 and 1"
std::string rangeText(const Range&);

}  // namespace talus::scene
