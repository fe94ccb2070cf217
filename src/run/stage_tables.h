// SPDX-License-Identifier: Apache-2.0
// Tables that grow while a run goes on and begin anew where a stage sets the clock to zero: NAME.csv so far becomes
// NAME.STAGE.csv, with the name of the stage that has ended.
#pragma once

#include "io/files.h"

#include <string>
#include <vector>

namespace talus::run {

/// series.csv, "fill": series.fill.csv.
io::Path closedTable(const io::Path&, const std::string& stage);
void closeTable(const io::Path&, const std::string& stage);

/// For a checkpoint from before some closings: `later` are the stages after which the table is closed from there on, in
/// their order. Where its rows stand now, and the way back.
io::Path tableBefore(const io::Path&, const std::vector<std::string>& later);
void reopenTable(const io::Path&, const std::vector<std::string>& later);

/// ArchiveError where the file is missing or shorter than a checkpoint remembers it.
void requireLength(const io::Path&, std::uint64_t bytes);

}  // namespace talus::run
