// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/control/capture_spec.hpp"

#include <gtest/gtest.h>
#include <signal.h>

namespace prof {
namespace {

CaptureSpec read_spec(std::string_view lines) {
  CaptureSpec spec;
  const Status status = add_capture_specs(lines, spec);
  EXPECT_TRUE(status.ok()) << lines;
  return spec;
}

bool is_refused(std::string_view words) {
  CaptureSpec spec;
  return !add_capture_spec(words, spec) && spec.words.empty() && !spec.has_openers();
}

TEST(CaptureSpec, OneOfEach) {
  const CaptureSpec spec = read_spec(
      "cuda-profiler-api\nsteps:10..12,20\ndelay:30s\nduration:1500ms\nkernels:100000\n"
      "signal:USR2\ncontrol\nnvtx:decode");
  EXPECT_TRUE(spec.profiler_api);
  EXPECT_TRUE(spec.control);
  EXPECT_EQ(spec.signal, SIGUSR2);
  EXPECT_EQ(spec.delay_ns, 30'000'000'000);
  EXPECT_EQ(spec.duration_ns, 1'500'000'000);
  EXPECT_EQ(spec.kernels, 100'000U);
  ASSERT_EQ(spec.steps.size(), 2U);
  EXPECT_TRUE(spec.steps[0].contains(10) && spec.steps[0].contains(12));
  EXPECT_FALSE(spec.steps[0].contains(9) || spec.steps[0].contains(13));
  EXPECT_TRUE(spec.steps[1].contains(20) && !spec.steps[1].contains(21));
  EXPECT_EQ(spec.words.size(), 8U);
}

TEST(CaptureSpec, Duty) {
  const CaptureSpec steps = read_spec("duty:3/100steps"), time = read_spec("duty:5s/10m");
  ASSERT_TRUE(steps.duty && time.duty);
  EXPECT_TRUE(steps.duty->is_of_steps && steps.has_steps() && steps.has_openers());
  EXPECT_EQ(steps.duty->length, 3);
  EXPECT_EQ(steps.duty->period, 100);
  EXPECT_FALSE(time.duty->is_of_steps || time.has_steps());
  EXPECT_EQ(time.duty->period, 600'000'000'000);
  for (const char* bad : {"duty:", "duty:3", "duty:0/5steps", "duty:5/5steps", "duty:6/5steps",
                          "duty:3/5", "duty:5s/5s", "duty:5s/10steps", "duty:-1/5steps"}) {
    EXPECT_TRUE(is_refused(bad)) << bad;
  }
}

TEST(CaptureSpec, LimitsOpenNothing) {
  EXPECT_FALSE(read_spec("delay:1m\nduration:2h\nkernels:1").has_openers());
  EXPECT_TRUE(read_spec("signal:SIGUSR1").has_openers());
}

TEST(CaptureSpec, RangesAreReadInEveryWay) {
  const auto readings = [](std::string_view words) {
    return read_spec(words).ranges.at(0).readings;
  };
  ASSERT_EQ(readings("nvtx:decode").size(), 1U);
  EXPECT_EQ(readings("nvtx:decode")[0].text, "decode");
  const auto layer = readings("nvtx:layer:encoder.*");
  ASSERT_EQ(layer.size(), 2U);
  EXPECT_EQ(layer[0].text, "layer:encoder.*");
  EXPECT_FALSE(layer[0].domain.has_value());
  EXPECT_EQ(layer[1].domain, "layer");
  EXPECT_EQ(layer[1].text, "encoder.*");
  const auto counted = readings("nvtx:NCCL:ncclAllReduce#3..5");
  ASSERT_EQ(counted.size(), 4U);
  EXPECT_EQ(counted[0].text, "NCCL:ncclAllReduce#3..5");
  EXPECT_EQ(counted[3].domain, "NCCL");
  EXPECT_EQ(counted[3].text, "ncclAllReduce");
  EXPECT_EQ(counted[3].times.first, 3);
  EXPECT_EQ(counted[3].times.last, 5);
  EXPECT_EQ(readings("nvtx:x#7..")[1].times.first, 7);
  EXPECT_TRUE(readings("nvtx:x#7..")[1].times.contains(1'000'000));
  EXPECT_EQ(readings("nvtx:a#0").size(), 1U) << "The first is number 1";
}

TEST(CaptureSpec, MistakesAreRefusedWhole) {
  for (const std::string_view words :
       {"",           "nvtx:",     "nvtx",          "steps:",          "steps:12..10",
        "steps:a",    "steps:1,",  "steps:-1",      "steps:..",        "delay:",
        "delay:0s",   "delay:5",   "delay:5d",      "delay:99999999h", "duration:-1s",
        "kernels:0",  "kernels:x", "kernels:-1",    "signal:KILL",     "signal:SEGV",
        "signal:999", "signal:",   "cuda-profiler", "control:1",       "delay:1s,duration:2s"}) {
    EXPECT_TRUE(is_refused(words)) << words;
  }
  CaptureSpec spec;
  EXPECT_FALSE(add_capture_specs("control\nsteps:x", spec));
  std::string many;
  for (int i = 0; i < 61; ++i) many += "nvtx:x\n";
  EXPECT_FALSE(add_capture_specs(many, spec));
}

TEST(CaptureSpec, NumbersOfRangesThatNeverComeAreRefused) {
  for (const std::string_view words :
       {"nvtx:x#0..4", "nvtx:D:x#0..", "nvtx:x#5..3", "nvtx:x#..0", "nvtx:x#-1..4", "nvtx:x#.."}) {
    EXPECT_TRUE(is_refused(words)) << words;
  }
  CaptureSpec spec;
  EXPECT_EQ(
      add_capture_spec("nvtx:s*#0..4", spec).error().to_line(),
      "nvtx:s*#0..4: #0..4 never comes: ranges count from 1 on, upwards; write ? for a # that "
      "is part of the text");
  EXPECT_EQ(read_spec("nvtx:a#x..y").ranges.at(0).readings.size(), 1U) << "a text";
}

TEST(CaptureSpec, OfLimitsThereIsOne) {
  for (const std::string key : {"delay:", "duration:", "duty:1s/", "kernels:", "signal:"}) {
    const bool is_time = key.front() == 'd';
    const std::string first = key + (is_time ? "5s" : "12"), second = key + (is_time ? "7s" : "10");
    CaptureSpec spec;
    ASSERT_TRUE(add_capture_spec(first, spec)) << first;
    const Status again = add_capture_spec(second, spec);
    ASSERT_FALSE(again) << second;
    EXPECT_EQ(again.error().to_line(), second + ": there is " + first + " already; give one");
    EXPECT_EQ(spec.words.size(), 1U);
  }
}

}  // namespace
}  // namespace prof
