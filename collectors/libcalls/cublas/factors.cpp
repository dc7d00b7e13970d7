// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/libcalls/cublas/factors.hpp"

namespace prof::collectors {

void write_factors(CallFacts& facts, const char* op, const Types& types, const FactorCall& call) {
  facts.op(op);
  facts.matrix({types.a, false, call.m, call.n, call.lda, {call.batch}});
}

void write_factors(CallFacts& facts, const char* op, const Types& types, const FactorCall& call,
                   const FactorResult& other) {
  write_factors(facts, op, types, call);
  facts.matrix({types.a, false, other.rows, other.columns, other.ld, {call.batch}});
}

}  // namespace prof::collectors
