// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Pooling.
#include <algorithm>
#include <cmath>
#include <utility>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

bool is_max(std::string_view name) { return name.find("max") != std::string_view::npos; }
bool is_adaptive(std::string_view name) { return name.starts_with("adaptive"); }

/// Number of window dimensions: the digit in the word; 0: not a pooling op.
std::size_t dimensions(const OpDesc& op) {
  const std::string_view name = model_word(op);
  const auto digit = name.find_first_of("123");
  return digit == std::string_view::npos ? 0 : static_cast<std::size_t>(name[digit] - '0');
}

/// Elements under one window, and whether all windows are the same size.
struct Window {
  double elements = 0;
  bool exact = true;
};

std::optional<Window> window(const OpDesc& op, const Tensor& x, const Tensor& y) {
  if (is_adaptive(model_word(op))) {
    const double results = elements(y.shape);
    if (results < 1 || x.shape.size() != y.shape.size()) return std::nullopt;
    // If the sizes do not divide evenly, windows overlap.
    bool exact = true;
    for (std::size_t i = 0; i < x.shape.size(); ++i) {
      exact = exact && y.shape[i] > 0 && x.shape[i] % y.shape[i] == 0;
    }
    return Window{elements(x.shape) / results, exact};
  }
  const auto kernel = sizes(op, "kernel_size", dimensions(op));
  if (!kernel || std::ranges::any_of(*kernel, [](std::int64_t size) { return size < 1; })) {
    return std::nullopt;
  }
  return Window{elements(*kernel), true};
}

/// The traffic of the op. Some of PyTorch's backward ops of max pooling write only the maxima, into
/// zeros that an op of its own has written.
Traffic moved_by(const OpDesc& op, const Tensor* dy) {
  Traffic moved = traffic(op);
  const std::string_view name = model_word(op);
  const bool only_maxima = is_max(name) && (is_adaptive(name) || name == "max_pool3d");
  if (op.direction == Direction::kBprop && has_shapes_only(op) && only_maxima && dy != nullptr) {
    moved.written = whole_bytes(*dy);
  }
  return moved;
}

OpFacts evaluate_pooling(const OpDesc& op) {
  OpFacts facts;
  const bool backward = op.direction == Direction::kBprop;
  const std::string_view name = model_word(op);
  facts.params = main_params(op);
  const Tensor* y = backward ? input_or(op, "dy", 0) : output(op, std::size_t{0});
  const Tensor* x = backward ? output(op, std::size_t{0}) : input_or(op, "x", 0);
  if (x == nullptr) return facts;
  std::optional<double> flops;
  Basis basis = Basis::kExact;
  if (y != nullptr && backward && is_max(name)) {
    flops = elements(y->shape);  // added at the maximum's position
    basis = Basis::kEstimated;
  } else if (y != nullptr) {
    const auto under = window(op, *x, *y);
    if (under) {
      flops = elements(y->shape) * (under->elements + (is_max(name) ? 0 : 1));
      if (!under->exact) basis = Basis::kEstimated;
    }
  }
  facts.cost = cost(flops, moved_by(op, y), basis);
  return facts;
}

/// The result's size in one dimension, as in PyTorch's pooling_shape.h; nullopt: invalid.
std::optional<std::int64_t> places(std::int64_t in, std::int64_t kernel, std::int64_t stride,
                                   std::int64_t padding, std::int64_t dilation, bool ceil_mode) {
  if (stride < 1) return std::nullopt;
  const double step = static_cast<double>(stride);
  const double room = static_cast<double>(in) + 2 * static_cast<double>(padding) -
                      static_cast<double>(dilation) * (static_cast<double>(kernel) - 1) - 1;
  double out = (ceil_mode ? std::ceil(room / step) : std::floor(room / step)) + 1;
  // No window begins in the right padding.
  if (ceil_mode && (out - 1) * step >= static_cast<double>(in) + static_cast<double>(padding))
    --out;
  if (!(out >= 0 && out < 1e15)) return std::nullopt;
  return static_cast<std::int64_t>(out);
}

