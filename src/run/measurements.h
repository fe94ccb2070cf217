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
    /// Takes the state that save() put down. ArchiveError where a table is shorter than it was; changes no file. `later` as in
    /// run/stage_tables.h.
    void load(const Archive&, const std::vector<std::string>& later = {});
    /// Cuts the tables back to what load() found, and reads what stands in them for the results; `earlier` are the stages
    /// after which tables were closed until then.
    void cutBack(const std::vector<std::string>& earlier = {}, const std::vector<std::string>& later = {});

    /// The clock is set back: the tables so far become probes/NAME.STAGE.csv, and empty ones are begun.
    void closeTables(const std::string& stage, double setBack);
    /// In the last sample of a probe; where it has several rows, their mean. Unknown before there is one.
    double latest(std::string_view probe, std::string_view column) const;

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
    using History = std::vector<std::vector<world::ColumnSample>>;   // by column; unknown values are left out
    struct Table {
        world::ProbePlan plan;
        std::vector<world::ProbeColumn> columns;
        std::int64_t next = 0;                                     // sample to take
        std::uint64_t length = 0;                                  // of the file at the last load [bytes]
        std::string waiting;                                       // rows that are not in the file yet
        std::unique_ptr<io::AppendFile> file;
        History history;
        double last = world::kUnknown;                             // time of the last sample [s]
        std::vector<std::pair<std::string, History>> closed;       // by the stage after which it was
    };
    io::Path pathOf(const Table&) const;
    static void remember(History&, double time, const std::vector<double>& rows);
    static History readBack(const io::Path&, std::size_t columns, double& last);
    static std::vector<world::Reduction> reductionsOf(const Table&, const History&);

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
