// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// torchvision's ops on regions of interest: rows of `rois` (or boxes) are (image, x1, y1, x2, y2)
// or (x1, y1, x2, y2). How much of the input they cover, and how often, depends on their values.
#include <algorithm>
#include <utility>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

/// Overlap of two boxes: 4 extremes, 2 lengths that are not below 0, 3 areas of 1 and 3 and 3, the
/// union of them, and the comparison with the threshold times that.
constexpr double kOverlap = 19;
/// Bilinear interpolation: 4 products and 3 sums.
constexpr double kBilinear = 7;

/// Points that are sampled for an element of the result, along both axes; one at least.
double samples(const OpDesc& op) {
  const double along = number(op, "sampling_ratio").value_or(0);
  return along > 0 ? along * along : 1;
}

OpFacts evaluate_nms(const OpDesc& op) {
  OpFacts facts;
  const Tensor* boxes = input_or(op, "boxes", 0);
  if (boxes == nullptr || boxes->shape.size() != 2) return facts;
  const auto count = static_cast<double>(boxes->shape[0]);
  // The number of boxes kept, and so the bytes written, depends on their values.
  facts.cost = cost(kOverlap * count * (count - 1) / 2, {input_bytes(op), 0}, Basis::kEstimated);
  return facts;
}

/// FLOPs for an element of the result, or of its gradient.
double each_of_region(const OpDesc& op) {
  const std::string_view name = model_word(op);
  if (name == "roi_pool") return 1;
  if (name == "ps_roi_pool") return 2;
  return (kBilinear + 1) * samples(op) + 1;
}

OpFacts evaluate_regions(const OpDesc& op) {
  OpFacts facts;
  const Tensor* result = is_backward(op) ? input_or(op, "dy", 0) : output(op, std::size_t{0});
  const Tensor* whole = is_backward(op) ? output(op, "dx") : input_or(op, "x", 0);
  if (result == nullptr) return facts;
  const double count = elements(result->shape);
  Traffic moved = traffic(op);
  const bool aligns = model_word(op).ends_with("align");
  const auto size = whole == nullptr ? std::nullopt : tensor_bytes(*whole);
  if (size && whole->shape.size() == 4) {
    const double reached = count * (aligns ? 4 * samples(op) : 1);
    const double touched = *size * std::min(1.0, reached / std::max(1.0, elements(whole->shape)));
    if (moved.read) *moved.read += is_backward(op) ? touched : touched - *size;
    if (moved.written && is_backward(op)) *moved.written += touched - *size;
  }
  facts.cost = cost(each_of_region(op) * count, moved, Basis::kEstimated);
  return facts;
}

/// 2·E(y)·C/g·R·S of the product, and the samples that it takes the place of its windows.
OpFacts evaluate_deformed(const OpDesc& op) {
  OpFacts facts;
  const Tensor* x = input(op, "x");
  const Tensor* weight = input(op, "weight");
  const Tensor* y = is_backward(op) ? input(op, "dy") : output(op, std::size_t{0});
  if (x == nullptr || weight == nullptr || y == nullptr || x->shape.size() != 4 ||
      weight->shape.size() != 4 || y->shape.size() != 4 || weight->shape[0] < 1) {
    return facts;
  }
  const double product =
      2 * elements(y->shape) * elements(weight->shape) / static_cast<double>(weight->shape[0]);
  const double places = elements(y->shape) / std::max(1.0, static_cast<double>(y->shape[1]));
  const double windows = elements({weight->shape[2], weight->shape[3]});
  const double sampled = places * static_cast<double>(x->shape[1]) * windows;
  const double each = kBilinear + (flag(op, "use_mask") ? 1 : 0);
  const double passes = is_backward(op) ? 2 : 1;
  const double bias = input(op, "bias") != nullptr ? elements(y->shape) : 0;
  facts.cost = cost(passes * (product + each * sampled) + bias, traffic(op), Basis::kEstimated);
  return facts;
}

OpFacts evaluate_detection(const OpDesc& op) {
  const std::string_view name = model_word(op);
  return name == "nms"             ? evaluate_nms(op)
         : name == "deform_conv2d" ? evaluate_deformed(op)
                                   : evaluate_regions(op);
}

