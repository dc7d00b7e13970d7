// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the command line of Nsight Compute: which launches are counted, and what may be missing
// from the count.
#include "tools/report/ncu/ncu_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tools/report/fakes.hpp"

namespace prof::reports {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

class NcuCommandTest : public testing::Test {
 protected:
  NcuCommandTest() {
    trace_.strings_ = {{1, "_Z1av"}, {2, "_Z1bv"}};
    for (std::uint32_t name : {1U, 2U}) {
      trace_.configs_[name] = {.name = StringId{name}, .grid = {8, 1, 1}, .block = {32, 1, 1}};
    }
    trace_.meta_ = {{"command_line", "./app"}, {"ended", "exit"}};
  }
  FakeWork::Item& launch(std::uint32_t name) {
    FakeWork::Item& item = work_.kernel("k", 10);
    item.gpu.config = ConfigId{name};
    return item;
  }
  Result<NcuCommand> command(std::uint64_t idx) {
    const TraceSet traces = traces_of({&trace_});
    Tally tally;
    const RowFilter filter;
    const auto attribute = [this](TraceReader&, TraceReader::Work) {
      return std::make_unique<LentWork>(work_);
    };
    Reading reading(attribute, Reading::Keeps::kNothing, 1);
    return ncu_command({traces, reading, filter, tally}, idx);
  }

  FakeTrace trace_;
  FakeWork work_;
};

TEST_F(NcuCommandTest, CountsEarlierLaunchesOfTheName) {
  launch(1);
  launch(2);
  launch(1);
  launch(1);
  launch(1);
  const auto made = command(4);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->line,
            "ncu --target-processes application-only --kernel-name-base mangled"
            " --kernel-name _Z1av --launch-skip 2 --launch-count 1 ./app");
  EXPECT_THAT(made->facts, IsEmpty());
  EXPECT_THAT(made->warnings, IsEmpty());
}

TEST_F(NcuCommandTest, WarnsOfLaunchesBeforeAWindow) {
  launch(1);
  trace_.captures_ = Captures({CaptureRow{1, 0, 100, "step 3", "step 4", 0, 0}});
  EXPECT_THAT(command(1)->warnings, ElementsAre(HasSubstr("parts of the run")));
}

TEST_F(NcuCommandTest, WarnsOfLaunchesBeforeTheProgramStartedTheCapture) {
  launch(1);
  trace_.meta_["ended"] = "stop";
  EXPECT_THAT(command(1)->warnings, ElementsAre(HasSubstr("started the capture itself")));
}

TEST_F(NcuCommandTest, WarnsOfLostRecords) {
  launch(1);
  trace_.losses_ = {{.what = "dropped_records", .count = 7, .detail = ""}};
  EXPECT_THAT(command(1)->warnings, ElementsAre(HasSubstr("7")));
}

TEST_F(NcuCommandTest, WarnsOfGraphsThatHideTheirKernels) {
  launch(1);
  trace_.meta_["graph_trace"] = "graph";
  EXPECT_THAT(command(1)->warnings, Contains(HasSubstr("recorded as a whole")));
}

TEST_F(NcuCommandTest, RefusesAGraphAsAWhole) {
  launch(1);
  trace_.configs_[1].grid = {0, 0, 0};
  const auto made = command(1);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().to_line(),
            "--ncu: row 1 is a CUDA graph that was recorded as a whole; capture it with "
            "--graph-trace node");
}

TEST_F(NcuCommandTest, QuotesWhatAShellWouldTakeForMore) {
  launch(1);
  trace_.meta_["command_line"] = "./app 'a b' it\\'s; rm -rf ~ $(date) `id`\n''";
  trace_.meta_["working_directory"] = "/home; date";
  trace_.meta_["env.CUDA_VISIBLE_DEVICES"] = "0,1 date";
  const auto made = command(1);
  ASSERT_TRUE(made);
  EXPECT_THAT(made->line, EndsWith(" --launch-count 1 ./app 'a b' 'it'\\''s;' rm -rf '~' '$(date)' "
                                   "'`id`\n'"));
  EXPECT_THAT(made->facts, ElementsAre("the program ran in '/home; date'",
                                       "it ran with CUDA_VISIBLE_DEVICES='0,1 date'"));
}

TEST_F(NcuCommandTest, ACommandWithAnOpenQuoteIsDamaged) {
  launch(1);
  trace_.meta_["command_line"] = "./app 'a b";
  EXPECT_THAT(command(1).error().to_line(), HasSubstr("a quote in its command is not closed"));
}

TEST_F(NcuCommandTest, NeedsACommand) {
  launch(1);
  trace_.meta_.erase("command_line");
  const auto made = command(1);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().to_line(),
            "test.db: does not say which command was captured; files of other profilers have no "
            "command");
}

TEST_F(NcuCommandTest, SaysWhenThereIsNoSuchRow) {
  EXPECT_EQ(command(3).error().to_line(), "--ncu: there is no row 3; there are none");
}

}  // namespace
}  // namespace prof::reports
