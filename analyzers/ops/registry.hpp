// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// All op models, looked up by an op's word. The list is in analyzers/CMakeLists.txt.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "analyzers/ops/op_model.hpp"

namespace prof::ops {

class Registry {
 public:
  /// A word that another model already has stays with that model and is noted in clashes().
  void add(OpModel model);

  /// The model for an op's name as a program gives it ("relu_", "aten::relu"), or null.
  [[nodiscard]] const OpModel* find(std::string_view op) const;

  [[nodiscard]] const std::deque<OpModel>& models() const { return models_; }
  /// Words that two models want; always empty in a correct build.
  [[nodiscard]] const std::vector<std::string>& clashes() const { return clashes_; }

 private:
  std::deque<OpModel> models_;  // addresses stay
  std::unordered_map<std::string_view, const OpModel*> by_word_;
  std::vector<std::string> clashes_;
};

/// Adds every model of the list, in its order.
void register_builtin(Registry& registry);

/// What `model` says of `op`, with the parts that it left out filled in; `model` may be null.
OpFacts evaluate(const OpModel* model, const OpDesc& op);

/// An op's word without the namespace of its library (`aten::`, `c10d::`, ...).
std::string_view without_namespace(std::string_view op);

/// An op's word as models list it: without_namespace() and without a trailing `_`.
std::string_view canonical_word(std::string_view op);

}  // namespace prof::ops
