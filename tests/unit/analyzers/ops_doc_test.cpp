// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/unit/analyzers/op_document.hpp"

namespace prof::ops {
namespace {

TEST(OpsDocument, IsWhatTheModelsSay) {
  Registry ops;
  register_builtin(ops);
  dialects::Registry dialects;
  dialects::register_builtin(dialects);
  std::ifstream file(PROF_SOURCE_DIR "/docs/ops.md");
  std::ostringstream stored;
  stored << file.rdbuf();
  EXPECT_TRUE(stored.str() == document(ops, dialects))
      << "docs/ops.md is not what the op models say; regenerate it:\n"
         "  cmake --build BUILD --target make_ops_doc && BUILD/tests/make_ops_doc > docs/ops.md";
}

}  // namespace
}  // namespace prof::ops
