// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Damaged traces: an error or wrong rows, never a crash or an endless loop.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "libprof/store/read/trace_reader.hpp"
#include "libprof/store/write/trace_writer.hpp"
#include "tests/unit/source/full_records.hpp"
#include "tests/unit/source/temp_folder.hpp"
#include "tests/unit/store/sample_capture.hpp"

namespace prof {
namespace {

/// Whether a cursor came to its end without an error. More rows than any test has are a failure.
template <typename Row>
bool read_table(const std::unique_ptr<RowCursor<const Row>>& cursor) {
  for (int rows = 0; cursor->next() != nullptr; ++rows) {
    if (rows < 100'000) continue;
    ADD_FAILURE() << "rows without end";
    return false;
  }
  return cursor->status().ok();
}

/// Reads everything a reader offers; true if the trace was read without an error.
bool read_all(const std::string& path) {
  const auto opened = TraceReader::open(path);
  if (!opened) {
    EXPECT_FALSE(opened.error().what.empty());
    EXPECT_EQ(opened.error().to_line().find('\n'), std::string::npos);
    return false;
  }
  TraceReader& reader = **opened;
  for (const LossRow& loss : reader.losses()) static_cast<void>(loss);
  const auto cursor = reader.gpu_work(TraceReader::Work::kKernelsAndCopies);
  std::uint64_t rows = 0;
  while (const GpuRow* const row = cursor->next()) {
    static_cast<void>(reader.string(reader.config(row->config).name));
    static_cast<void>(reader.string(row->function));
    RangeId id = row->stack;
    for (int depth = 0; depth < 10 && id != 0; ++depth) {
      const RangeRef range = reader.range(id);
      if (!range) break;
      static_cast<void>(reader.domain_name(range->domain));
      id = range->parent;
    }
    if (++rows > 100'000) {
      ADD_FAILURE() << "rows without end";
      return false;
    }
  }
  RangeId last = 0;
  while (const RangeRef range = reader.range_after(last)) {
    last = range->id;
    static_cast<void>(range->whole_text());
    if (++rows > 200'000) {
      ADD_FAILURE() << "ranges without end";
      return false;
    }
  }
  for (const PayloadSchemaRow& schema : reader.payload_schemas()) {
    const auto visit = [&](const PayloadRow& row) { rows += row.bytes.size(); };
    reader.payloads_with(schema.domain, schema.schema, visit);
    for (RangeId id = 0; id < 100; ++id) reader.payloads_of(id, visit);
  }
  bool tables_ok = read_table(reader.api_calls());
  tables_ok &= read_table(reader.all_ranges());
  tables_ok &= read_table(reader.marks());
  tables_ok &= read_table(reader.synchronizations());
  tables_ok &= read_table(reader.overheads());
  tables_ok &= read_table(reader.clock_syncs());
  return tables_ok && cursor->status().ok() && reader.status().ok();
}

class DamageTest : public testing::Test {
 protected:
  void SetUp() override {
    auto writer = TraceWriter::create(folder_.path("whole"));
    ASSERT_TRUE(writer.ok());
    feed_full_records(**writer);
    sample::Options options;
    options.kernels = 600;
    options.configs = 20;
    sample::feed(**writer, options);
    writer->reset();
    whole_ = read_file(folder_.path("whole"));
    ASSERT_TRUE(read_all(folder_.path("whole")));
  }

  TempFolder folder_;
  std::string path_ = folder_.path("damaged");
  std::string whole_;
};

TEST_F(DamageTest, FlippedBytes) {
  std::mt19937 random(11);
  int failed = 0;
  for (int round = 0; round < 300; ++round) {
    std::string damaged = whole_;
    for (int i = 0; i < 1 + round % 8; ++i) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    write_file(path_, damaged);
    failed += read_all(path_) ? 0 : 1;
  }
  EXPECT_GT(failed, 0);
}

TEST_F(DamageTest, OverwrittenPages) {
  std::mt19937 random(12);
  int failed = 0;
  for (std::size_t page = 0; page < whole_.size(); page += 4096) {
    std::string damaged = whole_;
    for (std::size_t i = page; i < page + 4096; ++i) damaged[i] = static_cast<char>(random());
    write_file(path_, damaged);
    failed += read_all(path_) ? 0 : 1;
    std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(page), 4096, '\0');
    write_file(path_, damaged);
    failed += read_all(path_) ? 0 : 1;
  }
  EXPECT_GT(failed, 10);
}

TEST_F(DamageTest, CutAnywhere) {
  for (std::size_t size = 0; size < whole_.size(); size += 4096 * 3 + 1234) {
    write_file(path_, whole_.substr(0, size));
    EXPECT_FALSE(read_all(path_)) << size;
  }
}

}  // namespace
}  // namespace prof
