// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Recurrent cells and layers, in one op (cuDNN) or cell by cell. Weights are named w...: per cell,
// (gates·H, X) for the input and (gates·H, H) for the state.
#include <utility>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

/// FLOPs per unit besides the products: biases and the sum of both products 3 per gate, sigmoid 4,
/// tanh 1, and the cell.
constexpr double kLstm = 30;  // 4 gates: 12 + 13; c' = f c + i g, h = o tanh(c')
constexpr double kGru = 22;   // 3 gates: 9 + 9; r in the third; h' = n + z (h - n)
constexpr double kRnn = 4;

double per_unit(std::int64_t gates) { return gates == 4 ? kLstm : gates == 3 ? kGru : kRnn; }

/// The weight matrices, in order: for each cell one for the input, one for the state.
std::vector<const Tensor*> matrices(const OpDesc& op) {
  std::vector<const Tensor*> found;
  for (const Tensor& tensor : op.tensors) {
    if (tensor.shape.size() == 2 && tensor.name.starts_with("w")) {
      found.push_back(&tensor);
    }
  }
  return found;
}

/// cuDNN's buffer holds the weights a second time; what it keeps for the gradient is its own
/// choice.
Traffic traffic_of_layers(const OpDesc& op) {
  OpDesc least = op;
  std::erase_if(least.tensors, [](const Tensor& tensor) {
    return tensor.name == "w_buf" || tensor.name == "reserve" || tensor.name == "dropout_state";
  });
  return traffic(least);
}

/// Both directions of a layer read x, or the state's pairs of weights do not show it.
std::optional<std::int64_t> directions(const OpDesc& op, const Tensor& x) {
  if (has_attr(op, "bidirectional")) return flag(op, "bidirectional") ? 2 : 1;
  const std::vector<const Tensor*> weights = matrices(op);
  if (weights.size() < 4) return 1;
  const std::int64_t second = weights[2]->shape[1];
  if (second != x.shape.back()) return 1;
  return second == weights[1]->shape[1] ? std::nullopt : std::optional<std::int64_t>(2);
}

/// Only what follows the products, which are separate ops.
OpFacts pointwise(const OpDesc& op, const Tensor& state) {
  OpFacts facts;
  const double each = model_word(op) == "gru_cell" ? kGru : kLstm;
  const double units = elements(state.shape);
  facts.cost = cost((op.direction == Direction::kBprop ? 2 : 1) * each * units, traffic(op),
                    Basis::kEstimated);
  return facts;
}

OpFacts evaluate_rnn(const OpDesc& op) {
  OpFacts facts;
  const std::vector<const Tensor*> weights = matrices(op);
  if (weights.empty()) {
    for (const std::string_view name : {"cx", "hx", "dhy"}) {
      const bool fused = input(op, "input_gates") != nullptr || op.direction == Direction::kBprop;
      if (const Tensor* state = input(op, name); state != nullptr && fused) {
        return pointwise(op, *state);
      }
    }
    return facts;
  }
  const Tensor* x = output(op, "dx");
  if (x == nullptr) x = input_or(op, "x", 0);
  if (x == nullptr || x->shape.size() < 2 || weights.size() < 2 || weights[1]->shape[1] < 1) {
    return facts;
  }
  // Every matrix is applied to every element of the batch at every time step.
  const double tokens =
      elements(x->shape) / static_cast<double>(x->shape.back() > 0 ? x->shape.back() : 1);
  const std::int64_t hidden = weights[1]->shape[1];
  const std::int64_t gates = weights[1]->shape[0] / hidden;
  double each = 0;
  for (const Tensor* weight : weights) each += 2 * elements(weight->shape);
  const std::size_t pairs = weights.size() / 2;
  const auto cells = static_cast<double>(pairs);
  each += cells * per_unit(gates) * static_cast<double>(hidden);
  facts.params = "X=" + std::to_string(x->shape.back()) + ",H=" + std::to_string(hidden) +
                 ",cells=" + std::to_string(weights.size() / 2) + ",T=" + text(x->shape);
  const bool is_both = op.direction == Direction::kBprop && op.part == Part::kNone;
  const double passes = is_both ? 2 : 1;
  facts.cost = cost(passes * each * tokens, traffic_of_layers(op), Basis::kEstimated);
  return facts;
}

/// Adds the outputs of all layers together, as cuDNN computes them: y and the last states; the
/// gradients of x, of the states and of the weights.
void complete_layers(OpDesc& op) {
  const Tensor* x = input(op, "x");
  const Tensor* hx = input(op, "hx");
  if (x == nullptr || hx == nullptr || x->shape.empty() || hx->shape.size() != 3) return;
  std::vector<Tensor> made;
  const auto add = [&](std::string name, const Tensor& like) {
    made.push_back({std::move(name), Tensor::Role::kOut, like.dtype, like.shape});
  };
  const Tensor* cx = input(op, "cx");
  if (op.direction == Direction::kBprop) {
    for (const Tensor& tensor : op.tensors) {
      const bool is_weight = tensor.name.starts_with("w") && tensor.name != "w_buf";
      if (is_weight || &tensor == x) add("d" + tensor.name, tensor);
    }
  } else {
    const auto sides = matrices(op).empty() ? std::nullopt : directions(op, *x);
    if (!sides) return;
    Tensor y = *x;
    y.shape.back() = *sides * hx->shape[2];
    add("y", y);
  }
  add("hy", *hx);
  if (cx != nullptr) add("cy", *cx);
  op.tensors.insert(op.tensors.end(), made.begin(), made.end());
}

