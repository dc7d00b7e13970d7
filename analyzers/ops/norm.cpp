// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Normalization layers. `add_layer_norm` and `add_rms_norm` add a residual first and also return
// the sum.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

struct NormCounting {
  std::string_view word;
  double forward, backward;
  double weight = 0;  // of `backward`: for the gradients of weight and bias
};

constexpr NormCounting kNormCountings[] = {
    {"layer_norm", 8, 14, 4},   {"group_norm", 8, 14, 4}, {"batch_norm", 8, 14},
    {"instance_norm", 8, 14},   {"rms_norm", 4, 10, 3},   {"add_layer_norm", 9, 14, 4},
    {"add_rms_norm", 5, 10, 3}, {"weight_norm", 3, 5},  // square and add, scale; dg: 2, dv: scale,
                                                        // scale, subtract
};

/// PyTorch's ops with given statistics.
bool is_inference(const OpDesc& op) {
  if (word(op, "mode") == "inference") return true;
  return has_attr(op, "training") && !flag(op, "training");
}

/// Whether a backward op computes that one of the gradients of x, weight and bias.
bool asks_for(const OpDesc& op, std::size_t gradient) {
  const auto mask = sizes(op, "output_mask", 3);
  return !mask || (*mask)[gradient] != 0;
}

NormCounting counting_of(const OpDesc& op) {
  for (const NormCounting& known : kNormCountings) {
    if (known.word == model_word(op)) return known;
  }
  return kNormCountings[0];
}

OpFacts evaluate_norm(const OpDesc& op) {
  OpFacts facts;
  const Tensor* main = input(op, std::size_t{0});
  if (main == nullptr) return facts;
  const std::string_view name = model_word(op);
  const NormCounting count = counting_of(op);
  const bool backward = op.direction == Direction::kBprop;
  // With given statistics, only subtract, scale, weight and bias remain.
  const bool inference = name == "batch_norm" && is_inference(op);
  const double of_part = op.part == Part::kWeight ? count.weight
                         : op.part == Part::kData ? count.backward - count.weight
                                                  : count.backward;
  const double each = backward ? of_part : inference ? 4 : count.forward;
  facts.params = main_params(op);
  facts.cost = cost(each * elements(main->shape), traffic(op), Basis::kEstimated);
  return facts;
}

/// The result; in the backward pass also the gradients of weight and bias, if the op has them.
void complete_norm(OpDesc& op) {
  const bool backward = op.direction == Direction::kBprop;
  if (!backward || asks_for(op, 0)) complete_like_first(op);
  const Tensor* x = input(op, std::size_t{0});
  if (!backward && x != nullptr && model_word(op).starts_with("add_")) {
    const DType dtype = x->dtype;
    add_output(op, "sum", Shape(x->shape), dtype);
  }
  if (!backward) return;
  for (const std::string_view name : {"weight", "bias"}) {
    const Tensor* parameter = input(op, name);
    if (parameter == nullptr || !asks_for(op, name == "weight" ? 1 : 2)) continue;
    const DType dtype = parameter->dtype;
    add_output(op, std::string("d").append(name), Shape(parameter->shape), dtype);
  }
  // PyTorch's backward ops for these do not take the bias, but return its gradient.
  const std::string_view norm = model_word(op);
  const Tensor* weight = input(op, "weight");
  if (!has_shapes_only(op) || weight == nullptr || input(op, "bias") != nullptr) return;
  if ((norm != "batch_norm" && norm != "group_norm") || !asks_for(op, 2)) return;
  const DType dtype = weight->dtype;
  add_output(op, "dbias", Shape(weight->shape), dtype);
}

/// Where the gradients of weight and bias have kernels of their own, these read dy and x once more.
std::optional<GradientOps> norm_gradients(const OpDesc& op) {
  const Tensor* weight = input(op, "weight");
  const bool has_both = counting_of(op).weight > 0 && weight != nullptr && asks_for(op, 0);
  if (op.direction != Direction::kBprop || !has_both) return std::nullopt;
  if (!asks_for(op, 1) && !asks_for(op, 2)) return std::nullopt;
  OpDesc whole = op;
  if (output(op, std::size_t{0}) == nullptr) complete_norm(whole);
  if (output(whole, "dweight") == nullptr && output(whole, "dbias") == nullptr) return std::nullopt;
  GradientOps made;
  made.is_stated = has_attr(op, "output_mask");
  made.in_order = false;
  OpDesc data = whole;
  data.part = Part::kData;
  std::erase_if(data.tensors, [](const Tensor& tensor) {
    return tensor.name == "bias" || tensor.name == "dweight" || tensor.name == "dbias";
  });
  OpDesc parameters = std::move(whole);
  parameters.part = Part::kWeight;
  std::erase_if(parameters.tensors, [&](const Tensor& tensor) {
    if (is_output(tensor)) return tensor.name != "dweight" && tensor.name != "dbias";
    return tensor.name == "weight" || tensor.name == "bias";
  });
  made.of[static_cast<std::size_t>(Part::kData)] = std::move(data);
  made.of[static_cast<std::size_t>(Part::kWeight)] = std::move(parameters);
  return made;
}

}  // namespace

