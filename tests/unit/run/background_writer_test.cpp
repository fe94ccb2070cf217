// SPDX-License-Identifier: Apache-2.0
#include "run/background_writer.h"

#include "core/problems.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

namespace talus::run {
namespace {

TEST(BackgroundWriter, doesEverythingInOrderOnAnotherThread) {
    std::vector<int> done;
    std::thread::id where;
    BackgroundWriter writer;
    for (int i = 0; i < 100; ++i)
        writer.post([&, i] {
            done.push_back(i);
            where = std::this_thread::get_id();
        });
    writer.wait();
    ASSERT_EQ(done.size(), 100u);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(done[static_cast<std::size_t>(i)], i);
    EXPECT_NE(where, std::this_thread::get_id());
}

TEST(BackgroundWriter, saysWhatFailedOnceAndDoesNothingAfterIt) {
    bool after = false;
    BackgroundWriter writer;
    EXPECT_FALSE(writer.failed());
    writer.post([] { throw Error(ExitCode::io, "the disk is full"); });
    writer.post([&] { after = true; });
    try {
        writer.wait();
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::io);
        EXPECT_STREQ(error.what(), "the disk is full");
    }
    EXPECT_TRUE(writer.failed());
    writer.post([&] { after = true; });
    writer.wait();
    EXPECT_FALSE(after);
}

TEST(BackgroundWriter, waitsAtItsEndAndLetsGoOfWhatItHeld) {
    const auto held = std::make_shared<int>(1);
    std::atomic<bool> done = false;
    {
        BackgroundWriter writer;
        writer.post([&, held] {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            done = true;
        });
        EXPECT_FALSE(done && held.use_count() == 1);
    }
    EXPECT_TRUE(done);
    EXPECT_EQ(held.use_count(), 1);
    BackgroundWriter writer;
    writer.post([held] {});
    writer.wait();
    EXPECT_EQ(held.use_count(), 1) << "before wait() returns";
}

}  // namespace
}  // namespace talus::run
