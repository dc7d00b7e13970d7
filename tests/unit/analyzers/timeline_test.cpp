// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What a GPU does at each instant, the periods of steps, and why it is idle.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "analyzers/timeline/device_timeline.hpp"
#include "analyzers/timeline/idle_causes.hpp"
#include "analyzers/timeline/step_periods.hpp"

namespace prof {
namespace {

struct Work {
  DeviceState state;
  std::int64_t begin, end;
};

/// "computing 0-10 idle 10-12 @3": each slice, and the step where it changes.
std::string timeline_of(const std::vector<Work>& work, std::vector<StepBoundary> steps = {}) {
  std::string text;
  std::optional<std::int64_t> step;
  const auto take = [&](const TimeSlice& slice) {
    if (!text.empty()) text += ' ';
    if (slice.step != step) text += slice.step ? '@' + std::to_string(*slice.step) + ' ' : "@- ";
    step = slice.step;
    text += std::string(name(slice.state)) + ' ' + std::to_string(slice.begin_ns) + '-' +
            std::to_string(slice.end_ns);
  };
  DeviceTimeline timeline(std::move(steps));
  for (const Work& one : work) timeline.add(one.state, one.begin, one.end, take);
  timeline.finish(take);
  return text;
}

constexpr auto kRun = DeviceState::kComputing;
constexpr auto kTalk = DeviceState::kCollective;
constexpr auto kTransfer = DeviceState::kCopying;

TEST(DeviceTimeline, EachInstantCountsOnce) {
  EXPECT_EQ(timeline_of({}), "");
  EXPECT_EQ(timeline_of({{kRun, 5, 10}, {kRun, 12, 20}}),
            "computing 5-10 idle 10-12 computing 12-20");
  EXPECT_EQ(timeline_of({{kTalk, 0, 30}, {kRun, 10, 20}}),
            "collective 0-10 computing 10-20 collective 20-30");
  EXPECT_EQ(timeline_of({{kTransfer, 0, 30}, {kTalk, 5, 15}, {kRun, 10, 20}}),
            "copying 0-5 collective 5-10 computing 10-20 copying 20-30");
  EXPECT_EQ(timeline_of({{kRun, 0, 30}, {kTransfer, 5, 10}}), "computing 0-5 computing 5-30");
}

TEST(DeviceTimeline, StepsCutSlices) {
  EXPECT_EQ(timeline_of({{kRun, 0, 10}, {kRun, 10, 20}, {kRun, 25, 30}, {kRun, 40, 50}},
                        {{10, 1}, {25, 2}, {30, std::nullopt}}),
            "computing 0-10 @1 computing 10-20 idle 20-25 @2 computing 25-30 @- idle 30-40 "
            "computing 40-50");
  // Work of one step that still runs when the next begins.
  EXPECT_EQ(timeline_of({{kRun, 0, 20}, {kRun, 15, 30}}, {{0, 1}, {15, 2}}),
            "@1 computing 0-15 @2 computing 15-30");
}

TEST(DeviceTimeline, AgreesWithCountingEachInstant) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Work> work;
    std::int64_t begin = 0;
    for (int i = 0; i < 20; ++i) {
      begin += static_cast<std::int64_t>(random() % 6);
      work.push_back({static_cast<DeviceState>(random() % 3), begin,
                      begin + 1 + static_cast<std::int64_t>(random() % 8)});
    }
    std::array<std::int64_t, kDeviceStates> expected{}, found{};
    std::int64_t last = 0;
    for (const Work& one : work) last = std::max(last, one.end);
    for (std::int64_t at = work.front().begin; at < last; ++at) {
      auto state = DeviceState::kIdle;
      for (const Work& one : work) {
        if (one.begin <= at && at < one.end) state = std::min(state, one.state);
      }
      ++expected[static_cast<std::size_t>(state)];
    }
    const auto take = [&](const TimeSlice& slice) {
      found[static_cast<std::size_t>(slice.state)] += slice.end_ns - slice.begin_ns;
    };
    DeviceTimeline timeline({});
    for (const Work& one : work) timeline.add(one.state, one.begin, one.end, take);
    timeline.finish(take);
    ASSERT_EQ(found, expected) << "round " << round;
  }
}

