// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The collector behind a fake driver: calls, nested calls, buffers. What is recorded is looked at
// where it comes out of a real recorder. Graphs: graph_events_test.cpp.
#include "collectors/cupti/collector.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/unit/collectors/cupti/collector_fixture.hpp"

namespace prof::collectors {
namespace {

TEST_F(CollectorTest, ALaunchIsOneRowAndOneExpectedKernelInLaunchMode) {
  start(ApiMode::kLaunch);
  collector->on_call_enter(site(kLaunch, 5));
  collector->on_call_enter(site(kNestedLaunch, 5, kDriver));
  collector->on_call_exit(site(kNestedLaunch, 5, kDriver), 0);
  collector->on_call_exit(site(kLaunch, 5), 0);
  stop();
  ASSERT_EQ(kept.apis.size(), 1U);
  EXPECT_EQ(kept.apis[0].correlation, 5U);
  EXPECT_EQ(kept.apis[0].domain, kRuntime);
  EXPECT_EQ(kept.texts.at(kept.apis[0].function.value), "cudaLaunchKernel");
  EXPECT_EQ(collector->counts().launches, 1U);
}

TEST_F(CollectorTest, AllModeTellsNestedCallsAndStillExpectsOneKernel) {
  start(ApiMode::kAll);
  collector->on_call_enter(site(kLaunch, 5));
  collector->on_call_enter(site(kNestedLaunch, 5, kDriver));
  collector->on_call_exit(site(kNestedLaunch, 5, kDriver), 0);
  collector->on_call_exit(site(kLaunch, 5), 0);
  stop();
  ASSERT_EQ(kept.apis.size(), 2U);
  EXPECT_EQ(kept.apis[0].depth + kept.apis[1].depth, 1U);
  EXPECT_EQ(collector->counts().launches, 1U);
}

TEST_F(CollectorTest, ALaunchThatTheEndCutsExpectsNoKernel) {
  start(ApiMode::kLaunch);
  call(kLaunch, 5);
  collector->on_call_enter(site(kLaunch, 6));
  recorder->stop_events();
  collector->on_call_exit(site(kLaunch, 6), 0);
  EXPECT_EQ(collector->counts().launches, 1U);
  stop();
}

TEST_F(CollectorTest, FailedLaunchesAndOtherCallsExpectNoKernel) {
  start(ApiMode::kLaunch);
  call(kLaunch, 5, 700);
  call(kCopy, 6);
  call(kGraphLaunch, 7);
  stop();
  EXPECT_EQ(kept.apis.size(), 3U);
  EXPECT_EQ(collector->counts().launches, 0U);
}

TEST_F(CollectorTest, ExecutablesWhoseLaunchesByKernelsAreNotToldAreCounted) {
  start(ApiMode::kLaunch);
  CallSite made = site(kInstantiate, 5, kDriver);
  made.hides_device_launches = true;
  collector->on_call_enter(made);
  collector->on_call_exit(made, 0);
  call(kInstantiate, 6);
  stop();
  EXPECT_EQ(kept.losses.at("launchable_by_kernels"), 1U);
}

TEST_F(CollectorTest, AnExitWithoutItsEnterIsIgnored) {
  start(ApiMode::kLaunch);
  collector->on_call_exit(site(kLaunch, 5), 0);
  stop();
  EXPECT_TRUE(kept.apis.empty());
  EXPECT_EQ(collector->counts().launches, 0U);
}

TEST_F(CollectorTest, BuffersAreDecodedCountedAndGivenBack) {
  start(ApiMode::kLaunch, BufferPool::kBufferBytes);  // one buffer: the next is the same
  driver.dropped = 3;
  for (std::uint64_t correlation = 1; correlation <= 10; ++correlation) {
    std::size_t bytes = 0;
    std::uint8_t* buffer = collector->on_buffer_wanted(bytes, true);
    ASSERT_NE(buffer, nullptr);
    EXPECT_EQ(bytes, BufferPool::kBufferBytes);
    std::memcpy(buffer, &correlation, sizeof correlation);
    collector->on_buffer_filled(buffer, 216);
    ASSERT_TRUE(recorder->flush().ok());
  }
  stop();
  EXPECT_EQ(kept.kernels.size(), 10U);
  EXPECT_EQ(kept.texts.at(kept.kernels[3].name.value), "kernel");
  EXPECT_EQ(kept.devices, (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(collector->counts().kernels, 10U);
  EXPECT_EQ(collector->counts().launched_kernels, 10U);
  EXPECT_EQ(kept.losses.at("dropped_records"), 3U);
  EXPECT_EQ(kept.cupti_clock, 77);
}

TEST_F(CollectorTest, AUsedUpPoolIsCountedAndRefusesOnlyWhereItMay) {
  start(ApiMode::kLaunch, BufferPool::kBufferBytes);
  std::size_t bytes = 0;
  std::uint8_t* first = collector->on_buffer_wanted(bytes, true);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(collector->on_buffer_wanted(bytes, true), nullptr);
  EXPECT_EQ(bytes, 0U);
  std::uint8_t* extra = collector->on_buffer_wanted(bytes, false);
  ASSERT_NE(extra, nullptr);
  EXPECT_EQ(bytes, BufferPool::kBufferBytes);
  collector->on_buffer_filled(first, 0);
  EXPECT_EQ(collector->on_buffer_wanted(bytes, true), nullptr);
  collector->on_buffer_filled(extra, 0);
  std::uint8_t* again = collector->on_buffer_wanted(bytes, true);
  EXPECT_NE(again, nullptr);
  collector->on_buffer_filled(again, 0);
  stop();
  EXPECT_EQ(kept.losses.at("buffer_pool_exhausted"), 3U);
}

TEST_F(CollectorTest, BuffersThatComeAfterTheEndAreGivenBack) {
  start(ApiMode::kLaunch, BufferPool::kBufferBytes);
  std::size_t bytes = 0;
  std::uint8_t* buffer = collector->on_buffer_wanted(bytes, true);
  stop();
  EXPECT_EQ(collector->on_buffer_wanted(bytes, true), nullptr);
  collector->on_buffer_filled(buffer, 216);
  std::uint8_t* again = collector->on_buffer_wanted(bytes, true);
  EXPECT_NE(again, nullptr);
  collector->on_buffer_filled(again, 0);
  EXPECT_TRUE(kept.kernels.empty());
}

}  // namespace
}  // namespace prof::collectors
