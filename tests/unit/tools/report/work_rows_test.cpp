// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the rows of GPU work: numbering, filtering and tallying.
#include <gtest/gtest.h>

#include "tests/unit/tools/report/fakes.hpp"
#include "tools/report/rows/gpu_work.hpp"
#include "tools/report/rows/row_kind.hpp"
#include "tools/report/rows/row_kinds.hpp"

namespace prof::reports {
namespace {

class WorkRows : public ::testing::Test {
 protected:
  /// Two kernels without a known op, one with it, and a copy.
  void fill() {
    work_.kernel("warmup", 10);
    auto& attributed = work_.kernel("gemm", 100);
    attributed.attribution.step = 1;
    set_op(attributed, "linear", true);
    work_.copy(GpuRow::Kind::kMemcpy, 64, 5).attribution.step = 1;
    auto& unknown_op = work_.kernel("odd", 1000);
    unknown_op.attribution.step = 2;
    set_op(unknown_op, "odd", false);
  }

  /// The numbers of the rows that pass.
  std::vector<std::uint64_t> read(const RowFilter& filter = {}) {
    const auto attribute = [this](TraceReader&, TraceReader::Work) {
      return std::make_unique<FakeWork>(work_);
    };
    Reading reading(attribute, Reading::Keeps::kNothing, 1);
    RowsOf<WorkRow> rows(kGpuWork, {traces_, reading, filter, tally_});
    std::vector<std::uint64_t> numbers;
    while (const WorkRow* row = rows.next()) numbers.push_back(row->idx());
    EXPECT_TRUE(rows.status().ok());
    return numbers;
  }
  [[nodiscard]] const WorkCounts& counts() const { return tally_.traces[0].work; }

  FakeWork work_;
  FakeTrace first_, second_;
  TraceSet traces_ = traces_of({&first_});
  Tally tally_;

 private:
  static void set_op(FakeWork::Item& item, const char* op, bool known) {
    item.op.layer = "A";
    item.op.op = op;
    item.op.known_op = known;
    item.op.direction = Direction::kFprop;
  }
};

TEST_F(WorkRows, AreNumberedOverTheWholeTrace) {
  fill();
  EXPECT_EQ(read(in_step(2)), std::vector<std::uint64_t>{4});
  EXPECT_EQ(counts().kernels, 3U);
  EXPECT_EQ(counts().copies, 1U);
  EXPECT_EQ(counts().shown_kernels, 1U);
  EXPECT_EQ(counts().shown_copies, 0U);
  EXPECT_EQ(counts().shown_kernel_ns, 1000);
  EXPECT_EQ(tally_.filter.steps.to_text(), "1-2") << "all steps, for the notes";
}

TEST_F(WorkRows, AreCountedByWhatIsNotAttributed) {
  fill();
  EXPECT_EQ(read().size(), 4U);
  EXPECT_EQ(counts().shown_kernels, 3U);
  EXPECT_EQ(counts().shown_unattributed, 2U) << "without an op, and with an unknown one";
  EXPECT_EQ(counts().shown_without_op, 1U);
  EXPECT_EQ(counts().shown_in_steps, 2U);
}

TEST_F(WorkRows, OfImpossibleTimesHaveTheLargestSum) {
  for (int i = 0; i < 3; ++i) work_.kernel("damaged", INT64_MAX - 1);
  read();
  EXPECT_EQ(counts().shown_kernel_ns, INT64_MAX);
}

TEST_F(WorkRows, AreNumberedThroughAllTraces) {
  work_.kernel("k", 10);
  work_.kernel("k", 10);
  traces_ = traces_of({&first_, &second_});
  EXPECT_EQ(read(), (std::vector<std::uint64_t>{1, 2, 3, 4}));
  EXPECT_EQ(tally_.traces[1].work.kernels, 2U);
}

}  // namespace
}  // namespace prof::reports
