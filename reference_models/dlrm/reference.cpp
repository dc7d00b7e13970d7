// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See reference.hpp.
#include "dlrm/reference.hpp"

#include <vector>

#include "common/cpu_products.hpp"
#include "common/kernels/bce.hpp"
#include "common/kernels/bias.hpp"
#include "common/kernels/cast.hpp"
#include "common/kernels/concat.hpp"
#include "common/kernels/elementwise.hpp"
#include "common/kernels/embedding.hpp"
#include "common/kernels/gather.hpp"
#include "common/kernels/relu.hpp"

namespace ref {
namespace {

using cpu::Tensor;

class Reference {
 public:
  Reference(const DlrmConfig& c, const HostBatch& batch, const NamedTensors& p,
            ReferenceStorage storage)
      : c_(c), batch_(batch), p_(p), storage_(storage), rows_(static_cast<std::size_t>(c.batch)) {}

  ReferenceStep run() {
    const Tensor numeric = mlp_forward("bottom", c_.bottom.size(), true,
                                       Tensor(batch_.numeric.begin(), batch_.numeric.end()));
    std::vector<Tensor> vectors = {numeric};
    for (int i = 0; i < c_.embeddings; ++i) {
      vectors.push_back(cpu::embedding(indices(i), p_.at(table_name(i)), dim()));
    }
    const Tensor input = cpu::concat({numeric, pair_products(vectors), Tensor(rows_)}, rows_);
    const Tensor logits = mlp_forward("top", c_.top.size(), false, half(input));
    const Tensor target(batch_.target.begin(), batch_.target.end());
    step_.loss = cpu::bce_with_logits(logits, target);

    const Tensor dlogits = cpu::bce_with_logits_backward(logits, target, scale());
    const Tensor dinput = mlp_backward("top", c_.top.size(), false, half(dlogits));
    const std::size_t pairs = static_cast<std::size_t>(c_.pairs());
    std::vector<Tensor> dvectors =
        pair_products_backward(vectors, cpu::slice(dinput, rows_, dim(), pairs));
    const Tensor dnumeric = cpu::add(dvectors[0], cpu::slice(dinput, rows_, 0, dim()));
    for (int i = 0; i < c_.embeddings; ++i) {
      keep_gradient(table_name(i),
                    cpu::embedding_gradient(indices(i), dvectors[static_cast<std::size_t>(i) + 1],
                                            p_.at(table_name(i)).size(), dim()));
    }
    mlp_backward("bottom", c_.bottom.size(), true, half(dnumeric));
    return step_;
  }

 private:
  [[nodiscard]] std::size_t dim() const { return static_cast<std::size_t>(c_.dim); }
  [[nodiscard]] double scale() const { return static_cast<double>(c_.loss_scale); }
  static std::string table_name(int i) { return "embedding." + std::to_string(i); }

  [[nodiscard]] Tensor half(Tensor x) const {
    return storage_ == ReferenceStorage::rounded ? cpu::cast_to_half(std::move(x)) : x;
  }

  [[nodiscard]] std::vector<std::int64_t> indices(int table) const {
    const auto begin = batch_.categorical.begin() + std::ptrdiff_t{table} * c_.batch;
    return {begin, begin + c_.batch};
  }

  void keep_gradient(const std::string& name, Tensor gradient) {
    for (double& value : gradient) value /= scale();
    step_.gradients[name] = std::move(gradient);
  }

  Tensor mlp_forward(const std::string& name, std::size_t layers, bool relu_after_last, Tensor x) {
    for (std::size_t i = 0; i < layers; ++i) {
      const std::string layer = name + "." + std::to_string(i);
      inputs_[layer] = x;
      x = half(cpu::linear(x, p_.at(layer + ".weight"), rows_));
      cpu::bias_add(x, p_.at(layer + ".bias"));
      x = half(std::move(x));
      if (i + 1 < layers || relu_after_last) cpu::relu(x);
      outputs_[layer] = x;
    }
    return x;
  }

  Tensor mlp_backward(const std::string& name, std::size_t layers, bool relu_after_last,
                      Tensor dy) {
    for (std::size_t i = layers; i-- > 0;) {
      const std::string layer = name + "." + std::to_string(i);
      if (i + 1 < layers || relu_after_last) cpu::relu_backward(dy, outputs_.at(layer));
      const Tensor& weight = p_.at(layer + ".weight");
      keep_gradient(layer + ".weight",
                    half(cpu::linear_weight_gradient(dy, inputs_.at(layer), rows_)));
      keep_gradient(layer + ".bias", half(cpu::bias_gradient(dy, dy.size() / rows_)));
      dy = half(cpu::linear_data_gradient(dy, weight, rows_));
    }
    return dy;
  }

  // Every pair of different vectors once, (1,0), (2,0), (2,1), (3,0), ...
  [[nodiscard]] Tensor pair_products(const std::vector<Tensor>& vectors) const {
    Tensor out;
    for (std::size_t row = 0; row < rows_; ++row) {
      for (std::size_t i = 1; i < vectors.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          double sum = 0;
          for (std::size_t d = row * dim(); d < (row + 1) * dim(); ++d) {
            sum += vectors[i][d] * vectors[j][d];
          }
          out.push_back(sum);
        }
      }
    }
    return out;
  }

  [[nodiscard]] std::vector<Tensor> pair_products_backward(const std::vector<Tensor>& vectors,
                                                           const Tensor& dpairs) const {
    std::vector<Tensor> gradients(vectors.size(), Tensor(vectors[0].size()));
    std::size_t pair = 0;
    for (std::size_t row = 0; row < rows_; ++row) {
      for (std::size_t i = 1; i < vectors.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j, ++pair) {
          for (std::size_t d = row * dim(); d < (row + 1) * dim(); ++d) {
            gradients[i][d] += dpairs[pair] * vectors[j][d];
            gradients[j][d] += dpairs[pair] * vectors[i][d];
          }
        }
      }
    }
    return gradients;
  }

  const DlrmConfig& c_;
  const HostBatch& batch_;
  const NamedTensors& p_;
  ReferenceStorage storage_;
  std::size_t rows_;
  NamedTensors inputs_, outputs_;  // of each linear layer
  ReferenceStep step_{};
};

}  // namespace

ReferenceStep reference_step(const DlrmConfig& config, const HostBatch& batch,
                             const NamedTensors& parameters, ReferenceStorage storage) {
  return Reference(config, batch, parameters, storage).run();
}

}  // namespace ref