TEST(StepPeriods, ReachFromFirstWorkToFirstWork) {
  StepPeriods periods;
  periods.add_work(7, 100, 140);
  periods.add_work(7, 90, 120);
  periods.add_work(8, 150, 160);
  periods.add_launch(7, 40, 45);
  periods.add_launch(7, 60, 70);
  periods.add_launch(9, 80, 85);  // its work has no times
  const auto steps = periods.steps();
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].step, 7);
  EXPECT_EQ(steps[0].begin_ns, 90);
  EXPECT_EQ(steps[0].end_ns, 140);
  EXPECT_EQ(steps[0].host_begin_ns, 40);
  EXPECT_EQ(steps[0].host_end_ns, 70);
  EXPECT_FALSE(steps[1].host_begin_ns);
  const auto boundaries = periods.boundaries();
  ASSERT_EQ(boundaries.size(), 3U);
  EXPECT_EQ(boundaries[0].begin_ns, 90);
  EXPECT_EQ(boundaries[1].begin_ns, 150);
  EXPECT_EQ(boundaries[2].begin_ns, 160);
  EXPECT_FALSE(boundaries[2].step);
}

TEST(StepPeriods, SettleWhenTheStepsBeforeHaveEnded) {
  StepPeriods periods;
  periods.add_work(1, 100, 300);
  periods.add_work(2, 150, 200);
  periods.add_work(4, 350, 400);
  const auto steps = periods.steps();
  EXPECT_EQ(steps[0].settled_ns, 300);
  EXPECT_EQ(steps[1].settled_ns, 300) << "step 1 still works";
  EXPECT_EQ(steps[2].settled_ns, 400);
}

TEST(StepPeriods, EndTheLastOneWhereItsRangeDoes) {
  StepPeriods periods;
  periods.add_work(1, 100, 190);
  periods.add_range_end(1, 195);
  periods.add_work(2, 200, 290);
  EXPECT_FALSE(periods.steps()[1].is_whole) << "nothing tells its end";
  EXPECT_EQ(periods.steps()[1].period_end_ns, 290);
  periods.add_range_end(2, 301);
  const auto steps = periods.steps();
  EXPECT_FALSE(steps[0].is_last);
  EXPECT_EQ(steps[0].period_end_ns, 200);
  EXPECT_TRUE(steps[1].is_last);
  EXPECT_TRUE(steps[1].is_whole);
  EXPECT_EQ(steps[1].period_end_ns, 301);
  EXPECT_EQ(periods.boundaries().back().begin_ns, 301);
}

TEST(StepPeriods, EndTheLastOneWithItsWorkIfItsRangeEndsBefore) {
  StepPeriods periods;
  periods.add_work(1, 100, 199);
  periods.add_work(2, 200, 299);
  periods.add_range_end(2, 150);
  EXPECT_TRUE(periods.steps()[1].is_whole) << "the host runs ahead";
  EXPECT_EQ(periods.steps()[1].period_end_ns, 299);
}

TEST(StepPeriods, EndTheLastOneBeforeWorkOfNoStep) {
  StepPeriods periods;
  periods.add_outside(50);
  periods.add_work(1, 100, 190);
  periods.add_work(2, 200, 290);
  periods.add_outside(305);
  periods.add_outside(300);
  EXPECT_TRUE(periods.steps()[1].is_whole);
  EXPECT_EQ(periods.steps()[1].period_end_ns, 300);
  periods.add_range_end(2, 400);
  EXPECT_EQ(periods.steps()[1].period_end_ns, 300);
}

TEST(StepPeriods, LeaveOutWhatDoesNotEndAsTheStepBefore) {
  StepPeriods tears_down;
  tears_down.add_work(1, 100, 190);
  tears_down.add_work(2, 200, 290);
  tears_down.add_range_end(2, 900);  // with the program
  EXPECT_FALSE(tears_down.steps()[1].is_whole);
  EXPECT_EQ(tears_down.steps()[1].period_end_ns, 290);
  StepPeriods waits_between;
  waits_between.add_work(1, 100, 140);  // then the host loads data
  waits_between.add_work(2, 200, 240);
  waits_between.add_range_end(2, 245);
  EXPECT_FALSE(waits_between.steps()[1].is_whole);
}

TEST(StepPeriods, TakeCopiesBehindTheLoopForItsEnd) {
  StepPeriods periods;
  periods.add_work(1, 100, 190);
  periods.add_work(2, 200, 290);
  periods.add_work(3, 305, 310, /*is_kernel=*/false);
  const auto steps = periods.steps();
  EXPECT_TRUE(steps[1].is_last);
  EXPECT_TRUE(steps[1].is_whole);
  EXPECT_EQ(steps[1].period_end_ns, 305);
  EXPECT_FALSE(steps[2].is_last);
}

