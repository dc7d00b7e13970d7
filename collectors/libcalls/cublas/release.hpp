// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A major release of cuBLAS, and the queries to it while a call is described. Enums have the
// numbers of cublas_api.h and cublasLt.h, which are the same in both releases.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "collectors/libcalls/call_facts.hpp"
#include "collectors/libcalls/real_function.hpp"

namespace prof::collectors {

/// Storage of alpha and beta.
enum class ScaleType : std::uint8_t { kR16F, kR32F, kR64F, kC32F, kC64F, kR32I, kUnknown };

/// Knowledge about beta at the time of the call.
enum class Beta : std::uint8_t { kZero, kNotZero, kUnknown };

/// Reads beta from the host's memory.
inline Beta beta_at(const void* beta, ScaleType type) {
  if (beta == nullptr) return Beta::kUnknown;
  const auto is_zero = [beta]<typename Value>(Value value, std::size_t count = 1) {
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(&value, static_cast<const std::byte*>(beta) + i * sizeof value, sizeof value);
      if (value != Value{}) return Beta::kNotZero;
    }
    return Beta::kZero;
  };
  switch (type) {
    case ScaleType::kR16F: {
      std::uint16_t bits = 0;
      std::memcpy(&bits, beta, sizeof bits);
      return (bits & 0x7fffU) == 0 ? Beta::kZero : Beta::kNotZero;
    }
    case ScaleType::kR32F:
      return is_zero(float{});
    case ScaleType::kR64F:
      return is_zero(double{});
    case ScaleType::kC32F:
      return is_zero(float{}, 2);
    case ScaleType::kC64F:
      return is_zero(double{}, 2);
    case ScaleType::kR32I:
      return is_zero(std::int32_t{});
    case ScaleType::kUnknown:
      break;
  }
  return Beta::kUnknown;
}

constexpr ScaleType scale_of(DataType type) {
  switch (type) {
    case DataType::kR16F:
      return ScaleType::kR16F;
    case DataType::kR32F:
      return ScaleType::kR32F;
    case DataType::kR64F:
      return ScaleType::kR64F;
    case DataType::kC32F:
      return ScaleType::kC32F;
    case DataType::kC64F:
      return ScaleType::kC64F;
    case DataType::kR32I:
      return ScaleType::kR32I;
    default:
      return ScaleType::kUnknown;
  }
}

/// The precision of a product, by cublasComputeType_t: a word, and the type of alpha and beta in
/// the functions that do not state it.
struct ComputeType {
  int number;
  std::string_view word;
  ScaleType scale;
};
inline constexpr ComputeType kComputeTypes[] = {
    {64, "16f", ScaleType::kR16F},
    {65, "16f_pedantic", ScaleType::kR16F},
    {68, "32f", ScaleType::kR32F},
    {69, "32f_pedantic", ScaleType::kR32F},
    {70, "64f", ScaleType::kR64F},
    {71, "64f_pedantic", ScaleType::kR64F},
    {72, "32i", ScaleType::kR32I},
    {73, "32i_pedantic", ScaleType::kR32I},
    {74, "32f_fast_16f", ScaleType::kR32F},
    {75, "32f_fast_16bf", ScaleType::kR32F},
    {77, "32f_fast_tf32", ScaleType::kR32F},
    {78, "32f_emulated_16bfx9", ScaleType::kR32F},
    {79, "64f_emulated_fixedpoint", ScaleType::kR64F},
};
inline const ComputeType* compute_type(int number) {
  for (const ComputeType& known : kComputeTypes) {
    if (known.number == number) return &known;
  }
  return nullptr;
}

template <int kMajor>
struct CublasRelease {
  static_assert(kMajor == 12 || kMajor == 13);
  static constexpr const char* kSource = "cublas";
  static constexpr const char* kCublas = kMajor == 12 ? "libcublas.so.12" : "libcublas.so.13";
  static constexpr const char* kCublasLt = kMajor == 12 ? "libcublasLt.so.12" : "libcublasLt.so.13";

  /// Whether alpha and beta are in the host's memory.
  static bool has_host_scalars(void* handle) {
    static constinit RealFunction real{"cublasGetPointerMode_v2", kCublas};
    auto* const get = real.as<int(void*, int*)>();
    int mode = 1;
    return get != nullptr && get(handle, &mode) == 0 && mode == 0;
  }

  static Beta beta(void* handle, const void* beta, ScaleType type) {
    return has_host_scalars(handle) ? beta_at(beta, type) : Beta::kUnknown;
  }
};

}  // namespace prof::collectors
