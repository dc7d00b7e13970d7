// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes docs/ops.md to standard output.
#include <iostream>

#include "tests/unit/analyzers/op_document.hpp"

int main() {
  prof::ops::Registry ops;
  prof::ops::register_builtin(ops);
  prof::dialects::Registry dialects;
  prof::dialects::register_builtin(dialects);
  std::cout << prof::ops::document(ops, dialects);
  return std::cout ? 0 : 1;
}
