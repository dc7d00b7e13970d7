// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns PyTorch's statements about collectives, sends and receives into records: the group, the
// place in it, the sequence number. They are in the op `record_param_comms`, and all but the number
// also in the kernel (torch/csrc/profiler/util.cpp, kineto's output_json.cpp; groups since torch
// 2.3, numbers since 2.8). The kernel names its op. Memory: a number for each call. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "libprof/model/records.hpp"
#include "tools/import/kineto/trace_event.hpp"

namespace prof::importers {

class CollectiveCalls {
 public:
  /// Ops come before the kernels that work for them.
  void take_op(const TraceEvent& op, std::uint64_t id);

  struct Call {
    CollectiveRecord record;  ///< Without the texts.
    std::string operation;    ///< "allreduce".
  };
  /// The call of the kernel, whose op has that number; nullopt: its group is not stated.
  [[nodiscard]] std::optional<Call> call_of(const TraceEvent& kernel, std::uint64_t op) const;

 private:
  struct OfOp {
    CollectiveRecord record;
    std::uint32_t operation = 0;  // of operations_
  };

  std::unordered_map<std::uint64_t, OfOp> ops_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // of operations_
  std::vector<std::string> operations_;
};

}  // namespace prof::importers