TEST(StepPeriods, MayEndWithTheirWork) {
  StepPeriods periods;
  periods.end_with_work();
  periods.add_work(1, 100, 120);
  periods.add_range_end(1, 190);
  periods.add_work(2, 200, 260);
  periods.add_work(3, 250, 270);
  const auto boundaries = periods.boundaries();
  ASSERT_EQ(boundaries.size(), 5U);
  EXPECT_EQ(boundaries[1].begin_ns, 120);
  EXPECT_FALSE(boundaries[1].step);
  EXPECT_EQ(boundaries[3].begin_ns, 250) << "they overlap";
  EXPECT_EQ(boundaries[4].begin_ns, 270);
  EXPECT_EQ(periods.steps()[0].period_end_ns, 120);
  EXPECT_TRUE(periods.steps()[2].is_whole);
}

TEST(IdleCauses, CallsByTheirNames) {
  EXPECT_EQ(cause_of_call("cudaStreamSynchronize"), IdleCause::kSynchronize);
  EXPECT_EQ(cause_of_call("cuMemAlloc_v2"), IdleCause::kAllocate);
  EXPECT_EQ(cause_of_call("cudaFreeHost"), IdleCause::kAllocate);
  EXPECT_EQ(cause_of_call("cudaMemcpyAsync"), IdleCause::kCopy);
  EXPECT_EQ(cause_of_call("cudaGraphInstantiate"), IdleCause::kGraph);
  EXPECT_EQ(cause_of_call("cuModuleLoadData"), IdleCause::kCompile);
  EXPECT_EQ(cause_of_call("cuLibraryLoadData"), IdleCause::kCompile);
  EXPECT_EQ(cause_of_call("cudaFuncGetAttributes"), IdleCause::kLoad);
  EXPECT_EQ(cause_of_call("cudaLaunchKernel"), IdleCause::kUnknown);
}

class Idle : public ::testing::Test {
 protected:
  static constexpr ThreadId kThread{1};

  Idle() {
    next_.launched = true;
    next_.thread = kThread;
  }
  /// Times in microseconds.
  void call(std::int64_t begin, std::int64_t end, IdleCause cause, ThreadId thread = kThread) {
    causes_.add_call(thread, 1000 * begin, 1000 * end, cause);
  }
  void launch(std::int64_t begin, std::int64_t end) {
    next_.launch_begin_ns = 1000 * begin;
    next_.launch_end_ns = 1000 * end;
  }
  void quiet(std::int64_t begin, std::int64_t end) {
    next_.way.quiet_begin_ns = 1000 * begin;
    next_.way.quiet_end_ns = 1000 * end;
  }
  void python(std::int64_t begin, std::int64_t end) {
    next_.way.has_ops = true;
    next_.way.python_begin_ns = 1000 * begin;
    next_.way.python_end_ns = 1000 * end;
  }
  void activity(std::int64_t begin, std::int64_t end, IdleCause cause) {
    causes_.add_activity(kThread, 1000 * begin, 1000 * end, cause);
  }
  std::string of(std::int64_t begin, std::int64_t end) {
    causes_.finish();
    std::string text;
    for (const IdlePart& part : causes_.of(1000 * begin, 1000 * end, next_)) {
      if (!text.empty()) text += ' ';
      text += std::string(name(part.cause)) + ' ' + std::to_string(part.begin_ns / 1000) + '-' +
              std::to_string(part.end_ns / 1000);
    }
    return text;
  }

  IdleCauses causes_;
  NextWork next_;
};

TEST_F(Idle, QueuedWorkIsTurnaround) {
  launch(10, 15);
  EXPECT_EQ(of(100, 102), "turnaround 100-102");
  next_.is_other_stream = true;
  EXPECT_EQ(of(100, 102), "stream 100-102");
  next_.launched = false;
  EXPECT_EQ(of(100, 102), "unknown 100-102");
}

TEST_F(Idle, TheHostIsOnItsWay) {
  launch(120, 125);
  quiet(80, 110);
  EXPECT_EQ(of(100, 130), "launch 100-130");
  next_.call = IdleCause::kCopy;
  EXPECT_EQ(of(100, 130), "launch 100-120 copy 120-125 launch 125-130");
}

TEST_F(Idle, CallsKeepTheThreadFromLaunching) {
  call(40, 60, IdleCause::kCopy);
  call(90, 150, IdleCause::kSynchronize);
  call(160, 170, IdleCause::kAllocate);
  call(100, 500, IdleCause::kSynchronize, ThreadId{2});
  launch(180, 185);
  EXPECT_EQ(of(100, 190), "synchronize 100-160 allocate 160-170 synchronize 170-190")
      << "the GPU ran dry while the thread waited";
}

