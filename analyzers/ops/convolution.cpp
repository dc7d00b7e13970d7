// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions in one, two and three dimensions, including transposed and grouped ones, and their
// three gradients. Weight is (out, in/groups, ...), transposed (in, out/groups, ...).
#include <algorithm>
#include <cmath>
#include <utility>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

/// The (N, channels, spatial...) tensors of one convolution. y is its result; dy has y's shape.
struct Sides {
  const Tensor* x = nullptr;
  const Tensor* weight = nullptr;
  const Tensor* y = nullptr;
};

Sides find_sides(const OpDesc& op) {
  Sides sides;
  const bool back = is_backward(op);
  sides.y = back ? input(op, "dy") : output(op, std::size_t{0});
  if (!back) {
    sides.x = input_or(op, "x", 0);
    sides.weight = input_or(op, "weight", 1);
    return sides;
  }
  sides.x = input(op, "x") != nullptr ? input(op, "x") : output(op, "dx");
  sides.weight = input(op, "weight") != nullptr ? input(op, "weight") : output(op, "dweight");
  if (sides.y == nullptr) sides.y = input(op, std::size_t{0});
  return sides;
}

/// Whether weight is (in, out/groups, ...): by the op's name, an attribute, or the channels.
bool transposed(const OpDesc& op, const Sides& sides) {
  if (op.op.find("transpose") != std::string::npos) return true;
  if (has_attr(op, "transposed")) return flag(op, "transposed");
  if (!has_shapes_only(op) || sides.x == nullptr || sides.y == nullptr) return false;
  const std::int64_t in = sides.x->shape[1], out = sides.y->shape[1];
  const std::int64_t first = sides.weight->shape[0];
  if (in != out) return first == in;
  return elements(sides.y->shape) > elements(sides.x->shape);
}

bool has_bias(const OpDesc& op) { return input(op, "bias") != nullptr; }

/// The gradients that a backward op computes.
struct Asked {
  bool data = true, weight = true, bias = false;
  bool stated = false;  // if not, assume the first two
};

Asked asked_gradients(const OpDesc& op) {
  if (op.part != Part::kNone)
    return {op.part == Part::kData, op.part == Part::kWeight, false, true};
  Asked made;
  made.stated =
      has_attr(op, "data_grad") && has_attr(op, "weight_grad") && has_attr(op, "bias_grad");
  if (has_attr(op, "data_grad")) made.data = flag(op, "data_grad");
  if (has_attr(op, "weight_grad")) made.weight = flag(op, "weight_grad");
  made.bias = flag(op, "bias_grad");
  if (const auto mask = sizes(op, "output_mask", 3)) {
    made = {(*mask)[0] != 0, (*mask)[1] != 0, (*mask)[2] != 0, true};
  }
  return made;
}

bool fit(const Sides& sides) {
  const std::size_t rank = sides.weight == nullptr ? 0 : sides.weight->shape.size();
  if (rank < 3 || rank > 5 || sides.weight->shape[0] == 0) return false;
  for (const Tensor* tensor : {sides.x, sides.y}) {
    if (tensor != nullptr && tensor->shape.size() != rank) return false;
  }
  return true;
}

/// FLOPs of one product: forward, or one gradient. Each element of the side whose channels are the
/// weight's first dimension is combined with all weights of that channel.
std::optional<double> product_flops(const OpDesc& op, const Sides& sides) {
  const Tensor* side = transposed(op, sides) ? sides.x : sides.y;
  if (side == nullptr) return std::nullopt;
  const double per_channel =
      elements(sides.weight->shape) / static_cast<double>(sides.weight->shape[0]);
  const double flops = is_complex(side->dtype) ? 8 : 2;
  return flops * elements(side->shape) * per_channel;
}

/// PyTorch's texts hide all of them; a source that states one states all that are not defaults, but
/// for a padding that is a word.
bool states_settings(const OpDesc& op) {
  constexpr std::string_view kSettings[] = {"stride", "padding", "dilation", "groups",
                                            "output_padding"};
  return !has_shapes_only(op) ||
         std::ranges::any_of(kSettings, [&](std::string_view key) { return has_attr(op, key); });
}

