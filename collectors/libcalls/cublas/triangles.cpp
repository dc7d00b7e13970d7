// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/libcalls/cublas/triangles.hpp"

#include <cstdlib>

namespace prof::collectors {
namespace {

/// cublasSideMode_t.
constexpr int kLeft = 0;
const char* side_word(int side) { return side == kLeft ? "left" : "right"; }

}  // namespace

void write_rank(CallFacts& facts, const Types& types, const RankCall& call, Beta beta) {
  facts.op(types.op);
  facts.fact("fill", fill_word(call.fill));
  facts.fact("trans_a", operation_word(call.trans));
  facts.fact("lda", call.lda);
  if (call.ldb >= 0) facts.fact("ldb", call.ldb);
  facts.fact("ldc", call.ldc);
  if (beta == Beta::kUnknown) facts.fact("beta", "unknown");
  const bool is_turned = is_transposed(call.trans);
  facts.matrix({types.a, is_turned, call.n, call.k, call.lda});
  if (call.ldb >= 0) {
    facts.matrix({types.b, !is_turned, call.k, call.n, call.ldb});
  } else {
    facts.none();
  }
  write_result(facts, {types.c, false, call.n, call.n, call.ldc}, beta);
}

void write_symm(CallFacts& facts, const Types& types, const SideCall& call, Beta beta) {
  facts.op(types.op);
  facts.fact("side", side_word(call.side));
  facts.fact("fill", fill_word(call.fill));
  facts.fact("half", "a");
  facts.fact("lda", call.lda);
  facts.fact("ldb", call.ldb);
  facts.fact("ldc", call.ldc);
  if (beta == Beta::kUnknown) facts.fact("beta", "unknown");
  const std::int64_t size = call.side == kLeft ? call.m : call.n;
  facts.matrix({types.a, false, size, size, call.lda});
  facts.matrix({types.b, false, call.m, call.n, call.ldb});
  write_result(facts, {types.c, false, call.m, call.n, call.ldc}, beta);
}

void write_triangle(CallFacts& facts, const char* op, const Types& types, const SideCall& call) {
  facts.op(op);
  facts.fact("side", side_word(call.side));
  facts.fact("fill", fill_word(call.fill));
  facts.fact("trans_a", operation_word(call.trans));
  facts.fact("diagonal", call.diagonal == 0 ? "stored" : "unit");
  facts.fact("half", "a");
  facts.fact("lda", call.lda);
  facts.fact("ldb", call.ldb);
  facts.fact("ldc", call.ldc);
  const std::int64_t size = call.side == kLeft ? call.m : call.n;
  const Batch batch{call.batch};
  facts.matrix({types.a, is_transposed(call.trans), size, size, call.lda, batch});
  facts.matrix({types.b, false, call.m, call.n, call.ldb, batch});
  facts.matrix({types.c, false, call.m, call.n, call.ldc, batch});
}

void write_geam(CallFacts& facts, const Types& types, const GemmCall& call, bool has_b) {
  facts.op("cublas::geam");
  state_operations(facts, call);
  facts.matrix({types.a, is_transposed(call.trans_a), call.m, call.n, call.lda});
  if (has_b) {
    facts.matrix({types.b, is_transposed(call.trans_b), call.m, call.n, call.ldb});
  } else {
    facts.none();
  }
  facts.matrix({types.c, false, call.m, call.n, call.ldc});
}

void write_unpacking(CallFacts& facts, const Types& types, int fill, std::int64_t n,
                     std::int64_t lda) {
  facts.op("cublas::tpttr");
  facts.fact("fill", fill_word(fill));
  facts.fact("half", "d");
  facts.fact("lda", lda);
  facts.vector(types.a, packed_size(n), 1);
  facts.matrix({types.a, false, n, n, lda});
}

void write_packing(CallFacts& facts, const Types& types, int fill, std::int64_t n,
                   std::int64_t lda) {
  facts.op("cublas::trttp");
  facts.fact("fill", fill_word(fill));
  facts.fact("half", "a");
  facts.fact("lda", lda);
  facts.matrix({types.a, false, n, n, lda});
  facts.vector(types.a, packed_size(n), 1);
}

void write_dgmm(CallFacts& facts, const Types& types, int side, std::int64_t m, std::int64_t n,
                std::int64_t lda, std::int64_t incx, std::int64_t ldc) {
  facts.op("cublas::dgmm");
  facts.fact("side", side_word(side));
  facts.fact("lda", lda);
  facts.fact("incx", incx);
  facts.fact("ldc", ldc);
  facts.matrix({types.a, false, m, n, lda});
  facts.matrix({types.b, true, side == kLeft ? m : n, 1, std::abs(incx)});
  facts.matrix({types.c, false, m, n, ldc});
}

}  // namespace prof::collectors
