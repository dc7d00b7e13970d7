// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The contributions that a backward pass sums, by name, and the one that a test omits to prove that
// the gradient check notices.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace ref {

class GradientTerms {
 public:
  GradientTerms() = default;
  explicit GradientTerms(std::string dropped) : dropped_(std::move(dropped)) {}

  /// Whether the backward pass computes this term. Ask once, when creating a layer.
  [[nodiscard]] bool keep(std::string_view term) const { return term != dropped_; }

 private:
  std::string dropped_;  // empty: none
};

}  // namespace ref
