// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the page around its tables. tests/python/test_page.py writes pages of traces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/unit/tools/report/fakes.hpp"
#include "tools/report/page/page_template.hpp"
#include "tools/report/page/registry.hpp"
#include "tools/report/page/write_page.hpp"

namespace prof::reports {
namespace {

using Json = nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

class PageTest : public testing::Test {
 protected:
  PageTest() { register_reports(registry_); }

  /// Of five kernels, two of them in step 3, the last one.
  Status write(const std::vector<TraceReader*>& readers, std::size_t base = 0) {
    const TraceSet traces = traces_of(readers);
    const AttributeWork attribute = [this](TraceReader&, TraceReader::Work) {
      auto work = std::make_unique<FakeWork>();
      for (std::int64_t i = 0; i < kernels_; ++i) {
        work->kernel("k" + std::to_string(i), 10).attribution.step = i < 3 ? 2 : 3;
      }
      return work;
    };
    Reading reading(attribute, Reading::Keeps::kNothing, readers.size());
    Status status;
    page_ = output_of([&](tools::Output& output) {
      status = write_page({.traces = traces,
                           .base_traces = base,
                           .registry = registry_,
                           .filter = filter_,
                           .reading = reading,
                           .tables = tables_},
                          output, notes_);
    });
    return status;
  }

  [[nodiscard]] Json document(int number) const {
    const std::string begin =
        "<script type=\"application/json\" id=\"prof-columns-" + std::to_string(number) + "\">";
    const std::size_t at = page_.find(begin) + begin.size();
    return Json::parse(page_.substr(at, page_.find("</script>", at) - at));
  }

  static PageTable work(std::uint64_t most_rows) {
    return {.name = "work",
            .report = "gpu",
            .part = PagePart::kTimeline,
            .columns = "kernel,step",
            .most_rows = most_rows};
  }

  Registry registry_;
  FakeTrace trace_;
  RowFilter filter_;
  std::int64_t kernels_ = 5;
  std::vector<PageTable> tables_ = {work(5)};
  std::string page_;
  Notes notes_;
};

TEST_F(PageTest, TheTemplateHasEachMarkOnce) {
  for (const std::string_view mark : {kTitleMark, kFirstMark, kRestMark}) {
    const std::size_t at = page_template().find(mark);
    ASSERT_NE(at, std::string_view::npos) << mark;
    EXPECT_EQ(page_template().find(mark, at + 1), std::string_view::npos) << mark;
  }
  EXPECT_LT(page_template().size(), 200U << 10);
  EXPECT_THAT(std::string(page_template()), HasSubstr("default-src 'none'"));
}

TEST_F(PageTest, EveryTableIsAReportWithTheseColumns) {
  register_page(registry_);
  std::set<std::string_view> names;
  for (const PageTable& table : page_tables()) {
    EXPECT_TRUE(names.insert(table.name).second) << table.name;
    const Report* const report = registry_.find(table.report);
    ASSERT_NE(report, nullptr) << table.report;
    if (table.columns.empty()) continue;
    const auto columns = choose_columns(report->info(), table.columns);
    EXPECT_TRUE(columns) << columns.error().to_line();
  }
}

TEST_F(PageTest, HasADocumentForEachPart) {
  trace_.path_ = "a&<b>.db";
  ASSERT_TRUE(write({&trace_}));
  EXPECT_THAT(page_, HasSubstr("<title>a&amp;&lt;b>.db</title>"));
  EXPECT_TRUE(document(1)["tables"].empty());
  EXPECT_TRUE(document(2)["tables"].empty());
  const Json table = document(3)["tables"][0];
  EXPECT_EQ(table["name"], "work");
  EXPECT_EQ(table["report"], "gpu");
  EXPECT_EQ(table["rows"], 5);
  EXPECT_EQ(table["columns"][1]["word"], "step");
  EXPECT_THAT(notes_.facts, testing::IsEmpty());
}

TEST_F(PageTest, OfTooManyRowsThoseOfTheLastStepStay) {
  tables_ = {work(4)};
  ASSERT_TRUE(write({&trace_}));
  EXPECT_EQ(document(3)["tables"].size(), 1U);
  EXPECT_EQ(document(3)["tables"][0]["rows"], 2);
  EXPECT_THAT(notes_.facts, ElementsAre("work: the last step alone, for the rest is too much for "
                                        "a page"));
}

TEST_F(PageTest, OfTooManyRowsOfChosenStepsTheFirstOnesStay) {
  tables_ = {work(1)};
  filter_ = in_step(2);
  ASSERT_TRUE(write({&trace_}));
  EXPECT_EQ(document(3)["tables"][0]["rows"], 1);
  EXPECT_THAT(notes_.facts, ElementsAre("work: the first 1 rows alone, for the rest is too much "
                                        "for a page"));
}

TEST_F(PageTest, AComparisonHasBothSides) {
  FakeTrace other;
  other.path_ = "new.db";
  ASSERT_TRUE(write({&trace_, &other}, 1));
  const Json tables = document(3)["tables"];
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[0]["side"], "base");
  EXPECT_EQ(tables[1]["side"], "new");
  EXPECT_EQ(tables[0]["rows"], 5) << "its own";
  EXPECT_EQ(document(1)["traces"].size(), 2U);
}

TEST_F(PageTest, SeveralTracesAreKnownByNameAndRank) {
  FakeTrace other;
  other.path_ = "other.db";
  tables_ = {work(100)};
  ASSERT_TRUE(write({&trace_, &other}));
  const Json table = document(3)["tables"][0];
  EXPECT_EQ(table["side"], Json());
  EXPECT_EQ(table["rows"], 10);
  EXPECT_EQ(table["columns"][0]["word"], "trace");
}

TEST_F(PageTest, WithoutWorkThereIsNone) {
  kernels_ = 0;
  const Status status = write({&trace_});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().to_line(),
            "test.db: no kernel, copy or set to show; prof-report -r "
            "losses says what is missing");
}

}  // namespace
}  // namespace prof::reports
