// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/log/work_log.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

namespace prof {
namespace {

/// Rows of a few attributions and forms, with any values of what differs from row to row.
class RandomRows {
 public:
  explicit RandomRows(std::size_t attributions) {
    for (std::size_t i = 0; i < attributions; ++i) attributions_.push_back(attribution(i));
    for (std::uint32_t i = 0; i < 5; ++i) forms_.push_back(form(i));
  }

  AttributedRow next() {
    AttributedRow row{.gpu = forms_[random_() % forms_.size()],
                      .attribution = attributions_[random_() % attributions_.size()]};
    GpuRow& gpu = row.gpu;
    gpu.correlation = id_ += random_() % 3;
    gpu.launch = random_() % 4 == 0 ? any<std::uint64_t>() : gpu.correlation;
    if (random_() % 4 == 0) gpu.origin_id = any<std::int64_t>();
    if (random_() % 4 == 0) gpu.repeat = any<std::int64_t>();
    if (random_() % 4 == 0) gpu.graph_node = any<std::uint64_t>();
    gpu.start_ns = any<std::int64_t>();
    gpu.duration_ns = any<std::int64_t>();
    gpu.stack = any<std::uint64_t>();
    gpu.launch_start_ns = any<std::int64_t>();
    gpu.launch_duration_ns = any<std::int64_t>();
    Attribution& made = row.attribution;
    if (random_() % 3 != 0) made.step = static_cast<std::int64_t>(id_ / 10) - 5;
    if (random_() % 3 != 0) made.step_end_ns = any<std::int64_t>();
    made.op_id = any<std::uint64_t>();
    made.call_id = random_() % 2 == 0 ? made.op_id : any<std::uint64_t>();
    if (random_() % 8 == 0) made.replay_id = any<std::uint64_t>();
    for (std::uint64_t i = random_() % 6; i > 0; --i) made.seq.add(any<std::uint64_t>());
    return row;
  }

 private:
  /// Small, or of any size.
  template <typename Number>
  Number any() {
    switch (random_() % 3) {
      case 0:
        return static_cast<Number>(random_() % 100);
      case 1:
        return std::numeric_limits<Number>::min() + static_cast<Number>(random_() % 2);
      default:
        return static_cast<Number>(random_());
    }
  }
  Attribution attribution(std::size_t number) {
    Attribution made;
    made.op = ops_[number % ops_.size()];
    made.share = static_cast<double>(number);
    made.sub = static_cast<std::uint32_t>(number / 2);
    if (number % 2 == 0) made.cost.flops = 0.5;
    if (number % 3 == 0) made.cost.bytes = 0;  // known, and not the same as unknown
    if (number % 5 == 0) made.graph_nodes = 0;
    made.is_repeat = number % 7 == 0;
    made.main = number % 11 == 0;
    made.l2_bytes = number % 13 == 0 ? 1 : 0;
    made.contradictions.set(0, number % 17 == 0);
    made.basis = number % 19 == 0 ? Basis::kExact : Basis::kUnknown;
    return made;
  }
  static GpuRow form(std::uint32_t number) {
    GpuRow row;
    row.kind = static_cast<GpuRow::Kind>(number % 3);
    row.device = number;
    row.config.value = number + 1;
    row.bytes = number * 100;
    row.launched = number % 2 == 0;
    row.thread.value = number;
    row.destination = number % 2 == 0 ? MemoryKind::kPinned : MemoryKind::kDevice;
    return row;
  }

