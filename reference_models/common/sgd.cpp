// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See sgd.hpp.
#include "common/sgd.hpp"

#include <array>

namespace ref {
namespace {

prof::OpBuilder describe(const prof::Dims& shape, bool fp16, float learning_rate) {
  prof::OpBuilder op = prof::op("sgd").update();
  op.in("param", shape, prof::DType::float32).in("grad", shape, prof::DType::float32);
  op.out("param", shape, prof::DType::float32);
  if (fp16) op.out("half", shape, prof::DType::float16);
  return op.attr("lr", learning_rate);
}

// The shape, and whether there is an fp16 copy.
prof::Dims key_of(const prof::Dims& shape, bool fp16) {
  std::array<std::int64_t, prof::Dims::kMaxRank> numbers{};
  for (std::size_t i = 0; i < shape.rank(); ++i) numbers[i] = shape[i];
  numbers[shape.rank()] = fp16 ? 1 : 0;
  return prof::Dims::from(numbers.data(), shape.rank() + 1);
}

}  // namespace

void Sgd::step(Gpu& gpu, Parameter& parameter, const ScalerState* state) {
  const prof::Dims& shape = parameter.shape();
  const bool fp16 = parameter.precision() == Parameter::Precision::fp16;
  const prof::Op op(texts_, key_of(shape, fp16),
                    [&] { return describe(shape, fp16, learning_rate_); });
  sgd(gpu.stream, parameter.value(), parameter.grad(), fp16 ? parameter.half() : nullptr,
      parameter.size(), learning_rate_, state);
}

}  // namespace ref
