// SPDX-License-Identifier: Apache-2.0
// run.json, and the list of frames that a player reads.
#include "core/problems.h"
#include "io/vtp.h"
#include "run/record.h"

#include "temporary_file.h"

#include <cstdlib>

using namespace talus;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const run::Record record = run::Record::parse(text, "run.json");
        const std::string json = record.json();
        if (run::Record::parse(json, "run.json").json() != json) std::abort();
    } catch (const Error& error) {
        if (error.code() != ExitCode::io) std::abort();
    }
    static const fuzz::TemporaryFile file("grains.vtp.series");
    file.hold(text);
    try {
        io::readVtpSeries(file.path());
    } catch (const Error& error) {
        if (error.code() != ExitCode::io) std::abort();
    }
    return 0;
}
