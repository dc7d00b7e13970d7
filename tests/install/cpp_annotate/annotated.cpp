// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A user's program with annotations; without a tool attached it does nothing but run.
#include <prof/annotate.hpp>

#include <cstdio>

int main() {
  for (int i = 0; i < 3; ++i) {
    const prof::Step step(i);
    const prof::Layer layer("mlp");
  }
  std::puts("annotated");
  return 0;
}