/// The attribute for each spatial dimension; a missing one has its default, unless it is hidden.
std::optional<Shape> setting(const OpDesc& op, std::string_view key, std::size_t spatial,
                             std::int64_t otherwise) {
  if (!has_attr(op, key)) {
    if (!states_settings(op)) return std::nullopt;
    if (key == "padding" && has_shapes_only(op)) return std::nullopt;
    return Shape(spatial, otherwise);
  }
  return sizes(op, key, spatial);
}

/// The weight's second dimension is what one group reads, or, transposed, what it writes; 0 if the
/// result's size is not known.
std::int64_t groups_of(const OpDesc& op, const Sides& sides) {
  const Tensor* side = transposed(op, sides) ? sides.y : sides.x;
  const std::int64_t in_group = sides.weight->shape[1];
  if (side != nullptr) return in_group > 0 ? side->shape[1] / in_group : 0;
  const auto stated = setting(op, "groups", 1, 1);
  return stated ? stated->front() : 0;
}

/// "N=32,C=3,H=224,W=224,K=16,P=112,Q=112,R=3,S=3", with g=groups; only W, Q, S in one dimension,
/// also D, O, T in three.
std::string print(const OpDesc& op, const Sides& sides) {
  if (sides.x == nullptr) return {};
  const std::size_t spatial = sides.weight->shape.size() - 2;
  std::string result = "N=" + std::to_string(sides.x->shape[0]);
  const auto add = [&](std::string_view names, const Shape& shape, std::size_t from) {
    for (std::size_t i = 0; i < spatial; ++i) {
      result += ',';
      result += names[3 - spatial + i];
      result += '=' + std::to_string(shape[from + i]);
    }
  };
  const bool turned = transposed(op, sides);
  result += ",C=" + std::to_string(sides.x->shape[1]);
  add("DHW", sides.x->shape, 2);
  if (sides.y != nullptr) {
    result += ",K=" + std::to_string(sides.y->shape[1]);
    add("OPQ", sides.y->shape, 2);
  } else if (!turned) {
    result += ",K=" + std::to_string(sides.weight->shape[0]);
  }
  add("TRS", sides.weight->shape, 2);
  const std::int64_t groups = groups_of(op, sides);
  if (groups > 1) result += ",g=" + std::to_string(groups);
  return result;
}

/// The share of a tensor that the windows reach: a stride beyond the window leaves out the rest.
double reached_share(const Shape& wide, const Shape& narrow, const Shape& weight) {
  double share = 1;
  for (std::size_t i = 2; i < weight.size(); ++i) {
    const auto whole = static_cast<double>(wide[i]);
    const double reached = static_cast<double>(narrow[i]) * static_cast<double>(weight[i]);
    if (reached < whole) share *= reached / whole;
  }
  return share;
}

/// An operand for a gradient that is not asked for. PyTorch passes both, under vmap the other one
/// as a number that is expanded.
bool is_unread(const OpDesc& op, const Tensor& operand) {
  if (!is_backward(op) || !is_input(operand)) return false;
  const Asked asked = asked_gradients(op);
  if (!asked.stated) return false;
  return (operand.name == "x" && !asked.weight) || (operand.name == "weight" && !asked.data);
}

/// All operands that are read, but of one that windows slide over only what they reach. As a result
/// it is written throughout.
Traffic moved(const OpDesc& op, const Sides& sides) {
  Traffic made = traffic(op);
  if (!made.read) return made;
  for (const Tensor& tensor : op.tensors) {
    if (is_unread(op, tensor)) *made.read -= tensor_bytes(tensor).value_or(0);
  }
  const bool turned = transposed(op, sides);
  const Tensor* wide = turned ? sides.y : sides.x;
  const Tensor* narrow = turned ? sides.x : sides.y;
  if (wide == nullptr || narrow == nullptr || !is_input(*wide)) return made;
  if (is_unread(op, *wide)) return made;
  const double share = reached_share(wide->shape, narrow->shape, sides.weight->shape);
  *made.read -= (1 - share) * tensor_bytes(*wide).value_or(0);
  return made;
}

