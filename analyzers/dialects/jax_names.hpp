// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The names that JAX gives the operations of a traced function, which XLA keeps as `op_name`:
// "jit(train_step)/transpose(jvp(GPT))/block_0/attn/dot_general" (jax/_src/source_info_util.py,
// jax/_src/interpreters/mlir.py). Pure functions of any bytes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/dialects/meaning.hpp"

namespace prof::dialects {

/// One name, taken apart. Views of its text.
struct JaxName {
  std::vector<std::string_view> scopes;  ///< The program's names of its parts, outermost first.
  std::string_view function;   ///< The outermost function of JAX's own that is traced: "silu".
  std::string_view primitive;  ///< Empty: the name has none, as the common part of several.
  Direction direction = Direction::kNone;
  bool is_recomputed = false;
  bool is_of_program = false;  ///< It begins with the function that is compiled.
};

/// `ends_in_primitive`: the last part is one, even if it is none of those that are known.
JaxName read_jax_name(std::string_view name, bool ends_in_primitive);

/// The op that several operations were fused into, from the name of the op, which is that of its
/// result, and whole names of the parts.
struct JaxOp {
  std::string word;  ///< "dot_general", "fused: mul+tanh"; empty: the names do not say it.
  TracedNames names;
};
JaxOp join_jax_names(const JaxName& own, std::span<const JaxName> parts);

}  // namespace prof::dialects
