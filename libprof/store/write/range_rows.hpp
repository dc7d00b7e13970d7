// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RangeRows: rows from records of ranges, some of which are recorded twice or end without a start.
// Ranges arrive as they end, children first, and from several threads. Their rows wait and are
// written in the order of their ids, because SQLite fills pages whose rows are appended, and halves
// those into which rows are inserted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libprof/model/records.hpp"
#include "libprof/store/schema/range_tables.hpp"
#include "libprof/store/write/block_starts.hpp"
#include "libprof/store/write/bounded_interner.hpp"
#include "libprof/store/write/row_writer.hpp"

namespace prof {

class RangeRows {
 public:
  void store(RowWriter& rows, const RangeRecord& record);
  /// Writes the waiting rows. To be called before each commit.
  void flush(RowWriter& rows);
  void on_commit() { forms_.on_commit(); }
  /// Rows put since the last commit are not in the file, and waiting rows are lost.
  void on_rollback();

 private:
  static constexpr std::size_t kMaxWaiting = 1 << 15;

  struct Row {
    RangeId id = 0;
    RangeId parent = 0;
    std::int64_t form = 0;
    RowWriter::Time start, duration;
    std::optional<std::uint64_t> seq;
    std::size_t numbers_at = 0, numbers_bytes = 0;  ///< In numbers_.
  };

  std::int64_t form_id(RowWriter& rows, const RangeRecord& record);
  void write(RowWriter& rows, const Row& row);

  BoundedInterner<5> forms_{1 << 16};
  BlockStarts<schema::kRangeBlockTable> blocks_;
  std::vector<Row> waiting_;
  std::string numbers_;  ///< The numbers of the waiting rows.
};

}  // namespace prof
