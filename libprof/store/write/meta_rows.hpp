// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows from facts about the capture, its process, and texts.
#pragma once

#include "libprof/model/records.hpp"
#include "libprof/store/write/row_writer.hpp"

namespace prof {

class MetaRows {
 public:
  static void store(RowWriter& rows, const StringRecord& record);
  static void store(RowWriter& rows, const MetaRecord& record);
};

}  // namespace prof
