// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/libcalls/cublas/elements.hpp"

namespace prof::collectors {
namespace {

/// Multiplying complex numbers by a real one is less work than by a complex one.
void state_factor(CallFacts& facts, DataType type, ScaleType factor) {
  const bool is_real = factor == ScaleType::kR32F || factor == ScaleType::kR64F;
  if (is_complex(type) && is_real) facts.fact("factor", "real");
}

}  // namespace

void write_two(CallFacts& facts, const char* op, const Types& types, const VectorCall& call,
               ScaleType factor) {
  facts.op(op);
  facts.fact("incx", call.incx);
  facts.fact("incy", call.incy);
  state_factor(facts, types.a, factor);
  facts.vector(types.a, call.n, call.incx);
  facts.vector(types.b, call.n, call.incy);
}

void write_scal(CallFacts& facts, const Types& types, const VectorCall& call) {
  facts.op("cublas::scal");
  facts.fact("incx", call.incx);
  state_factor(facts, types.a, types.scale);
  facts.vector(types.a, call.n, call.incx);
}

void write_dot(CallFacts& facts, const Types& types, const VectorCall& call) {
  facts.op("cublas::dot");
  facts.fact("incx", call.incx);
  facts.fact("incy", call.incy);
  facts.vector(types.a, call.n, call.incx);
  facts.vector(types.b, call.n, call.incy);
  facts.tensor(types.c, {});
}

void write_reduction(CallFacts& facts, const Types& types, const VectorCall& call) {
  facts.op(types.op);
  facts.fact("incx", call.incx);
  facts.vector(types.a, call.n, call.incx);
  facts.tensor(types.c, {});
}

}  // namespace prof::collectors