void register_norm(Registry& registry);
void register_norm(Registry& registry) {
  registry.add({
      .name = "norm",
      .formulas =
          {
              {"layer_norm group_norm instance_norm",
               "8E: mean 1, deviation 1, square and add 2, scale 1, weight and bias 2, and 1 for "
               "the statistics",
               "14E", "in + out", "estimated"},
              {"batch_norm", "8E; attr `mode`=inference or `training` false: 4E", "14E", "in + out",
               "estimated"},
              {"add_layer_norm", "9E", "14E", "in + out", "estimated"},
              {"rms_norm", "4E", "10E", "in + out", "estimated"},
              {"add_rms_norm", "5E", "10E", "in + out", "estimated"},
              {"weight_norm", "3E", "5E", "in + out", "estimated"},
          },
      .notes =
          "E: elements of the first input. Attr `output_mask` states which of the gradients of "
          "x, weight and bias a backward op computes; without it, all. Where the kernels of a "
          "layer, group or RMS norm are known by name, those for weight and bias have 4E (RMS 3E) "
          "of "
          "the FLOPs, and read dy and x once more.",
      .evaluate = evaluate_norm,
      .complete = complete_norm,
      .gradients = norm_gradients,
      .no_product = true,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"layer_norm","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[64,256],"dtype":"float16"},
              {"name":"weight","role":"in","type":"tensor","shape":[256],"dtype":"float32"},
              {"name":"bias","role":"in","type":"tensor","shape":[256],"dtype":"float32"},
              {"name":"y","role":"out","type":"tensor","shape":[64,256],"dtype":"float16"}]})",
               "T=(64,256)", std::nullopt, 131072, 67584, Basis::kEstimated},
              {R"({"v":1,"mod":"prof","op":"add_layer_norm","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[64,256],"dtype":"bfloat16"},
              {"name":"residual","role":"in","type":"tensor","shape":[64,256],"dtype":"bfloat16"},
              {"name":"weight","role":"in","type":"tensor","shape":[256],"dtype":"bfloat16"},
              {"name":"bias","role":"in","type":"tensor","shape":[256],"dtype":"bfloat16"},
              {"name":"sum","role":"out","type":"tensor","shape":[64,256],"dtype":"bfloat16"},
              {"name":"y","role":"out","type":"tensor","shape":[64,256],"dtype":"bfloat16"}]})",
               "T=(64,256)", std::nullopt, 147456, 132096, Basis::kEstimated},
              {R"({"v":1,"mod":"prof","op":"rms_norm","dir":"bprop","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[64,256],"dtype":"float16"},
              {"name":"x","role":"in","type":"tensor","shape":[64,256],"dtype":"float16"},
              {"name":"dx","role":"out","type":"tensor","shape":[64,256],"dtype":"float16"}]})",
               "T=(64,256)", std::nullopt, 163840, 98304, Basis::kEstimated},
              {"aten::native_layer_norm, sizes = [[4, 128, 1024], [], [1024], [1024], []]",
               "T=(4,128,1024)", std::nullopt, 4194304, 2.0 * (2 * 524288 + 2 * 1024),
               Basis::kEstimated, DType::kFloat16},
              {"aten::native_group_norm, sizes = [[2, 8, 4, 4], [8], [8], [], [], [], [], []]",
               "T=(2,8,4,4)", std::nullopt, 2048, std::nullopt, Basis::kEstimated},
              {"aten::cudnn_batch_norm_backward, sizes = [[2, 8, 4, 4], [2, 8, 4, 4], [8], [8], "
               "[8], [8], [8], [], [0]]",
               "T=(2,8,4,4)", std::nullopt, 3584, 4.0 * (3 * 256 + 5 * 8 + 2 * 8),
               Basis::kEstimated, DType::kFloat32},
              {"aten::_fused_rms_norm_backward, sizes = [[8, 16], [8, 16], [], [8, 1], [16], []]",
               "T=(8,16)", std::nullopt, 1280, 4.0 * (3 * 128 + 8 + 2 * 16), Basis::kEstimated,
               DType::kFloat32},
              {R"({"op":"aten::batch_norm","args":[{"shape":[2,8,4,4],"dtype":"float32"},
              {"shape":[8],"dtype":"float32"},{"shape":[8],"dtype":"float32"},
              {"shape":[8],"dtype":"float32"},{"shape":[8],"dtype":"float32"},{"value":false},
              {"value":0.1},{"value":1e-05},{"value":true}]})",
               "T=(2,8,4,4)", std::nullopt, 4 * 256, 4.0 * (2 * 256 + 4 * 8), Basis::kEstimated},
              // x needs no gradient.
              {R"({"op":"aten::native_layer_norm_backward","args":[
              {"shape":[4,16],"dtype":"float32"},{"shape":[4,16],"dtype":"float32"},{"value":[16]},
              {"shape":[4,1],"dtype":"float32"},{"shape":[4,1],"dtype":"float32"},
              {"shape":[16],"dtype":"float32"},{"shape":[16],"dtype":"float32"},
              {"value":[false,true,true]}]})",
               "T=(4,16)", std::nullopt, 14 * 64, 4.0 * (2 * 64 + 2 * 4 + 2 * 16 + 2 * 16),
               Basis::kEstimated},
          },
  });
}

}  // namespace prof::ops
