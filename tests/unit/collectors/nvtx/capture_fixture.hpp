// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A test with a recorder and a collecting sink; NVTX calls of the test reach the real handlers.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "collectors/core/api_calls.hpp"
#include "collectors/core/global.hpp"
#include "collectors/core/recorder.hpp"
#include "tests/unit/collectors/core/collecting_sink.hpp"

namespace prof::collectors {

class CaptureTest : public testing::Test {
 protected:
  void start() {
    sink = std::make_unique<CollectingSink>();
    auto started = Recorder::start(*sink, nullptr, nullptr);
    ASSERT_TRUE(started.ok()) << started.error().to_line();
    recorder = std::move(*started);
  }
  /// Like stop(), for a sink that must not have been told of any loss.
  void stop_clean() {
    stop();
    EXPECT_TRUE(sink->losses.empty()) << testing::PrintToString(sink->losses);
  }
  void stop() {
    ASSERT_NE(recorder, nullptr);
    EXPECT_TRUE(recorder->stop().ok());
    EXPECT_EQ(sink->undefined_texts, 0U);
    recorder.reset();
  }
  /// What was counted before, by other tests of this process, belongs to no test.
  void SetUp() override {
    start();
    stop();
  }
  void TearDown() override {
    if (recorder != nullptr) stop();
  }
  [[nodiscard]] const CollectingSink::Range only(const std::string& text) const {
    const auto found = sink->ranges(text);
    EXPECT_EQ(found.size(), 1U) << text;
    return found.empty() ? CollectingSink::Range{} : found.front();
  }

  std::unique_ptr<CollectingSink> sink;
  std::unique_ptr<Recorder> recorder;
};

}  // namespace prof::collectors