/// The new state of one cell; PyTorch's own layers are made of other ops.
void complete_rnn(OpDesc& op) {
  if (model_word(op) == "rnn") return complete_layers(op);
  if (model_word(op).find("_cell") == std::string_view::npos) return;
  if (op.direction == Direction::kBprop) return;
  for (const std::string_view name : {"hx", "cx"}) {
    const Tensor* state = input(op, name);
    if (state == nullptr) continue;
    const Tensor like = *state;
    add_output(op, std::string(name), like.shape, like.dtype);
    // The fused kernel returns both states and takes one.
    if (input(op, "input_gates") != nullptr && name == "cx")
      add_output(op, "hx", like.shape, like.dtype);
  }
}

}  // namespace

void register_rnn(Registry& registry);
void register_rnn(Registry& registry) {
  registry.add({
      .name = "rnn",
      .formulas =
          {
              {"lstm lstm_cell",
               "for each batch element and step: 2·elements of the weights + 30·H per cell",
               "twice the forward; of one `part`, as the forward", "in + out, weights once",
               "estimated"},
              {"gru gru_cell", "likewise, 22·H per cell", "twice the forward", "in + out",
               "estimated"},
              {"rnn rnn_tanh rnn_relu rnn_tanh_cell rnn_relu_cell", "likewise, 4·H per cell",
               "twice the forward", "in + out", "estimated"},
          },
      .notes =
          "cuDNN's op is identified by its weights: 4·H rows are an LSTM, 3·H a GRU; the buffer "
          "that holds them a second time, and what it keeps for the gradient, do not count. "
          "PyTorch's fused cell kernels follow the products and count 30·H, 22·H.",
      .evaluate = evaluate_rnn,
      .complete = complete_rnn,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"gru","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[5,4,16],"dtype":"float16"},
              {"name":"w_ih","role":"in","type":"tensor","shape":[96,16],"dtype":"float16"},
              {"name":"w_hh","role":"in","type":"tensor","shape":[96,32],"dtype":"float16"},
              {"name":"y","role":"out","type":"tensor","shape":[5,4,32],"dtype":"float16"}]})",
               "X=16,H=32,cells=1,T=(5,4,16)", std::nullopt,
               20 * (2 * 96 * 16 + 2 * 96 * 32 + 22 * 32), 2 * (320 + 1536 + 3072 + 640),
               Basis::kEstimated},
              {"aten::_cudnn_rnn, sizes = [[5, 4, 16], [128, 16], [128, 32], [128], [128], [128, "
               "32], [128, 32], [128], [128], [], [13568], [2, 4, 32], [2, 4, 32], [], [], [], [], "
               "[], [], [], [], [], []]",
               "X=16,H=32,cells=2,T=(5,4,16)", std::nullopt,
               20.0 * (2 * (128 * 16 + 3 * 128 * 32) + 2 * 30 * 32),
               4.0 * (320 + 14848 + 512 + 640 + 512), Basis::kEstimated, DType::kFloat32},
              {"aten::_cudnn_rnn, sizes = [[5, 4, 16], [96, 16], [96, 32], [96, 16], [96, 32], [], "
               "[], [2, 4, 32], [], [], [], [], [], [], [], [], [], [], []]",
               "X=16,H=32,cells=2,T=(5,4,16)", std::nullopt,
               20.0 * (2 * 2 * (96 * 16 + 96 * 32) + 2 * 22 * 32),
               2.0 * (320 + 9216 + 256 + 1280 + 256), Basis::kEstimated, DType::kFloat16},
              {"aten::_cudnn_rnn_backward, sizes = [[5, 4, 16], [128, 16], [128, 32], [128], "
               "[128], "
               "[], [6656], [1, 4, 32], [1, 4, 32], [5, 4, 32], [5, 4, 32], [], [], [], [], [], "
               "[], [], [], [], [], [], [], [7168], []]",
               "X=16,H=32,cells=1,T=(5,4,16)", std::nullopt, 2 * 20.0 * (2 * 128 * 48 + 30 * 32),
               4.0 * (320 + 6400 + 256 + 2 * 640 + 320 + 6400 + 256), Basis::kEstimated,
               DType::kFloat32},
              {R"({"op":"cudnn::rnn_weight_backward","args":[{"shape":[5,4,16],"dtype":"float32"},
              null,{"shape":[5,4,32],"dtype":"float32"},{"list":[{"shape":[96,16],"dtype":"float32"},
              {"shape":[96,32],"dtype":"float32"}]}],"facts":{"part":"weight"}})",
               "X=16,H=32,cells=1,T=(5,4,16)", std::nullopt,
               20.0 * (2 * 96 * 16 + 2 * 96 * 32 + 22 * 32), 4 * (320 + 640 + 1536 + 3072),
               Basis::kEstimated},
              {"aten::lstm_cell, sizes = [[4, 16], [4, 32], [4, 32], [128, 16], [128, 32], [128], "
               "[128]]",
               "X=16,H=32,cells=1,T=(4,16)", std::nullopt, 4 * (2 * 128 * 48 + 30 * 32),
               4 * (64 + 128 + 128 + 2048 + 4096 + 256 + 256), Basis::kEstimated, DType::kFloat32},
              {"aten::_thnn_fused_lstm_cell, sizes = [[4, 128], [4, 128], [4, 32], [128], [128]]",
               "T=[(4,128),(4,128),(4,32),(128),(128)]", std::nullopt, 30 * 128,
               4 * (512 + 512 + 128 + 256 + 256), Basis::kEstimated, DType::kFloat32},
          },
  });
}

}  // namespace prof::ops
