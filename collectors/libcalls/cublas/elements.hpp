// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of the elements of vectors (level 1). Operands are x, y, and the result if that is a
// number; x and y have one dimension.
#pragma once

#include "collectors/libcalls/cublas/gemm.hpp"

namespace prof::collectors {

/// x has the type Types::a, y has b, a result has c.
struct VectorCall {
  std::int64_t n, incx, incy = 0;
};

/// Describes axpy, copy, swap, rot, rotm. `factor`: the type of alpha, or of the sine.
void write_two(CallFacts& facts, const char* op, const Types& types, const VectorCall& call,
               ScaleType factor);
void write_scal(CallFacts& facts, const Types& types, const VectorCall& call);
void write_dot(CallFacts& facts, const Types& types, const VectorCall& call);
/// Describes nrm2, asum, iamax, iamin.
void write_reduction(CallFacts& facts, const Types& types, const VectorCall& call);

template <typename Int>
struct Axpy {
  using Function = int(void*, Int, const void*, const void*, Int, void*, Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, Int n,
                       const void* /*alpha*/, const void* /*x*/, Int incx, void* /*y*/, Int incy) {
    write_two(facts, "cublas::axpy", types, {n, incx, incy}, types.scale);
  }
};
template <typename Int>
struct AxpyEx {
  using Function = int(void*, Int, const void*, DataType, const void*, DataType, Int, void*,
                       DataType, Int, DataType);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& /*types*/, void* /*handle*/, Int n,
                       const void* /*alpha*/, DataType alpha_type, const void* /*x*/,
                       DataType x_type, Int incx, void* /*y*/, DataType y_type, Int incy,
                       DataType /*execution*/) {
    write_two(facts, "cublas::axpy", {x_type, y_type, y_type, scale_of(alpha_type)},
              {n, incx, incy}, scale_of(alpha_type));
  }
};

template <typename Int>
struct Scal {
  using Function = int(void*, Int, const void*, void*, Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, Int n,
                       const void* /*alpha*/, void* /*x*/, Int incx) {
    write_scal(facts, types, {n, incx});
  }
};
template <typename Int>
struct ScalEx {
  using Function = int(void*, Int, const void*, DataType, void*, DataType, Int, DataType);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& /*types*/, void* /*handle*/, Int n,
                       const void* /*alpha*/, DataType alpha_type, void* /*x*/, DataType x_type,
                       Int incx, DataType /*execution*/) {
    write_scal(facts, {x_type, x_type, x_type, scale_of(alpha_type)}, {n, incx});
  }
};

template <typename Int, bool kSwaps>
struct Moved {
  using Function = int(void*, Int, const void*, Int, void*, Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, Int n,
                       const void* /*x*/, Int incx, void* /*y*/, Int incy) {
    write_two(facts, kSwaps ? "cublas::swap" : "cublas::copy", types, {n, incx, incy}, types.scale);
  }
};
template <typename Int, bool kSwaps>
struct MovedEx {
  using Function = int(void*, Int, const void*, DataType, Int, void*, DataType, Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& /*types*/, void* /*handle*/, Int n,
                       const void* /*x*/, DataType x_type, Int incx, void* /*y*/, DataType y_type,
                       Int incy) {
    write_two(facts, kSwaps ? "cublas::swap" : "cublas::copy",
              {x_type, y_type, y_type, scale_of(x_type)}, {n, incx, incy}, scale_of(x_type));
  }
};
template <typename Int>
using Copy = Moved<Int, false>;
template <typename Int>
using CopyEx = MovedEx<Int, false>;
template <typename Int>
using Swap = Moved<Int, true>;
template <typename Int>
using SwapEx = MovedEx<Int, true>;

