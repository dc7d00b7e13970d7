// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The contributions that a backward pass adds up, by name, and the one that a test leaves out to
// see that the gradient check notices.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace ref {

class GradientTerms {
 public:
  GradientTerms() = default;
  explicit GradientTerms(std::string dropped) : dropped_(std::move(dropped)) {}

  /// Whether the backward pass computes this term. Ask once, when a layer is made.
  [[nodiscard]] bool keep(std::string_view term) const { return term != dropped_; }

 private:
  std::string dropped_;  // empty: none
};

}  // namespace ref
