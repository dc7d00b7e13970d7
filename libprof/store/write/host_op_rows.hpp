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
  /// After a commit.
  void keep() { forms_.keep(); }
  /// What was put since keep() is not there.
  void forget() { forms_.forget(); }

 private:
  BoundedInterner<2> forms_{1 << 16};
};

}  // namespace prof
