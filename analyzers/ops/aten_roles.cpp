// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ops/aten_roles.hpp"

#include <algorithm>

#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

constexpr std::string_view kPreparations[] = {
    "to",   "_to_copy", "copy", "clone",      "contiguous", "reshape",   "fill",
    "zero", "zeros",    "full", "zeros_like", "ones_like",  "new_zeros",
};

/// The preparations that only write a constant.
constexpr std::string_view kFills[] = {"fill",       "zero",      "zeros",    "full",
                                       "zeros_like", "ones_like", "new_zeros"};
/// A tensor's methods that convert its elements.
constexpr std::string_view kCasts[] = {"float", "double",  "half",   "bfloat16", "long",
                                       "int",   "short",   "char",   "byte",     "bool",
                                       "type",  "type_as", "cfloat", "cdouble"};

// clang-format off
/// CompositeImplicitAutograd in PyTorch's native_functions.yaml, as far as one op that it calls
/// makes the node of its result.
constexpr std::string_view kComposites[] = {
    "linear", "matmul", "einsum", "tensordot", "inner", "chain_matmul", "bilinear",
    "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
    "_convolution", "_convolution_mode", "scaled_dot_product_attention",
    "batch_norm", "instance_norm", "layer_norm", "group_norm", "rms_norm",
    "cross_entropy_loss", "nll_loss", "nll_loss_nd", "ctc_loss", "kl_div", "cosine_embedding_loss",
    "embedding_bag", "dropout", "feature_dropout", "alpha_dropout",
    "softmax", "log_softmax", "lstm", "gru", "rnn_tanh", "rnn_relu", "lstm_cell", "gru_cell",
    "max_pool1d", "max_pool2d", "max_pool3d", "adaptive_avg_pool1d", "adaptive_avg_pool2d",
    "adaptive_avg_pool3d", "adaptive_max_pool1d", "pad", "square", "norm", "where", "outer",
    "reshape", "flatten", "unflatten", "contiguous", "to", "type_as", "chunk", "narrow"};
// clang-format on

constexpr std::string_view kUpdates[] = {"_amp_", "_fused_adam", "_fused_sgd", "_fused_adagrad"};

template <typename Words>
bool has_canonical(const Words& words, std::string_view word) {
  return std::ranges::find(words, canonical_word(word)) != std::end(words);
}

}  // namespace

bool is_preparation(std::string_view word) {
  return has_canonical(kPreparations, word) || has_canonical(kCasts, word);
}

bool is_fill(std::string_view word) { return has_canonical(kFills, word); }

bool is_aten(std::string_view word) { return word.starts_with("aten::"); }

bool is_update(std::string_view word) {
  word = without_namespace(word);
  return std::ranges::any_of(kUpdates,
                             [&](std::string_view start) { return word.starts_with(start); });
}

bool changes_lists(std::string_view word) {
  word = without_namespace(word);
  return word.starts_with("_foreach_") && word.ends_with('_') && word != "_foreach_copy_" &&
         word != "_foreach_zero_";
}

bool is_composite(std::string_view word) {
  return is_aten(word) && has_canonical(kComposites, word);
}

}  // namespace prof::ops