/// Rotation of a plane by the cosine and the sine.
template <typename Int>
struct Rot {
  using Function = int(void*, Int, void*, Int, void*, Int, const void*, const void*);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, Int n, void* /*x*/,
                       Int incx, void* /*y*/, Int incy, const void* /*cosine*/,
                       const void* /*sine*/) {
    write_two(facts, "cublas::rot", types, {n, incx, incy}, types.scale);
  }
};
template <typename Int>
struct RotEx {
  using Function = int(void*, Int, void*, DataType, Int, void*, DataType, Int, const void*,
                       const void*, DataType, DataType);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& /*types*/, void* /*handle*/, Int n,
                       void* /*x*/, DataType x_type, Int incx, void* /*y*/, DataType y_type,
                       Int incy, const void* /*cosine*/, const void* /*sine*/, DataType sine_type,
                       DataType /*execution*/) {
    write_two(facts, "cublas::rot", {x_type, y_type, y_type, scale_of(sine_type)}, {n, incx, incy},
              scale_of(sine_type));
  }
};
template <typename Int>
struct Rotm {
  using Function = int(void*, Int, void*, Int, void*, Int, const void*);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, Int n, void* /*x*/,
                       Int incx, void* /*y*/, Int incy, const void* /*parameters*/) {
    write_two(facts, "cublas::rotm", types, {n, incx, incy}, types.scale);
  }
};
template <typename Int>
struct RotmEx {
  using Function = int(void*, Int, void*, DataType, Int, void*, DataType, Int, const void*,
                       DataType, DataType);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& /*types*/, void* /*handle*/, Int n,
                       void* /*x*/, DataType x_type, Int incx, void* /*y*/, DataType y_type,
                       Int incy, const void* /*parameters*/, DataType type,
                       DataType /*execution*/) {
    write_two(facts, "cublas::rotm", {x_type, y_type, y_type, scale_of(type)}, {n, incx, incy},
              scale_of(type));
  }
};

template <typename Int>
struct Dot {
  using Function = int(void*, Int, const void*, Int, const void*, Int, void*);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, Int n,
                       const void* /*x*/, Int incx, const void* /*y*/, Int incy, void* /*result*/) {
    write_dot(facts, types, {n, incx, incy});
  }
};
template <typename Int>
struct DotEx {
  using Function = int(void*, Int, const void*, DataType, Int, const void*, DataType, Int, void*,
                       DataType, DataType);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, Int n,
                       const void* /*x*/, DataType x_type, Int incx, const void* /*y*/,
                       DataType y_type, Int incy, void* /*result*/, DataType result_type,
                       DataType /*execution*/) {
    write_dot(facts, {x_type, y_type, result_type, types.scale}, {n, incx, incy});
  }
};

template <typename Int>
struct Norm {
  using Function = int(void*, Int, const void*, Int, void*);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, Int n,
                       const void* /*x*/, Int incx, void* /*result*/) {
    write_reduction(facts, types, {n, incx});
  }
};
template <typename Int>
struct NormEx {
  using Function = int(void*, Int, const void*, DataType, Int, void*, DataType, DataType);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, Int n,
                       const void* /*x*/, DataType x_type, Int incx, void* /*result*/,
                       DataType result_type, DataType /*execution*/) {
    write_reduction(facts, {x_type, x_type, result_type, types.scale, types.op}, {n, incx});
  }
};

/// Index of an element, as wide as sizes are.
template <typename Int>
inline constexpr DataType kIndexType = sizeof(Int) == 8 ? DataType::kR64I : DataType::kR32I;

template <typename Int>
struct Index {
  using Function = int(void*, Int, const void*, Int, void*);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, Int n,
                       const void* /*x*/, Int incx, void* /*result*/) {
    write_reduction(facts, {types.a, types.a, kIndexType<Int>, types.scale, types.op}, {n, incx});
  }
};
template <typename Int>
struct IndexEx {
  using Function = int(void*, Int, const void*, DataType, Int, void*);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, Int n,
                       const void* /*x*/, DataType x_type, Int incx, void* /*result*/) {
    write_reduction(facts, {x_type, x_type, kIndexType<Int>, types.scale, types.op}, {n, incx});
  }
};

}  // namespace prof::collectors
