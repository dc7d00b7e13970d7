// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What all calls share: how a function is found, what it gets, and the line of what it was asked
// for.
#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>

#include "calls.hpp"

// The headers overload some functions in C++, whose type is then to be said: OVERLOADED.
#ifdef PROF_CALLS_BY_HAND
#define FUNCTION(symbol) (reinterpret_cast<decltype(&symbol)>(looked_up(#symbol)))
#define OVERLOADED(symbol, ...) (reinterpret_cast<__VA_ARGS__*>(looked_up(#symbol)))
#else
#define FUNCTION(symbol) (&symbol)
#define OVERLOADED(symbol, ...) (static_cast<__VA_ARGS__*>(&symbol))
#endif

namespace cublas_calls {

inline const BlasMachine* g_machine = nullptr;
inline cublasHandle_t g_handle = nullptr;
inline int g_call = 0;
inline int g_refused = 0;

inline void* looked_up(const char* symbol) {
  const bool is_lt = std::strncmp(symbol, "cublasLt", 8) == 0;
  void* found = dlsym(is_lt ? g_machine->cublaslt : g_machine->cublas, symbol);
  if (found == nullptr) {
    std::fprintf(stderr, "calls: %s\n", dlerror());
    std::exit(65);
  }
  return found;
}

/// A matrix, as a pointer to whatever a function takes.
struct Any {
  template <typename Type>
  operator Type*() const {  // NOLINT(google-explicit-constructor)
    return static_cast<Type*>(g_machine->matrices);
  }
};
struct AnyPointers {
  template <typename Type>
  operator Type*() const {  // NOLINT(google-explicit-constructor)
    return static_cast<Type*>(g_machine->pointers);
  }
};
inline constexpr Any kMatrix;
inline constexpr AnyPointers kPointers;

template <typename Int>
using Ex = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, Int, Int, Int,
                          const void*, const void*, cudaDataType, Int, const void*, cudaDataType,
                          Int, const void*, void*, cudaDataType, Int, cublasComputeType_t,
                          cublasGemmAlgo_t);
template <typename Int>
using BatchedEx = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, Int, Int,
                                 Int, const void*, const void* const*, cudaDataType, Int,
                                 const void* const*, cudaDataType, Int, const void*, void* const*,
                                 cudaDataType, Int, Int, cublasComputeType_t, cublasGemmAlgo_t);
template <typename Int>
using StridedEx = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, Int, Int,
                                 Int, const void*, const void*, cudaDataType, Int, long long,
                                 const void*, cudaDataType, Int, long long, const void*, void*,
                                 cudaDataType, Int, long long, Int, cublasComputeType_t,
                                 cublasGemmAlgo_t);

/// Alpha and beta of any type.
struct Scalar {
  explicit Scalar(double real) : real64(real) {}
  double real64;
  float real32 = static_cast<float>(real64);
  operator const float*() const { return &real32; }   // NOLINT(google-explicit-constructor)
  operator const double*() const { return &real64; }  // NOLINT(google-explicit-constructor)
  operator const cuComplex*() const {                 // NOLINT(google-explicit-constructor)
    return &(complex32 = {real32, 0});
  }
  operator const cuDoubleComplex*() const {  // NOLINT(google-explicit-constructor)
    return &(complex64 = {real64, 0});
  }
  operator const __half*() const {  // NOLINT(google-explicit-constructor)
    half = real32 == 0 ? 0 : 0x3c00;
    return reinterpret_cast<const __half*>(&half);
  }
  mutable cuComplex complex32{};
  mutable cuDoubleComplex complex64{};
  mutable std::uint16_t half = 0;
};

/// What one call asks for, in the order of its JSON.
struct Asked {
  std::string function, op;
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  std::string types;  ///< Of A, B and D: "f32 f32 f32".
  std::string more;   ///< Members: ",\"trans\":\"nt\"".
  bool reads_c = false;
};

inline std::string word(const char* key, const std::string& value) {
  return std::string(",\"") + key + "\":\"" + value + "\"";
}
inline std::string number(const char* key, std::int64_t value) {
  return std::string(",\"") + key + "\":" + std::to_string(value);
}

inline bool begins_call() {
  ++g_call;
  if (g_machine->before != nullptr) g_machine->before();
  return true;
}

inline void took(const Asked& asked, cublasStatus_t status) {
  if (g_machine->after != nullptr) g_machine->after();
  if (status != CUBLAS_STATUS_SUCCESS) ++g_refused;
  std::printf(
      "{\"function\":\"%s\",\"op\":\"%s\",\"status\":%d,\"m\":%lld,\"n\":%lld,\"k\":%lld,"
      "\"batch\":%lld,\"types\":\"%s\",\"reads_c\":%s%s}\n",
      asked.function.c_str(), asked.op.c_str(), static_cast<int>(status),
      static_cast<long long>(asked.m), static_cast<long long>(asked.n),
      static_cast<long long>(asked.k), static_cast<long long>(asked.batch), asked.types.c_str(),
      asked.reads_c ? "true" : "false", asked.more.c_str());
}

/// An operand as compare.py writes it: "21x1:float32".
inline std::string operand(const char* type, std::initializer_list<std::int64_t> sizes) {
  std::string text;
  for (const std::int64_t size : sizes) text += (text.empty() ? "" : "x") + std::to_string(size);
  return text + ":" + type;
}

inline std::string three(const char* type) { return std::string(type) + " " + type + " " + type; }

void call_groups();
void call_vectors();
void call_halves();
void call_triangles();
void call_half_vectors();
void call_elements();
void call_factors();

}  // namespace cublas_calls

#define BOTH(form, symbol, ...) form(symbol, __VA_ARGS__) form(symbol##_64, __VA_ARGS__)
#define REAL_AND_COMPLEX(form, name, ...)                           \
  BOTH(form, cublasS##name, __VA_ARGS__ __VA_OPT__(, ) "float32")   \
  BOTH(form, cublasD##name, __VA_ARGS__ __VA_OPT__(, ) "float64")   \
  BOTH(form, cublasC##name, __VA_ARGS__ __VA_OPT__(, ) "complex64") \
  BOTH(form, cublasZ##name, __VA_ARGS__ __VA_OPT__(, ) "complex128")
#define REAL(form, name, ...)                                     \
  BOTH(form, cublasS##name, __VA_ARGS__ __VA_OPT__(, ) "float32") \
  BOTH(form, cublasD##name, __VA_ARGS__ __VA_OPT__(, ) "float64")
#define COMPLEX(form, name, ...)                                    \
  BOTH(form, cublasC##name, __VA_ARGS__ __VA_OPT__(, ) "complex64") \
  BOTH(form, cublasZ##name, __VA_ARGS__ __VA_OPT__(, ) "complex128")
#define BOTH_EX(form, symbol, ...)             \
  form(symbol, int __VA_OPT__(, ) __VA_ARGS__) \
      form(symbol##_64, std::int64_t __VA_OPT__(, ) __VA_ARGS__)
