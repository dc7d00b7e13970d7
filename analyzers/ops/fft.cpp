// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Fourier transforms over the last dimension.
#include <cmath>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

OpFacts evaluate(const OpDesc& op) {
  OpFacts facts;
  const Tensor* x = input(op, std::size_t{0});
  if (x == nullptr) return facts;
  const double length = x->shape.empty() ? 1 : static_cast<double>(x->shape.back());
  const bool real = !is_complex(x->dtype) && canonical_word(op.op) != "_fft_c2c";
  const double each = length > 1 ? (real ? 2.5 : 5.0) * std::log2(length) : 0;
  facts.cost = cost(std::round(each * elements(x->shape)), traffic(op), Basis::kEstimated);
  return facts;
}

}  // namespace

void register_fft(Registry& registry);
void register_fft(Registry& registry) {
  registry.add({
      .name = "fft",
      .formulas =
          {
              {"fft", "5·E·log2 n, of real numbers half of it", "-", "in + out", "estimated"},
          },
      .notes = "The radix-2 count that FFTW and cuFFT benchmarks use (fftw.org/speed), whatever "
               "the algorithm does. n: size of the last dimension; others that are transformed are "
               "not in the shapes.",
      .evaluate = evaluate,
      .examples =
          {
              {"aten::_fft_c2c, sizes = [[8, 16], [], [], []]", "T=(8,16)", std::nullopt, 2560,
               std::nullopt, Basis::kEstimated, DType::kComplex64},
              {"aten::_fft_r2c, sizes = [[8, 16], [], [], []]", "T=(8,16)", std::nullopt, 1280,
               std::nullopt, Basis::kEstimated},
          },
  });
}

}  // namespace prof::ops
