// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Moves elements without changing them: concatenates, splits and reorders tensors.
#include <algorithm>
#include <utility>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

/// The two sides may differ in size, so one does not determine the other.
constexpr std::string_view kResizing =
    "pad repeat tile repeat_interleave kron meshgrid cartesian_prod combinations one_hot unfold "
    "fold diag diag_embed max_unpool1d max_unpool2d max_unpool3d jagged_to_padded "
    "padded_to_jagged";
/// Views in the forward pass; in the backward pass they fill a larger tensor.
constexpr std::string_view kParts = "slice select narrow diagonal";

/// A side without tensors has as many elements as the other one.
Traffic both_sides(const OpDesc& op) {
  const std::string_view name = model_word(op);
  Traffic moved = traffic(op);
  if (has_word(kResizing, name)) return moved;
  if (has_word(kParts, name) && has_shapes_only(op) && op.direction == Direction::kBprop)
    return moved;
  if (input(op, std::size_t{0}) == nullptr) moved.read = moved.written;
  if (output(op, std::size_t{0}) == nullptr) moved.written = moved.read;
  return moved;
}

/// `padding` has two numbers, before and after, for each dimension from the last one on.
std::optional<Shape> padded(Shape x, const Shape& padding) {
  if (padding.size() % 2 != 0 || padding.size() / 2 > x.size()) return std::nullopt;
  for (std::size_t i = 0; i < padding.size(); i += 2) {
    std::int64_t& size = x[x.size() - 1 - i / 2];
    for (const std::int64_t more : {padding[i], padding[i + 1]}) {
      if (__builtin_add_overflow(size, more, &size)) return std::nullopt;
    }
    if (size < 0) return std::nullopt;
  }
  return x;
}

/// Tensor times tensor, dimension by dimension from the last one on.
std::optional<Shape> repeated(const Shape& x, Shape times) {
  if (times.size() < x.size()) return std::nullopt;
  for (std::size_t i = 0; i < times.size(); ++i) {
    std::int64_t& size = times[times.size() - 1 - i];
    if (size < 0) return std::nullopt;
    if (i < x.size() && __builtin_mul_overflow(size, x[x.size() - 1 - i], &size)) {
      return std::nullopt;
    }
  }
  return times;
}

/// Results whose size PyTorch states as a list of numbers.
void complete_layout(OpDesc& op) {
  const Tensor* first = input(op, std::size_t{0});
  if (first == nullptr) return;
  std::optional<Shape> shape = number_list(op, "input_sizes");
  if (const auto padding = number_list(op, "pad")) shape = padded(first->shape, *padding);
  if (const auto times = number_list(op, "repeats")) shape = repeated(first->shape, *times);
  if (!shape || std::ranges::any_of(*shape, [](std::int64_t size) { return size < 0; })) return;
  const DType dtype = first->dtype;
  add_output(op, op.direction == Direction::kBprop ? "dx" : "y", std::move(*shape), dtype);
}

OpFacts evaluate_layout(const OpDesc& op) {
  OpFacts facts;
  if (op.tensors.empty()) return facts;
  facts.cost = cost(0, both_sides(op));
  return facts;
}

}  // namespace

void register_layout(Registry& registry);
void register_layout(Registry& registry) {
  registry.add({
      .name = "layout",
      .formulas =
          {
              {"cat stack hstack vstack dstack block_diag split split_with_sizes chunk "
               "tensor_split unbind slice narrow select diagonal transpose permute contiguous "
               "reshape flip roll rot90 tril triu pixel_shuffle pixel_unshuffle channel_shuffle "
               "expand expand_as view t squeeze unsqueeze as_strided flatten swapaxes movedim "
               "detach alias unsafe_chunk",
               "0", "0", "in + out; if one side is missing, twice the other", "exact"},
              {"pad repeat tile repeat_interleave kron meshgrid cartesian_prod combinations "
               "one_hot unfold fold diag diag_embed max_unpool1d max_unpool2d max_unpool3d "
               "jagged_to_padded padded_to_jagged",
               "0", "0", "in + out", "exact"},
          },
      .notes = "A view moves nothing and launches nothing; its bytes are those of the copy made "
               "by a kernel under it. The size of the result may also follow from attrs `pad`, "
               "`repeats` or `input_sizes` (of what a gradient is put back into).",
      .evaluate = evaluate_layout,
      .complete = complete_layout,
      .no_product = true,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"cat","dir":"fprop","args":[
              {"name":"x0","role":"in","type":"tensor","shape":[32768,128],"dtype":"float32"},
              {"name":"x1","role":"in","type":"tensor","shape":[32768,351],"dtype":"float32"},
              {"name":"pad","role":"in","type":"tensor","shape":[32768,1],"dtype":"float32"},
              {"name":"y","role":"out","type":"tensor","shape":[32768,480],"dtype":"float32"}]})",
               "T=[(32768,128),(32768,351),(32768,1)]", std::nullopt, 0, 125829120},
              {R"({"v":1,"mod":"prof","op":"cat","dir":"bprop","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[8,6],"dtype":"float16"},
              {"name":"dx0","role":"out","type":"tensor","shape":[8,4],"dtype":"float16"},
              {"name":"dx1","role":"out","type":"tensor","shape":[8,2],"dtype":"float16"}]})",
               "T=(8,6)", std::nullopt, 0, 192},
              {R"({"v":1,"mod":"prof","op":"stack","dir":"fprop","args":[
              {"name":"x0","role":"in","type":"tensor","shape":[8],"dtype":"float16"},
              {"name":"x1","role":"in","type":"tensor","shape":[8],"dtype":"float16"}]})",
               "T=[(8),(8)]", std::nullopt, 0, 64},
              {"aten::cat, sizes = [[8, 128], [8, 351], [8, 1], []]", "T=[(8,128),(8,351),(8,1)]",
               std::nullopt, 0, 15360, Basis::kExact, DType::kFloat16},
              {"aten::reflection_pad2d_backward, sizes = [[2, 4, 10, 10], [2, 4, 8, 8], []]",
               "T=(2,4,10,10)", std::nullopt, 0, 2.0 * (800 + 512), Basis::kExact, DType::kFloat16},
              {"aten::value_selecting_reduction_backward, sizes = [[8], [], [8], [], []]",
               "T=[(8),(8)]", std::nullopt, 0, std::nullopt, Basis::kExact},
              {"aten::constant_pad_nd, sizes = [[8, 16], [], []]", "T=(8,16)", std::nullopt, 0,
               std::nullopt, Basis::kExact, DType::kFloat16},
              {R"({"op":"aten::select_backward","args":[{"shape":[4,8],"dtype":"float32"},
              {"value":[4,16,8]},{"value":1},{"value":0}]})",
               "T=(4,8)", std::nullopt, 0, 4 * (32 + 512)},
              // One row above, two columns on the right.
              {R"({"op":"aten::constant_pad_nd","args":[{"shape":[8,16],"dtype":"float16"},
              {"value":[0,2,1,0]},{"value":0.0}]})",
               "T=(8,16)", std::nullopt, 0, 2 * (8 * 16 + 9 * 18)},
              {R"({"op":"aten::repeat","args":[{"shape":[4,2],"dtype":"float32"},
              {"value":[3,1,2]}]})",
               "T=(4,2)", std::nullopt, 0, 4 * (8 + 48)},
          },
  });
}

}  // namespace prof::ops
