// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// BlockStarts: the starts to which the times of a block of rows are relative, so that they take few
// bytes; used as the rows are written (block_times.hpp reads them). The first time that is written
// for a block is its start. The table of blocks keeps it; the last blocks are remembered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libprof/store/schema/wrapping_times.hpp"
#include "libprof/store/write/row_writer.hpp"

namespace prof {

template <const schema::Table& kTable>
class BlockStarts {
 public:
  /// A time of a row of the block, relative to the block's start; absent if `time` is.
  RowWriter::Time since_start(RowWriter& rows, std::int64_t block, RowWriter::Time time) {
    if (!time) return time;
    Block& known = blocks_[static_cast<std::uint64_t>(block) % kBlocks];
    if (known.id != block) known = {block, rows.put_or_find<kTable>(block, *time)};
    return wrapping_difference(*time, known.start_ns);
  }

  /// The starts have to be looked up in the table again.
  void on_rollback() { blocks_.assign(kBlocks, {}); }

 private:
  static constexpr std::size_t kBlocks = 1 << 12;
  struct Block {
    std::int64_t id = INT64_MIN;
    std::int64_t start_ns = 0;
  };
  std::vector<Block> blocks_{kBlocks};  ///< Indexed by the low bits of their ids.
};

}  // namespace prof
