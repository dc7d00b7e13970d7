// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls of CUDA functions.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

/// One call of a CUDA runtime or driver function, with the range stack under which it was made.
struct ApiRecord {
  enum class Domain : std::uint8_t { kRuntime, kDriver };
  Correlation correlation = 0;
  std::uint32_t depth = 0;  ///< 0: called by the program; n: inside n other recorded calls.
  Domain domain = Domain::kRuntime;
  StringId function;  ///< As CUPTI names it, without its version suffix: "cudaLaunchKernel".
  ThreadId thread;
  RangeId stack = 0;        ///< Innermost open range of the thread over all domains.
  std::int32_t status = 0;  ///< The cudaError_t or CUresult that it returned.
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  friend bool operator==(const ApiRecord&, const ApiRecord&) = default;
};

template <>
struct EnumWords<ApiRecord::Domain> {
  static constexpr std::array<std::string_view, 2> kWords = {"runtime", "driver"};
};

template <>
struct RecordKind<ApiRecord> {
  using R = ApiRecord;
  static constexpr std::string_view kWord = "api";
  static constexpr void fields(auto&& v) {
    v("correlation", &R::correlation);
    v("depth", &R::depth);
    v("domain", &R::domain);
    v("function", &R::function);
    v("thread", &R::thread);
    v("stack", &R::stack);
    v("status", &R::status);
    v("start_ns", &R::start_ns);
    v("end_ns", &R::end_ns);
  }
};

}  // namespace prof