/// One number for each of these attributes; nullopt if one is missing or negative.
std::optional<Shape> stated_sizes(const OpDesc& op, std::initializer_list<std::string_view> keys) {
  Shape shape;
  for (const std::string_view key : keys) {
    const auto one = sizes(op, key, 1);
    if (!one || (*one)[0] < 0) return std::nullopt;
    shape.push_back((*one)[0]);
  }
  return shape;
}

void complete_regions(OpDesc& op) {
  if (is_backward(op)) {
    const Tensor* dy = input_or(op, "dy", 0);
    auto shape = stated_sizes(op, {"batch_size", "channels", "height", "width"});
    if (dy == nullptr || !shape) return;
    const DType dtype = dy->dtype;
    return add_output(op, "dx", *std::move(shape), dtype);
  }
  const Tensor* x = input_or(op, "x", 0);
  const Tensor* rois = input_or(op, "rois", 1);
  const auto bins = stated_sizes(op, {"pooled_height", "pooled_width"});
  if (x == nullptr || rois == nullptr || !bins || x->shape.size() != 4 || rois->shape.empty()) {
    return;
  }
  const std::string_view name = model_word(op);
  const bool is_by_position = name.starts_with("ps_");
  const double bin_count = elements(*bins);
  if (is_by_position && bin_count < 1) return;
  std::int64_t channels = x->shape[1];
  if (is_by_position)
    channels = static_cast<std::int64_t>(static_cast<double>(channels) / bin_count);
  const Shape shape = {rois->shape[0], channels, (*bins)[0], (*bins)[1]};
  const DType dtype = x->dtype;
  add_output(op, "y", shape, dtype);
  // The places of the maxima, or the channels that were read.
  if (name != "roi_align") add_output(op, "indices", shape, DType::kInt32);
}

void complete_deformed(OpDesc& op) {
  const Tensor* x = input(op, "x");
  const Tensor* weight = input(op, "weight");
  const Tensor* offset = input(op, "offset");
  if (x == nullptr || weight == nullptr || offset == nullptr) return;
  if (is_backward(op)) {
    for (const std::string_view name : {"x", "weight", "offset", "mask", "bias"}) {
      const Tensor* operand = input(op, name);
      if (operand == nullptr || (name == "mask" && !flag(op, "use_mask"))) continue;
      const Tensor like = *operand;
      add_output(op, std::string("d").append(name), like.shape, like.dtype);
    }
    return;
  }
  if (weight->shape.size() != 4 || offset->shape.size() != 4 || x->shape.empty()) return;
  const DType dtype = x->dtype;
  add_output(op, "y", {x->shape[0], weight->shape[0], offset->shape[2], offset->shape[3]}, dtype);
}

void complete_detection(OpDesc& op) {
  const std::string_view name = model_word(op);
  if (name == "nms") return;
  if (name == "deform_conv2d") return complete_deformed(op);
  complete_regions(op);
}

}  // namespace

