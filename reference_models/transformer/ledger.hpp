// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The shapes and products that the ledgers of all transformers have in common.
#pragma once

#include <cstdint>

#include "common/ledger_ops.hpp"
#include "common/ledger_writer.hpp"
#include "transformer/sizes.hpp"

namespace ref::ledger {

class TransformerLedger {
 protected:
  TransformerLedger(const TransformerSizes& sizes, Ledger& ledger) : out_(ledger), s_(sizes) {}

  [[nodiscard]] LedgerShape tokens() const { return {s_.batch, s_.length}; }
  [[nodiscard]] LedgerShape row(std::int64_t width) const { return join(tokens(), width); }
  [[nodiscard]] LedgerShape hidden() const { return row(s_.hidden); }
  [[nodiscard]] LedgerShape scores() const { return {s_.batch, s_.heads, s_.length, s_.length}; }
  /// Of queries, keys and values, a head's rows together.
  [[nodiscard]] LedgerShape by_head() const {
    return {s_.batch, s_.heads, s_.length, s_.head_size()};
  }
  [[nodiscard]] Norm norm() const { return {tokens(), s_.hidden}; }
  [[nodiscard]] Dense dense(std::int64_t in, std::int64_t out) const { return {tokens(), in, out}; }
  [[nodiscard]] Dense square() const { return dense(s_.hidden, s_.hidden); }

  /// Rows of a head's queries times those of its keys, or the like.
  [[nodiscard]] LedgerOp score_product(Pass pass) const {
    return bmm({{s_.batch, s_.heads}, s_.length, s_.length, s_.head_size(), false, true, kHalf},
               pass);
  }
  /// A head's probabilities, or their transpose, times its values, or the like.
  [[nodiscard]] LedgerOp value_product(Pass pass, bool trans = false) const {
    return bmm({{s_.batch, s_.heads}, s_.length, s_.head_size(), s_.length, trans, false, kHalf},
               pass);
  }

  LedgerWriter out_;

 private:
  const TransformerSizes& s_;
};

}  // namespace ref::ledger
