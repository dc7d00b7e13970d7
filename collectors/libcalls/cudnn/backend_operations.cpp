// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/libcalls/cudnn/backend_operations.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace prof::collectors {
namespace {

using enum Operation;
using enum Weight;

// clang-format off
constexpr OperationForm kForms[] = {
    {kConvolutionForward, "conv_fprop", {704, 703}, {705},
     702, "cudnn::conv_fprop", "cudnn::conv_fprop_fused", nullptr, kProduct, 701},
    {kConvolutionBackwardData, "conv_dgrad", {709, 711}, {710},
     708, "cudnn::conv_dgrad", "cudnn::conv_dgrad_fused", "data", kProduct, 707},
    {kConvolutionBackwardFilter, "conv_wgrad", {716, 717}, {715},
     714, "cudnn::conv_wgrad", "cudnn::conv_wgrad_fused", "weight", kProduct, 713},
    {kMatmul, "matmul", {1520, 1521}, {1522},
     1523, "cudnn::matmul", "cudnn::matmul_fused", nullptr, kProduct},
    {kMoeGroupedMatmul, "moe_grouped_matmul", {2902, 2903, 2904, 2906, 2907}, {2905},
     0, "cudnn::moe_grouped_matmul", "", nullptr, kProduct},
    {kSdpaForward, "sdpa", {2800, 2801, 2802}, {2803, 2804},
     0, "cudnn::sdpa", "cudnn::sdpa", nullptr, kAttention},
    {kSdpaBackward, "sdpa_backward", {2862, 2851, 2852, 2853, 2854, 2855}, {2859, 2860, 2861},
     0, "cudnn::sdpa_backward", "cudnn::sdpa_backward", nullptr, kAttention},
    {kNormForward, "norm", {2002, 2005, 2006, 2009, 2010}, {2013, 2003, 2004, 2011, 2012},
     0, "", "", nullptr, kNorm},
    {kNormBackward, "norm_backward", {2104, 2101, 2102, 2103, 2105}, {2109, 2107, 2108},
     0, "", "", nullptr, kNorm},
    {kNormBackwardWeights, "bn_bwd_weights", {1625, 1624, 1621, 1622, 1623},
     {1626, 1627, 1628, 1629, 1630}, 0, "cudnn::bn_bwd_weights", "", nullptr, kStatistics},
    {kNormFinalize, "bn_finalize", {782, 783, 784, 785, 786, 787}, {788, 789, 790, 791, 792, 793},
     0, "cudnn::bn_finalize", "", nullptr, kStatistics},
    {kResampleForward, "resample", {1710}, {1711, 1712}, 1716, "", "", nullptr, kWindow},
    {kResampleBackward, "resample_backward", {1727, 1721, 1726, 1722}, {1720},
     1725, "", "", nullptr, kWindow},
    {kReduction, "reduce", {1610}, {1611}, 1612, "", "", nullptr, kSummary},
    {kGenStats, "genstats", {772}, {773, 774}, 0, "cudnn::genstats", "", nullptr, kSummary},
    {kConcat, "concat", {1801}, {1803}, 0, "cudnn::concat", "", nullptr, kMove},
    {kRng, "rng", {2311, 2313}, {2310}, 0, "cudnn::rng", "", nullptr, kMove},
    {kReshape, "reshape", {2200}, {2201}, 0, "cudnn::reshape", "", nullptr, kElement},
    {kPagedCacheLoad, "paged_cache_load", {1950, 1952, 1953}, {1951},
     0, "cudnn::paged_cache_load", "", nullptr, kElement},
    {kBlockScaleQuantize, "block_scale_quantize", {2500}, {2501, 2502},
     0, "cudnn::block_scale_quantize", "", nullptr, kElement},
    {kBlockScaleDequantize, "block_scale_dequantize", {2600, 2601}, {2602},
     0, "cudnn::block_scale_dequantize", "", nullptr, kElement},
    {kExpandBandMatrix, "expand_band_matrix", {2250}, {2251},
     0, "cudnn::expand_band_matrix", "", nullptr, kElement},
    {kContractBandMatrix, "contract_band_matrix", {2270}, {2271},
     0, "cudnn::contract_band_matrix", "", nullptr, kElement},
    {kSignal, "signal", {1903}, {1904}, 0, "cudnn::signal", "", nullptr, kElement},
    {kPointwise, "pointwise", {751, 752, 758, 757}, {753, 756}, 750, "", "", nullptr, kElement},
};

constexpr PointwiseMode kModes[] = {
    {0, "add", "cudnn::op_add"}, {1, "mul", "cudnn::op_mul"}, {2, "min", "cudnn::op_min"},
    {3, "max", "cudnn::op_max"}, {4, "sqrt"}, {5, "add_square"},
    {6, "div", "cudnn::op_div"}, {7, "mod"}, {8, "pow"}, {9, "sub", "cudnn::op_sub"}, {10, "abs"},
    {11, "ceil"}, {12, "cos"}, {13, "exp"}, {14, "floor"}, {15, "log"}, {16, "neg"}, {17, "rsqrt"},
    {18, "sin"}, {19, "tan"}, {20, "erf"}, {21, "identity", "cudnn::identity"}, {22, "reciprocal"},
    {23, "atan2"},
    {100, "relu", "cudnn::relu"}, {101, "tanh", "cudnn::tanh"}, {102, "sigmoid", "cudnn::sigmoid"},
    {103, "elu", "cudnn::elu"}, {104, "gelu", "cudnn::gelu"}, {105, "softplus", "cudnn::softplus"},
    {106, "swish", "cudnn::swish"}, {107, "gelu_tanh", "cudnn::gelu"},
    {200, "relu_backward"}, {201, "tanh_backward"}, {202, "sigmoid_backward"},
    {203, "elu_backward"}, {204, "gelu_backward"}, {205, "softplus_backward"},
    {206, "swish_backward"}, {207, "gelu_tanh_backward"},
    {300, "eq"}, {301, "ne"}, {302, "gt"}, {303, "ge"}, {304, "lt"}, {305, "le"},
    {400, "and"}, {401, "or"}, {402, "not"}, {501, "gen_index"}, {601, "select"},
};

constexpr NormMode kNorms[] = {
    {"cudnn::layer_norm", "cudnn::layer_norm_backward"},
    {"cudnn::instance_norm", "cudnn::instance_norm_backward"},
    {"cudnn::batch_norm", "cudnn::batch_norm_graph_backward"},
    {"cudnn::group_norm", "cudnn::group_norm_backward"},
    {"cudnn::rms_norm", "cudnn::rms_norm_backward"},
    {"cudnn::ada_layer_norm", "cudnn::ada_layer_norm_backward"},
};
constexpr NormMode kUnknownNorm = {"cudnn::norm", "cudnn::norm_backward"};

constexpr const char* kReductions[] = {
    "cudnn::reduce_sum", "cudnn::reduce_prod", "cudnn::reduce_min", "cudnn::reduce_max",
    "cudnn::reduce_amax", "cudnn::reduce_mean", "cudnn::reduce_norm1", "cudnn::reduce_norm2",
    "cudnn::reduce_prod"};
// clang-format on

}  // namespace

const OperationForm* form_of_operation(int type) {
  const auto* const found = std::ranges::find(kForms, Operation{type}, &OperationForm::type);
  return found == std::end(kForms) ? nullptr : found;
}

const PointwiseMode& pointwise_mode(std::int64_t mode) {
  const auto* const found = std::ranges::find(kModes, mode, &PointwiseMode::mode);
  return found == std::end(kModes) ? kUnknownMode : *found;
}

const NormMode& norm_mode(std::int64_t mode) {
  return mode >= 0 && mode < std::ssize(kNorms) ? kNorms[mode] : kUnknownNorm;
}

const char* reduction_op(std::int64_t mode) {
  return mode >= 0 && mode < std::ssize(kReductions) ? kReductions[mode] : "cudnn::reduce";
}

}  // namespace prof::collectors
