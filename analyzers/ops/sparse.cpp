// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Products with sparse matrices as cuSPARSE is called for them: what is counted are the nonzeros
// that the call states.
#include <cmath>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

std::optional<double> flops_of(const OpDesc& op, std::string_view name) {
  const double each = is_complex(main_dtype(op)) ? 8 : 2;
  const Tensor* b = input(op, "b");
  const Tensor* c = output(op, "c");
  if (name == "sddmm") {  // Each nonzero of C is a row of op(A) times a column of op(B).
    const Tensor* a = input(op, "a");
    const auto nnz = number(op, "c_nnz");
    if (!nnz || a == nullptr || a->shape.size() < 2) return std::nullopt;
    const Shape& shape = a->shape;
    const std::int64_t k = word(op, "trans_a") == "n" ? shape.back() : shape[shape.size() - 2];
    return each * *nnz * static_cast<double>(k);
  }
  if (name == "sparse_vector_copy") return 0;
  if (name == "gtsv") {  // Three operations eliminate a row, five more solve it for a column of B.
    if (b == nullptr || b->shape.size() < 2) return std::nullopt;
    const double columns = static_cast<double>(b->shape.back());
    const double systems = columns > 0 ? elements(b->shape) / columns : 0;
    return (each == 8 ? 4 : 1) * systems * (3 + 5 * columns);
  }
  const auto nnz = number(op, "a_nnz");
  if (name == "spvv" && nnz) return each * *nnz;
  if (name == "axpby" && nnz && b != nullptr)
    return each * *nnz + (each == 8 ? 6 : 1) * elements(b->shape);
  if (!has_word("spmm spsm", name) || !nnz || b == nullptr || c == nullptr || c->shape.empty())
    return std::nullopt;
  return each * *nnz * static_cast<double>(c->shape.back());
}

OpFacts evaluate_sparse(const OpDesc& op) {
  OpFacts facts;
  facts.params = input_params(op);
  const auto flops = flops_of(op, model_word(op));
  const bool is_estimate = has_word("spsm gtsv axpby", model_word(op));
  if (flops) facts.cost = cost(flops, {}, is_estimate ? Basis::kEstimated : Basis::kExact);
  return facts;
}

}  // namespace

void register_sparse(Registry& registry);
void register_sparse(Registry& registry) {
  registry.add({
      .name = "sparse",
      .formulas =
          {
              {"spmm", "2·nonzeros of A·columns of C; complex 8", "-", "-"},
              {"spsm", "2·nonzeros of A·columns of C; complex 8", "-", "-", "estimated"},
              {"sddmm", "2·nonzeros of C·K; complex 8", "-", "-"},
              {"spvv", "2·nonzeros of x; complex 8", "-", "-"},
              {"axpby", "2·nonzeros of x + elements of y; complex 8 and 6", "-", "-", "estimated"},
              {"sparse_vector_copy", "0", "-", "-"},
              {"gtsv", "m·(3 + 5·right-hand sides) for each system; complex 4 times that", "-", "-",
               "estimated"},
              {"spgemm sparse_to_dense csr2csc sparse_analysis ilu0 ic0", "unknown", "-", "-"},
          },
      .notes =
          "Nonzeros are the stored elements that the call states. What a product of two sparse "
          "matrices multiplies depends on where their elements are. `gtsv` is counted as by "
          "Gaussian "
          "elimination of a tridiagonal matrix, whatever the algorithm does.",
      .evaluate = evaluate_sparse,
      .examples =
          {
              {R"({"op":"cusparse::spmm","args":[{"shape":[100,50],"dtype":"float32"},
              {"shape":[50,8],"dtype":"float32"},{"shape":[100,8],"dtype":"float32"}],
              "facts":{"a_nnz":300,"a_format":"csr","trans_a":"n","trans_b":"n"}})",
               "T=[(100,50),(50,8)]", std::nullopt, 2 * 300 * 8, std::nullopt},
              {R"({"op":"cusparse::sddmm","args":[{"shape":[100,16],"dtype":"float32"},
              {"shape":[16,50],"dtype":"float32"},{"shape":[100,50],"dtype":"float32"}],
              "facts":{"c_nnz":300,"trans_a":"n","trans_b":"n"}})",
               "T=[(100,16),(16,50)]", std::nullopt, 2 * 300 * 16, std::nullopt},
              {R"({"op":"cusparse::spvv","args":[{"shape":[90,1],"dtype":"complex64"},
              {"shape":[90,1],"dtype":"complex64"}],"facts":{"a_nnz":12}})",
               "T=[(90,1),(90,1)]", std::nullopt, 8 * 12, std::nullopt},
              {R"({"op":"cusparse::axpby","args":[{"shape":[90,1],"dtype":"float32"},
              {"shape":[90,1],"dtype":"float32"}],"facts":{"a_nnz":12}})",
               "T=[(90,1),(90,1)]", std::nullopt, 2 * 12 + 90, std::nullopt, Basis::kEstimated},
              {R"({"op":"cusparse::gather","args":[{"shape":[90,1],"dtype":"float32"},
              {"shape":[90,1],"dtype":"float32"}],"facts":{"a_nnz":12}})",
               "T=[(90,1),(90,1)]", std::nullopt, 0, std::nullopt},
              {R"({"op":"cusparse::gtsv","args":[{"shape":[3,40],"dtype":"float32"},
              {"shape":[40,5],"dtype":"float32"}]})",
               "T=[(3,40),(40,5)]", std::nullopt, 40 * (3 + 25), std::nullopt, Basis::kEstimated},
              {R"({"op":"cusparse::ilu0","args":[{"shape":[70,70],"dtype":"float32"}],
              "facts":{"a_nnz":210}})",
               "T=(70,70)", std::nullopt, std::nullopt, std::nullopt, Basis::kUnknown},
          },
  });
}

}  // namespace prof::ops