void register_detection(Registry& registry);
void register_detection(Registry& registry) {
  registry.add({
      .name = "detection",
      .formulas =
          {
              {"nms", "19 for each pair of boxes", "-", "in (which boxes are kept is not known)",
               "estimated"},
              {"roi_align ps_roi_align", "(8·s² + 1)·E: s² samples, 7 each, and their mean",
               "(8·s² + 1)·E(dy)",
               "rois, E·s written; of x at most the 4·s² neighbors of each sample, of dx as many "
               "read and written",
               "estimated"},
              {"roi_pool ps_roi_pool",
               "E, E·2: one element of a window, and of a mean the division", "the same of dy",
               "likewise, one element of a window; `indices` written", "estimated"},
              {"deform_conv2d",
               "2·E(y)·C/g·R·S, + 7 for each of the N·P·Q·C·R·S samples, with attr `use_mask` 8; "
               "operand `bias`: + E(y)",
               "twice the forward", "in + out", "estimated"},
          },
      .notes = "s: attr `sampling_ratio`; without it, it depends on the sizes of the regions, and "
               "one sample counts. Attrs `pooled_height`, `pooled_width`, of a gradient "
               "`batch_size`, `channels`, `height`, `width` state the sizes.",
      .evaluate = evaluate_detection,
      .complete = complete_detection,
      .examples =
          {
              {R"({"op":"torchvision::nms","args":[{"shape":[1000,4],"dtype":"float32"},
              {"shape":[1000],"dtype":"float32"},{"value":0.7}]})",
               "T=[(1000,4),(1000)]", std::nullopt, 19.0 * 499500, 20000, Basis::kEstimated},
              {R"({"op":"torchvision::roi_align","args":[{"shape":[2,256,200,200],"dtype":"float32"},
              {"shape":[10,5],"dtype":"float32"},{"value":0.25},{"value":7},{"value":7},{"value":2},
              {"value":false}]})",
               "T=[(2,256,200,200),(10,5)]", std::nullopt, 33.0 * 125440,
               200 + 4 * 125440 + 4.0 * 16 * 125440, Basis::kEstimated},
              {R"({"op":"torchvision::roi_align","args":[{"shape":[2,256,10,10],"dtype":"float32"},
              {"shape":[10,5],"dtype":"float32"},{"value":0.25},{"value":7},{"value":7},{"value":0},
              {"value":false}]})",
               "T=[(2,256,10,10),(10,5)]", std::nullopt, 9.0 * 125440,
               200 + 4 * 125440 + 4.0 * 51200, Basis::kEstimated},
              {R"({"op":"torchvision::_roi_align_backward","args":[
              {"shape":[10,256,7,7],"dtype":"float32"},{"shape":[10,5],"dtype":"float32"},
              {"value":0.25},{"value":7},{"value":7},{"value":2},{"value":256},{"value":10},
              {"value":10},{"value":2},{"value":false}]})",
               "T=[(10,256,7,7),(10,5)]", std::nullopt, 33.0 * 125440,
               4 * 125440 + 200 + 2 * 4.0 * 51200, Basis::kEstimated},
              {R"({"op":"torchvision::ps_roi_align","args":[{"shape":[1,98,20,20],"dtype":"float32"},
              {"shape":[3,5],"dtype":"float32"},{"value":1.0},{"value":7},{"value":7},{"value":2}]})",
               "T=[(1,98,20,20),(3,5)]", std::nullopt, 33.0 * 294,
               60 + 4 * 16 * 294 + (4 + 4) * 294, Basis::kEstimated},
              {R"({"op":"torchvision::roi_pool","args":[{"shape":[1,8,20,20],"dtype":"float16"},
              {"shape":[3,5],"dtype":"float16"},{"value":1.0},{"value":7},{"value":7}]})",
               "T=[(1,8,20,20),(3,5)]", std::nullopt, 1176, 30 + 2 * 1176 + (2 + 4) * 1176,
               Basis::kEstimated},
              {R"({"op":"torchvision::_ps_roi_pool_backward","args":[
              {"shape":[3,2,7,7],"dtype":"float32"},{"shape":[3,5],"dtype":"float32"},
              {"shape":[3,2,7,7],"dtype":"int32"},{"value":1.0},{"value":7},{"value":7},{"value":1},
              {"value":98},{"value":20},{"value":20}]})",
               "T=[(3,2,7,7),(3,5),(3,2,7,7)]", std::nullopt, 2 * 294,
               (4 + 4) * 294 + 60 + 2 * 4 * 294, Basis::kEstimated},
              {R"({"op":"torchvision::deform_conv2d","args":[{"shape":[2,16,8,8],"dtype":"float32"},
              {"shape":[32,16,3,3],"dtype":"float32"},{"shape":[2,18,8,8],"dtype":"float32"},
              {"shape":[2,9,8,8],"dtype":"float32"},{"shape":[32],"dtype":"float32"},{"value":1},
              {"value":1},{"value":1},{"value":1},{"value":1},{"value":1},{"value":1},{"value":1},
              {"value":true}]})",
               "T=[(2,16,8,8),(32,16,3,3),(2,18,8,8),(2,9,8,8),(32)]", std::nullopt,
               2.0 * 4096 * 144 + 8.0 * 128 * 144 + 4096,
               4.0 * (2048 + 4608 + 2304 + 1152 + 32 + 4096), Basis::kEstimated},
          },
  });
}

}  // namespace prof::ops
