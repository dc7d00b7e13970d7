// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows from records of CUDA calls.
#pragma once

#include "libprof/model/records.hpp"
#include "libprof/store/schema/launch_tables.hpp"
#include "libprof/store/write/block_starts.hpp"
#include "libprof/store/write/bounded_interner.hpp"
#include "libprof/store/write/row_writer.hpp"

namespace prof {

class ApiRows {
 public:
  void store(RowWriter& rows, const ApiRecord& record);
  void on_commit();
  /// Rows put since the last commit are not in the file.
  void on_rollback();

 private:
  BoundedInterner<2> functions_{1 << 14};
  BoundedInterner<2> forms_{1 << 16};
  BlockStarts<schema::kLaunchBlockTable> blocks_;
  RowWriter::Repeat repeat_;
};

}  // namespace prof
