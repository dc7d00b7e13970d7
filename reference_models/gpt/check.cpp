// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See truth.hpp.
#include "gpt/truth.hpp"

#include <algorithm>
#include <cmath>

#include "common/gradient_report.hpp"
#include "gpt/gpt.hpp"
#include "gpt/reference.hpp"

namespace ref {
namespace {

// bf16 has 8 significant bits: half a unit in the last place is 2^-9 = 2e-3 of a value. Both sides
// round at the same places; without fusion almost no difference remains at the sizes of the check.
// But a float sum in another order, or cublasLt's GELU, which differs in the last bits, makes some
// values round the other way; the difference then grows from layer to layer to the size of rounding
// itself: 7e-3 here, 2e-2 with more tokens. A missing term causes 1e-1 or more in some tensor.
constexpr double kTolerance = 3e-2;

// The optimizer works in float on values that both sides share.
constexpr double kUpdateTolerance = 1e-4;

cpu::Tensor part_of(const cpu::Tensor& all, const GptTensorInfo& tensor) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(tensor.offset);
  return {begin, begin + static_cast<std::ptrdiff_t>(tensor.size)};
}

NamedTensors by_name(const cpu::Tensor& all, const std::vector<GptTensorInfo>& tensors) {
  NamedTensors named;
  for (const GptTensorInfo& tensor : tensors) named[tensor.name] = part_of(all, tensor);
  return named;
}

double clip_coefficient(const cpu::Tensor& gradients, double limit) {
  double squares = 0;
  for (const double g : gradients) squares += g * g;
  return std::min(1.0, limit / std::sqrt(squares));
}

// From the GPU's gradients, so that AdamW, whose first step is almost a sign function, is tested by
// itself.
void compare_updates(const Gpt& model, const GptConfig& c, const NamedTensors& before,
                     GradientReport& report) {
  const cpu::Tensor gradients = download_tensor(model.parameters().gradients());
  const cpu::Tensor masters = download_tensor(model.optimizer().masters());
  const cpu::Tensor first = download_tensor(model.optimizer().first_moments());
  const cpu::Tensor second = download_tensor(model.optimizer().second_moments());
  const double coefficient = clip_coefficient(gradients, static_cast<double>(c.clip));
  const AdamwOptions options{c.learning_rate, c.beta1, c.beta2, c.epsilon};
  for (const GptTensorInfo& tensor : model.parameters().tensors()) {
    const cpu::Tensor& start = before.at(tensor.name);
    const auto want =
        cpu::first_adamw_step(start, part_of(gradients, tensor), coefficient, options,
                              tensor.decays ? static_cast<double>(c.weight_decay) : 0.0);
    report.line("moment 1 " + tensor.name, relative_error(part_of(first, tensor), want.m), {},
                kUpdateTolerance);
    report.line("moment 2 " + tensor.name, relative_error(part_of(second, tensor), want.v), {},
                kUpdateTolerance);
    report.line("update " + tensor.name,
                relative_move_error(part_of(masters, tensor), want.param, start), {},
                kUpdateTolerance);
  }
}

}  // namespace

bool check_gpt(const GptConfig& config, const std::string& dropped) {
  Gpu gpu;
  const HostTokens host_tokens = make_tokens(config, kTokenStream);
  const Tokens tokens(host_tokens);
  Gpt model(gpu, config, GradientTerms(dropped));
  const auto download_values = [&] {
    return by_name(download_tensor(model.parameters().values()), model.parameters().tensors());
  };
  const NamedTensors before = download_values();
  const ReferenceStep want =
      gpt_reference_step(config, host_tokens, before, ReferenceStorage::rounded);
  const ReferenceStep exact =
      gpt_reference_step(config, host_tokens, before, ReferenceStorage::exact);

  GradientReport report(kTolerance);
  model.train_step(tokens);
  const double loss = static_cast<double>(model.loss());
  report.line("loss", relative_error(loss, want.loss), relative_error(loss, exact.loss));
  const NamedTensors gradients =
      by_name(download_tensor(model.parameters().gradients()), model.parameters().tensors());
  for (const GptTensorInfo& tensor : model.parameters().tensors()) {
    const cpu::Tensor& got = gradients.at(tensor.name);
    report.line("gradient " + tensor.name, relative_error(got, want.gradients.at(tensor.name)),
                relative_error(got, exact.gradients.at(tensor.name)));
  }
  compare_updates(model, config, before, report);

  // The next step starts right only if the updates reached the layers' copies.
  const NamedTensors after = download_values();
  model.train_step(tokens);
  const double next = static_cast<double>(model.loss());
  const ReferenceStep want_next =
      gpt_reference_step(config, host_tokens, after, ReferenceStorage::rounded);
  report.line("loss after the update", relative_error(next, want_next.loss));
  return report.finish();
}

}  // namespace ref
