// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See truth.hpp.
#include "dlrm/truth.hpp"

#include "common/gradient_report.hpp"
#include "dlrm/dlrm.hpp"
#include "dlrm/reference.hpp"

namespace ref {
namespace {

// Both sides round to fp16 at the same places. What remains are fp32 sums, and an occasional sum
// that falls on the other side of a rounding boundary: about 1e-5 to 1e-4 of a tensor's norm. A
// missing term causes 1e-1 or more.
constexpr double kTolerance = 2e-3;

// fp16 parameters as used by the layers.
NamedTensors download_values(Dlrm& model) {
  NamedTensors values;
  for (const Parameter* parameter : model.parameters()) {
    cpu::Tensor value = download_tensor(parameter->value());
    if (parameter->precision() == Parameter::Precision::fp16) {
      for (double& x : value) x = cpu::round_to_half(x);
    }
    values[parameter->name()] = std::move(value);
  }
  return values;
}

void compare_gradients(Dlrm& model, const ReferenceStep& want, const ReferenceStep& exact,
                       GradientReport& report) {
  for (const Parameter* parameter : model.parameters()) {
    const cpu::Tensor got = download_tensor(parameter->grad());
    const std::string& name = parameter->name();
    report.line("gradient " + name, relative_error(got, want.gradients.at(name)),
                relative_error(got, exact.gradients.at(name)));
  }
}

void compare_updates(Dlrm& model, const NamedTensors& before, const ReferenceStep& want,
                     double learning_rate, GradientReport& report) {
  for (const Parameter* parameter : model.parameters()) {
    cpu::Tensor moved = download_tensor(parameter->value());
    cpu::Tensor expected = want.gradients.at(parameter->name());
    for (std::size_t i = 0; i < moved.size(); ++i) {
      moved[i] -= before.at(parameter->name())[i];
      expected[i] *= -learning_rate;
    }
    report.line("update " + parameter->name(), relative_error(moved, expected));
  }
}

}  // namespace

DlrmConfig check_config() {
  DlrmConfig config;
  config.batch = 96;
  config.embeddings = 5;
  config.embedding_rows = 20;
  config.dim = 16;
  config.bottom = {32, 24, 16};
  config.top = {48, 32, 24, 1};
  config.learning_rate = 1;
  return config;
}

bool check_gradients(const DlrmConfig& config, const std::string& dropped) {
  Gpu gpu;
  const HostBatch host_batch = make_batch(config);
  const Batch batch(host_batch);
  Dlrm model(gpu, config, GradientTerms(dropped));
  const NamedTensors before = download_values(model);
  const ReferenceStep want = reference_step(config, host_batch, before, ReferenceStorage::rounded);
  const ReferenceStep exact = reference_step(config, host_batch, before, ReferenceStorage::exact);

  GradientReport report(kTolerance);
  model.train_step(batch);
  const auto loss = static_cast<double>(model.loss());
  report.line("loss", relative_error(loss, want.loss), relative_error(loss, exact.loss));
  compare_gradients(model, want, exact, report);
  compare_updates(model, before, want, static_cast<double>(config.learning_rate), report);

  // The next step starts right only if all updates were applied, including the layers' fp16 copies.
  const NamedTensors after = download_values(model);
  model.train_step(batch);
  const auto next = static_cast<double>(model.loss());
  report.line("loss after the update",
              relative_error(
                  next, reference_step(config, host_batch, after, ReferenceStorage::rounded).loss));
  return report.finish();
}

}  // namespace ref
