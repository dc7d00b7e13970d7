// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Moves elements without changing them: concatenates, splits and reorders tensors.
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

bool holds(std::string_view words, std::string_view wanted) {
  bool found = false;
  for_each_word(words, [&](std::string_view word) { found = found || word == wanted; });
  return found;
}

/// A side without tensors has as many elements as the other one.
Traffic both_sides(const OpDesc& op) {
  const std::string_view name = model_word(op);
  Traffic moved = traffic(op);
  if (holds(kResizing, name)) return moved;
  if (holds(kParts, name) && has_shapes_only(op) && op.direction == Direction::kBprop) return moved;
  if (input(op, std::size_t{0}) == nullptr) moved.read = moved.written;
  if (output(op, std::size_t{0}) == nullptr) moved.written = moved.read;
  return moved;
}

OpFacts evaluate(const OpDesc& op) {
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
               "by a kernel under it.",
      .evaluate = evaluate,
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
          },
  });
}

}  // namespace prof::ops
