// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The operations and traffic of a kernel that a compiler has generated, by the nodes of its
// definition. Pure.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "analyzers/compiled/inductor_code.hpp"
#include "analyzers/model/attribution.hpp"
#include "analyzers/ops/op_catalog.hpp"

namespace prof::compiled {

/// A node that the kernel computes.
struct ComputedNode {
  const FragmentNode* node = nullptr;
  std::shared_ptr<const OpDesc> op;
  double flops = 0;  ///< 0 also where its model does not know.
  bool is_known = false;
  bool is_product = false;
  bool is_reduction = false;  ///< Its result is smaller than what it works on.
};

struct KernelCost {
  std::vector<ComputedNode> nodes;
  OpCost cost;  ///< Nothing is known of a kernel without nodes but what its arguments say.
};

/// `counted`: names of nodes whose FLOPs other kernels of the graph have; gets those of this one. A
/// node that several kernels compute counts once.
KernelCost kernel_cost(const InductorCode& code, const Definition& kernel,
                       std::set<std::string_view>& counted, const ops::OpCatalog& ops);

/// The bytes of the tensors that a kernel is called with, each once: what it reads, by the names of
/// its parameters, and what it writes. An estimate. Absent: the size of one is not known.
std::optional<OpCost> cost_of_arguments(const InductorCode& code, const Call& call);

}  // namespace prof::compiled
