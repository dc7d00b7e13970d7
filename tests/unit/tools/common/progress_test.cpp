// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of progress lines, on a clock and a terminal of their own.
#include "tools/common/progress.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tools/common/output.hpp"

namespace prof::tools {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// What a terminal's line shows after the texts written to it.
class Screen {
 public:
  void write(std::string_view text) {
    written_ += text;
    for (const char c : text) {
      if (c == '\r') {
        at_ = 0;
        continue;
      }
      if (at_ == line_.size()) line_ += ' ';
      line_[at_++] = c;
    }
  }
  [[nodiscard]] std::string line() const {
    return line_.substr(0, line_.find_last_not_of(' ') + 1);
  }

  std::string written_;

 private:
  std::string line_;
  std::size_t at_ = 0;
};

class ProgressLine : public testing::Test {
 protected:
  Progress make(std::size_t width = 80, std::uint64_t unit = 1) {
    return {
        "prof-report",
        {unit == 1 ? "rows" : "MB", unit},
        {[this](std::string_view text) { screen_.write(text); }, [this] { return now_; }, width}};
  }

  Screen screen_;
  Progress::Time now_;
};

TEST_F(ProgressLine, ShowsNothingOfWhatIsQuick) {
  Progress progress = make();
  now_ += milliseconds(999);
  progress.update(1000, 0.9);
  progress.ends_with("writing");
  progress.finish();
  EXPECT_EQ(screen_.written_, "");
}

TEST_F(ProgressLine, ShowsRateAndRemainingTime) {
  Progress progress = make();
  now_ += seconds(4);
  progress.update(2'000'000, 0.25);
  EXPECT_EQ(screen_.line(), "prof-report: 2,000,000 rows, 25 %, 500,000 rows/s, about 12 s left");
}

TEST_F(ProgressLine, ShowsOnlyTheRateWhereTheTotalIsUnknown) {
  Progress progress = make();
  now_ += seconds(4);
  progress.update(2'000'000, std::nullopt);
  EXPECT_EQ(screen_.line(), "prof-report: 2,000,000 rows, 500,000 rows/s");
}

TEST_F(ProgressLine, EstimatesNothingFromAlmostNothing) {
  Progress progress = make();
  now_ += seconds(2);
  progress.update(10, 0.0001);
  EXPECT_EQ(screen_.line(), "prof-report: 10 rows, 0 %, 5 rows/s");
}

TEST_F(ProgressLine, RoundsLongTimes) {
  Progress progress = make();
  now_ += seconds(10);
  progress.update(10, 0.01);
  EXPECT_NE(screen_.line().find("about 17 min left"), std::string::npos) << screen_.line();
  now_ += seconds(990);
  progress.update(10, 0.05);
  EXPECT_NE(screen_.line().find("about 6 h left"), std::string::npos) << screen_.line();
}

TEST_F(ProgressLine, CountsInItsUnit) {
  Progress progress = make(80, 1'000'000);
  now_ += seconds(2);
  progress.update(412'500'000, 0.5);
  EXPECT_EQ(screen_.line(), "prof-report: 412 MB, 50 %, 206 MB/s, about 2 s left");
}

TEST_F(ProgressLine, IsRewrittenInPlaceFourTimesASecond) {
  Progress progress = make();
  now_ += seconds(3);
  progress.update(2'000'000, 0.25);
  const std::string first = screen_.written_;
  now_ += milliseconds(249);
  progress.update(2'000'001, 0.25);
  EXPECT_EQ(screen_.written_, first);
  now_ += milliseconds(1);
  progress.update(3, std::nullopt);
  EXPECT_EQ(screen_.line(), "prof-report: 3 rows, 0 rows/s")
      << "nothing of the longer line is left";
  EXPECT_EQ(screen_.written_.find('\n'), std::string::npos);
}

TEST_F(ProgressLine, SaysWhatCannotBeMeasured) {
  Progress progress = make();
  now_ += seconds(3);
  progress.update(2, 0.99);
  progress.ends_with("writing the trace");
  EXPECT_EQ(screen_.line(), "prof-report: writing the trace");
}

TEST_F(ProgressLine, LeavesNothingBehindAndDoesNotComeBack) {
  Progress progress = make();
  now_ += seconds(3);
  progress.update(2, 0.5);
  progress.clear();
  EXPECT_EQ(screen_.line(), "");
  now_ += seconds(1);
  progress.update(3, 0.5);
  EXPECT_NE(screen_.line(), "");
  progress.finish();
  EXPECT_EQ(screen_.line(), "");
  now_ += seconds(1);
  progress.update(4, 0.5);
  progress.ends_with("more");
  EXPECT_EQ(screen_.line(), "");
}

TEST_F(ProgressLine, IsNarrowerThanItsTerminal) {
  for (const std::size_t width : {0U, 1U, 2U, 20U}) {
    screen_ = {};
    now_ = {};
    Progress progress = make(width);
    now_ += seconds(3);
    progress.update(2'000'000, 0.25);
    EXPECT_LT(screen_.line().size(), std::max<std::size_t>(width, 1));
  }
}

TEST_F(ProgressLine, IsGoneBeforeOutputIsWritten) {
  Progress progress = make();
  now_ += seconds(3);
  progress.update(2, 0.5);
  std::FILE* const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  Output output(file);
  std::string line_at_write = "not called";
  output.before_write([&] {
    progress.finish();
    line_at_write = screen_.line();
  });
  output.flush();
  EXPECT_EQ(line_at_write, "not called") << "there is nothing to write";
  output.write("a row\n");
  output.flush();
  EXPECT_EQ(line_at_write, "");
  std::fclose(file);
}

}  // namespace
}  // namespace prof::tools
