// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The CPU reference that ref-gpt --check compares with is itself compared with differences of the
// loss that it computes: of that number it is easy to see that it is right.
#include "gpt/reference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "common/random.hpp"

namespace ref {
namespace {

using testing::Each;

GptConfig small_config() {
  GptConfig config;
  config.batch = 2;
  config.length = 8;
  config.layers = 2;
  config.hidden = 16;
  config.heads = 2;
  config.vocab = 13;
  config.padded_vocab = 16;
  return config;
}

// Weights around 0, norms' scales around 1.
NamedTensors random_parameters(const GptConfig& c) {
  const auto channels = static_cast<std::size_t>(c.hidden);
  const auto layers = static_cast<std::size_t>(c.layers);
  const auto words = static_cast<std::size_t>(c.padded_vocab);
  const auto tokens = static_cast<std::size_t>(c.length);
  const std::map<std::string, std::size_t> sizes = {
      {"wte", words * channels},
      {"wpe", tokens * channels},
      {"ln_1.weight", layers * channels},
      {"ln_1.bias", layers * channels},
      {"attn.c_attn.weight", layers * 3 * channels * channels},
      {"attn.c_attn.bias", layers * 3 * channels},
      {"attn.c_proj.weight", layers * channels * channels},
      {"attn.c_proj.bias", layers * channels},
      {"ln_2.weight", layers * channels},
      {"ln_2.bias", layers * channels},
      {"mlp.c_fc.weight", layers * 4 * channels * channels},
      {"mlp.c_fc.bias", layers * 4 * channels},
      {"mlp.c_proj.weight", layers * 4 * channels * channels},
      {"mlp.c_proj.bias", layers * channels},
      {"ln_f.weight", channels},
      {"ln_f.bias", channels}};
  NamedTensors parameters;
  std::uint64_t stream = 0;
  for (const auto& [name, size] : sizes) {
    const bool is_scale = name.starts_with("ln_") && name.ends_with("weight");
    cpu::Tensor values;
    for (std::size_t i = 0; i < size; ++i) {
      values.push_back((is_scale ? 1.0 : 0.0) +
                       0.4 * static_cast<double>(random_symmetric(1, stream, i)));
    }
    parameters[name] = std::move(values);
    ++stream;
  }
  return parameters;
}

double loss_of(const GptConfig& config, const NamedTensors& parameters) {
  return gpt_reference_step(config, make_tokens(config, 1000), parameters, ReferenceStorage::exact)
      .loss;
}

// (f(x + h) - f(x - h)) / 2h: wrong by about h^2, and by rounding over h.
double slope(const GptConfig& config, NamedTensors parameters, const std::string& name,
             std::size_t i) {
  constexpr double kStep = 1e-5;
  double& value = parameters.at(name)[i];
  value += kStep;
  const double above = loss_of(config, parameters);
  value -= 2 * kStep;
  return (above - loss_of(config, parameters)) / (2 * kStep);
}

class GptReference : public testing::TestWithParam<int> {};

TEST_P(GptReference, GradientsAreSlopesOfTheLoss) {
  GptConfig config = small_config();
  config.gelu_fusion = GetParam();
  const NamedTensors parameters = random_parameters(config);
  const ReferenceStep step =
      gpt_reference_step(config, make_tokens(config, 1000), parameters, ReferenceStorage::exact);
  for (const auto& [name, gradient] : step.gradients) {
    ASSERT_EQ(gradient.size(), parameters.at(name).size()) << name;
    for (std::size_t k = 0; k < 8; ++k) {
      const std::size_t i = (k * 7919 + 13) % gradient.size();
      EXPECT_NEAR(gradient[i], slope(config, parameters, name, i), 1e-8) << name << '[' << i << ']';
    }
  }
}

// What is fused decides only where values are rounded.
INSTANTIATE_TEST_SUITE_P(GeluFusion, GptReference, testing::Values(0, 1, 2));

TEST(GptReferenceTest, NeitherLossNorGradientsKnowOfPadding) {
  const GptConfig config = small_config();
  NamedTensors parameters = random_parameters(config);
  const HostTokens tokens = make_tokens(config, 1000);
  const ReferenceStep step =
      gpt_reference_step(config, tokens, parameters, ReferenceStorage::exact);
  const auto padding =
      static_cast<std::ptrdiff_t>(config.vocab) * static_cast<std::ptrdiff_t>(config.hidden);
  const cpu::Tensor& dwte = step.gradients.at("wte");
  EXPECT_THAT(cpu::Tensor(dwte.begin() + padding, dwte.end()), Each(0.0));

  cpu::Tensor& wte = parameters.at("wte");
  std::fill(wte.begin() + padding, wte.end(), 7.0);
  EXPECT_EQ(gpt_reference_step(config, tokens, parameters, ReferenceStorage::exact).loss,
            step.loss);
}

TEST(GptReferenceTest, RoundedStorageIsNear) {
  const GptConfig config = small_config();
  const NamedTensors parameters = random_parameters(config);
  const HostTokens tokens = make_tokens(config, 1000);
  const double exact = gpt_reference_step(config, tokens, parameters, ReferenceStorage::exact).loss;
  const double rounded =
      gpt_reference_step(config, tokens, parameters, ReferenceStorage::rounded).loss;
  EXPECT_NE(rounded, exact);
  EXPECT_NEAR(rounded, exact, 1e-2 * exact);
}

TEST(GptReferenceTest, TargetsAreTheNextInputs) {
  const GptConfig config = small_config();
  const HostTokens tokens = make_tokens(config, 1000);
  ASSERT_EQ(tokens.inputs.size(), static_cast<std::size_t>(config.tokens()));
  for (std::size_t i = 0; i + 1 < tokens.inputs.size(); ++i) {
    const bool last_of_sequence = (i + 1) % static_cast<std::size_t>(config.length) == 0;
    if (last_of_sequence) continue;
    EXPECT_EQ(tokens.targets[i], tokens.inputs[i + 1]);
  }
  EXPECT_NE(tokens.inputs, make_tokens(config, 1001).inputs);
}

}  // namespace
}  // namespace ref
