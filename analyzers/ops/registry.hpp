// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// All op models, looked up by an op's word. The list is in analyzers/CMakeLists.txt.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzers/ops/op_model.hpp"
#include "libprof/base/word_list.hpp"

namespace prof::ops {

class Registry {
 public:
  /// A word that another model already has stays with that model and is listed in clashes(). `file`
  /// is the caller's: clang 14 lacks std::source_location.
  void add(OpModel model, const char* file = __builtin_FILE());

  /// The model for an op's name as a program states it ("relu_", "aten::relu"): by its own word,
  /// otherwise by its forward op, otherwise by its user-visible name ("softmax" for
  /// "aten::_softmax_backward_data"). Null if there is none.
  [[nodiscard]] const OpModel* find(std::string_view op) const;

  [[nodiscard]] const std::deque<OpModel>& models() const { return models_; }
  /// Words claimed by two models; always empty in a correct build.
  [[nodiscard]] const std::vector<std::string>& clashes() const { return clashes_; }

 private:
  const OpModel* find_word(std::string_view word) const;

  std::deque<OpModel> models_;  // stable addresses
  std::unordered_map<std::string_view, const OpModel*> by_word_;
  std::vector<std::string> clashes_;
};

/// Adds every model of the list, in its order.
void register_builtin(Registry& registry);

/// The only possible direction of `op`, such as a backward op's or an optimizer's; kNone if it may
/// have any. `model` may be null.
Direction implied_direction(const OpModel* model, std::string_view op);

/// The facts that `model` states about `op`, with omitted parts filled in; `model` may be null. If
/// the op names no outputs, those implied by its inputs are used. PyTorch's own ops are counted by
/// what they compute: an `aten::add` in a backward pass is an addition.
OpFacts evaluate(const OpModel* model, const OpDesc& op);

/// An op's word without the namespace of its library (`aten::`, `c10d::`, ...).
std::string_view without_namespace(std::string_view op);

/// An op's word as models list it: without_namespace() and without a trailing `_`.
std::string_view canonical_word(std::string_view op);

}  // namespace prof::ops
