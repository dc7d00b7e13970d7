// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See lamb.hpp.
#include "common/lamb.hpp"

#include <algorithm>

#include "common/describe.hpp"
#include "common/kernels/fill.hpp"

namespace ref {
namespace {

bool decays(const Parameter& parameter) { return parameter.shape().rank() > 1; }

// Matrices before vectors, and parameters of the same shape together: the description of the lists
// then has one entry per shape, not per tensor, and stays short however deep the model is.
std::vector<Parameter*> shapes_together(std::vector<Parameter*> parameters) {
  const auto begin = parameters.begin();
  const auto end = parameters.end();
  std::stable_partition(begin, end, [](const Parameter* p) { return decays(*p); });
  for (auto next = begin; next != end;) {
    const prof::Dims shape = (*next)->shape();
    next =
        std::stable_partition(next, end, [&](const Parameter* p) { return p->shape() == shape; });
  }
  return parameters;
}

// All tensors of a kind as operands; adjacent ones of the same shape share one entry.
class Operands {
 public:
  Operands(prof::OpBuilder& op, const std::vector<Parameter*>& parameters)
      : op_(op), parameters_(parameters) {}

  Operands& in(const char* name, prof::DType type) {
    each([&](const prof::Dims& shape, std::int64_t count) { op_.in(name, shape, type, count); });
    return *this;
  }
  Operands& out(const char* name, prof::DType type) {
    each([&](const prof::Dims& shape, std::int64_t count) { op_.out(name, shape, type, count); });
    return *this;
  }

 private:
  template <typename Body>
  void each(Body body) {
    for (std::size_t i = 0; i < parameters_.size();) {
      std::size_t end = i;
      while (end < parameters_.size() && parameters_[end]->shape() == parameters_[i]->shape()) {
        ++end;
      }
      body(parameters_[i]->shape(), static_cast<std::int64_t>(end - i));
      i = end;
    }
  }

  prof::OpBuilder& op_;
  const std::vector<Parameter*>& parameters_;
};

prof::OpBuilder describe_scale(const std::vector<Parameter*>& parameters) {
  prof::OpBuilder op = prof::op("multi_tensor_scale").update();
  op.in("found_inf", {1}, prof::DType::int32);
  Operands(op, parameters).in("grad", prof::DType::float16).out("grad", kFloat);
  return op;
}

prof::OpBuilder describe_norm(const std::vector<Parameter*>& parameters) {
  prof::OpBuilder op = prof::op("multi_tensor_l2norm").update();
  Operands(op, parameters).in("grad", kFloat);
  return op.out("norm", {1}, kFloat);
}

prof::OpBuilder describe_lamb(const std::vector<Parameter*>& parameters) {
  prof::OpBuilder op = prof::op("lamb").update();
  Operands operands(op, parameters);
  for (const char* name : {"param", "grad", "m", "v"}) operands.in(name, kFloat);
  for (const char* name : {"param", "grad", "m", "v"}) operands.out(name, kFloat);
  operands.out("half", prof::DType::float16);
  return op;
}

std::vector<LambChunk> cut(const std::vector<Parameter*>& parameters) {
  std::vector<LambChunk> chunks;
  for (std::size_t t = 0; t < parameters.size(); ++t) {
    const auto size = static_cast<std::int64_t>(parameters[t]->size());
    for (std::int64_t begin = 0; begin < size; begin += kLambChunk) {
      chunks.push_back({static_cast<std::int32_t>(t), begin});
    }
  }
  return chunks;
}

}  // namespace

Lamb::Texts::Texts(const std::vector<Parameter*>& parameters)
    : scale(describe_scale(parameters)),
      norm(describe_norm(parameters)),
      clip(prof::op("clip_grad_norm")
               .update()
               .in("norm", {1}, kFloat)
               .out("coefficient", {1}, kFloat)),
      lamb(describe_lamb(parameters)) {}

Lamb::Lamb(Gpu& gpu, const std::vector<Parameter*>& parameters, const LambOptions& options)
    : options_(options),
      parameters_(shapes_together(parameters)),
      chunks_(cut(parameters_)),
      partial_(2 * chunks_.size()),
      ratios_(parameters_.size()),
      state_(std::vector<LambState>(1)),
      texts_(parameters_) {
  std::vector<LambTensor> tensors;
  std::int32_t first_chunk = 0;
  for (Parameter* parameter : parameters_) {
    for (int moment = 0; moment < 2; ++moment) {
      moments_.emplace_back(parameter->size());
      zero(gpu.stream, moments_.back().data(), moments_.back().size());
    }
    const auto size = static_cast<std::int64_t>(parameter->size());
    tensors.push_back({parameter->half_grad(), parameter->grad(), parameter->value(),
                       parameter->half(), moments_[moments_.size() - 2].data(),
                       moments_.back().data(), size, first_chunk, decays(*parameter) ? 1 : 0});
    first_chunk += static_cast<std::int32_t>((size + kLambChunk - 1) / kLambChunk);
  }
  tensors_ = DeviceBuffer<LambTensor>(tensors);
}

void Lamb::step(Gpu& gpu, LossScaler& scaler) {
  const cudaStream_t stream = gpu.stream;
  within(texts_.scale,
         [&] { multi_tensor_scale(stream, table(), scaler.state(), scaler.divides()); });
  within(texts_.norm, [&] { multi_tensor_l2norm(stream, table(), state_.data()); });
  within(texts_.clip, [&] { clip_grad_norm(stream, state_.data(), options_.max_norm); });
  const prof::Op op(texts_.lamb);
  lamb(stream, table(), state_.data(), scaler.state(), options_);
}

LambTable Lamb::table() {
  return {tensors_.data(),
          chunks_.data(),
          partial_.data(),
          ratios_.data(),
          static_cast<std::int32_t>(tensors_.size()),
          static_cast<std::int32_t>(chunks_.size())};
}

}  // namespace ref
