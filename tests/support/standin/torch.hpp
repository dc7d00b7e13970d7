// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The stand-in libtorch_cpu.so: what PyTorch 2.11 offers to an observer of its ops, and ops for
// test programs to run. It computes nothing. STANDIN_TORCH: "old" has the places of members that
// wheels had up to 2.6, "other" has them where no release had. Only for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace standin::torch {

/// c10::IValue.
struct Value {
  union {
    std::int64_t integer;
    double real;
    bool boolean;
    void* object;
  };
  std::uint32_t tag;
};
static_assert(sizeof(Value) == 16);

enum class Kind : std::uint8_t {
  kPlain,
  kSubclass,   ///< Its accessors enter Python: the program ends if one is called.
  kUndefined,  ///< Likewise of another class.
  kSparse,     ///< Not strided; has no strides to ask for.
  kMeta        ///< No data; its sizes may be symbols, which accessors report on stderr.
};

struct Op {
  const char* name = "";
  std::uint8_t scope = 0;  ///< at::RecordScope
  std::int64_t sequence = -1;
  std::uint64_t forward_thread = 0;
  bool is_async = false;
  std::vector<Value> inputs;
};

struct Api {
  void* (*begin)(const Op& op);  ///< A RecordFunction, for end().
  void (*end)(void* function);
  Value (*tensor)(Kind kind, std::int32_t dtype, std::vector<std::int64_t> sizes,
                  std::vector<std::int64_t> strides);
  Value (*list)(std::vector<Value> elements);
  Value (*string)();
};
inline constexpr char kApi[] = "standin_torch_api";

inline constexpr std::uint32_t kNone = 0, kTensor = 1, kDouble = 3, kInt = 5, kBool = 10,
                               kString = 12, kList = 14;
inline constexpr std::int32_t kFloat32 = 6, kInt64 = 4, kFloat64 = 7;

inline Value none() { return {{.integer = 0}, kNone}; }
inline Value integer(std::int64_t value) { return {{.integer = value}, kInt}; }
inline Value real(double value) { return {{.real = value}, kDouble}; }
inline Value boolean(bool value) {
  Value made{{.integer = 0}, kBool};
  made.boolean = value;
  return made;
}

}  // namespace standin::torch