/// For an op whose attributes determine it; x is ([N,] C, spatial...).
std::optional<Shape> result_shape(const OpDesc& op, const Tensor& x) {
  const std::size_t spatial = dimensions(op);
  if (spatial == 0 || x.shape.size() <= spatial || x.shape.size() > spatial + 2)
    return std::nullopt;
  Shape y = x.shape;
  const std::size_t first = y.size() - spatial;
  if (is_adaptive(model_word(op))) {
    const auto wanted = sizes(op, "output_size", spatial);
    if (!wanted || std::ranges::any_of(*wanted, [](std::int64_t size) { return size < 0; })) {
      return std::nullopt;
    }
    std::copy(wanted->begin(), wanted->end(), y.begin() + static_cast<std::ptrdiff_t>(first));
    return y;
  }
  const auto kernel = sizes(op, "kernel_size", spatial);
  // PyTorch's default, an empty list: as large as the window.
  const bool abutting =
      has_attr(op, "stride") && !number(op, "stride") && word(op, "stride").empty();
  const auto stride = abutting ? kernel : sizes(op, "stride", spatial);
  const auto padding = sizes(op, "padding", spatial);
  const auto dilation =
      has_attr(op, "dilation") ? sizes(op, "dilation", spatial) : std::optional(Shape(spatial, 1));
  if (!kernel || !stride || !padding || !dilation || !has_attr(op, "ceil_mode"))
    return std::nullopt;
  for (std::size_t i = 0; i < spatial; ++i) {
    const auto size = places(y[first + i], (*kernel)[i], (*stride)[i], (*padding)[i],
                             (*dilation)[i], nonzero(op, "ceil_mode"));
    if (!size) return std::nullopt;
    y[first + i] = *size;
  }
  return y;
}

/// The gradient has x's shape; the result's size follows from the attributes.
void complete_pooling(OpDesc& op) {
  const Tensor* x = input(op, "x");
  if (x == nullptr) return;
  const DType dtype = x->dtype;
  if (op.direction == Direction::kBprop) {
    add_output(op, "dx", Shape(x->shape), dtype);
  } else if (auto y = result_shape(op, *x)) {
    // PyTorch's kernels also write where the maxima are, whether anyone asked for it or not.
    const bool with_indices = has_shapes_only(op) || flag(op, "with_indices");
    add_output(op, "y", Shape(*y), dtype);
    if (is_max(model_word(op)) && with_indices) {
      add_output(op, "indices", std::move(*y), DType::kInt64);
    }
  }
}

}  // namespace

