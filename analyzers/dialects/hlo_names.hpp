// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads XLA's names of its ops: "loop_add_multiply_fusion.3", "wrapped_tanh", "all-reduce-start.1"
// (xla/service/gpu/transforms/rename_fusions.cc). Pure; accepts any bytes.
#pragma once

#include <string>
#include <string_view>

namespace prof::dialects {

struct HloName {
  std::string word;  ///< "fused: add+multiply", "tanh", "all_reduce"
  bool is_fused = false;
  bool is_collective = false;  ///< `word` is that of libprof's model.
  bool runs_others = false;    ///< A loop, a branch: what it runs has ranges of its own.
};

HloName read_hlo_name(std::string_view name);

}  // namespace prof::dialects
