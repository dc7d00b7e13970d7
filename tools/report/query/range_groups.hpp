// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RangeGroups: the NVTX ranges of one trace by thread, domain and text, each group with the GPU
// work launched inside its ranges and the calls that launched it. Work counts in every range around
// its launch. Ranges that were never closed are left out, with what is inside them. SQLite sorts in
// temporary files; one group is kept.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tools/report/query/query.hpp"
#include "tools/report/rows/activity_sums.hpp"
#include "tools/report/rows/kernel_names.hpp"

namespace prof::reports {

struct RangeGroup {
  std::optional<std::int64_t> thread;  ///< As numbered in the trace.
  std::string domain;                  ///< Empty: the default one.
  std::string text;
  ActivitySum openings;
  ActivitySums work;   ///< By kernel's full name, or nvprof's word for a copy or set.
  ActivitySums calls;  ///< By CUDA function; each once in a range, whatever it launched.
};

class RangeGroups {
 public:
  /// `input` has one trace; it and the trace must outlive the groups.
  static Result<std::unique_ptr<RangeGroups>> open(const RowInput& input);

  /// By thread, domain (the default one last) and text, as bytes; null at the end or after an
  /// error. Valid until the next call.
  const RangeGroup* next();
  [[nodiscard]] const Status& status() const { return query_->status(); }

 private:
  explicit RangeGroups(TraceReader& trace) : trace_(trace) {}

  [[nodiscard]] bool is_of_group();
  void begin_group();
  void add_row();
  void add_work();
  std::string_view name_of_work();

  TraceReader& trace_;
  std::unique_ptr<Query> query_;
  bool has_row_ = false;  // the query stands on a row of the next group
  RangeGroup group_;
  // The opening whose rows are being read.
  std::int64_t opening_ = 0;
  bool is_closed_ = true;
  std::optional<std::int64_t> last_call_;  // its correlation
  KernelNames kernel_names_;
};

}  // namespace prof::reports