void register_pooling(Registry& registry);
void register_pooling(Registry& registry) {
  registry.add({
      .name = "pooling",
      .formulas =
          {
              {"max_pool1d max_pool2d max_pool3d", "E·window comparisons", "E (of dy)",
               "in + out; PyTorch's also write int64 indices, which their backward ops read",
               "exact forward, estimated backward"},
              {"avg_pool1d avg_pool2d avg_pool3d", "E·(window + 1): additions and a division",
               "E·(window + 1), E of dy", "in + out", "exact"},
              {"adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d", "E(x)", "E (of dy)",
               "in + out, likewise", "exact or estimated forward, estimated backward"},
              {"adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d", "E(x) + E",
               "E(x) + E, E of dy", "in + out", "exact or estimated"},
          },
      .notes =
          "The window is attr `kernel_size` (a number, or one per dimension: 3,2). The size "
          "of the result is that of the tensor, otherwise it follows from attrs "
          "`kernel_size`, `stride`, `padding`, `ceil_mode` and, if it is not 1, `dilation`, "
          "or for adaptive pooling from `output_size`. PyTorch's texts state none of them: "
          "unless a range around the op does (prof_torch's do), or an op fact, the forward op "
          "has no FLOPs. PyTorch's backward ops of adaptive and of three-dimensional max pooling "
          "write one number per maximum, into zeros. "
          "Adaptive pooling is exact if the sizes divide evenly.",
      .evaluate = evaluate_pooling,
      .complete = complete_pooling,
      .no_product = true,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"max_pool2d","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[2,8,16,16],"dtype":"float16"},
              {"name":"y","role":"out","type":"tensor","shape":[2,8,8,8],"dtype":"float16"}],
              "attrs":{"kernel_size":3}})",
               "T=(2,8,16,16)", std::nullopt, 1024 * 9, 2 * (4096 + 1024)},
              {R"({"v":1,"mod":"prof","op":"avg_pool2d","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[2,8,16,16],"dtype":"float16"},
              {"name":"y","role":"out","type":"tensor","shape":[2,8,8,16],"dtype":"float16"}],
              "attrs":{"kernel_size":"2,1"}})",
               "T=(2,8,16,16)", std::nullopt, 2048 * 3, 2 * (4096 + 2048)},
              {"aten::_adaptive_avg_pool2d_backward, sizes = [[2, 8, 1, 1], [2, 8, 16, 16]]",
               "T=(2,8,1,1)", std::nullopt, 4096 + 16, 2 * (16 + 4096), Basis::kExact,
               DType::kFloat16},
              {"aten::max_pool2d_with_indices_backward, sizes = [[2, 8, 8, 8], [2, 8, 16, 16], [], "
               "[], [], [], [], [2, 8, 8, 8]]",
               "T=(2,8,8,8)", std::nullopt, 1024, std::nullopt, Basis::kEstimated},
              {R"({"op":"aten::max_pool2d_with_indices_backward","args":[
              {"shape":[2,8,8,8],"dtype":"float16"},{"shape":[2,8,16,16],"dtype":"float16"},
              {"value":[2,2]},{"value":[2,2]},{"value":[0,0]},{"value":[1,1]},{"value":false},
              {"shape":[2,8,8,8],"dtype":"int64"}]})",
               "T=(2,8,8,8)", std::nullopt, 1024, 2.0 * 1024 + 8.0 * 1024 + 2.0 * 4096,
               Basis::kEstimated},
              {R"({"op":"aten::adaptive_max_pool2d_backward","args":[
              {"shape":[2,8,3,3],"dtype":"float16"},{"shape":[2,8,16,16],"dtype":"float16"},
              {"shape":[2,8,3,3],"dtype":"int64"}]})",
               "T=(2,8,3,3)", std::nullopt, 144, (2 + 8 + 2) * 144.0, Basis::kEstimated},
              {"aten::max_pool2d_with_indices, sizes = [[2, 8, 16, 16], [], [], [], [], []]",
               "T=(2,8,16,16)", std::nullopt, std::nullopt, std::nullopt, Basis::kUnknown},
              {"aten::max_pool2d, sizes = [[2, 8, 16, 15], [], [], [], [], []]", "T=(2,8,16,15)",
               std::nullopt, 16.0 * 8 * 8 * 9, 2.0 * 16 * 240 + (2 + 8) * 16.0 * 64, Basis::kExact,
               DType::kFloat16,
               R"({"v":1,"mod":"prof","attrs_of":"max_pool2d","attrs":{"kernel_size":3,"stride":2,
               "padding":1,"dilation":1,"ceil_mode":false}})"},
              // One window more where a part of one is enough, but none that is all padding.
              {"aten::avg_pool1d, sizes = [[2, 8, 16], [], [], [], [], []]", "T=(2,8,16)",
               std::nullopt, 16.0 * 8 * 4, 2.0 * 16 * (16 + 8), Basis::kExact, DType::kFloat16,
               R"({"v":1,"mod":"prof","attrs_of":"avg_pool1d","attrs":{"kernel_size":"3",
               "stride":"2","padding":"0","ceil_mode":true}})"},
              {"aten::max_pool1d, sizes = [[2, 8, 4], [], [], [], [], []]", "T=(2,8,4)",
               std::nullopt, 16.0 * 2 * 2, 2.0 * 16 * 4 + (2 + 8) * 16.0 * 2, Basis::kExact,
               DType::kFloat16,
               R"({"v":1,"mod":"prof","attrs_of":"max_pool1d","attrs":{"kernel_size":2,"stride":4,
               "padding":1,"dilation":1,"ceil_mode":true}})"},
              {"aten::adaptive_avg_pool2d, sizes = [[2, 8, 7, 7], []]", "T=(2,8,7,7)", std::nullopt,
               784 + 64, 2.0 * (784 + 64), Basis::kEstimated, DType::kFloat16,
               R"({"v":1,"mod":"prof","attrs_of":"adaptive_avg_pool2d","attrs":{"output_size":2}})"},
              // As op facts state them; the stride is that of the window. 16 places of 4 elements
              // in each of 16 planes, a value and an int64 index each.
              {R"({"op":"aten::max_pool2d_with_indices","args":[
              {"shape":[2,8,8,9],"dtype":"float32"},{"value":[2,2]},{"value":[]},{"value":[0,0]},
              {"value":[1,1]},{"value":false}]})",
               "T=(2,8,8,9)", std::nullopt, 256.0 * 4, 4.0 * 16 * 72 + (4 + 8) * 256.0},
              {R"({"op":"aten::avg_pool2d","args":[{"shape":[2,8,8,8],"dtype":"float16"},
              {"value":[3,3]},{"value":[1,1]},{"value":[1,1]},{"value":false},{"value":true},
              null]})",
               "T=(2,8,8,8)", std::nullopt, 1024.0 * 10, 2.0 * 2048},
              {R"({"op":"aten::avg_pool2d_backward","args":[{"shape":[2,8,4,4],"dtype":"float16"},
              {"shape":[2,8,8,8],"dtype":"float16"},{"value":[2,2]},{"value":[2,2]},
              {"value":[0,0]},{"value":false},{"value":true},null]})",
               "T=(2,8,4,4)", std::nullopt, 256.0 * 5, 2.0 * (256 + 1024)},
              {R"({"op":"aten::adaptive_avg_pool2d","args":[{"shape":[2,8,6,6],"dtype":"float32"},
              {"value":[1,1]}]})",
               "T=(2,8,6,6)", std::nullopt, 576 + 16, 4.0 * (576 + 16)},
          },
  });
}

}  // namespace prof::ops
