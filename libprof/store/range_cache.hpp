// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RangeCache: ranges by id, read in blocks of neighbours (a stack's ranges lie close together),
// kept in bounded memory: two generations, the older one is dropped when the younger is full. One
// thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "libprof/store/trace_reader.hpp"
#include "libprof/store/trace_tables.hpp"

namespace prof {

class RangeCache {
 public:
  using Text = std::function<std::string_view(StringId)>;

  RangeCache(TraceTables& tables, Text text) : tables_(tables), text_(std::move(text)) {}
  Status prepare();

  /// Null for an id that the trace lacks. Valid until the next call.
  const RangeRow* find(RangeId id);
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  void load_block(RangeId id);

  TraceTables& tables_;
  Text text_;
  Statement block_;
  std::unordered_map<RangeId, RangeRow> young_, old_;
  Status status_;
};

}  // namespace prof