OpFacts evaluate_convolution(const OpDesc& op) {
  OpFacts facts;
  const Sides sides = find_sides(op);
  if (op.part == Part::kBias && sides.y != nullptr) {
    facts.cost = cost(elements(sides.y->shape), traffic(op));
    return facts;
  }
  if (!fit(sides)) return facts;
  facts.params = print(op, sides);
  auto flops = product_flops(op, sides);
  Basis basis = Basis::kExact;
  if (flops && is_backward(op)) {
    const Asked asked = asked_gradients(op);
    flops = (asked.data ? *flops : 0) + (asked.weight ? *flops : 0);
    if (asked.bias && sides.y != nullptr) *flops += elements(sides.y->shape);
    if (!asked.stated) basis = Basis::kEstimated;
  }
  if (flops && !is_backward(op) && sides.y != nullptr) {
    const std::string_view epilogue = word(op, "epilogue");
    if (input(op, "bias") != nullptr) *flops += elements(sides.y->shape);
    if (epilogue.find("relu") != epilogue.npos) *flops += elements(sides.y->shape);
  } else if (flops && !is_backward(op) && input(op, "bias") != nullptr) {
    basis = Basis::kEstimated;  // transposed, unknown size: without the bias's additions
  }
  facts.cost = cost(flops, moved(op, sides), basis);
  return facts;
}

std::optional<Shape> result_shape(const OpDesc& op, const Sides& sides) {
  const Shape& x = sides.x->shape;
  const Shape& weight = sides.weight->shape;
  const std::size_t spatial = weight.size() - 2;
  const bool turned = transposed(op, sides);
  const auto stride = setting(op, "stride", spatial, 1);
  // PyTorch's words: "same" keeps the size (requires a stride of 1), "valid" means none.
  const std::string_view padded = word(op, "padding");
  const bool same = padded == "same";
  const auto padding =
      same || padded == "valid" ? Shape(spatial, 0) : setting(op, "padding", spatial, 0);
  const auto dilation = setting(op, "dilation", spatial, 1);
  const auto extra = turned ? setting(op, "output_padding", spatial, 0) : Shape(spatial, 0);
  const auto groups = setting(op, "groups", 1, 1);
  if (!stride || !padding || !dilation || !extra || !groups) return std::nullopt;
  const auto channels = turned ? product({weight[1], (*groups)[0]}, 0, 2) : weight[0];
  if (!channels || *channels < 0) return std::nullopt;
  Shape y = {x[0], *channels};
  for (std::size_t i = 0; i < spatial; ++i) {
    const auto in = static_cast<double>(x[2 + i]);
    const auto step = static_cast<double>((*stride)[i]);
    const double around = 2 * static_cast<double>((*padding)[i]);
    const double reach =
        static_cast<double>((*dilation)[i]) * (static_cast<double>(weight[2 + i]) - 1) + 1;
    if (step < 1) return std::nullopt;
    if (same && (turned || step > 1)) return std::nullopt;
    const double out = same ? in
                       : turned
                           ? (in - 1) * step - around + reach + static_cast<double>((*extra)[i])
                           : std::floor((in + around - reach) / step) + 1;
    if (!(out >= 0 && out < 1e15)) return std::nullopt;
    y.push_back(static_cast<std::int64_t>(out));
  }
  return y;
}

