// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reductions over segments of rows: PyTorch's segment_reduce and torch_scatter's ops. `offsets` are
// the ends of segments (one more than there are segments), `indices` the segment of each row.
#include <utility>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

OpFacts evaluate_segment(const OpDesc& op) {
  OpFacts facts;
  const Tensor* x = input_or(op, "x", 0);
  if (x == nullptr) return facts;
  const std::string_view name = model_word(op);
  const Tensor* y = output(op, std::size_t{0});
  const bool is_gather = name.starts_with("gather");
  double flops = is_gather ? 0 : elements(x->shape);
  const bool is_mean = name.find("mean") != name.npos;
  if (is_mean && y != nullptr) flops += elements(y->shape);
  facts.cost = cost(flops, traffic(op), is_gather ? Basis::kExact : Basis::kEstimated);
  return facts;
}

/// As many rows as there are segments; of a gather as many as the rows that are counted, which the
/// values of the offsets decide.
void complete_segment(OpDesc& op) {
  const Tensor* x = input_or(op, "x", 0);
  const Tensor* offsets = input(op, "offsets");
  const Tensor* lengths = input(op, "lengths");
  const Tensor* indices = input(op, "indices");
  if (x == nullptr || x->shape.empty()) return;
  Shape shape = x->shape;
  const std::string_view name = model_word(op);
  const auto stated = sizes(op, "dim_size", 1);
  if (name == "gather_coo" && indices != nullptr && !indices->shape.empty()) {
    if (indices->shape.size() > shape.size()) return;
    shape[indices->shape.size() - 1] = indices->shape.back();
  } else if (name.starts_with("gather")) {
    return;
  } else if (offsets != nullptr && !offsets->shape.empty() && offsets->shape.back() > 0) {
    if (offsets->shape.size() > shape.size()) return;
    shape[offsets->shape.size() - 1] = offsets->shape.back() - 1;
  } else if (lengths != nullptr && !lengths->shape.empty()) {
    if (lengths->shape.size() > shape.size()) return;
    shape[lengths->shape.size() - 1] = lengths->shape.back();
  } else if (stated && (*stated)[0] >= 0 && indices != nullptr && !indices->shape.empty() &&
             indices->shape.size() <= shape.size()) {
    shape[indices->shape.size() - 1] = (*stated)[0];
  } else {
    return;
  }
  const DType dtype = x->dtype;
  add_output(op, "out", std::move(shape), dtype);
}

}  // namespace

void register_segment(Registry& registry);
void register_segment(Registry& registry) {
  registry.add({
      .name = "segment",
      .formulas =
          {
              {"segment_reduce segment_sum_csr segment_min_csr segment_max_csr segment_sum_coo "
               "segment_min_coo segment_max_coo",
               "E(x)", "-", "in + out", "estimated (a segment of one row has no operation)"},
              {"segment_mean_csr segment_mean_coo", "E(x) + E(y)", "-", "in + out", "estimated"},
              {"gather_csr gather_coo", "0", "-", "in + out"},
          },
      .notes = "How many rows the result has follows from `offsets` or `lengths`, or attr "
               "`dim_size`. The places of minima and maxima are not counted.",
      .evaluate = evaluate_segment,
      .complete = complete_segment,
      .no_product = true,
      .examples =
          {
              {R"({"op":"torch_scatter::segment_sum_csr","args":[{"shape":[100,16],"dtype":"float32"},
              {"shape":[11],"dtype":"int64"},null]})",
               "T=[(100,16),(11)]", std::nullopt, 1600, 4 * 1600 + 88 + 4 * 160, Basis::kEstimated},
              {R"({"op":"torch_scatter::segment_mean_coo","args":[{"shape":[100,16],"dtype":"float32"},
              {"shape":[100],"dtype":"int64"},null,{"value":10}]})",
               "T=[(100,16),(100)]", std::nullopt, 1760, 4 * 1600 + 800 + 4 * 160,
               Basis::kEstimated},
              {R"({"op":"torch_scatter::gather_coo","args":[{"shape":[10,16],"dtype":"float32"},
              {"shape":[100],"dtype":"int64"},null]})",
               "T=[(10,16),(100)]", std::nullopt, 0, 640 + 800 + 6400},
              {R"({"op":"aten::segment_reduce","args":[{"shape":[100,16],"dtype":"float16"},
              {"value":"sum"},{"shape":[10],"dtype":"int64"},null,null,{"value":0},{"value":false},
              null]})",
               "T=[(100,16),(10)]", std::nullopt, 1600, 3200 + 80 + 320, Basis::kEstimated},
          },
  });
}

}  // namespace prof::ops
