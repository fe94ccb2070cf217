// SPDX-License-Identifier: Apache-2.0
#include "run/stage_tables.h"

#include "core/archive.h"
#include "core/problems.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace talus::run {

namespace fs = std::filesystem;

io::Path closedTable(const io::Path& table, const std::string& stage) { return table.parent_path() / fmt::format("{}.{}.csv", table.stem().string(), stage); }

void closeTable(const io::Path& table, const std::string& stage) {
    std::error_code failed;
    fs::rename(table, closedTable(table, stage), failed);
    if (failed) throw Error(ExitCode::io, fmt::format("cannot close '{}': {}", table.string(), failed.message()));
}

io::Path tableBefore(const io::Path& table, const std::vector<std::string>& later) {
    std::error_code absent;   // it was not closed yet
    return !later.empty() && fs::exists(closedTable(table, later.front()), absent) ? closedTable(table, later.front()) : table;
}

void reopenTable(const io::Path& table, const std::vector<std::string>& later) {
    for (std::size_t k = later.size(); k-- > 0;) {
        std::error_code absent;
        if (fs::exists(closedTable(table, later[k]), absent)) fs::rename(closedTable(table, later[k]), table);
    }
}

void requireLength(const io::Path& file, std::uint64_t bytes) {
    std::error_code absent;
    const std::uintmax_t size = fs::file_size(file, absent);
    if (absent) throw ArchiveError(fmt::format("'{}' is missing", file.string()));
    if (size < bytes) throw ArchiveError(fmt::format("'{}' holds {} bytes of {}", file.string(), size, bytes));
}

}  // namespace talus::run
