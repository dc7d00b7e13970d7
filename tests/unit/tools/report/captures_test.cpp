// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of --capture, the column `capture` and what the notes say about captures.
#include <gtest/gtest.h>

#include "tests/unit/tools/report/fakes.hpp"
#include "tools/report/filter/capture_filter.hpp"
#include "tools/report/rows/capture_notes.hpp"

namespace prof::reports {
namespace {

RowFilter of_captures(const std::vector<std::string>& texts) {
  RowFilter filter;
  filter.captures = *parse_captures(texts);
  return filter;
}

Captures three() {
  return Captures({{1, 0, 1'000, "step 10", "end of step 12"},
                   {2, 5'000, 6'000, "step 20", "end of step 22"},
                   {3, 9'000, 10'000, "step 30", "exit"}});
}

TEST(CaptureChoice, TakesNumbersSpansAndTheLast) {
  const auto taken = [](const std::vector<std::string>& texts, const Captures& captures) {
    std::string numbers;
    for (std::uint32_t number = 1; number <= 3; ++number) {
      if (takes_capture(of_captures(texts), captures, number)) numbers += std::to_string(number);
    }
    return numbers;
  };
  EXPECT_EQ(taken({"2"}, three()), "2");
  EXPECT_EQ(taken({"1-2"}, three()), "12");
  EXPECT_EQ(taken({"1", "last"}, three()), "13");
  EXPECT_FALSE(takes_capture(of_captures({"1-3"}), three(), std::nullopt));
  EXPECT_TRUE(takes_capture({}, three(), std::nullopt));
  EXPECT_TRUE(takes_capture(of_captures({"1"}), {}, std::nullopt)) << "the trace is capture 1";
  EXPECT_TRUE(takes_capture(of_captures({"last"}), {}, std::nullopt));
}

TEST(CaptureChoice, SaysWhichCapturesThereAre) {
  FakeTrace trace, other;
  const auto mistake = [&](const std::vector<std::string>& texts) {
    const Status status = check_captures(of_captures(texts), traces_of({&trace, &other}));
    return status ? "none" : status.error().to_line();
  };
  EXPECT_EQ(mistake({"1"}), "none");
  EXPECT_EQ(mistake({"2"}), "--capture: there is no capture 2; there is capture 1 alone");
  other.captures_ = three();
  EXPECT_EQ(mistake({"3"}), "none") << "one of the traces has it";
  EXPECT_EQ(mistake({"2-9", "last"}), "none");
  EXPECT_EQ(mistake({"4"}), "--capture: there is no capture 4; there are captures 1 to 3");
  EXPECT_EQ(mistake({"1", "7-9"}),
            "--capture: there are no captures 7-9; there are captures 1 to 3");
}

TEST(CaptureChoice, IsStatedAsStepsAre) {
  EXPECT_EQ(parse_captures(std::vector<std::string>{"x"}).error().to_line(),
            "--capture: 'x' is not a capture; give a number, A-B or last");
  EXPECT_EQ(parse_captures(std::vector<std::string>{"3-2"}).error().to_line(),
            "--capture: captures 3-2 are none; give the smaller number first");
}

class CaptureRows : public testing::Test {
 protected:
  CaptureRows() { trace_.captures_ = three(); }

  void work(std::int64_t start_ns, std::int64_t launch_ns, std::int64_t duration_ns = 10) {
    auto& item = work_.kernel("k", duration_ns);
    item.gpu.start_ns = start_ns;
    item.gpu.launched = true;
    item.gpu.launch_start_ns = launch_ns;
  }
  void range(std::int64_t start_ns, std::optional<std::int64_t> duration_ns) {
    RangeSpanRow& row = trace_.range_spans_.emplace_back();
    row.id = trace_.range_spans_.size();
    row.text = "r" + std::to_string(row.id);
    row.start_ns = start_ns;
    row.duration_ns = duration_ns;
  }

  FakeTrace trace_;
  FakeWork work_;
};

TEST_F(CaptureRows, WorkBelongsWhereItStarts) {
  work(100, 50);
  work(5'000, 990);
  work(0, 9'500, 0);  // its times are not known
  EXPECT_EQ(reported("kernels", trace_, work_, "csv", "idx,capture"),
            "idx,capture\n1,1\n2,2\n3,3\n");
}

TEST_F(CaptureRows, WorkIsChosen) {
  work(100, 50);
  work(5'000, 990);
  work(9'100, 9'000);
  EXPECT_EQ(reported("kernels", trace_, work_, "csv", "idx", of_captures({"2-3"})), "idx\n2\n3\n");
}

TEST_F(CaptureRows, OfTheOneCaptureAreAllRows) {
  trace_.captures_ = {};
  work(100, 50);
  EXPECT_EQ(reported("kernels", trace_, work_, "csv", "idx,capture", of_captures({"1"})),
            "idx,capture\n1,\n");
}

TEST_F(CaptureRows, RangesThatEndedOutsideAreNotListed) {
  range(-500, 600);
  range(-500, 100);
  range(900, 4'200);
  range(2'000, 1'000);
  range(9'100, {});
  EXPECT_EQ(reported("ranges", trace_, work_, "csv", "text,capture"),
            "text,capture\nr3,2\nr1,1\nr5,3\n");
  EXPECT_EQ(reported("ranges", trace_, work_, "csv", "text", of_captures({"2"})), "text\nr3\n");
}

TEST_F(CaptureRows, CapturesHaveTheirWork) {
  for (const std::int64_t start_ns : {100, 200, 5'100}) {
    GpuRow& row = trace_.gpu_rows_.emplace_back();
    row.start_ns = start_ns;
    row.duration_ns = 20;
    row.kind = start_ns == 200 ? GpuRow::Kind::kMemset : GpuRow::Kind::kKernel;
  }
  EXPECT_EQ(reported("captures", trace_, work_, "csv",
                     "capture,start_ns,time_ns,kernels,copies,gpu_ns,opener,closer"),
            "capture,start_ns,time_ns,kernels,copies,gpu_ns,opener,closer\n"
            "1,0,1000,1,1,40,step 10,end of step 12\n"
            "2,5000,1000,1,0,20,step 20,end of step 22\n"
            "3,9000,1000,0,0,0,step 30,exit\n");
  trace_.captures_ = {};
  EXPECT_EQ(reported("captures", trace_, work_, "csv", "capture,start_ns,time_ns,kernels,copies"),
            "capture,start_ns,time_ns,kernels,copies\n1,,,2,1\n");
}

TEST(CaptureNotes, SayWhichAndHowMuch) {
  EXPECT_EQ(captures_line(three()), "3 captures: steps 10, 20, 30 (0.00300 of 0.0100 ms)");
  EXPECT_EQ(unended_line(three()), "");
  EXPECT_EQ(captures_line({}), "");
  EXPECT_EQ(captures_line(Captures({{1, 0, 10, "step 10", "exit"}})), "") << "it is one";
  const Captures signals({{1, 0, 600'000'000, "signal", "signal"},
                          {2, 3'000'000'000, 3'600'000'000, "signal", "exit"}});
  EXPECT_EQ(captures_line(signals), "2 captures: signal (1,200 of 3,600 ms)");
  const Captures mixed({{1, 0, 5, "step 10", "limit"}, {2, 9, {}, "range decode", ""}});
  EXPECT_EQ(captures_line(mixed), "2 captures: step 10, range decode");
  EXPECT_EQ(unended_line(mixed), "capture 2 (range decode) has not ended");
}

TEST(CaptureNotes, AreShort) {
  std::vector<CaptureRow> rows;
  for (std::uint32_t i = 1; i <= 10; ++i) {
    rows.push_back({i, i * 10, i * 10 + 5, "step " + std::to_string(i * 100), "exit"});
  }
  EXPECT_EQ(
      captures_line(Captures(rows)),
      "10 captures: steps 100, 200, 300, 400, 500, 600, 700, 800, ... (0.000050 of 0.000095 ms)");
}

}  // namespace
}  // namespace prof::reports
