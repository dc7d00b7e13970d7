// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Plans of cuFFT, remembered from the functions that make them, since the library does not reveal a
// plan's contents, and calls that execute one. An op is a transform by the kinds of its elements
// (c2c, r2c, c2r) with the batch of inputs and of outputs, and the facts `rank`, the number of
// dimensions transformed, which are the last ones, and `direction`. For an unknown plan the op
// has neither operands nor `rank`.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "collectors/libcalls/call_facts.hpp"

namespace prof::collectors {

struct FftRelease {
  static constexpr const char* kSource = "cufft";
};

struct FftPlan {
  static constexpr std::uint32_t kMaxRank = 3;
  std::uint32_t rank = 0;
  std::array<std::int64_t, kMaxRank> sizes = {};  ///< Sizes of the real side, if there is one.
  std::int64_t batch = 1;
  DataType input, output;
};

/// Remembers the plan of that handle, in place of any earlier one. Threads: any, for different
/// handles.
void remember_plan(int handle, const FftPlan& plan);
void forget_plan(int handle);

/// The element types of a cufftType.
struct FftTypes {
  DataType input, output;
};
FftTypes types_of_transform(int cufft_type);

/// `op`: the op's name if the plan is unknown.
void write_transform(CallFacts& facts, int handle, const char* op, int direction);

/// Functions that are watched only for their plans: they are no calls of their own.
struct WatchedPlan {
  using OnlyWatched = void;

  template <typename Int>
  static void keep(int status, int handle, int rank, const Int* sizes, FftTypes types, Int batch) {
    if (status != 0 || sizes == nullptr || rank < 1 || rank > static_cast<int>(FftPlan::kMaxRank)) {
      return;
    }
    FftPlan plan{static_cast<std::uint32_t>(rank), {}, batch, types.input, types.output};
    std::copy_n(sizes, rank, plan.sizes.begin());
    remember_plan(handle, plan);
  }
};

struct FftPlan1d : WatchedPlan {
  using Function = int(int*, int, int, int);
  static void watch(int status, const int* plan, int n, int type, int batch) {
    if (plan != nullptr) keep(status, *plan, 1, &n, types_of_transform(type), batch);
  }
};
struct FftPlan2d : WatchedPlan {
  using Function = int(int*, int, int, int);
  static void watch(int status, const int* plan, int nx, int ny, int type) {
    const int sizes[] = {nx, ny};
    if (plan != nullptr) keep(status, *plan, 2, sizes, types_of_transform(type), 1);
  }
};
struct FftPlan3d : WatchedPlan {
  using Function = int(int*, int, int, int, int);
  static void watch(int status, const int* plan, int nx, int ny, int nz, int type) {
    const int sizes[] = {nx, ny, nz};
    if (plan != nullptr) keep(status, *plan, 3, sizes, types_of_transform(type), 1);
  }
};
struct FftPlanMany : WatchedPlan {
  using Function = int(int*, int, int*, int*, int, int, int*, int, int, int, int);
  static void watch(int status, const int* plan, int rank, const int* sizes, int*, int, int, int*,
                    int, int, int type, int batch) {
    if (plan != nullptr) keep(status, *plan, rank, sizes, types_of_transform(type), batch);
  }
};
struct FftMakePlan1d : WatchedPlan {
  using Function = int(int, int, int, int, std::size_t*);
  static void watch(int status, int plan, int n, int type, int batch, std::size_t*) {
    keep(status, plan, 1, &n, types_of_transform(type), batch);
  }
};
struct FftMakePlan2d : WatchedPlan {
  using Function = int(int, int, int, int, std::size_t*);
  static void watch(int status, int plan, int nx, int ny, int type, std::size_t*) {
    const int sizes[] = {nx, ny};
    keep(status, plan, 2, sizes, types_of_transform(type), 1);
  }
};
struct FftMakePlan3d : WatchedPlan {
  using Function = int(int, int, int, int, int, std::size_t*);
  static void watch(int status, int plan, int nx, int ny, int nz, int type, std::size_t*) {
    const int sizes[] = {nx, ny, nz};
    keep(status, plan, 3, sizes, types_of_transform(type), 1);
  }
};
template <typename Int>
struct FftMakePlanMany : WatchedPlan {
  using Function = int(int, int, Int*, Int*, Int, Int, Int*, Int, Int, int, Int, std::size_t*);
  static void watch(int status, int plan, int rank, const Int* sizes, Int*, Int, Int, Int*, Int,
                    Int, int type, Int batch, std::size_t*) {
    keep(status, plan, rank, sizes, types_of_transform(type), batch);
  }
};
struct FftXtMakePlanMany : WatchedPlan {
  using Function = int(int, int, long long*, long long*, long long, long long, DataType, long long*,
                       long long, long long, DataType, long long, std::size_t*, DataType);
  static void watch(int status, int plan, int rank, const long long* sizes, long long*, long long,
                    long long, DataType input, long long*, long long, long long, DataType output,
                    long long batch, std::size_t*, DataType) {
    keep(status, plan, rank, sizes, {input, output}, batch);
  }
};
struct FftDestroy : WatchedPlan {
  using Function = int(int);
  static void watch(int status, int plan) {
    if (status == 0) forget_plan(plan);
  }
};

/// A transform from complex to complex elements, in the direction that the call states.
struct FftExecDirected {
  using Function = int(int, void*, void*, int);
  template <typename Release>
  static void describe(CallFacts& facts, const char* op, int plan, void*, void*, int direction) {
    write_transform(facts, plan, op, direction);
  }
};
/// A transform from real elements, which is forward, or to them.
struct FftExecReal {
  using Function = int(int, void*, void*);
  template <typename Release>
  static void describe(CallFacts& facts, const char* op, int plan, void*, void*) {
    write_transform(facts, plan, op, 0);
  }
};

}  // namespace prof::collectors
