// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The rules of advice, in the order of the list in CMakeLists.txt.
#pragma once

#include <vector>

#include "tools/report/advice/facts/rule.hpp"

namespace prof::rules {

class Registry {
 public:
  void add(reports::Rule rule) { rules_.push_back(rule); }
  [[nodiscard]] const std::vector<reports::Rule>& all() const { return rules_; }

 private:
  std::vector<reports::Rule> rules_;
};

/// Adds every rule of the list.
void register_builtin(Registry& registry);

}  // namespace prof::rules
