// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/dialects/jax_names.hpp"

#include <algorithm>
#include <optional>

#include "libprof/base/word_list.hpp"

namespace prof::dialects {
namespace {

/// Longer names only occur in damaged files.
constexpr std::size_t kMaxJaxNameBytes = 4096;
/// The most operations in the name of a fused op.
constexpr std::size_t kMaxFused = 12;

/// Parts that say how a function is run, not what it is. "branch_0_fun" is one, too.
constexpr std::string_view kControl =
    "main while body cond scan fori_loop closed_call core_call xla_call remat remat2 checkpoint "
    "custom_jvp_call custom_vjp_call custom_jvp_call_jaxpr custom_vjp_call_jaxpr shard_map "
    "custom_partitioning run_state named_call jit pjit jvp transpose vmap";

/// Transformations around a name that only say how it is run.
constexpr std::string_view kTransforms =
    "vmap remat checkpoint custom_jvp custom_vjp custom_batching shard_map scan while cond "
    "linearize partial_eval batched rematted";
constexpr std::string_view kCompiled = "jit pjit pmap xla_pmap";

/// Functions of jax.nn, jax.numpy and jax.random that are traced as functions. Others begin with an
/// underscore: `_where`.
constexpr std::string_view kOwnFunctions =
    "relu relu6 gelu silu swish mish elu selu celu leaky_relu sigmoid log_sigmoid hard_sigmoid "
    "hard_tanh softplus soft_sign softmax log_softmax logsumexp logmeanexp standardize one_hot glu "
    "squareplus dot_product_attention "
    "abs all any argmax argmin argsort around average ceil clip copysign cross cumprod cumsum dot "
    "einsum equal exp fabs fix float_power floor floor_divide fmod hypot isclose isfinite isinf "
    "isnan log logaddexp matmul max maximum mean median min minimum mod nan_to_num norm outer "
    "polyval power prod quantile reciprocal remainder roll round searchsorted sign sort sqrt "
    "square std sum take take_along_axis tensordot trace tri tril triu true_divide unwrap var "
    "vdot where "
    "bernoulli categorical dropout gumbel normal permutation randint shuffle truncated_normal "
    "uniform threefry_seed threefry_split threefry_random_bits threefry_fold_in";

/// Primitives of jax.lax, jax.random and Pallas. A name that ends in one is an operation.
constexpr std::string_view kPrimitives =
    "abs acos acosh add add_any all_gather all_reduce all_to_all and argmax argmin asin asinh atan "
    "atan2 atanh bessel_i0e bessel_i1e bitcast_convert_type broadcast broadcast_in_dim cbrt ceil "
    "cholesky clamp clz complex concatenate conj conv_general_dilated convert_element_type copy "
    "copy_p cos cosh cumlogsumexp cummax cummin cumprod cumsum device_put digamma div dot "
    "dot_general dynamic_slice dynamic_update_slice eig eigh eq erf erf_inv erfc exp exp2 "
    "expand_dims "
    "expm1 fft ffi_call floor gather ge gt householder_product igamma igammac imag integer_pow "
    "iota "
    "is_finite le lgamma log log1p logistic lt lu max min mul ne neg nextafter not "
    "optimization_barrier or pad pallas_call pmax pmin polygamma population_count pow ppermute "
    "psum "
    "psum_invariant psum_scatter qr ragged_all_to_all ragged_dot ragged_dot_general random_bits "
    "random_fold_in random_gamma random_seed random_split random_unwrap random_wrap real "
    "reduce reduce_and reduce_max reduce_min reduce_or reduce_precision reduce_prod reduce_scatter "
    "reduce_sum reduce_window reduce_window_max reduce_window_min reduce_window_sum reduce_xor rem "
    "reshape rev rng_bit_generator rng_uniform round rsqrt scaled_dot scatter scatter-add "
    "scatter-max scatter-min scatter-mul scatter-sub scatter_add scatter_max scatter_min "
    "scatter_mul scatter_sub schur select_and_gather_add select_and_scatter "
    "select_and_scatter_add select_n shift_left shift_right_arithmetic shift_right_logical sign "
    "sin sinh slice sort split sqrt square squeeze stop_gradient sub svd tan tanh threefry2x32 "
    "top_k transpose triangular_solve tridiagonal triton_kernel_call xor";

/// Primitives that arrange the operands of others. An op with any other primitive is named after
/// that one.
constexpr std::string_view kArranging =
    "bitcast_convert_type broadcast broadcast_in_dim concatenate convert_element_type copy copy_p "
    "dynamic_slice expand_dims iota optimization_barrier pad reshape rev slice split squeeze "
    "stop_gradient transpose";

bool is_control(std::string_view part) {
  if (has_word(kControl, part)) return true;
  return part.starts_with("branch_") && part.ends_with("_fun");
}

/// "bqhd,bkhd->bhqk"
bool is_equation(std::string_view part) { return part.find("->") != std::string_view::npos; }

/// Removes what follows a primitive: its parameters, and the colon of XProf.
std::string_view without_parameters(std::string_view part) {
  part = part.substr(0, part.find('['));
  while (part.ends_with(':')) part.remove_suffix(1);
  return part;
}

/// Removes and returns what precedes the next '/' that is in no brackets.
std::string_view next_name_part(std::string_view& text) {
  int depth = 0;
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && depth > 0) --depth;
    if (c == '/' && depth == 0) break;
  }
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

/// "jvp(GPT)" gives "jvp" and leaves "GPT"; empty: it is no name in a function's brackets.
std::string_view take_wrapper(std::string_view& part) {
  const std::size_t open = part.find('(');
  if (open == std::string_view::npos || open == 0 || !part.ends_with(')')) return {};
  const std::string_view wrapper = part.substr(0, open);
  part = part.substr(open + 1, part.size() - open - 2);
  return wrapper;
}

class JaxNameReader {
 public:
  explicit JaxNameReader(JaxName& into) : name_(into) {}

