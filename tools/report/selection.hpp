// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Selection: the attributed GPU work that a report is about, in launch order: numbered over the
// whole trace, filtered by step, tallied as it goes by. Where it comes from is behind WorkSource,
// so that reports are tested without a trace.
#pragma once

#include <cstdint>
#include <optional>

#include "analyzers/attributor.hpp"
#include "libprof/base/result.hpp"
#include "tools/report/step_set.hpp"

namespace prof::reports {

class WorkSource {
 public:
  virtual ~WorkSource() = default;
  /// The next row, or null at the end or after an error. Valid until the next call.
  virtual const AttributedRow* next() = 0;
  [[nodiscard]] virtual Status status() const = 0;
};

/// The real source: a trace under the analyzers.
class CursorSource : public WorkSource {
 public:
  CursorSource(TraceReader& trace, TraceReader::Work work, std::vector<std::string> domains = {})
      : cursor_(trace, {.work = work, .domains = std::move(domains)}) {}
  const AttributedRow* next() override { return cursor_.next(); }
  [[nodiscard]] Status status() const override { return cursor_.status(); }
  [[nodiscard]] const AttributionCounts& counts() const { return cursor_.counts(); }

 private:
  AttributedCursor cursor_;
};

/// What went by, for the notes at a report's end. "Shown" rows passed the filter.
struct Tally {
  std::uint64_t kernels = 0;  ///< Of the whole trace, as far as it was read.
  std::uint64_t copies = 0;   ///< Copies and sets, likewise.
  std::uint64_t shown_kernels = 0;
  std::uint64_t shown_copies = 0;
  std::uint64_t shown_unattributed = 0;  ///< Kernels without layer, direction or known op.
  std::uint64_t shown_without_op = 0;    ///< Of these, kernels without any op.
  std::uint64_t shown_in_steps = 0;      ///< Kernels in any step.
  std::int64_t shown_kernel_ns = 0;
  StepSet steps;
};

struct Work {
  std::uint64_t idx = 0;  ///< 1 for the first row of the trace, whatever the filter.
  const GpuRow* row = nullptr;
  const Attribution* attribution = nullptr;
};

class Selection {
 public:
  Selection(WorkSource& source, std::optional<std::int64_t> step) : source_(source), step_(step) {}

  /// The next row, or null at the end or after an error. Valid until the next call.
  const Work* next();
  [[nodiscard]] Status status() const { return source_.status(); }
  [[nodiscard]] const Tally& tally() const { return tally_; }

 private:
  WorkSource& source_;
  std::optional<std::int64_t> step_;
  Work work_;
  Tally tally_;
};

}  // namespace prof::reports
