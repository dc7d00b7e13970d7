// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Everything a report can say about one piece of GPU work, as columns with the function that makes
// their cell. Shared by the reports; a new fact about kernels is a line here.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "analyzers/devices/device_peaks.hpp"
#include "analyzers/devices/roofline.hpp"
#include "libprof/store/trace_reader.hpp"
#include "tools/report/cell.hpp"
#include "tools/report/selection.hpp"

namespace prof::reports {

/// What the cells of one row are made from. Reused from row to row; cells may point into it.
class WorkContext {
 public:
  explicit WorkContext(TraceReader& trace);

  void set(const Work& work) { work_ = &work; }
  [[nodiscard]] const Work& work() const { return *work_; }
  [[nodiscard]] const GpuRow& row() const { return *work_->row; }
  [[nodiscard]] const Attribution& attribution() const { return *work_->attribution; }
  [[nodiscard]] const OpAttribution& op() const { return *work_->attribution->op; }
  [[nodiscard]] bool is_kernel() const { return row().kind == GpuRow::Kind::kKernel; }
  [[nodiscard]] const LaunchConfig& config() { return trace_.config(row().config); }
  [[nodiscard]] std::string_view string(StringId id) { return trace_.string(id); }
  /// Null where the launch, or its thread, is not known.
  [[nodiscard]] const ThreadRow* thread() const;
  [[nodiscard]] std::span<WordPair> words() { return words_; }
  /// How long the work would take at its device's peaks.
  [[nodiscard]] devices::RooflineTimes roofline() const;
  /// "128x256x64", "128x256" where k is not known. Valid until the next call with the same `slot`.
  [[nodiscard]] std::string_view size_text(const BlockShape& shape, std::size_t slot);
  /// "12,15". Valid until the next call.
  [[nodiscard]] std::string_view altseq_text();
  /// "dtype,grid". Valid until the next call.
  [[nodiscard]] std::string_view contradictions_text();

 private:
  TraceReader& trace_;
  const Work* work_ = nullptr;
  std::unordered_map<std::uint32_t, const ThreadRow*> threads_;    // By id.
  std::unordered_map<std::uint32_t, devices::DevicePeaks> peaks_;  // By CUDA's number.
  std::array<WordPair, 8> words_;
  std::array<std::array<char, 48>, 2> sizes_;
  std::string altseq_;
  std::string contradictions_;
};

struct WorkField {
  Column column;
  Cell (*value)(WorkContext&);
  bool is_key = false;  ///< Rows can be grouped by it: a text or a whole number.
};

std::span<const WorkField> work_fields();

/// The columns of work_fields(), in their order.
std::span<const Column> work_columns();

}  // namespace prof::reports
