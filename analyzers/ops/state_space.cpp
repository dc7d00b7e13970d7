// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Ops of state space models (Mamba) besides products. In each channel of u a state of N numbers
// follows the sequence (Gu, Dao: Mamba, 2023, algorithm 2):
//   h[l] = exp(delta[l] A) h[l-1] + delta[l] u[l] B[l],   y[l] = C[l] h[l] + D u[l]
// and a convolution along the sequence comes before it, with a window of its own for each channel.
#include <string>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

/// FLOPs, of an op and of its gradient.
struct Flops {
  double forward, backward;

  [[nodiscard]] double of(const OpDesc& op) const { return is_backward(op) ? backward : forward; }
};

/// For each number of a state. Forward: exp(delta A) 2, times u delta 1, recurrence 2, C h 2.
/// Backward: the state again 5, its gradient 3, of exp(delta A) 2, of A, B, C, delta, u delta 2
/// each.
constexpr Flops kState = {7, 20};
/// For each element of u. Forward: u delta. Backward: that again, its gradients of u and delta.
constexpr Flops kInput = {1, 4};
constexpr Flops kSkip = {2, 4};        // y + D u; its gradients of u and D
constexpr Flops kShift = {1, 2};       // delta + bias; again, and the gradient's sum
constexpr Flops kSoftplus = {3, 7};    // of delta; again 3, its gradient 4
constexpr Flops kGate = {6, 16};       // y silu(z); of y 6, of z 10
constexpr Flops kWindow = {2, 4};      // for each element and place of the window; x and weight
constexpr Flops kActivation = {5, 9};  // silu

OpFacts evaluate_selective_scan(const OpDesc& op) {
  OpFacts facts;
  const Tensor* u = input(op, "u");
  const Tensor* transition = input(op, "A");
  if (u == nullptr || transition == nullptr || u->shape.size() < 2 ||
      transition->shape.size() != 2 || transition->shape[0] != u->shape[u->shape.size() - 2] ||
      is_complex(transition->dtype)) {
    return facts;
  }
  const auto state = static_cast<double>(transition->shape[1]);
  double each = kState.of(op) * state + kInput.of(op);
  if (input(op, "D") != nullptr) each += kSkip.of(op);
  if (input(op, "delta_bias") != nullptr) each += kShift.of(op);
  if (nonzero(op, "delta_softplus")) each += kSoftplus.of(op);
  if (input(op, "z") != nullptr) each += kGate.of(op);
  facts.params = "N=" + std::to_string(transition->shape[1]) + "," + main_params(op);
  facts.dtype = u->dtype;
  facts.cost = cost(each * elements(u->shape), traffic(op), Basis::kEstimated);
  return facts;
}

/// silu'(x) needs x, which the forward op does not keep, so the sum over the window runs again.
OpFacts evaluate_causal(const OpDesc& op) {
  OpFacts facts;
  const Tensor* x = input(op, "x");
  const Tensor* weight = input(op, "weight");
  if (x == nullptr || weight == nullptr || weight->shape.size() != 2) return facts;
  const bool activates = nonzero(op, "silu") || !word(op, "activation").empty();
  const double bias = input(op, "bias") != nullptr ? 1 : 0;
  const double window = static_cast<double>(weight->shape[1]);
  double each = kWindow.of(op) * window + bias;
  if (activates) each += kActivation.of(op);
  if (activates && is_backward(op)) each += kWindow.forward * window + bias;
  facts.params = "W=" + std::to_string(weight->shape[1]) + "," + main_params(op);
  facts.dtype = x->dtype;
  facts.cost = cost(each * elements(x->shape), traffic(op), Basis::kEstimated);
  return facts;
}

/// The result is like u or x; a gradient like what it is of.
void complete_like_operands(OpDesc& op) {
  if (!is_backward(op)) {
    const Tensor* like = input(op, std::size_t{0});
    if (like == nullptr) return;
    const Tensor first = *like;
    return add_output(op, "y", first.shape, first.dtype);
  }
  const std::size_t count = op.tensors.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Tensor like = op.tensors[i];
    if (is_input(like) && like.name != "dy")
      add_output(op, "d" + like.name, like.shape, like.dtype);
  }
}

}  // namespace

