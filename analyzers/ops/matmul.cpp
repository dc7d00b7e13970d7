// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Matrix products of two operands, single or batched: out = op(a) op(b), row-major as torch stores
// them, `trans_a` and `trans_b` saying which operand is stored transposed. A gradient of a product
// is a product of its own, described in the same way.
#include <algorithm>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

/// Leading dimensions broadcast against each other; nullopt if they do not fit.
std::optional<std::int64_t> batch(const Shape& a, const Shape& b) {
  const std::size_t rank = std::max(a.size(), b.size());
  Shape all;
  for (std::size_t i = 2; i < rank; ++i) {  // counted from the last dimension
    const std::int64_t from_a = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t from_b = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (from_a != from_b && from_a != 1 && from_b != 1) return std::nullopt;
    all.push_back(from_a == 1 ? from_b : from_a);
  }
  return product(all, 0, all.size());
}

OpFacts evaluate(const OpDesc& op) {
  OpFacts facts;
  const Tensor* a = input_or(op, "a", 0);
  const Tensor* b = input_or(op, "b", 1);
  if (a == nullptr || b == nullptr || a->shape.size() < 2 || b->shape.size() < 2) return facts;
  const auto last = [](const Tensor& t, std::size_t i) { return t.shape[t.shape.size() - 1 - i]; };
  const bool trans_a = flag(op, "trans_a");
  const bool trans_b = flag(op, "trans_b");
  const std::int64_t row_count = last(*a, trans_a ? 0 : 1);
  const std::int64_t inner = last(*a, trans_a ? 1 : 0);
  const std::int64_t columns = last(*b, trans_b ? 1 : 0);
  const auto batches = batch(a->shape, b->shape);
  if (!batches || last(*b, trans_b ? 0 : 1) != inner) return facts;
  facts.gemm = GemmShape{columns, row_count, inner, *batches};
  facts.params = gemm_params(*facts.gemm, std::max(a->shape.size(), b->shape.size()) > 2);
  facts.cost = {gemm_flops(*facts.gemm), moved_bytes(op), Basis::kExact};
  return facts;
}

}  // namespace

void register_matmul(Registry& registry);
void register_matmul(Registry& registry) {
  registry.add({
      .name = "matmul",
      .words = {"bmm", "matmul", "mm"},
      .evaluate = evaluate,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"bmm","dir":"fprop","args":[
              {"name":"a","role":"in","type":"tensor","shape":[32768,27,128],"dtype":"float32"},
              {"name":"b","role":"in","type":"tensor","shape":[32768,27,128],"dtype":"float32"},
              {"name":"out","role":"out","type":"tensor","shape":[32768,27,27],"dtype":"float32"}],
              "attrs":{"trans_a":false,"trans_b":true}})",
               "B=32768,M=27,N=27,K=128", GemmShape{27, 27, 128, 32768}, 6115295232, 1001521152},
              {R"({"v":1,"mod":"prof","op":"bmm","dir":"bprop","args":[
              {"name":"a","role":"in","type":"tensor","shape":[2,5,3],"dtype":"float16"},
              {"name":"b","role":"in","type":"tensor","shape":[2,5,7],"dtype":"float16"},
              {"name":"out","role":"out","type":"tensor","shape":[2,3,7],"dtype":"float16"}],
              "attrs":{"trans_a":true}})",
               "B=2,M=7,N=3,K=5", GemmShape{7, 3, 5, 2}, 420, 2 * (30 + 70 + 42)},
              {R"({"v":1,"mod":"prof","op":"matmul","args":[
              {"name":"a","role":"in","type":"tensor","shape":[64,32],"dtype":"float32"},
              {"name":"b","role":"in","type":"tensor","shape":[32,16],"dtype":"float32"},
              {"name":"out","role":"out","type":"tensor","shape":[64,16],"dtype":"float32"}]})",
               "M=16,N=64,K=32", GemmShape{16, 64, 32, 1}, 65536, 4 * (2048 + 512 + 1024)},
              {R"({"v":1,"mod":"prof","op":"bmm","args":[
              {"name":"a","role":"in","type":"tensor","shape":[2,5,3],"dtype":"float16"},
              {"name":"b","role":"in","type":"tensor","shape":[3,3,7],"dtype":"float16"}]})",
               "T=[(2,5,3),(3,3,7)]", std::nullopt, std::nullopt, std::nullopt, Basis::kUnknown},
          },
  });
}

}  // namespace prof::ops
