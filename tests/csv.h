// SPDX-License-Identifier: Apache-2.0
// Reference tables of the tests: a header row, then cells as text; quotes may hold commas.
#pragma once

#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace talus::test {

class CsvTable {
public:
    explicit CsvTable(const std::string& name) {
        std::ifstream file(std::string(TALUS_TEST_DATA) + "/" + name);
        if (!file) throw std::runtime_error("no test data '" + name + "'");
        std::string line;
        for (bool first = true; std::getline(file, line); first = false) (first ? header_ : rows_.emplace_back()) = split(line);
    }
    std::size_t rows() const { return rows_.size(); }
    const std::string& text(std::size_t row, const std::string& column) const {
        for (std::size_t c = 0; c < header_.size(); ++c)
            if (header_[c] == column) return rows_.at(row).at(c);
        throw std::runtime_error("no column '" + column + "'");
    }
    double number(std::size_t row, const std::string& column) const { return std::stod(text(row, column)); }

private:
    static std::vector<std::string> split(const std::string& line) {
        std::vector<std::string> cells(1);
        bool quoted = false;
        for (const char c : line) {
            if (c == '"') quoted = !quoted;
            else if (c == ',' && !quoted) cells.emplace_back();
            else if (c != '\r') cells.back().push_back(c);
        }
        return cells;
    }
    std::vector<std::string> header_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace talus::test
