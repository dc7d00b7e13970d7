// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The reference's gradients are what its loss says: the change of the loss along a direction is the
// gradient's product with that direction, for every parameter. Needs no GPU.
#include "bert/reference.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "common/kernels/lamb.hpp"
#include "common/random.hpp"

namespace ref {
namespace {

class Parameters {
 public:
  explicit Parameters(const BertConfig& c) {
    const auto width = static_cast<std::size_t>(c.hidden);
    const auto inner = static_cast<std::size_t>(c.intermediate);
    const auto words = static_cast<std::size_t>(c.vocabulary);
    add("embedding.token", words * width);
    add("embedding.position", static_cast<std::size_t>(c.max_positions) * width);
    add("embedding.segment", static_cast<std::size_t>(c.segments) * width);
    add_norm("embedding.norm", width);
    for (int i = 0; i < c.layers; ++i) {
      const std::string block = "encoder." + std::to_string(i);
      for (const char* name : {".q", ".k", ".v", ".out"}) {
        add_linear(block + ".attention" + name, width, width);
      }
      add_norm(block + ".attention.norm", width);
      add(block + ".ffn.in.weight", inner * width);
      add(block + ".ffn.gelu.bias", inner);
      add_linear(block + ".ffn.out", inner, width);
      add_norm(block + ".ffn.norm", width);
    }
    add_linear("nsp.pooler", width, width);
    add_linear("nsp.classifier", width, 2);
    add("mlm.transform.weight", width * width);
    add("mlm.gelu.bias", width);
    add_norm("mlm.norm", width);
    add("mlm.decoder.bias", words);
  }

  [[nodiscard]] const NamedTensors& all() const { return all_; }

 private:
  void add(const std::string& name, std::size_t size, double center = 0) {
    const std::uint64_t stream = all_.size();
    cpu::Tensor& tensor = all_[name];
    for (std::size_t i = 0; i < size; ++i) {
      tensor.push_back(center + 0.2 * static_cast<double>(random_symmetric(3, stream, i)));
    }
  }
  void add_linear(const std::string& name, std::size_t in, std::size_t out) {
    add(name + ".weight", in * out);
    add(name + ".bias", out);
  }
  void add_norm(const std::string& name, std::size_t width) {
    add(name + ".weight", width, 1);
    add(name + ".bias", width);
  }

  NamedTensors all_;
};

double loss_at(const BertConfig& config, const HostBertBatch& batch, NamedTensors values,
               const std::string& name, const cpu::Tensor& direction, double distance) {
  cpu::Tensor& tensor = values[name];
  for (std::size_t i = 0; i < tensor.size(); ++i) tensor[i] += distance * direction[i];
  return bert_reference_step(config, batch, values, ReferenceStorage::exact, 0).loss;
}

TEST(BertReference, GradientsAreTheLosssDerivatives) {
  const BertConfig config = bert_check_config();
  const HostBertBatch batch = make_bert_batch(config);
  const NamedTensors values = Parameters(config).all();
  const ReferenceStep step = bert_reference_step(config, batch, values, ReferenceStorage::exact, 0);
  ASSERT_EQ(step.gradients.size(), values.size());
  for (const auto& [name, gradient] : step.gradients) {
    cpu::Tensor direction;
    double along = 0;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      direction.push_back(static_cast<double>(random_symmetric(5, 1, i)));
      along += direction[i] * gradient[i];
    }
    constexpr double kDistance = 1e-5;
    const double measured = (loss_at(config, batch, values, name, direction, kDistance) -
                             loss_at(config, batch, values, name, direction, -kDistance)) /
                            (2 * kDistance);
    EXPECT_NEAR(measured, along, 1e-8 + 1e-5 * std::fabs(along)) << name;
  }
}

TEST(BertReference, TheKeysBiasHasNoGradient) {
  const BertConfig config = bert_check_config();
  const ReferenceStep step = bert_reference_step(
      config, make_bert_batch(config), Parameters(config).all(), ReferenceStorage::exact, 0);
  for (const double value : step.gradients.at("encoder.0.attention.k.bias")) {
    EXPECT_NEAR(value, 0, 1e-12);
  }
}

TEST(BertReference, DropoutDiffersByStep) {
  const BertConfig config = bert_check_config();
  const HostBertBatch batch = make_bert_batch(config);
  const NamedTensors values = Parameters(config).all();
  const auto loss = [&](std::uint64_t step) {
    return bert_reference_step(config, batch, values, ReferenceStorage::rounded, step).loss;
  };
  EXPECT_EQ(loss(0), loss(0));
  EXPECT_NE(loss(0), loss(1));
}

// The first step's update is g / (|g| + epsilon), whatever the betas.
TEST(Lamb, FirstStepByHand) {
  LambOptions options;
  options.learning_rate = 0.5f;
  options.weight_decay = 0.25f;
  cpu::Tensor param = {3, -4};
  cpu::Tensor m(2);
  cpu::Tensor v(2);
  cpu::lamb(param, m, v, {2, -2}, 1, true, options);
  // Update (1 + 0.75, -1 - 1), so the ratio is 5 / sqrt(1.75^2 + 2^2).
  const double ratio = 5 / std::sqrt(1.75 * 1.75 + 4);
  EXPECT_NEAR(param[0], 3 - 0.5 * ratio * 1.75, 1e-5);
  EXPECT_NEAR(param[1], -4 + 0.5 * ratio * 2, 1e-5);

  cpu::Tensor bias = {3, -4};
  cpu::lamb(bias, m = {0, 0}, v = {0, 0}, {2, -2}, 1, false, options);
  EXPECT_NEAR(bias[0], 2.5, 1e-5);
  EXPECT_NEAR(bias[1], -3.5, 1e-5);
}

}  // namespace
}  // namespace ref
