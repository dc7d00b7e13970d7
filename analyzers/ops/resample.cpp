// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Changes the resolution, or samples at given positions.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

struct ResampleCounting {
  std::string_view part;  ///< Part of the inner op's word, or attr `mode`.
  double each;            ///< FLOPs for each element of the result.
};

constexpr ResampleCounting kResampleCountings[] = {
    {"nearest", 0}, {"bilinear", 7}, {"bicubic", 35}, {"trilinear", 15}, {"linear", 3},
};

OpFacts evaluate_resample(const OpDesc& op) {
  OpFacts facts;
  const bool backward = op.direction == Direction::kBprop;
  const Tensor* y = backward ? input_or(op, "dy", 0) : output(op, std::size_t{0});
  facts.params = main_params(op);
  if (y == nullptr) return facts;
  double each = 7;  // grid_sample's default is bilinear
  for (const ResampleCounting& known : kResampleCountings) {
    const bool named =
        op.op.find(known.part) != std::string::npos || word(op, "mode") == known.part;
    if (named) {
      each = known.each;
      break;
    }
  }
  if (backward && each < 1) each = 1;  // several results use one element
  facts.cost = cost(each * elements(y->shape), traffic(op), Basis::kEstimated);
  return facts;
}

/// A number for all dimensions, or one for each: "1.5,2".
std::optional<std::vector<double>> numbers(const OpDesc& op, std::string_view key,
                                           std::size_t rank) {
  if (const auto one = number(op, key)) return std::vector<double>(rank, *one);
  std::string_view rest = word(op, key);
  std::vector<double> made;
  while (!rest.empty()) {
    double value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc{}) return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (rest.starts_with(',')) rest.remove_prefix(1);
    made.push_back(value);
  }
  if (made.size() != rank) return std::nullopt;
  return made;
}

/// From an attribute, `size` before `scale_factor` as in PyTorch.
std::optional<Shape> resized(const OpDesc& op, const Shape& x) {
  if (x.size() < 3) return std::nullopt;
  const std::size_t spatial = x.size() - 2;
  const auto size = sizes(op, "size", spatial);
  const auto factors = numbers(op, "scale_factor", spatial);
  Shape y = {x[0], x[1]};
  for (std::size_t i = 0; i < spatial; ++i) {
    double places = -1;
    if (size) {
      places = static_cast<double>((*size)[i]);
    } else if (factors) {
      places = std::floor(static_cast<double>(x[2 + i]) * (*factors)[i]);
    }
    if (!(places >= 0 && places < 1e15)) return std::nullopt;
    y.push_back(static_cast<std::int64_t>(places));
  }
  return y;
}

/// grid_sample's result has x's channels and the grid's positions.
void complete_resample(OpDesc& op) {
  const Tensor* x = input(op, "x");
  const Tensor* grid = input(op, "grid");
  if (grid == nullptr && op.direction == Direction::kBprop) {
    const Tensor* dy = input(op, "dy");
    if (dy == nullptr) return;
    const auto size = sizes(op, "input_size", dy->shape.size());
    if (!size || std::ranges::any_of(*size, [](std::int64_t one) { return one < 0; })) return;
    const DType dtype = dy->dtype;
    add_output(op, "dx", Shape(*size), dtype);
    return;
  }
  if (x != nullptr && grid == nullptr) {
    const DType dtype = x->dtype;
    if (auto y = resized(op, x->shape)) add_output(op, "y", std::move(*y), dtype);
    return;
  }
  if (x == nullptr || grid == nullptr || grid->shape.size() < 3 || x->shape.size() < 3) return;
  const Tensor source = *x;
  const Tensor places = *grid;
  if (op.direction == Direction::kBprop) {
    add_output(op, "dx", source.shape, source.dtype);
    add_output(op, "dgrid", places.shape, places.dtype);
    return;
  }
  Shape shape = {source.shape[0], source.shape[1]};
  shape.insert(shape.end(), places.shape.begin() + 1, places.shape.end() - 1);
  add_output(op, "y", std::move(shape), source.dtype);
}

}  // namespace

void register_resample(Registry& registry);
void register_resample(Registry& registry) {
  registry.add({
      .name = "resample",
      .formulas =
          {
              {"interpolate grid_sample",
               "nearest 0; linear 3E, bilinear 7E, trilinear 15E: the weights' products and sums; "
               "bicubic 35E",
               "the same; nearest E (of dy)", "in + out", "estimated"},
          },
      .notes = "The kind is attr `mode`, or part of the name of PyTorch's inner op. Computing "
               "the weights is not counted. The size of the result is that of the tensor, "
               "otherwise it follows from attr `size` (a number, or one per dimension: 9,7) or "
               "`scale_factor` (likewise); of a gradient from attr `input_size`.",
      .evaluate = evaluate_resample,
      .complete = complete_resample,
      .no_product = true,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"interpolate","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[2,8,8,8],"dtype":"float16"},
              {"name":"y","role":"out","type":"tensor","shape":[2,8,16,16],"dtype":"float16"}],
              "attrs":{"mode":"bilinear"}})",
               "T=(2,8,8,8)", std::nullopt, 7 * 4096, 2 * (1024 + 4096), Basis::kEstimated},
              {"aten::upsample_nearest2d_backward, sizes = [[2, 8, 16, 16], [], [], [], []]",
               "T=(2,8,16,16)", std::nullopt, 4096, std::nullopt, Basis::kEstimated},
              {"aten::upsample_bilinear2d, sizes = [[2, 8, 9, 8], [], [], []]", "T=(2,8,9,8)",
               std::nullopt, 7 * 16 * 13 * 12, 2.0 * 16 * (72 + 156), Basis::kEstimated,
               DType::kFloat16,
               R"({"v":1,"mod":"prof","attrs_of":"interpolate","attrs":{"scale_factor":1.5}})"},
              {"aten::upsample_linear1d, sizes = [[2, 8, 9], [], [], []]", "T=(2,8,9)",
               std::nullopt, 3 * 16 * 7, std::nullopt, Basis::kEstimated, DType::kUnknown,
               R"({"v":1,"mod":"prof","attrs_of":"interpolate","attrs":{"size":7}})"},
              {"aten::grid_sampler_2d, sizes = [[2, 4, 8, 8], [2, 6, 6, 2], [], [], []]",
               "T=(2,4,8,8)", std::nullopt, 7 * 288, 4 * (512 + 144 + 288), Basis::kEstimated,
               DType::kFloat32},
              {R"({"op":"aten::upsample_bilinear2d","args":[{"shape":[2,8,9,8],"dtype":"float16"},
              null,{"value":false},{"value":[2.0,1.5]}]})",
               "T=(2,8,9,8)", std::nullopt, 7 * 16 * 18 * 12, 2.0 * 16 * (72 + 216),
               Basis::kEstimated},
              {R"({"op":"aten::upsample_nearest2d_backward","args":[
              {"shape":[2,8,16,16],"dtype":"float16"},{"value":[16,16]},{"value":[2,8,8,8]},null,
              null]})",
               "T=(2,8,16,16)", std::nullopt, 4096, 2.0 * (4096 + 1024), Basis::kEstimated},
          },
  });
}

}  // namespace prof::ops
