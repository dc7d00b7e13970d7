// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The lookups of ledger_ops.hpp, and ops that only move data. Of a table only the rows looked up
// count, and no row twice.
#include <algorithm>
#include <utility>

#include "common/ledger_ops.hpp"

namespace ref::ledger {

LedgerOp embedding(const Embedding& t) {
  const Operand indices = {t.indices, t.index_size};
  const Operand positions = {{t.positions, t.width}, t.size};
  const std::int64_t picked = elements(t.indices) * t.width;
  Operands in = {indices, {{t.vocabulary, t.width}, t.size}};
  if (t.positions > 0) in.push_back(positions);
  LedgerOp result = op("embedding", Pass::forward, in, {{join(t.indices, t.width), t.size}},
                       t.positions > 0 ? picked : 0);
  const std::int64_t rows_read = std::min(elements(t.indices), t.vocabulary);
  result.bytes = bytes({indices, positions}) + (rows_read * t.width + picked) * t.size;
  return result;
}

LedgerOp embedding_backward(const Embedding& t) {
  const Operand indices = {t.indices, t.index_size};
  const Operand dout = {join(t.indices, t.width), t.size};
  const Operand dweight = {{t.vocabulary, t.width}, t.size};
  const std::int64_t lookups = elements(t.indices);
  LedgerOp result =
      op("embedding", Pass::backward, {indices, dout, dweight}, {dweight}, lookups * t.width);
  result.bytes = bytes({indices, dout}) + std::min(lookups, t.vocabulary) * t.width * t.size;
  return result;
}

LedgerOp index(const Operand& x, const Operand& indices, const Operand& out) {
  LedgerOp result = op("index", Pass::forward, {x, indices}, {out}, 0);
  result.bytes = bytes({indices}) + 2 * bytes({out});
  return result;
}

LedgerOp index_backward(const Operand& dout, const Operand& indices, const Operand& dx) {
  LedgerOp result = op("index", Pass::backward, {dout, indices}, {dx}, elements(dout.shape));
  result.bytes = bytes({indices}) + 2 * bytes({dout});
  return result;
}

LedgerOp cast(Pass pass, const LedgerShape& shape, std::int64_t from, std::int64_t to) {
  return op("to", pass, {{shape, from}}, {{shape, to}}, 0);
}

LedgerOp layout(std::string word, Pass pass, const Operand& from, const Operand& to) {
  return op(std::move(word), pass, {from}, {to}, 0);
}

LedgerOp copy(Pass pass, const Operand& x) { return op("copy", pass, {x}, {x}, 0); }

LedgerOp cat(Pass pass, const Operands& in, const Operand& out) {
  return op("cat", pass, in, {out}, 0);
}

LedgerOp fill(std::string word, Pass pass, const Operand& out) {
  return op(std::move(word), pass, {}, {out}, 0);
}

}  // namespace ref::ledger
