// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The tensors of the kernels' double-precision references. Plain loops, no GPU.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace ref::cpu {

/// A dense tensor, row-major; its shape is passed separately.
using Tensor = std::vector<double>;

/// The value as fp16 would hold it: round to nearest, ties to even, subnormals, infinity above
/// 65504.
inline double round_to_half(double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  const int exponent = std::max(std::ilogb(x), -14);  // below 2^-14 the spacing stays 2^-24
  const double spacing = std::ldexp(1.0, exponent - 10);
  const double rounded = std::nearbyint(x / spacing) * spacing;
  return std::fabs(rounded) > 65504 ? std::copysign(INFINITY, x) : rounded;
}

/// The value as bfloat16 would hold it: 8 significant bits, the exponents of float, ties to even.
inline double round_to_bfloat16(double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  const int exponent = std::max(std::ilogb(x), -126);
  const double spacing = std::ldexp(1.0, exponent - 7);
  const double rounded = std::nearbyint(x / spacing) * spacing;
  return std::fabs(rounded) > 3.3895313892515355e38 ? std::copysign(INFINITY, x) : rounded;
}

}  // namespace ref::cpu
