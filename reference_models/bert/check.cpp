// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See truth.hpp.
#include "bert/truth.hpp"

#include <cmath>

#include "bert/bert.hpp"
#include "bert/reference.hpp"
#include "common/gradient_report.hpp"
#include "common/kernels/elementwise.hpp"

namespace ref {
namespace {

// Both sides round to fp16 at the same places, but fp32 sums occasionally fall on the other side of
// a rounding boundary, which affects every later op. Over two blocks that grows to some 1e-3 of a
// tensor's norm, which is also the distance from a reference that never rounds. A missing term
// causes 1e-1 or more.
constexpr double kTolerance = 1e-2;
// Parameters are compared after a LAMB step from the same gradient, in fp32.
constexpr double kUpdateTolerance = 1e-4;

NamedTensors download_values(Bert& model) {
  NamedTensors values;
  for (const Parameter* parameter : model.parameters()) {
    values[parameter->name()] = download_tensor(parameter->value());
  }
  return values;
}

// As used by the layers.
NamedTensors rounded(NamedTensors values) {
  for (auto& [name, tensor] : values) {
    for (double& value : tensor) value = cpu::round_to_half(value);
  }
  return values;
}

NamedTensors download_gradients(Bert& model, const BertConfig& c) {
  NamedTensors gradients;
  for (const Parameter* parameter : model.parameters()) {
    cpu::Tensor gradient = download_tensor(parameter->half_grad());
    for (double& value : gradient) value /= static_cast<double>(c.loss_scale);
    gradients[parameter->name()] = std::move(gradient);
  }
  return gradients;
}

double norm_of(const NamedTensors& tensors) {
  double sum = 0;
  for (const auto& [name, tensor] : tensors) {
    for (const double value : tensor) sum += value * value;
  }
  return std::sqrt(sum);
}

// The gradient of the keys' bias is zero but for rounding (see gradient_term_names), so it is
// measured against that of the queries' bias.
double gradient_error(const std::string& name, const NamedTensors& got, const NamedTensors& want) {
  const std::string end = ".attention.k.bias";
  if (!name.ends_with(end)) return relative_error(got.at(name), want.at(name));
  const std::string queries = name.substr(0, name.size() - end.size()) + ".attention.q.bias";
  const cpu::Tensor& shift = want.at(queries);
  return relative_error(cpu::add(got.at(name), shift), cpu::add(want.at(name), shift));
}

/// LAMB on the CPU, from the GPU's gradients: tests the optimizer alone.
class LambReference {
 public:
  LambReference(const BertConfig& c, Bert& model) : values_(download_values(model)) {
    options_.learning_rate = c.learning_rate;
    for (const Parameter* parameter : model.parameters()) {
      decays_[parameter->name()] = parameter->shape().rank() > 1;
      first_[parameter->name()] = cpu::Tensor(parameter->size());
      second_[parameter->name()] = cpu::Tensor(parameter->size());
    }
  }

  /// The GPU's parameters must have changed in the same way.
  void step(const NamedTensors& gradients, double norm, Bert& model, GradientReport& report) {
    ++steps_;
    const double limit = static_cast<double>(options_.max_norm);
    const double coefficient = std::min(1.0, limit / (norm + 1e-6));
    const NamedTensors after = download_values(model);
    for (auto& [name, value] : values_) {
      cpu::Tensor gradient = gradients.at(name);
      for (double& g : gradient) g *= coefficient;
      cpu::Tensor expected = value;
      cpu::lamb(expected, first_[name], second_[name], gradient, steps_, decays_[name], options_);
      report.line("update " + std::to_string(steps_) + " " + name,
                  relative_move_error(after.at(name), expected, value), {}, kUpdateTolerance);
    }
    values_ = after;
  }

  [[nodiscard]] const NamedTensors& values() const { return values_; }

 private:
  LambOptions options_;
  NamedTensors values_, first_, second_;
  std::map<std::string, bool> decays_;
  int steps_ = 0;
};

}  // namespace

bool check_bert(const BertConfig& config, const std::string& dropped) {
  Gpu gpu;
  const HostBertBatch host_batch = make_bert_batch(config);
  const BertBatch batch(host_batch);
  Bert model(gpu, config, GradientTerms(dropped));
  LambReference optimizer(config, model);
  GradientReport report(kTolerance);
  // The second step starts right only if the first applied all updates, including the layers' fp16
  // copies; it also has moments and other dropout.
  for (std::uint64_t step = 0; step < 2; ++step) {
    const NamedTensors values = rounded(optimizer.values());
    const ReferenceStep want =
        bert_reference_step(config, host_batch, values, ReferenceStorage::rounded, step);
    const ReferenceStep exact =
        bert_reference_step(config, host_batch, values, ReferenceStorage::exact, step);
    const std::string number = std::to_string(step + 1);
    model.train_step(batch);
    const auto loss = static_cast<double>(model.loss());
    report.line("loss " + number, relative_error(loss, want.loss),
                relative_error(loss, exact.loss));
    const NamedTensors got = download_gradients(model, config);
    for (const auto& [name, gradient] : got) {
      report.line("gradient " + number + " " + name, gradient_error(name, got, want.gradients),
                  gradient_error(name, got, exact.gradients));
    }
    const auto norm = static_cast<double>(model.grad_norm());
    report.line("gradient norm " + number, relative_error(norm, norm_of(want.gradients)));
    optimizer.step(got, norm, model, report);
  }
  return report.finish();
}

}  // namespace ref