void complete_convolution(OpDesc& op) {
  const Sides sides = find_sides(op);
  if (!fit(sides) || sides.x == nullptr) return;
  if (!is_backward(op)) {
    auto shape = result_shape(op, sides);
    const DType dtype = sides.x->dtype;
    if (shape) add_output(op, "y", std::move(*shape), dtype);
    return;
  }
  const Tensor x = *sides.x;
  const Tensor weight = *sides.weight;
  const Shape bias = sides.y == nullptr ? Shape{} : Shape{sides.y->shape[1]};
  const Asked asked = asked_gradients(op);
  if (asked.data) add_output(op, "dx", x.shape, x.dtype);
  if (asked.weight) add_output(op, "dweight", weight.shape, weight.dtype);
  if (asked.bias && !bias.empty()) add_output(op, "dbias", bias, weight.dtype);
}

Tensor named(std::string name, Tensor::Role role, const Tensor& like) {
  Tensor made{std::move(name), role, like.dtype, like.shape};
  made.distinct = like.distinct;
  return made;
}

/// One gradient: dy and the other operand in, the gradient out.
OpDesc gradient(const OpDesc& op, const Sides& sides, Part part) {
  constexpr auto kIn = Tensor::Role::kIn;
  constexpr auto kOut = Tensor::Role::kOut;
  OpDesc made;
  made.op = "convolution";
  made.direction = Direction::kBprop;
  made.part = part;
  made.attrs["transposed"] = transposed(op, sides);
  made.tensors.push_back(named("dy", kIn, *sides.y));
  if (part == Part::kBias) {
    made.tensors.push_back({"dbias", kOut, sides.weight->dtype, {sides.y->shape[1]}});
  } else {
    const bool data = part == Part::kData;
    made.tensors.push_back(data ? named("weight", kIn, *sides.weight) : named("x", kIn, *sides.x));
    made.tensors.push_back(data ? named("dx", kOut, *sides.x)
                                : named("dweight", kOut, *sides.weight));
  }
  return made;
}

/// A forward op states its tensors, a backward op also which gradients it computes. The bias is
/// summed up by an op of its own.
std::optional<GradientOps> convolution_gradients(const OpDesc& op) {
  OpDesc whole = op;
  if (!is_backward(op) && output(op, std::size_t{0}) == nullptr) complete_convolution(whole);
  const Sides sides = find_sides(whole);
  if (!fit(sides) || sides.x == nullptr || sides.y == nullptr) return std::nullopt;
  const Asked asked = is_backward(op) ? asked_gradients(op) : Asked{.bias = has_bias(op)};
  GradientOps made;
  made.is_stated = asked.stated;
  const auto add = [&](bool is_computed, Part part) {
    if (is_computed) made.of[static_cast<std::size_t>(part)] = gradient(whole, sides, part);
  };
  add(asked.data, Part::kData);
  add(asked.weight, Part::kWeight);
  add(asked.bias, Part::kBias);
  return made;
}

}  // namespace

