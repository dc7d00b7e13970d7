// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GradientRows: which gradient each row of an op instance computes, if the op computes several with
// kernels of their own: by the kernels' names, otherwise by the order in which the framework
// computes them (docs/conventions.md). A value; bounded.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzers/cost/cost_shares.hpp"

namespace prof {

/// The gradient of a linear layer that a product computes, by its layout: both operands of the
/// weight's gradient have the summed dimension, the tokens, as rows, so its layout is "nt". That of
/// the data's gradient is "nn", or "tn" where the weight is stored transposed. kNone: the name does
/// not say the layout.
Part gradient_of_linear(const KernelFacts& kernel);

class GradientRows {
 public:
  /// A row of that role; `kernel` is null for copies and sets.
  void add(WorkRole role, std::int64_t weight, const KernelFacts* kernel,
           const GradientAttributions& gradients);
  [[nodiscard]] std::int64_t weight(std::size_t row) const { return rows_[row].weight; }

  /// One entry for each row, in the order of add(): kNone if the row serves all gradients or its
  /// own is not known. Empty: nothing is known. `payer` is the role of the rows that carry the
  /// cost.
  [[nodiscard]] std::vector<Part> resolve(const GradientAttributions& gradients,
                                          WorkRole payer) const;

 private:
  struct Row {
    WorkRole role;
    std::int64_t weight;
    Part named;         // by the kernel's name
    bool is_sum;        // of a bias's gradient
    bool is_framework;  // the framework's own kernel, which computes no product
  };

  std::vector<Row> rows_;
  bool is_full_ = false;
};

}  // namespace prof