void register_state_space(Registry& registry);
void register_state_space(Registry& registry) {
  registry.add({
      .name = "selective_scan",
      .formulas = {{"selective_scan",
                    "(7·N + 1)·E of u; operand `D`: + 2E, `delta_bias`: + E, `z`: + 6E; attr "
                    "`delta_softplus`: + 3E",
                    "(20·N + 4)·E, with the states computed again; `D`: + 4E, `delta_bias`: + 2E, "
                    "`z`: + 16E, `delta_softplus`: + 7E",
                    "in + out, without states", "estimated"}},
      .notes = "N: numbers of a channel's state, the second size of `A`. The work is that of one "
               "step after the other; a parallel scan does more. Complex `A` is not counted.",
      .evaluate = evaluate_selective_scan,
      .complete = complete_like_operands,
      .no_product = true,
      .examples =
          {
              {R"({"op":"SelectiveScanFn","args":[{"shape":[2,64,128],"dtype":"float16"},
              {"shape":[2,64,128],"dtype":"float16"},{"shape":[64,16],"dtype":"float32"},
              {"shape":[2,16,128],"dtype":"float16"},{"shape":[2,16,128],"dtype":"float16"},
              {"shape":[64],"dtype":"float32"},{"shape":[2,64,128],"dtype":"float16"},
              {"shape":[64],"dtype":"float32"},{"value":true},{"value":false}]})",
               "N=16,T=(2,64,128)", std::nullopt, (7 * 16 + 1 + 2 + 1 + 3 + 6) * 16384.0,
               2 * (3 * 16384 + 2 * 4096) + 4 * (1024 + 2 * 64) + 2 * 16384, Basis::kEstimated},
              {R"({"op":"_C::selective_scan_fwd","args":[{"shape":[64,300],"dtype":"bfloat16"},
              {"shape":[64,300],"dtype":"bfloat16"},{"shape":[64,16],"dtype":"float32"},
              {"shape":[1,16,300],"dtype":"bfloat16"},{"shape":[1,16,300],"dtype":"bfloat16"},
              null,null,null,{"value":false},{"shape":[4],"dtype":"int32"},
              {"shape":[3],"dtype":"int32"},{"shape":[3],"dtype":"bool"},
              {"shape":[8,64,16],"dtype":"bfloat16"},{"value":-1}]})",
               "N=16,T=(64,300)", std::nullopt, 113 * 19200.0,
               2 * (2 * 19200 + 2 * 4800) + 4 * 1024 + 2 * 19200, Basis::kEstimated},
              {R"({"v":1,"mod":"prof","op":"selective_scan","dir":"bprop","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[2,8,32],"dtype":"float32"},
              {"name":"u","role":"in","type":"tensor","shape":[2,8,32],"dtype":"float32"},
              {"name":"delta","role":"in","type":"tensor","shape":[2,8,32],"dtype":"float32"},
              {"name":"A","role":"in","type":"tensor","shape":[8,4],"dtype":"float32"},
              {"name":"B","role":"in","type":"tensor","shape":[2,4,32],"dtype":"float32"},
              {"name":"C","role":"in","type":"tensor","shape":[2,4,32],"dtype":"float32"}]})",
               "N=4,T=(2,8,32)", std::nullopt, 84 * 512, 4 * (512 + 2 * (2 * 512 + 32 + 2 * 256)),
               Basis::kEstimated},
              {R"({"op":"SelectiveScanFn","args":[{"shape":[2,64,128],"dtype":"float16"},
              {"shape":[2,64,128],"dtype":"float16"},{"shape":[32,16],"dtype":"float32"},
              {"shape":[2,16,128],"dtype":"float16"},{"shape":[2,16,128],"dtype":"float16"}]})",
               "T=[(2,64,128),(2,64,128),(32,16),(2,16,128),(2,16,128)]", std::nullopt,
               std::nullopt, std::nullopt, Basis::kUnknown},
          },
  });
  registry.add({
      .name = "causal_conv1d",
      .formulas = {{"causal_conv1d",
                    "2·W·E of x; operand `bias`: + E; attr `silu` or `activation`: + 5E",
                    "4·W·E for data and weight; `bias`: + E; with an activation + 9E, and the "
                    "forward sum again",
                    "in + out", "estimated"}},
      .notes = "W: the window, the second size of `weight` (channels, W).",
      .evaluate = evaluate_causal,
      .complete = complete_like_operands,
      .no_product = true,
      .examples =
          {
              {R"({"op":"CausalConv1dFn","args":[{"shape":[2,64,128],"dtype":"float16"},
              {"shape":[64,4],"dtype":"float16"},{"shape":[64],"dtype":"float16"},null,null,
              {"value":false},null,{"value":"silu"}]})",
               "W=4,T=(2,64,128)", std::nullopt, (8 + 1 + 5) * 16384.0, 2 * (2 * 16384 + 256 + 64),
               Basis::kEstimated},
              {R"({"op":"DaoAILab::_causal_conv1d_fwd_cpp","args":[
              {"shape":[2,64,128],"dtype":"float16"},{"shape":[64,4],"dtype":"float16"},null,
              {"shape":[2,128],"dtype":"int32"},null,{"shape":[2,64,128],"dtype":"float16"},null,
              {"value":false}]})",
               "W=4,T=(2,64,128)", std::nullopt, 8 * 16384.0, 2 * (2 * 16384 + 256),
               Basis::kEstimated},
              {R"({"op":"DaoAILab::_causal_conv1d_bwd_cpp","args":[
              {"shape":[2,64,128],"dtype":"float16"},{"shape":[64,4],"dtype":"float16"},
              {"shape":[64],"dtype":"float16"},{"shape":[2,64,128],"dtype":"float16"},null,null,
              null,{"shape":[2,64,128],"dtype":"float16"},{"shape":[64,4],"dtype":"float32"},
              {"shape":[64],"dtype":"float32"},null,{"value":true}]})",
               "W=4,T=(2,64,128)", std::nullopt, (16 + 1 + 9 + 8 + 1) * 16384.0,
               2 * (3 * 16384 + 256 + 64) + 4 * (256 + 64), Basis::kEstimated},
              {R"({"op":"sgl_kernel::causal_conv1d_fwd","args":[{"shape":[64,300],"dtype":"bfloat16"},
              {"shape":[64,4],"dtype":"bfloat16"},null,{"shape":[8,64,3],"dtype":"bfloat16"},
              {"shape":[4],"dtype":"int32"},{"shape":[3],"dtype":"int32"},
              {"shape":[3],"dtype":"bool"},{"value":true},{"value":-1}]})",
               "W=4,T=(64,300)", std::nullopt, 13 * 19200.0, 2 * (2 * 19200 + 256),
               Basis::kEstimated},
          },
  });
}

}  // namespace prof::ops
