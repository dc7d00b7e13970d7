// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// HeldRows: the rows that the attributor (attributor.hpp) has read and not returned yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "analyzers/cost/op_instances.hpp"
#include "analyzers/kernels/kernel_facts.hpp"
#include "analyzers/stacks/stack_meaning.hpp"
#include "analyzers/steps/repeated_steps.hpp"
#include "libprof/store/trace_reader.hpp"

namespace prof {

/// A row that waits until its op's cost can be shared, or the row just returned.
struct HeldRow {
  GpuRow row;
  std::shared_ptr<const OpAttribution> op, launch;
  std::shared_ptr<const KernelFacts> kernel;
  OpInstance* instance = nullptr;
  std::int64_t step = 0;
  std::int64_t step_end_ns = INT64_MAX;  // of its range; INT64_MAX: unknown
  std::int64_t weight = 0;               // in its instance's cost
  std::uint64_t op_id = 0;
  std::uint64_t replay_id = 0;
  std::uint64_t call_id = 0;
  SequenceNumbers seq;
  std::uint32_t sub = 0;
  DomainId unread = kDefaultDomain;  // StackMeaning::unread
  bool in_step = false;
  bool late = false;
  bool is_whole_graph = false;
  std::optional<std::uint32_t> graph_nodes;
  RepeatedSteps::Position position;
  KernelClaims claims;
  WorkRole role = WorkRole::kMain;
};

/// First in, first out; grows as needed and never shrinks.
class HeldRows {
 public:
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::size_t size() const { return count_; }
  HeldRow& front() { return rows_[head_]; }
  /// The `index`th row from the back.
  HeldRow& newest(std::size_t index) {
    return rows_[(head_ + count_ - 1 - index) & (rows_.size() - 1)];
  }

  HeldRow& push() {
    if (count_ == rows_.size()) grow();
    return rows_[(head_ + count_++) & (rows_.size() - 1)];
  }

  void pop() {
    head_ = (head_ + 1) & (rows_.size() - 1);
    --count_;
  }

 private:
  void grow() {
    std::vector<HeldRow> larger(rows_.size() * 2);
    for (std::size_t i = 0; i < count_; ++i) {
      larger[i] = std::move(rows_[(head_ + i) & (rows_.size() - 1)]);
    }
    rows_ = std::move(larger);
    head_ = 0;
  }

  std::vector<HeldRow> rows_ = std::vector<HeldRow>(64);
  std::size_t head_ = 0;
  std::size_t count_ = 0;
};

}  // namespace prof
