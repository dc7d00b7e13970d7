// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See attention_products.hpp.
#include "transformer/attention_products.hpp"

namespace ref {
namespace {

HeadProduct product(prof::OpBuilder op, prof::DType type, const prof::Dims& a, const prof::Dims& b,
                    const prof::Dims& out, const BatchedSizes& sizes) {
  op = describe(std::move(op), type, {{"a", a}, {"b", b}}, {{"out", out}});
  return {op.attr("trans_a", sizes.trans_a).attr("trans_b", sizes.trans_b), sizes};
}

// a b^T of two tensors of heads.
HeadProduct score_product(prof::OpBuilder op, const TransformerSizes& s, prof::DType type) {
  return product(std::move(op), type, head_shape(s), head_shape(s), score_shape(s),
                 {s.length, s.length, s.head_size(), s.batch * s.heads, false, true});
}

// Weights, or their transpose, times heads.
HeadProduct value_product(prof::OpBuilder op, const TransformerSizes& s, bool trans,
                          prof::DType type) {
  return product(std::move(op), type, score_shape(s), head_shape(s), head_shape(s),
                 {s.length, s.head_size(), s.length, s.batch * s.heads, trans, false});
}

prof::OpBuilder forward() { return prof::op("bmm").fprop(); }
prof::OpBuilder gradient() { return prof::op("bmm").bprop(prof::Part::data); }

}  // namespace

AttentionProducts::AttentionProducts(const TransformerSizes& s, prof::DType type)
    : scores(score_product(forward(), s, type)),
      context(value_product(forward(), s, false, type)),
      probabilities(score_product(gradient(), s, type)),
      values(value_product(gradient(), s, true, type)),
      queries(value_product(gradient(), s, false, type)),
      keys(value_product(gradient(), s, true, type)) {}

}  // namespace ref
