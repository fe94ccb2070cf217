// SPDX-License-Identifier: Apache-2.0
// The probes of a run, their tables probes/NAME.csv, and results.json.
#pragma once

#include "core/archive.h"
#include "core/exec.h"
#include "io/files.h"
#include "world/probe.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace talus::run {

class Measurements {
public:
    /// Tables stand in `folder`, which is made where there are probes.
    Measurements(std::vector<world::ProbePlan>, io::Path folder);

    std::size_t count() const { return probes_.size(); }
    /// Shortest time between two samples of a probe with a rate of its own [s]; infinity where there is none.
    double shortestInterval() const;
    /// Of each probe's next sample [s]; infinity for those that go with the frames.
    std::vector<double> nextTimes() const;
    /// True where some probe wants to see the grains that leave.
    bool wantsRemoved() const;

    /// New tables.
    void begin();
    /// Takes the state that save() put down. ArchiveError where a table is shorter than it was; changes no file.
    void load(const Archive&);
    /// Cuts the tables back to what load() found, and reads what stands in them for the results.
    void cutBack();

    /// Samples of all probes that are due (or go with the frames, where `atFrame`).
    void sample(const Exec&, const world::Simulation&, const std::vector<bool>& due, bool atFrame);
    /// Grains that leave; see Simulation::showLeavers.
    void removed(const world::Grains&, double time);

    /// Rows gathered so far reach the disk.
    void flush();
    /// After flush().
    void save(Archive&) const;
    std::string resultsJson() const;

private:
    struct Table {
        world::ProbePlan plan;
        std::vector<world::ProbeColumn> columns;
        std::int64_t next = 0;                                     // sample to take
        std::uint64_t length = 0;                                  // of the file at the last load [bytes]
        std::string waiting;                                       // rows that are not in the file yet
        std::unique_ptr<io::AppendFile> file;
        std::vector<std::vector<world::ColumnSample>> history;     // by column; unknown values are left out
    };
    io::Path pathOf(const Table&) const;
    static void remember(Table&, double time, const std::vector<double>& rows);
    void readBack(Table&) const;
    static std::vector<world::Reduction> reductionsOf(const Table&);

    io::Path folder_;
    std::vector<Table> probes_;
};

/// A line of results.json.
struct Result {
    std::string probe, name, unit, reduce;
    double value = 0;                    // NaN: none
};
/// What results.json of a run directory says; nothing where there is no such file. An Error with exit code 5 where it is damaged.
std::vector<Result> readResults(const io::Path& directory);

}  // namespace talus::run
