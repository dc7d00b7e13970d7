// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Fourier transforms over the last dimension.
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

enum class FftKind { kComplex, kFromReal, kToReal };

DType real_of(DType complex) {
  return complex == DType::kComplex64    ? DType::kFloat32
         : complex == DType::kComplex128 ? DType::kFloat64
                                         : DType::kUnknown;
}

/// Nullopt if it depends on the input's element type and that is unknown.
std::optional<FftKind> kind(const OpDesc& op, DType dtype) {
  const std::string_view name = canonical_word(op.op);
  if (name == "_fft_c2c") return FftKind::kComplex;
  if (name == "_fft_c2r" || name == "fft_irfft") return FftKind::kToReal;
  if (name == "_fft_r2c" || name == "fft_rfft") return FftKind::kFromReal;
  const Tensor* out = output(op, "out");
  if (is_complex(dtype) && out != nullptr && out->dtype == real_of(dtype)) return FftKind::kToReal;
  if (is_complex(dtype)) return FftKind::kComplex;
  if (dtype == DType::kUnknown) return std::nullopt;
  return FftKind::kFromReal;
}

/// The dimensions that are stated, or how many of the last ones, otherwise the last one.
std::vector<std::size_t> transformed(const OpDesc& op, const Shape& x) {
  if (x.empty()) return {};
  const auto rank = static_cast<std::size_t>(number(op, "rank").value_or(0));
  if (rank > 0 && rank <= x.size()) {
    std::vector<std::size_t> last(rank);
    std::iota(last.begin(), last.end(), x.size() - rank);
    return last;
  }
  auto dims = dimensions_of(op, x.size());
  if (!dims || dims->empty()) return {x.size() - 1};
  return std::move(*dims);
}

/// The transformed dimension of which complex data holds only one half: the last one listed.
std::size_t last_of(const OpDesc& op, const Shape& x) {
  const auto dims = number_list(op, "dim");
  if (!dims || dims->empty()) return x.size() - 1;
  const std::int64_t last = dims->back();
  return static_cast<std::size_t>(last < 0 ? last + static_cast<std::int64_t>(x.size()) : last);
}

OpFacts evaluate_fft(const OpDesc& op) {
  OpFacts facts;
  const Tensor* x = input(op, std::size_t{0});
  if (x == nullptr) return facts;
  const auto which = kind(op, x->dtype);
  if (!which) return facts;
  double count = elements(x->shape);
  double length = 1;
  for (const std::size_t dim : transformed(op, x->shape)) {
    auto size = static_cast<double>(x->shape[dim]);
    if (*which == FftKind::kToReal && dim == last_of(op, x->shape) && size > 0) {
      // For n real results the input has n/2 + 1 elements; an odd n would be one more.
      const double reals = number(op, "last_dim_size").value_or(size > 1 ? 2 * (size - 1) : size);
      count = count / size * reals;
      size = reals;
    }
    length *= size;
  }
  const double each =
      length > 1 ? (*which == FftKind::kComplex ? 5.0 : 2.5) * std::log2(length) : 0;
  facts.cost = cost(std::round(each * count), traffic(op), Basis::kEstimated);
  return facts;
}

DType complex_of(DType real) {
  return real == DType::kFloat32   ? DType::kComplex64
         : real == DType::kFloat64 ? DType::kComplex128
                                   : DType::kUnknown;
}

/// Adds the result of PyTorch's inner ops, which state what they transform; other ops pad or cut
/// their input.
void complete_fft(OpDesc& op) {
  const std::string_view name = canonical_word(op.op);
  const Tensor* x = input(op, std::size_t{0});
  if (x == nullptr || x->shape.empty()) return;
  Shape shape = x->shape;
  DType dtype = x->dtype;
  if (name == "_fft_c2c") return add_output(op, "out", std::move(shape), dtype);
  const std::size_t last = last_of(op, shape);
  if (!has_attr(op, "dim") || last >= shape.size()) return;
  if (name == "_fft_r2c") {
    if (flag(op, "onesided")) shape[last] = shape[last] / 2 + 1;
    dtype = complex_of(dtype);
  } else if (const auto reals = sizes(op, "last_dim_size", 1); name == "_fft_c2r" && reals) {
    shape[last] = (*reals)[0];
    dtype = real_of(dtype);
  } else {
    return;
  }
  add_output(op, "out", std::move(shape), dtype);
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
               "the algorithm does. n: product of the sizes of the dimensions in attr `dim`; "
               "without it (shapes do not show which are transformed) size of the last one.",
      .evaluate = evaluate_fft,
      .complete = complete_fft,
      .examples =
          {
              {"aten::_fft_c2c, sizes = [[8, 16], [], [], []]", "T=(8,16)", std::nullopt, 2560,
               2 * 8 * 128, Basis::kEstimated, DType::kComplex64},
              {"aten::_fft_c2r, sizes = [[8, 9], [], [], []]", "T=(8,9)", std::nullopt, 1280,
               std::nullopt, Basis::kEstimated, DType::kComplex64},
              {R"({"op":"cufft::r2c","args":[{"shape":[3,8,16],"dtype":"float32"},
              {"shape":[3,8,9],"dtype":"complex64"}],
              "facts":{"rank":2,"direction":"forward","last_dim_size":16}})",
               "T=(3,8,16)", std::nullopt, 2.5 * 384 * 7, 4 * 384 + 8 * 216, Basis::kEstimated},
              {R"({"op":"cufft::c2r","args":[{"shape":[3,9],"dtype":"complex64"},
              {"shape":[3,16],"dtype":"float32"}],"facts":{"rank":1,"last_dim_size":16}})",
               "T=(3,9)", std::nullopt, 2.5 * 48 * 4, 8 * 27 + 4 * 48, Basis::kEstimated},
              {"aten::fft_fft, sizes = [[8, 16], [], [], []]", "T=(8,16)", std::nullopt,
               std::nullopt, std::nullopt, Basis::kUnknown},
              {"aten::_fft_r2c, sizes = [[8, 16], [], [], []]", "T=(8,16)", std::nullopt, 1280,
               std::nullopt, Basis::kEstimated},
              {R"({"op":"aten::_fft_c2c","args":[{"shape":[2,8,16],"dtype":"complex64"},
              {"value":[1,2]},{"value":0},{"value":true}]})",
               "T=(2,8,16)", std::nullopt, 5 * 256 * 7, 2 * 8 * 256, Basis::kEstimated},
              {R"({"op":"aten::_fft_c2r","args":[{"shape":[2,4,9],"dtype":"complex64"},
              {"value":[1,2]},{"value":0},{"value":16}]})",
               "T=(2,4,9)", std::nullopt, 2.5 * 128 * 6, 8 * 72 + 4 * 128, Basis::kEstimated},
              // The frames of a short-time transform overlap: 1,600 samples of each.
              {R"({"op":"aten::_fft_r2c","args":[
              {"shape":[2,8,400],"dtype":"float32","strides":[1600,160,1]},
              {"value":[2]},{"value":0},{"value":true}]})",
               "T=(2,8,400)", std::nullopt, 138302, 4 * (1600 + 7 * 160 + 400) + 8 * 16 * 201,
               Basis::kEstimated},
          },
  });
}

}  // namespace prof::ops
