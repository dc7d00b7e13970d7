// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/graph_activity.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace prof::collectors {
namespace {

constexpr std::int32_t kSuccess = 0, kFailure = 1;

void change_elsewhere(GraphActivity& activity) {
  std::thread([&] { activity.changed(); }).join();
}

TEST(GraphActivity, AnotherThreadsChangesCount) {
  GraphActivity activity;
  EXPECT_TRUE(activity.is_callers_alone());
  activity.changed();
  EXPECT_TRUE(activity.is_callers_alone());
  change_elsewhere(activity);
  EXPECT_FALSE(activity.is_callers_alone());
  activity.changed();
  EXPECT_FALSE(activity.is_callers_alone());
  activity.forget_threads();
  EXPECT_TRUE(activity.is_callers_alone());
  change_elsewhere(activity);
  EXPECT_FALSE(activity.is_callers_alone());
}

TEST(GraphActivity, CapturesOfStreamsCount) {
  GraphActivity activity;
  activity.called(CallClass::kCaptureBegin, kFailure);
  EXPECT_FALSE(activity.is_capturing());
  activity.called(CallClass::kCaptureBegin, kSuccess);
  activity.called(CallClass::kCaptureBegin, kSuccess);
  activity.forget_threads();
  activity.called(CallClass::kCaptureEnd, kFailure);
  EXPECT_TRUE(activity.is_capturing());
  EXPECT_FALSE(activity.is_callers_alone());
  activity.called(CallClass::kCaptureEnd, kSuccess);
  EXPECT_TRUE(activity.is_callers_alone());
  activity.called(CallClass::kCaptureEnd, kSuccess);  // Its begin went unseen.
  activity.called(CallClass::kCaptureBegin, kSuccess);
  EXPECT_TRUE(activity.is_capturing());
  activity.begin();
  EXPECT_FALSE(activity.is_capturing());
}

}  // namespace
}  // namespace prof::collectors