  std::mt19937_64 random_{11};
  std::uint64_t id_ = 0;
  std::vector<std::shared_ptr<const OpAttribution>> ops_{std::make_shared<OpAttribution>(),
                                                         std::make_shared<OpAttribution>()};
  std::vector<Attribution> attributions_;
  std::vector<GpuRow> forms_;
};

/// All that a row has: a word is missing here, and in no other list, if it is not compared.
void expect_equal(const AttributedRow& made, const AttributedRow& row, std::size_t at) {
  SCOPED_TRACE(at);
  EXPECT_EQ(key_of(made.gpu), key_of(row.gpu));
  EXPECT_EQ(key_of(made.attribution), key_of(row.attribution));
  EXPECT_EQ(made.gpu.correlation, row.gpu.correlation);
  EXPECT_EQ(made.gpu.launch, row.gpu.launch);
  EXPECT_EQ(made.gpu.origin_id, row.gpu.origin_id);
  EXPECT_EQ(made.gpu.repeat, row.gpu.repeat);
  EXPECT_EQ(made.gpu.graph_node, row.gpu.graph_node);
  EXPECT_EQ(made.gpu.start_ns, row.gpu.start_ns);
  EXPECT_EQ(made.gpu.duration_ns, row.gpu.duration_ns);
  EXPECT_EQ(made.gpu.stack, row.gpu.stack);
  EXPECT_EQ(made.gpu.launch_start_ns, row.gpu.launch_start_ns);
  EXPECT_EQ(made.gpu.launch_duration_ns, row.gpu.launch_duration_ns);
  EXPECT_EQ(made.attribution.step, row.attribution.step);
  EXPECT_EQ(made.attribution.step_end_ns, row.attribution.step_end_ns);
  EXPECT_EQ(made.attribution.op_id, row.attribution.op_id);
  EXPECT_EQ(made.attribution.call_id, row.attribution.call_id);
  EXPECT_EQ(made.attribution.replay_id, row.attribution.replay_id);
  EXPECT_EQ(made.attribution.seq.own(), row.attribution.seq.own());
  EXPECT_TRUE(std::ranges::equal(made.attribution.seq.others(), row.attribution.seq.others()));
}

std::vector<AttributedRow> random_rows(std::size_t count) {
  RandomRows random(100);
  std::vector<AttributedRow> rows;
  while (rows.size() < count) rows.push_back(random.next());
  return rows;
}

std::shared_ptr<WorkLog> log_of(const std::vector<AttributedRow>& rows, std::size_t memory_bytes) {
  auto log = std::make_shared<WorkLog>(memory_bytes);
  for (const AttributedRow& row : rows) log->add(row);
  AttributionCounts counts;
  counts.kernels = rows.size();
  EXPECT_TRUE(log->finish(counts));
  return log;
}

TEST(WorkLog, HasEachRowAsItWas) {
  const std::vector<AttributedRow> rows = random_rows(20'000);
  for (const std::size_t memory_bytes : {std::size_t{0}, std::size_t{200'000}, SIZE_MAX}) {
    const auto log = log_of(rows, memory_bytes);
    const auto work = WorkLog::read(log, TraceReader::Work::kKernelsAndCopies);
    std::size_t at = 0;
    while (const AttributedRow* const row = work->next()) {
      ASSERT_LT(at, rows.size());
      expect_equal(*row, rows[at], at);
      ++at;
      if (HasFailure()) return;
    }
    EXPECT_TRUE(work->status());
    EXPECT_EQ(at, rows.size());
    EXPECT_EQ(work->counts().kernels, rows.size());
  }
}

TEST(WorkLog, CursorsDoNotDisturbEachOther) {
  const std::vector<AttributedRow> rows = random_rows(1'000);
  const auto log = log_of(rows, SIZE_MAX);
  const auto ahead = WorkLog::read(log, TraceReader::Work::kKernelsAndCopies);
  const auto behind = WorkLog::read(log, TraceReader::Work::kKernelsAndCopies);
  const AttributedRow* held = behind->next();
  for (std::size_t i = 1; i < rows.size(); ++i) {
    ahead->next();
    expect_equal(*held, rows[i - 1], i);
    held = behind->next();
  }
}

TEST(WorkLog, LeavesCopiesAndSetsOut) {
  const std::vector<AttributedRow> rows = random_rows(1'000);
  const auto work = WorkLog::read(log_of(rows, SIZE_MAX), TraceReader::Work::kKernels);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].gpu.kind != GpuRow::Kind::kKernel) continue;
    const AttributedRow* const row = work->next();
    ASSERT_NE(row, nullptr);
    expect_equal(*row, rows[i], i);
  }
  EXPECT_EQ(work->next(), nullptr);
}

TEST(WorkLog, RowsOfAStepTakeFewBytes) {
  const auto op = std::make_shared<OpAttribution>();
  WorkLog log(SIZE_MAX);
  AttributedRow row{.gpu = {}, .attribution = {}};
  row.attribution.op = op;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    row.gpu.correlation = row.gpu.launch = 3 * i;
    row.gpu.stack = 5 * i;
    row.gpu.start_ns = static_cast<std::int64_t>(9'000 * i);
    row.gpu.duration_ns = 7'000;
    row.gpu.launch_start_ns = static_cast<std::int64_t>(8'000 * i);
    row.gpu.launch_duration_ns = 4'000;
    row.attribution.op_id = row.attribution.call_id = 5 * i;
    log.add(row);
  }
  EXPECT_LT(log.bytes(), 10'000 * 16);
}

TEST(WorkLog, DoesNotKeepWhatHardlyRepeats) {
  WorkLog log(SIZE_MAX);
  AttributedRow row{.gpu = {}, .attribution = {}};
  for (std::uint32_t i = 0; i < 80'000; ++i) {
    row.attribution.sub = i;
    log.add(row);
  }
  EXPECT_FALSE(log.finish({}));
}

}  // namespace
}  // namespace prof
