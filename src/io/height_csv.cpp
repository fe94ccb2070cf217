// SPDX-License-Identifier: Apache-2.0
#include "io/height_csv.h"

#include "io/csv_text.h"
#include "io/mesh_file.h"
#include "io/text_scanner.h"

namespace talus::io {

std::vector<std::vector<double>> parseHeights(std::string_view text) {
    constexpr std::string_view kSeparators = ",; \t\v\f\r";
    std::vector<std::vector<double>> rows;
    LineScanner lines(withoutMark(text));
    while (const auto line = lines.next()) {
        std::string_view rest = line->substr(0, line->find('#'));
        std::vector<double> row;
        for (std::string_view word = takeWord(rest, kSeparators); !word.empty(); word = takeWord(rest, kSeparators)) {
            const auto height = numberIn<double>(word);
            if (!height) faultAtLine(lines.number(), fmt::format("'{}' is not a finite number", shown(word)));
            row.push_back(*height);
        }
        if (row.empty()) continue;
        if (!rows.empty() && row.size() != rows.front().size())
            faultAtLine(lines.number(), fmt::format("{} numbers, and the rows before have {}", row.size(), rows.front().size()));
        rows.push_back(std::move(row));
    }
    if (rows.size() < 2 || rows.front().size() < 2)
        throw FileFault(fmt::format("{} rows of {} heights; a height field needs at least two of two", rows.size(), rows.empty() ? 0 : rows.front().size()));
    return rows;
}

}  // namespace talus::io