void register_convolution(Registry& registry);
void register_convolution(Registry& registry) {
  registry.add({
      .name = "convolution",
      .formulas =
          {
              {"conv1d conv2d conv3d convolution",
               "2·E(y)·C/g·R·S (three-dimensional ·T); operand `bias`: + E(y); `epilogue` with "
               "`relu`: + E(y)",
               "2·E(dy)·C/g·R·S for each of data and weight gradient; bias gradient E(dy)",
               "in + out; of x only what the windows reach; for one gradient not the other's "
               "operand",
               "exact; a backward op without `part` or attrs counts data and weight gradients, "
               "estimated"},
              {"conv_transpose1d conv_transpose2d conv_transpose3d",
               "2·E(x)·K/g·R·S; bias and relu likewise",
               "2·E(x)·K/g·R·S for each of data and weight gradient; bias gradient E(dy)",
               "in + out", "likewise"},
          },
      .notes = "Products with padding count. The size of y is that of the tensor, otherwise it "
               "follows from the attrs `stride`, `padding`, `dilation`, `output_padding`, "
               "`groups` (a number, or one per dimension: 2,1; `padding` also `same` or "
               "`valid`). The bools `data_grad`, `weight_grad`, `bias_grad` state which "
               "gradients a backward op without `part` computes (prof_torch: those of "
               "backward()), or `output_mask` all three. Texts of PyTorch state only shapes: "
               "unless a range around the op states these attrs (prof_torch's do), or an op fact, "
               "a forward convolution has no FLOPs.",
      .evaluate = evaluate_convolution,
      .complete = complete_convolution,
      .gradients = convolution_gradients,
      .is_product = true,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"conv2d","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[32,3,224,224],"dtype":"float16"},
              {"name":"weight","role":"in","type":"tensor","shape":[64,3,7,7],"dtype":"float16"}],
              "attrs":{"stride":2,"padding":3}})",
               "N=32,C=3,H=224,W=224,K=64,P=112,Q=112,R=7,S=7", std::nullopt,
               2.0 * 32 * 64 * 112 * 112 * 3 * 49,
               2.0 * (32 * 3 * 224 * 224 + 64 * 3 * 49 + 32.0 * 64 * 112 * 112)},
              {R"({"v":1,"mod":"prof","op":"conv2d","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[2,8,16,16],"dtype":"float32"},
              {"name":"weight","role":"in","type":"tensor","shape":[8,1,3,3],"dtype":"float32"},
              {"name":"bias","role":"in","type":"tensor","shape":[8],"dtype":"float32"},
              {"name":"y","role":"out","type":"tensor","shape":[2,8,16,16],"dtype":"float32"}],
              "attrs":{"groups":8,"padding":1}})",
               "N=2,C=8,H=16,W=16,K=8,P=16,Q=16,R=3,S=3,g=8", std::nullopt, 4096 * (18 + 1),
               4 * (4096 + 72 + 8 + 4096)},
              {R"({"v":1,"mod":"prof","op":"conv_transpose1d","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[2,8,10],"dtype":"bfloat16"},
              {"name":"weight","role":"in","type":"tensor","shape":[8,4,3],"dtype":"bfloat16"}],
              "attrs":{"stride":2}})",
               "N=2,C=8,W=10,K=4,Q=21,S=3", std::nullopt, 2 * 160 * 12, 2 * (160 + 96 + 168)},
              {R"({"op":"aten::conv_transpose2d","args":[{"shape":[2,8,4,4],"dtype":"float16"},
              {"shape":[8,3,2,2],"dtype":"float16"},null,{"value":[2,2]},{"value":[0,0]},
              {"value":[0,0]},{"value":4},{"value":[1,1]}]})",
               "N=2,C=8,H=4,W=4,K=12,P=8,Q=8,R=2,S=2,g=4", std::nullopt, 2.0 * 256 * 12,
               2.0 * (256 + 96 + 2 * 12 * 64)},
              {R"({"v":1,"mod":"prof","op":"conv3d","dir":"bprop","part":"weight","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[1,8,6,6,6],"dtype":"float16"},
              {"name":"x","role":"in","type":"tensor","shape":[1,4,8,8,8],"dtype":"float16"},
              {"name":"dweight","role":"out","type":"tensor","shape":[8,4,3,3,3],"dtype":"float16"}]})",
               "N=1,C=4,D=8,H=8,W=8,K=8,O=6,P=6,Q=6,T=3,R=3,S=3", std::nullopt, 2 * 1728 * 108,
               2 * (1728 + 2048 + 864)},
              // One of four elements of x is reached; its gradient is written throughout.
              {R"({"v":1,"mod":"prof","op":"conv2d","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[2,8,16,16],"dtype":"float16"},
              {"name":"weight","role":"in","type":"tensor","shape":[16,8,1,1],"dtype":"float16"}],
              "attrs":{"stride":2}})",
               "N=2,C=8,H=16,W=16,K=16,P=8,Q=8,R=1,S=1", std::nullopt, 2 * 2048 * 8,
               2.0 * (1024 + 128 + 2048)},
              {R"({"v":1,"mod":"prof","op":"conv2d","dir":"bprop","part":"weight","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[2,16,8,8],"dtype":"float16"},
              {"name":"x","role":"in","type":"tensor","shape":[2,8,16,16],"dtype":"float16"},
              {"name":"dweight","role":"out","type":"tensor","shape":[16,8,1,1],"dtype":"float16"}]})",
               "N=2,C=8,H=16,W=16,K=16,P=8,Q=8,R=1,S=1", std::nullopt, 2 * 2048 * 8,
               2.0 * (2048 + 1024 + 128)},
              {R"({"v":1,"mod":"prof","op":"conv2d","dir":"bprop","part":"data","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[2,16,8,8],"dtype":"float16"},
              {"name":"weight","role":"in","type":"tensor","shape":[16,8,1,1],"dtype":"float16"},
              {"name":"dx","role":"out","type":"tensor","shape":[2,8,16,16],"dtype":"float16"}]})",
               "N=2,C=8,H=16,W=16,K=16,P=8,Q=8,R=1,S=1", std::nullopt, 2 * 2048 * 8,
               2.0 * (2048 + 128 + 4096)},
              {R"({"v":1,"mod":"prof","op":"conv2d","dir":"bprop","part":"bias","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[2,8,4,4],"dtype":"float16"},
              {"name":"dbias","role":"out","type":"tensor","shape":[8],"dtype":"float16"}]})",
               "T=(2,8,4,4)", std::nullopt, 256, 528},
              {"aten::convolution_backward, sizes = [[2, 8, 32], [2, 4, 32], [8, 4, 3], [], [], "
               "[], [], [], [], [], []]",
               "N=2,C=4,W=32,K=8,Q=32,S=3", std::nullopt, 2.0 * 2 * 512 * 12,
               2.0 * (512 + 256 + 96 + 256 + 96), Basis::kEstimated, DType::kFloat16},
              {"aten::conv_transpose2d, sizes = [[2, 8, 8, 8], [8, 4, 3, 3], [4], [], [], [], [], "
               "[]]",
               "N=2,C=8,H=8,W=8,R=3,S=3", std::nullopt, 2 * 1024 * 36, std::nullopt,
               Basis::kEstimated},
              {"aten::cudnn_convolution, sizes = [[2, 4, 16, 16], [8, 4, 3, 3], [], [], [], [], "
               "[], [], []]",
               "N=2,C=4,H=16,W=16,K=8,R=3,S=3", std::nullopt, std::nullopt, std::nullopt,
               Basis::kUnknown},
              {"aten::conv2d, sizes = [[2, 4, 16, 16], [8, 4, 3, 3], [8], [], [], [], []]",
               "N=2,C=4,H=16,W=16,K=8,P=7,Q=8,R=3,S=3", std::nullopt, 896.0 * (2 * 36 + 1),
               2.0 * (2048 + 288 + 8 + 896), Basis::kExact, DType::kFloat16,
               R"({"v":1,"mod":"prof","attrs_of":"conv2d convolution","attrs":{"stride":"2,2","padding":"0,1",
               "dilation":"1,1","output_padding":"0,0","groups":1}})"},
              {"aten::conv1d, sizes = [[2, 4, 16], [8, 1, 3], [], [], [], [], []]",
               "N=2,C=4,W=16,K=8,Q=16,S=3,g=4", std::nullopt, 2.0 * 256 * 3, 2.0 * (128 + 24 + 256),
               Basis::kExact, DType::kFloat16,
               R"({"v":1,"mod":"prof","attrs_of":"conv1d convolution","attrs":{"stride":1,"padding":"same",
               "dilation":2,"output_padding":0,"groups":4}})"},
              {"aten::convolution, sizes = [[2, 8, 10], [8, 4, 3], [], [], [], [], [], [], []]",
               "N=2,C=8,W=10,K=4,Q=22,S=3", std::nullopt, 2 * 160 * 12, 2 * (160 + 96 + 176),
               Basis::kExact, DType::kFloat16,
               R"({"v":1,"mod":"prof","attrs_of":"conv_transpose1d convolution","attrs":{"stride":2,
               "padding":0,"dilation":1,"output_padding":1,"groups":1,"transposed":true}})"},
              // Omitted attributes have their defaults.
              {"aten::convolution, sizes = [[2, 8, 10], [8, 4, 3], [], [], [], [], [], [], []]",
               "N=2,C=8,W=10,K=4,Q=21,S=3", std::nullopt, 2 * 160 * 12, 2 * (160 + 96 + 168),
               Basis::kExact, DType::kFloat16,
               R"({"v":1,"mod":"prof","attrs_of":"conv_transpose1d convolution","attrs":{"stride":2,
               "padding":0,"transposed":true}})"},
              // The first convolution of a network: its input needs no gradient.
              {"aten::convolution_backward, sizes = [[2, 8, 32], [2, 4, 32], [8, 4, 3], [], [], "
               "[], [], [], [], [], []]",
               "N=2,C=4,W=32,K=8,Q=32,S=3", std::nullopt, 2.0 * 512 * 12 + 512,
               2.0 * (512 + 256 + 96 + 8), Basis::kExact, DType::kFloat16,
               R"({"v":1,"mod":"prof","attrs_of":"conv1d convolution","attrs":{"transposed":false,
               "data_grad":false,"weight_grad":true,"bias_grad":true}})"},
              // cuDNN's own calls.
              {R"({"op":"cudnn::conv_fprop","args":[{"shape":[2,4,9,8],"dtype":"float16"},
              {"shape":[8,2,3,1],"dtype":"float16"},{"shape":[2,8,5,8],"dtype":"float16"}],
              "facts":{"stride":[2,1],"padding":[1,0],"dilation":[1,1],"groups":2}})",
               "N=2,C=4,H=9,W=8,K=8,P=5,Q=8,R=3,S=1,g=2", std::nullopt, 2.0 * 640 * 6,
               2.0 * (576 + 48 + 640)},
              {R"({"op":"cudnn::conv_bias_act","args":[{"shape":[2,4,8,8],"dtype":"float16"},
              {"shape":[4,4,1,1],"dtype":"float16"},null,{"shape":[1,4,1,1],"dtype":"float16"},
              {"shape":[2,4,8,8],"dtype":"float16"}],"facts":{"epilogue":"relu"}})",
               "N=2,C=4,H=8,W=8,K=4,P=8,Q=8,R=1,S=1", std::nullopt, 512.0 * (2 * 4 + 2),
               2.0 * (512 + 16 + 4 + 512)},
              {R"({"op":"cudnn::conv_dgrad","args":[{"shape":[16,8,1,1],"dtype":"float16"},
              {"shape":[2,16,8,8],"dtype":"float16"},{"shape":[2,8,16,16],"dtype":"float16"}],
              "facts":{"part":"data","stride":[2,2]}})",
               "N=2,C=8,H=16,W=16,K=16,P=8,Q=8,R=1,S=1", std::nullopt, 2 * 2048 * 8,
               2.0 * (2048 + 128 + 4096)},
              // Adds to what the gradient's memory holds.
              {R"({"op":"cudnn::conv_wgrad","args":[{"shape":[1,4,8,8],"dtype":"float32"},
              {"shape":[1,8,6,6],"dtype":"float32"},{"shape":[8,4,3,3],"dtype":"float32"}],
              "facts":{"part":"weight","accumulates":1}})",
               "N=1,C=4,H=8,W=8,K=8,P=6,Q=6,R=3,S=3", std::nullopt, 2 * 288 * 36,
               4.0 * (256 + 288 + 2 * 288)},
              {R"({"op":"cudnn::conv_bgrad","args":[{"shape":[2,8,4,4],"dtype":"float16"},
              {"shape":[1,8,1,1],"dtype":"float16"}],"facts":{"part":"bias"}})",
               "T=(2,8,4,4)", std::nullopt, 256, 528},
              // As op facts state them. A 7x7 window of stride 2 around 3 of padding: 16 -> 8.
              {R"({"op":"aten::conv2d","args":[{"shape":[2,3,16,16],"dtype":"float16"},
              {"shape":[4,3,7,7],"dtype":"float16"},{"shape":[4],"dtype":"float16"},
              {"value":[2,2]},{"value":[3,3]},{"value":[1,1]},{"value":1}]})",
               "N=2,C=3,H=16,W=16,K=4,P=8,Q=8,R=7,S=7", std::nullopt, 512.0 * (2 * 147 + 1),
               2.0 * (1536 + 588 + 4 + 512)},
              // Two groups: each result sees 2 of 4 channels.
              {R"({"op":"aten::cudnn_convolution","args":[{"shape":[2,4,9,8],"dtype":"float32"},
              {"shape":[8,2,3,1],"dtype":"float32"},{"value":[1,0]},{"value":[2,1]},
              {"value":[1,1]},{"value":2},{"value":false},{"value":false},{"value":true}]})",
               "N=2,C=4,H=9,W=8,K=8,P=5,Q=8,R=3,S=1,g=2", std::nullopt, 2.0 * 640 * 6,
               4.0 * (576 + 48 + 640)},
              {R"({"op":"aten::convolution","args":[{"shape":[2,8,10],"dtype":"float16"},
              {"shape":[8,4,3],"dtype":"float16"},null,{"value":[2]},{"value":[0]},{"value":[1]},
              {"value":true},{"value":[1]},{"value":1}]})",
               "N=2,C=8,W=10,K=4,Q=22,S=3", std::nullopt, 2 * 160 * 12, 2 * (160 + 96 + 176)},
              // The data's gradient is not asked for: the weight is not read.
              {R"({"op":"aten::convolution_backward","args":[{"shape":[2,8,32],"dtype":"float16"},
              {"shape":[2,4,32],"dtype":"float16"},{"shape":[8,4,3],"dtype":"float16"},
              {"value":[8]},{"value":[1]},{"value":[1]},{"value":[1]},{"value":false},
              {"value":[0]},{"value":1},{"value":[false,true,true]}]})",
               "N=2,C=4,W=32,K=8,Q=32,S=3", std::nullopt, 2.0 * 512 * 12 + 512,
               2.0 * (512 + 256 + 96 + 8)},
              // Depthwise, as vmap makes of a convolution of one channel for each of 64 samples.
              {R"({"op":"aten::_conv_depthwise2d","args":[{"shape":[1,64,28,28],"dtype":"float32"},
              {"shape":[512,1,3,3],"dtype":"float32"},{"value":[3,3]},null,{"value":[1,1]},
              {"value":[1,1]},{"value":[1,1]}]})",
               "N=1,C=64,H=28,W=28,K=512,P=28,Q=28,R=3,S=3,g=64", std::nullopt, 2.0 * 512 * 784 * 9,
               4.0 * (64 * 784 + 512 * 9 + 512 * 784)},
              // A gradient for each of 64 samples: the weight is a number that is expanded.
              {R"({"op":"aten::convolution_backward","args":[
              {"shape":[1,512,28,28],"dtype":"float32"},{"shape":[1,64,28,28],"dtype":"float32"},
              {"shape":[512,1,3,3],"dtype":"float32","strides":[0,0,0,0]},null,{"value":[1,1]},
              {"value":[1,1]},{"value":[1,1]},{"value":false},{"value":[0,0]},{"value":64},
              {"value":[false,true,false]}]})",
               "N=1,C=64,H=28,W=28,K=512,P=28,Q=28,R=3,S=3,g=64", std::nullopt, 2.0 * 512 * 784 * 9,
               4.0 * (512 * 784 + 64 * 784 + 512 * 9)},
              // The padding is a word, which torch.profiler does not record.
              {R"({"op":"aten::conv1d","args":[{"shape":[2,4,16],"dtype":"float16"},
              {"shape":[8,4,3],"dtype":"float16"},null,{"value":[1]},null,{"value":[1]},
              {"value":1}]})",
               "N=2,C=4,W=16,K=8,S=3", std::nullopt, std::nullopt, std::nullopt, Basis::kUnknown},
          },
  });
}

}  // namespace prof::ops
