// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Sorting and selecting. FLOPs are comparisons, although radix sorts do different work.
#include <cmath>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

/// The dimension that is sorted: the stated one, otherwise the last one.
std::size_t sorted_dimension(const OpDesc& op, const Shape& x) {
  const auto dims = dimensions_of(op, x.size());
  return dims && dims->size() == 1 ? dims->front() : x.size() - 1;
}

double length_of(const OpDesc& op, const Shape& x) {
  return x.empty() ? 1 : static_cast<double>(x[sorted_dimension(op, x)]);
}

OpFacts evaluate_sort(const OpDesc& op) {
  OpFacts facts;
  const Tensor* x = input(op, std::size_t{0});
  if (x == nullptr) return facts;
  const std::string_view name = model_word(op);
  const double count = elements(x->shape);
  const double length = length_of(op, x->shape);
  const bool selects = name == "topk" || name == "kthvalue" || name == "median" ||
                       name == "nanmedian" || name == "mode";
  std::optional<double> flops = count;
  if (name == "searchsorted" || name == "bucketize" || name == "isin") {
    const Tensor* queries = input_or(op, "x", 1);
    flops.reset();
    if (queries != nullptr && length >= 1) {
      flops = elements(queries->shape) * std::ceil(std::log2(length + 1));
    }
  } else if (op.direction == Direction::kBprop) {
    flops = 0;  // gradients return to their positions
  } else if (!selects && name != "bincount" && name != "histc") {
    flops = length > 1 ? count * std::ceil(std::log2(length)) : 0;
  }
  Traffic moved = traffic(op);
  // How many different elements there are, and are written, depends on the values.
  const bool is_by_value = name == "unique" || name == "unique_consecutive" || name == "bincount";
  if (is_by_value && !moved.written) moved.written = 0;
  facts.cost = cost(flops, moved, Basis::kEstimated);
  return facts;
}

/// A sort returns values and indices, as many as it was given; topk `k` of each row.
void complete_sort(OpDesc& op) {
  const std::string_view name = model_word(op);
  const Tensor* x = input(op, std::size_t{0});
  if (op.direction == Direction::kBprop || x == nullptr) return;
  Shape shape = x->shape;
  const DType dtype = x->dtype;
  if (name == "topk") {
    const auto picked = sizes(op, "k", 1);
    const auto dims = dimensions_of(op, shape.size());
    if (!picked || (*picked)[0] < 0 || !dims || dims->size() != 1) return;
    shape[dims->front()] = (*picked)[0];
  } else if (name != "sort" && name != "argsort") {
    return;
  }
  if (name != "argsort") add_output(op, "values", shape, dtype);
  add_output(op, "indices", shape, DType::kInt64);
}

}  // namespace

void register_sort(Registry& registry);
void register_sort(Registry& registry) {
  registry.add({
      .name = "sort",
      .formulas =
          {
              {"sort argsort msort unique unique_consecutive", "E·ceil(log2 n)", "0",
               "in + out; sort and topk return values and int64 indices; of unique and bincount in "
               "alone, unless the result is stated",
               "estimated"},
              {"topk kthvalue median nanmedian mode bincount histc", "E", "0", "in + out",
               "estimated"},
              {"searchsorted bucketize isin", "Q·ceil(log2(n+1)), Q queries", "-", "in + out",
               "estimated"},
          },
      .notes = "n: size of the dimension in attr `dim`, otherwise of the last one (shapes do not "
               "show which is sorted). Of topk, attr `k` is the size of the result.",
      .evaluate = evaluate_sort,
      .complete = complete_sort,
      .no_product = true,
      .takes_integers = true,
      .ordering = "sort argsort msort unique unique_consecutive mode bincount histc",
      .examples =
          {
              {"aten::sort, sizes = [[8, 16], [], []]", "T=(8,16)", std::nullopt, 512,
               128 * (2 + 2 + 8), Basis::kEstimated, DType::kFloat16},
              {"aten::topk, sizes = [[8, 16], [], [], [], []]", "T=(8,16)", std::nullopt, 128,
               std::nullopt, Basis::kEstimated},
              {"aten::searchsorted, sizes = [[15], [8], [], [], [], []]", "T=[(15),(8)]",
               std::nullopt, 32, std::nullopt, Basis::kEstimated},
              {"aten::_unique2, sizes = [[100], [], [], []]", "T=(100)", std::nullopt, 700, 400,
               Basis::kEstimated, DType::kFloat32},
              {R"({"op":"aten::sort","args":[{"shape":[64,16],"dtype":"float32"},{"value":0},
              {"value":false}]})",
               "T=(64,16)", std::nullopt, 1024 * 6, 1024 * (4 + 4 + 8), Basis::kEstimated},
              {R"({"op":"aten::topk","args":[{"shape":[8,16],"dtype":"float16"},{"value":3},
              {"value":-1},{"value":true},{"value":true}]})",
               "T=(8,16)", std::nullopt, 128, 2 * 128 + (2 + 8) * 24, Basis::kEstimated},
          },
  });
}

}  // namespace prof::ops
