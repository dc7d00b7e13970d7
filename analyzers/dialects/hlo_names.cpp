// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/dialects/hlo_names.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "libprof/base/word_list.hpp"

namespace prof::dialects {
namespace {

/// Longer names only occur in damaged files.
constexpr std::size_t kMaxHloNameBytes = 512;

/// Opcodes of several words (xla/hlo/ir/hlo_opcode.h), as names have them.
constexpr std::string_view kOpcodes =
    "add_dependency all_gather all_reduce all_to_all batch_norm_grad batch_norm_inference "
    "batch_norm_training bitcast_convert collective_broadcast collective_permute "
    "count_leading_zeros custom_call dynamic_reshape dynamic_slice dynamic_update_slice "
    "exponential_minus_one get_dimension_size get_tuple_element is_finite log_plus_one "
    "optimization_barrier partition_id population_count ragged_all_to_all ragged_dot "
    "reduce_precision reduce_scatter reduce_window replica_id rng_bit_generator "
    "rng_get_and_update_state round_nearest_afz round_nearest_even scaled_dot select_and_scatter "
    "set_dimension_size shift_left shift_right_arithmetic shift_right_logical triangular_solve";
/// Those that a model of libprof's knows by that name.
constexpr std::string_view kCollectives =
    "all_gather all_reduce all_to_all reduce_scatter send recv";
constexpr std::string_view kRunsOthers = "call while conditional command_buffer async";
constexpr std::string_view kFusionKinds = "loop input output custom";
constexpr std::string_view kFusionEnd = "_fusion";
constexpr std::string_view kWrapped = "wrapped_";

/// The longest opcode at the text's beginning, else its first word.
std::string_view take_opcode(std::string_view& text) {
  std::size_t best = std::min(text.find('_'), text.size());
  for_each_word(kOpcodes, [&](std::string_view opcode) {
    if (opcode.size() <= best || !text.starts_with(opcode)) return;
    if (text.size() == opcode.size() || text[opcode.size()] == '_') best = opcode.size();
  });
  const std::string_view opcode = text.substr(0, best);
  text.remove_prefix(std::min(best + 1, text.size()));
  return opcode;
}

/// "loop_add_multiply_fusion" gives "add_multiply"; empty: it is no such name.
std::string_view fused_in(std::string_view name) {
  const std::size_t kind = name.find('_');
  if (kind == std::string_view::npos || !has_word(kFusionKinds, name.substr(0, kind))) return {};
  if (!name.ends_with(kFusionEnd) || name.size() <= kind + 1 + kFusionEnd.size()) return {};
  return name.substr(kind + 1, name.size() - kind - 1 - kFusionEnd.size());
}

void remove_end(std::string& text, std::string_view end) {
  if (text.ends_with(end)) text.erase(text.size() - end.size());
}

}  // namespace

HloName read_hlo_name(std::string_view name) {
  HloName made;
  name = name.substr(0, std::min(name.find('.'), kMaxHloNameBytes));
  if (name.starts_with(kWrapped)) name.remove_prefix(kWrapped.size());
  if (std::string_view fused = fused_in(name); !fused.empty()) {
    made.is_fused = true;
    made.word = "fused: ";
    for (bool is_first = true; !fused.empty(); is_first = false) {
      if (!is_first) made.word += '+';
      made.word += take_opcode(fused);
    }
    return made;
  }
  made.word = name;
  std::ranges::replace(made.word, '-', '_');
  for (const std::string_view end : {"_start", "_done"}) remove_end(made.word, end);
  // Triton's and cuDNN's, and those that no pass has renamed.
  made.is_fused = made.word.find("fusion") != std::string::npos || made.word.starts_with("triton_");
  if (made.word.starts_with("gemm_fusion")) made.word = "dot_general";
  made.is_collective = has_word(kCollectives, made.word);
  made.runs_others = has_word(kRunsOthers, made.word);
  if (made.word.empty()) made.word = "unnamed";
  return made;
}

}  // namespace prof::dialects