  void read_part(std::string_view part, bool is_first) {
    bool is_function = false;
    while (true) {
      std::string_view inside = part;
      const std::string_view wrapper = take_wrapper(inside);
      if (wrapper.empty()) break;
      if (has_word(kCompiled, wrapper)) {
        is_function = true;
        if (is_first) name_.is_of_program = true;
      } else if (wrapper == "transpose") {
        name_.direction = Direction::kBprop;
      } else if (wrapper == "jvp") {
        if (name_.direction == Direction::kNone) name_.direction = Direction::kFprop;
      } else if (!has_word(kTransforms, wrapper)) {
        break;
      }
      part = inside;
    }
    if (part.empty()) return;
    if (part == "rematted_computation") {
      name_.is_recomputed = true;
    } else if (is_function) {
      if (!is_first) read_function(part);
    } else if (!is_control(part) && !is_equation(part)) {
      name_.scopes.push_back(part);
    }
  }

 private:
  void read_function(std::string_view part) {
    if (part == "main") return;
    const bool is_own = part.starts_with('_') || has_word(kOwnFunctions, part);
    if (!is_own) {
      name_.scopes.push_back(part);
    } else if (name_.function.empty()) {
      part.remove_prefix(std::min(part.find_first_not_of('_'), part.size()));
      name_.function = part;
    }
  }

  JaxName& name_;
};

/// The scopes that all parts with scopes have in common, from the outside. Constants and
/// conversions often have none.
std::vector<std::string_view> common_scopes(const JaxName& own, std::span<const JaxName> parts) {
  std::optional<std::vector<std::string_view>> common;
  const auto narrow = [&](const JaxName& name) {
    if (name.scopes.empty()) return;
    if (!common) {
      common = name.scopes;
      return;
    }
    const auto [end, other] = std::ranges::mismatch(*common, name.scopes);
    common->erase(end, common->end());
  };
  if (own.is_of_program) narrow(own);
  for (const JaxName& part : parts) narrow(part);
  return common && !common->empty() ? *common : own.scopes;
}

std::string joined(const std::vector<std::string_view>& words, char separator) {
  std::string text;
  for (const std::string_view word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

/// The one function of JAX's own that all are part of.
std::string_view common_function(const JaxName& own, std::span<const JaxName> parts) {
  const auto is_other = [&](const JaxName& part) { return part.function != own.function; };
  return std::ranges::any_of(parts, is_other) ? std::string_view() : own.function;
}

std::string word_of(const JaxName& own, std::span<const JaxName> parts) {
  std::vector<std::string_view> computing, arranging;
  const auto add = [&](const JaxName& name) {
    if (name.primitive.empty()) return;
    auto& words = has_word(kArranging, name.primitive) ? arranging : computing;
    if (std::ranges::find(words, name.primitive) == words.end()) words.push_back(name.primitive);
  };
  for (const JaxName& part : parts) add(part);
  add(own);
  std::vector<std::string_view>& words = computing.empty() ? arranging : computing;
  if (words.size() == 1) return std::string(words.front());
  if (const std::string_view function = common_function(own, parts); !function.empty()) {
    return std::string(function);
  }
  if (words.empty()) return {};
  const bool is_long = words.size() > kMaxFused;
  if (is_long) words.resize(kMaxFused);
  return "fused: " + joined(words, '+') + (is_long ? "+.." : "");
}

/// The direction of the result. Where its name has none, the one that all other names share.
Direction direction_of(const JaxName& own, std::span<const JaxName> parts) {
  if (own.direction != Direction::kNone || parts.empty()) return own.direction;
  Direction all = Direction::kNone;
  for (const JaxName& part : parts) {
    if (part.direction == Direction::kNone) return Direction::kNone;
    if (all != Direction::kNone && all != part.direction) return Direction::kNone;
    all = part.direction;
  }
  return all;
}

}  // namespace

JaxName read_jax_name(std::string_view name, bool ends_in_primitive) {
  JaxName made;
  if (name.size() > kMaxJaxNameBytes) return made;
  JaxNameReader reader(made);
  for (bool is_first = true; !name.empty(); is_first = false) {
    const std::string_view part = next_name_part(name);
    const std::string_view word = without_parameters(part);
    const bool is_last = name.empty();
    const bool is_known = has_word(kPrimitives, word);
    const bool is_name = !word.empty() && word.find('(') == std::string_view::npos;
    if (is_last && is_name && (ends_in_primitive || is_known)) {
      made.primitive = word;
    } else {
      reader.read_part(part, is_first);
    }
  }
  return made;
}

JaxOp join_jax_names(const JaxName& own, std::span<const JaxName> parts) {
  JaxOp made;
  made.word = word_of(own, parts);
  made.names.layer = joined(common_scopes(own, parts), ':');
  made.names.direction = direction_of(own, parts);
  made.names.is_recomputed = own.is_recomputed && made.names.direction == Direction::kBprop;
  return made;
}

}  // namespace prof::dialects