TEST_F(Idle, AnotherThreadWaitedUntilTheGpuRanDry) {
  call(10, 85, IdleCause::kSynchronize, ThreadId{2});
  launch(120, 125);
  EXPECT_EQ(of(100, 130), "launch 100-130");
  next_.before = ThreadId{2};
  EXPECT_EQ(of(100, 130), "synchronize 100-130");
  EXPECT_EQ(of(110, 130), "launch 110-130") << "it had returned before";
}

TEST_F(Idle, NothingIsAsked) {
  launch(5'020, 5'025);
  quiet(60, 5'000);
  EXPECT_EQ(of(100, 5'030), "host 100-5000 launch 5000-5030");
  // A call ends the quiet: what is left may be short.
  call(70, 4'900, IdleCause::kSynchronize);
  EXPECT_EQ(of(100, 5'030), "synchronize 100-5030");
  call(4'910, 4'911, IdleCause::kAllocate);
  quiet(60, 5'015);
  EXPECT_EQ(of(100, 5'030), "synchronize 100-4910 allocate 4910-4911 synchronize 4911-5030");
}

TEST(IdleCauses, RangesByTheirTexts) {
  const auto kData = IdleCause::kData, kCompile = IdleCause::kCompile;
  EXPECT_EQ(cause_of_range("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"), kData);
  EXPECT_EQ(cause_of_range("[Strategy]SingleDeviceStrategy.train_dataloader_next"), kData);
  EXPECT_EQ(cause_of_range("Data"), kData);
  EXPECT_EQ(cause_of_range("_compile.compile_inner (dynamo_timed)"), kCompile);
  EXPECT_EQ(cause_of_range("XlaCompile:#module=jit_f,program_id=1#"), kCompile);
  EXPECT_EQ(cause_of_range("Torch-Compiled Region: 0/0"), std::nullopt);
  EXPECT_EQ(cause_of_range("DataParallel"), std::nullopt);
  EXPECT_EQ(cause_of_range("layer:data_norm"), std::nullopt);
}

TEST_F(Idle, PythonIsBetweenOps) {
  launch(150, 155);
  python(90, 130);
  quiet(80, 130);
  EXPECT_EQ(of(100, 160), "python 100-130 launch 130-160");
  EXPECT_EQ(of(140, 160), "launch 140-160");
}

TEST_F(Idle, PythonForLongIsToldByTheCodeAround) {
  launch(1'020, 1'025);
  python(90, 1'000);
  quiet(95, 1'000);
  EXPECT_EQ(of(100, 1'030), "host 100-1000 launch 1000-1030");
  next_.way.is_quiet_in_code = true;
  EXPECT_EQ(of(100, 1'030), "python 100-1000 launch 1000-1030");
}

TEST_F(Idle, WithoutOpsOnlyCloseLaunchesAreLaunches) {
  launch(200, 205);
  quiet(140, 189);
  EXPECT_EQ(of(100, 210), "launch 100-210");
  quiet(120, 180);
  EXPECT_EQ(of(100, 210), "launch 100-120 host 120-180 launch 180-210");
  next_.way.has_ops = true;
  EXPECT_EQ(of(100, 210), "launch 100-210") << "an op takes that long";
}

TEST_F(Idle, ModulesAreCompiledBeforeTheyAreLoaded) {
  call(900, 950, IdleCause::kCompile);
  launch(960, 965);
  quiet(50, 960);
  EXPECT_EQ(of(100, 970), "compile 100-950 launch 950-970");
}

TEST_F(Idle, ActivitiesAreToldInsteadOfWhatSurroundsThem) {
  call(300, 350, IdleCause::kAllocate);
  activity(200, 400, IdleCause::kData);
  activity(250, 260, IdleCause::kData);
  activity(500, 600, IdleCause::kCompile);
  call(510, 520, IdleCause::kSynchronize);
  activity(700, 730, IdleCause::kSystem);
  activity(390, 410, IdleCause::kSystem);
  launch(900, 905);
  quiet(50, 900);
  EXPECT_EQ(of(100, 910),
            "host 100-200 data 200-300 allocate 300-350 data 350-400 system 400-410 host 410-500 "
            "compile 500-600 host 600-700 system 700-730 host 730-900 launch 900-910");
  next_.thread = ThreadId{2};
  EXPECT_EQ(of(100, 910), "host 100-900 launch 900-910") << "another thread did it";
}

}  // namespace
}  // namespace prof
