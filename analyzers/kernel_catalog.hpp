// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// KernelCatalog: what is known of the kernels of a trace by their names and their launches. Each
// name is read once. Reads from the given reader; memory is bounded by trim(). One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "analyzers/base/flat_map.hpp"
#include "analyzers/checks/contradictions.hpp"
#include "analyzers/cost/cost_shares.hpp"
#include "analyzers/kernel_ops.hpp"
#include "analyzers/model/attribution.hpp"
#include "analyzers/ops/argument_types.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

/// A kernel and how it is launched. Copies and sets have an empty one.
struct KernelEntry {
  std::shared_ptr<const KernelFacts> facts;
  KernelTypes types;
  KernelClaims claims;
  KernelOp own_op;           ///< Where no op around it owns its work.
  std::int64_t threads = 0;  ///< Threads of the launch: grid x block.
  std::int64_t blocks = 0;   ///< Blocks of the launch; 0: a graph recorded as a whole.

  /// The role of the work in an op.
  [[nodiscard]] WorkRole role_in(const OpAttribution& op) const;
};

class KernelCatalog {
 public:
  /// Each table is cleared when it has more than `max_entries`.
  KernelCatalog(TraceReader& reader, std::size_t max_entries);

  /// The entry of the row's work. Valid until the next call.
  const KernelEntry& of(const GpuRow& row);

  /// The facts of the same kernel in a launch where several blocks share the sum over k.
  std::shared_ptr<const KernelFacts> split(const std::shared_ptr<const KernelFacts>& kernel);

  /// Clears tables that are too large.
  void trim();

 private:
  TraceReader& reader_;
  const std::size_t max_entries_;
  FlatMap<KernelEntry> configs_;                          // by config id + 1
  std::unordered_map<std::uint32_t, KernelEntry> names_;  // by the name's string id
  std::unordered_map<std::shared_ptr<const KernelFacts>, std::shared_ptr<const KernelFacts>> split_;
  const KernelEntry no_kernel_;
};

}  // namespace prof
