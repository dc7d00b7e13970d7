// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Counts the arithmetic in the body of a generated Triton kernel of which no graph fragment says
// what it computes: one that updates many tensors ("triton_for_fused_..."), each in a branch of its
// own. Pure.
#pragma once

#include <optional>
#include <set>
#include <string_view>

namespace prof::compiled {

class KernelArithmetic {
 public:
  /// Line by line, without indents.
  void read(std::string_view line);

  /// One for each operation and element, as the models of elementwise ops count; one for an
  /// operation that is the same for all elements. Nullopt: none, or the size of a tensor is not in
  /// the text.
  [[nodiscard]] std::optional<double> flops() const;

 private:
  void end_branch();

  double flops_ = 0;
  bool is_known_ = true;
  double operations_ = 0;               // of an element of the branch
  std::optional<double> elements_;      // of the branch
  std::set<std::string_view> uniform_;  // values that are the same for all elements
};

}  // namespace prof::compiled
