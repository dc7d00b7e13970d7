// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Fourier transforms over the last dimension.
#include <cmath>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

enum class Kind { kComplex, kFromReal, kToReal };

/// Nullopt if it depends on the input's element type and that is unknown.
std::optional<Kind> kind(const OpDesc& op, DType dtype) {
  const std::string_view name = canonical_word(op.op);
  if (name == "_fft_c2c") return Kind::kComplex;
  if (name == "_fft_c2r" || name == "fft_irfft") return Kind::kToReal;
  if (name == "_fft_r2c" || name == "fft_rfft") return Kind::kFromReal;
  if (is_complex(dtype)) return Kind::kComplex;
  if (dtype == DType::kUnknown) return std::nullopt;
  return Kind::kFromReal;
}

OpFacts evaluate(const OpDesc& op) {
  OpFacts facts;
  const Tensor* x = input(op, std::size_t{0});
  if (x == nullptr) return facts;
  const auto which = kind(op, x->dtype);
  if (!which) return facts;
  double length = x->shape.empty() ? 1 : static_cast<double>(x->shape.back());
  double count = elements(x->shape);
  if (*which == Kind::kToReal && length > 1) {
    // For n real results the input has n/2 + 1 elements; an odd n would be one more.
    count = count / length * 2 * (length - 1);
    length = 2 * (length - 1);
  }
  const double each = length > 1 ? (*which == Kind::kComplex ? 5.0 : 2.5) * std::log2(length) : 0;
  facts.cost = cost(std::round(each * count), traffic(op), Basis::kEstimated);
  return facts;
}

}  // namespace

void register_fft(Registry& registry);
void register_fft(Registry& registry) {
  registry.add({
      .name = "fft",
      .formulas =
          {
              {"fft", "5·E·log2 n; from or to real numbers half of that, with E and n of the reals",
               "-", "in + out", "estimated"},
          },
      .notes = "The radix-2 count that FFTW and cuFFT benchmarks use (fftw.org/speed), whatever "
               "the algorithm does. n: size of the last dimension; the shapes do not tell which "
               "other dimensions are transformed.",
      .evaluate = evaluate,
      .examples =
          {
              {"aten::_fft_c2c, sizes = [[8, 16], [], [], []]", "T=(8,16)", std::nullopt, 2560,
               std::nullopt, Basis::kEstimated, DType::kComplex64},
              {"aten::_fft_c2r, sizes = [[8, 9], [], [], []]", "T=(8,9)", std::nullopt, 1280,
               std::nullopt, Basis::kEstimated, DType::kComplex64},
              {"aten::fft_fft, sizes = [[8, 16], [], [], []]", "T=(8,16)", std::nullopt,
               std::nullopt, std::nullopt, Basis::kUnknown},
              {"aten::_fft_r2c, sizes = [[8, 16], [], [], []]", "T=(8,16)", std::nullopt, 1280,
               std::nullopt, Basis::kEstimated},
          },
  });
}

}  // namespace prof::ops
