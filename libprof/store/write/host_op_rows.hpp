// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows from records of ops that did nothing but run on the host.
#pragma once

#include "libprof/model/records.hpp"
#include "libprof/store/write/bounded_interner.hpp"
#include "libprof/store/write/row_writer.hpp"

namespace prof {

class HostOpRows {
 public:
  void store(RowWriter& rows, const HostOpRecord& record);
  void on_commit() { forms_.on_commit(); }
  /// Rows put since the last commit are not in the file.
  void on_rollback() { forms_.on_rollback(); }

 private:
  BoundedInterner<2> forms_{1 << 16};
};

}  // namespace prof
