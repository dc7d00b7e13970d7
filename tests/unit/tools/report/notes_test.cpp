// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of facts and warnings: whatever is missing from a trace is told.
#include "tools/report/rows/notes.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "libprof/model/losses.hpp"
#include "tests/unit/tools/report/fakes.hpp"

namespace prof::reports {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class NotesTest : public testing::Test {
 protected:
  NotesTest() {
    set_devices({"NVIDIA H200"});
    trace_.meta_ = {{"ended", "exit"}, {"api_mode", "launch"}};
    tally_.traces.resize(1);
    work().kernels = work().shown_kernels = 1024;
    work().shown_in_steps = 1000;
    work().shown_kernel_ns = 5123456;
    tally_.filter.steps.add(1);
    tally_.filter.steps.add(2);
  }
  void set_devices(std::initializer_list<const char*> names) {
    trace_.devices_.clear();
    for (const char* name : names) trace_.devices_.emplace_back().name = name;
  }
  WorkCounts& work() { return tally_.traces[0].work; }
  AttributionCounts& counts() { return tally_.traces[0].analysis; }
  Notes notes(const RowFilter& filter = {}) {
    return make_notes(traces_of({&trace_}), filter, tally_);
  }

  FakeTrace trace_;
  Tally tally_;
};

TEST_F(NotesTest, AreOneLineForATraceInOrder) {
  EXPECT_THAT(notes().facts,
              ElementsAre("trace: test.db, NVIDIA H200; shown: 1,024 kernels, 5.12 ms in kernels; "
                          "steps 1-2 (24 kernels in no step)"));
  tally_.folded_lines = 1;
  work().shown_unattributed = 51;
  trace_.losses_ = {{.what = "before_start", .count = 9, .detail = ""}};
  EXPECT_THAT(notes().facts,
              ElementsAre("trace: test.db, NVIDIA H200; shown: 1,024 kernels (51 not fully "
                          "attributed: -r losses), 5.12 ms in kernels; steps 1-2 (24 kernels in no "
                          "step); numbered layers are added up (--flat shows each)"));
  EXPECT_THAT(notes().warnings, IsEmpty());
}

TEST_F(NotesTest, DoNotTellWhatAProgramDoesNotHave) {
  tally_.filter.steps = {};
  work().shown_in_steps = 0;
  EXPECT_THAT(notes().facts, ElementsAre("trace: test.db, NVIDIA H200; shown: 1,024 kernels, 5.12 "
                                         "ms in kernels"));
}

TEST_F(NotesTest, TellHowMuchAStepIs) {
  work().shown_kernels = 788;
  EXPECT_EQ(notes(in_step(2)).facts[0],
            "trace: test.db, NVIDIA H200; shown: 788 of 1,024 kernels, 5.12 ms in kernels; step 2 "
            "of 1-2");
  work().copies = 1;
  tally_.with_copies = true;
  RowFilter several = in_step(2);
  several.step->spans.push_back({7, 9});
  EXPECT_THAT(notes(several).facts[0], HasSubstr("; steps 2,7-9 of 1-2 (no steps 7-9)"));
  several.step->with_last = true;
  EXPECT_THAT(notes(several).facts[0], HasSubstr("; steps 2,7-9 and the last step of 1-2"));
  EXPECT_THAT(notes(in_step(2)).facts[0], HasSubstr("788 of 1,024 kernels, 0 of 1 copy or set,"));
}

TEST_F(NotesTest, TellOfSeveralCaptures) {
  trace_.captures_ = Captures({{1, 0, 600'000'000, "step 10", "end of step 12"},
                               {2, 59'500'000'000, 60'100'000'000, "step 20", "exit"}});
  RowFilter second;
  second.captures = StepFilter{.spans = {{2, 2}}};
  work().shown_kernels = 500;
  EXPECT_THAT(notes(second).facts, ElementsAre(HasSubstr("shown: 500 of 1,024 kernels"),
                                               "2 captures: steps 10, 20 (1,200 of 60,100 ms)"));
  EXPECT_THAT(notes(second).facts[0], HasSubstr("; capture 2"));
  EXPECT_THAT(notes().warnings, IsEmpty());
  trace_.captures_ = Captures({{1, 0, {}, "signal", ""}});
  EXPECT_THAT(notes().warnings, ElementsAre("capture 1 (signal) has not ended"));
}

TEST_F(NotesTest, TellThatThereIsNothing) {
  tally_ = {};
  tally_.traces.resize(1);
  EXPECT_THAT(notes().facts, Contains("the trace contains no GPU kernels"));
  work().kernels = 5;
  tally_.filter.steps.add(1);
  EXPECT_THAT(notes(in_step(9)).facts,
              Contains(HasSubstr("shown: 0 of 5 kernels; no step 9; the trace has step 1")));
  EXPECT_THAT(notes(in_step(9)).facts, Contains("nothing to show"));
}

TEST_F(NotesTest, CountDevices) {
  set_devices({"H200", "H200", "A100"});
  EXPECT_THAT(notes().facts[0], HasSubstr("trace: test.db, A100, 2 x H200;"));
}

TEST_F(NotesTest, TellEveryLoss) {
  for (const LossInfo& loss : kLossInfos) {
    trace_.losses_ = {{.what = std::string(loss.word), .count = 1, .detail = ""}};
    const std::string line = fmt::format("1 {} {}", loss.noun, loss.text);
    if (loss.severity == Severity::kNotice) {
      // Of what asks for nothing, report losses tells.
      EXPECT_THAT(notes().facts, testing::Contains(line).Times(loss.advice.empty() ? 0 : 1));
      EXPECT_THAT(notes().warnings, IsEmpty());
    } else {
      EXPECT_THAT(notes().warnings, ElementsAre(line));
    }
  }
  trace_.losses_ = {{.what = "dropped_records", .count = 1234, .detail = ""},
                    {.what = "launch_without_record", .count = 2, .detail = ""}};
  EXPECT_THAT(notes().warnings, ElementsAre(HasSubstr("1,234 activity records dropped"),
                                            HasSubstr("2 kernel launches for which")));
  trace_.losses_ = {{.what = "of_a_newer_version", .count = 2, .detail = "see there"}};
  EXPECT_THAT(notes().warnings, ElementsAre("2 of 'of_a_newer_version': see there"));
}

TEST_F(NotesTest, WarnOfACaptureThatDidNotEnd) {
  trace_.meta_.erase("ended");
  EXPECT_THAT(notes().warnings, ElementsAre(HasSubstr("killed or is still running")));
  trace_.losses_ = {{.what = "killed", .count = 1, .detail = ""}};
  EXPECT_THAT(notes().warnings, ElementsAre("1 capture that ended without a stop")) << "told once";
}

TEST_F(NotesTest, WarnOfWhatIsNotAttributed) {
  work().shown_unattributed = 52;
  work().shown_without_op = 12;
  counts().unknown_ops = {{"roi_align", 2}, {"nms", 10}};
  EXPECT_THAT(notes().warnings,
              ElementsAre("52 of 1,024 kernels without a layer, a direction or a known op",
                          "ops without a model: nms (10 kernels), roi_align (2 kernels)"));
  work().shown_unattributed = work().shown_without_op = 1024;
  EXPECT_THAT(notes().warnings[0], HasSubstr("prof/annotate.hpp"));
}

TEST_F(NotesTest, WarnOfWhatTheAnalysisCouldNotDo) {
  counts().without_launch = 2;
  counts().late = 3;
  counts().broken_stacks = 1;
  counts().deep_stacks = 2;
  counts().malformed_op_texts = 1;
  counts().first_malformed_text = "{\"v\":1";
  counts().first_malformed_why = "not JSON";
  EXPECT_THAT(
      notes().warnings,
      ElementsAre(
          "2 kernels without a recorded launch",
          "1 launch was made under a range that is not in the trace",
          "2 launches were made under more than 1,024 open ranges: the inner ones are ignored",
          "3 kernels too late for a share of the op's cost",
          "1 range text looks like an op but cannot be parsed (not JSON): {\"v\":1"));
}

TEST_F(NotesTest, WarnOfEachKindOfContradiction) {
  counts().contradictions[static_cast<std::size_t>(Contradiction::kDType)] = {1, "mm: a"};
  counts().contradictions[static_cast<std::size_t>(Contradiction::kGrid)] = {1234, "bmm M=8: b"};
  EXPECT_THAT(notes().warnings,
              ElementsAre("1 kernel whose name states an element type that no input of the op has "
                          "(contradicts=dtype), first: mm: a",
                          "1,234 kernels with fewer blocks than the product has tiles of the size "
                          "stated in the name (contradicts=grid), first: bmm M=8: b"));
}

TEST_F(NotesTest, TellWhichOfSeveralTracesLacksWhat) {
  FakeTrace other;
  other.path_ = "/tmp/other.db";
  trace_.path_ = "/tmp/first.db";
  other.devices_ = trace_.devices_;
  other.meta_ = {{"ended", "stop"}, {"api_mode", "all"}, {"env.RANK", "1"}};
  other.losses_ = {{.what = "dropped_records", .count = 3, .detail = ""}};
  tally_.traces.resize(2);
  tally_.traces[1].work.kernels = tally_.traces[1].work.shown_kernels = 1000;
  tally_.traces[1].work.shown_unattributed = 70;
  const Notes notes = make_notes(traces_of({&trace_, &other}), {}, tally_);
  EXPECT_THAT(notes.facts,
              ElementsAre("trace: first.db, NVIDIA H200", "trace: other.db (rank 1), NVIDIA H200",
                          HasSubstr("shown: 2,024 kernels")));
  EXPECT_THAT(
      notes.warnings,
      ElementsAre(HasSubstr("other.db: 3 activity records dropped"),
                  "other.db: 70 of 1,000 kernels without a layer, a direction or a known op"));
}

TEST_F(NotesTest, TellThatARecordingIsReadTwice) {
  FakeTrace other;
  trace_.path_ = "/tmp/a.db";
  other.path_ = "/tmp/b.db";
  trace_.meta_["pid"] = "12";
  trace_.start_realtime_ns_ = 1795279842414320078;
  other.devices_ = trace_.devices_;
  other.meta_ = trace_.meta_;
  other.start_realtime_ns_ = trace_.start_realtime_ns_;
  tally_.traces.resize(2);
  const auto warnings = [&] {
    return make_notes(traces_of({&trace_, &other}), {}, tally_).warnings;
  };
  EXPECT_THAT(warnings(),
              ElementsAre("b.db is another copy of the recording in a.db: it counts twice"));
  other.meta_["pid"] = "13";
  EXPECT_THAT(warnings(), IsEmpty()) << "another process";
  other.meta_["pid"] = "12";
  ++other.start_realtime_ns_;
  EXPECT_THAT(warnings(), IsEmpty()) << "a later capture of the process";
  trace_.start_realtime_ns_ = other.start_realtime_ns_ = 0;
  EXPECT_THAT(warnings(), IsEmpty()) << "unknown starts are not equal";
}

TEST_F(NotesTest, TellHowManyRowsOfAnotherKindAreShown) {
  tally_ = {};
  tally_.row = "API call";
  tally_.rows = "API calls";
  tally_.row_count = 1234;
  EXPECT_EQ(notes().facts[0], "trace: test.db, NVIDIA H200; shown: 1,234 API calls");
  EXPECT_THAT(notes().warnings, IsEmpty()) << "nothing was attributed";
}

}  // namespace
}  // namespace prof::reports
