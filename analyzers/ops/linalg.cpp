// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Factorizations and linear systems of n×n matrices.
#include <cmath>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

struct LinalgCounting {
  std::string_view words;
  double cubic;  ///< Times n^3.
};

// Golub and Van Loan, Matrix Computations, 4th edition: 3.2 (LU), 4.2 (Cholesky), 5.2 (QR), 8.3
// (symmetric eigenvalues with vectors), 7.5 (all eigenvalues with vectors), 8.6 (SVD with both
// factors). An inverse is an LU and n
// solves.
constexpr LinalgCounting kLinalgCountings[] = {
    {"linalg_lu_factor linalg_det linalg_solve", 2.0 / 3},
    {"linalg_cholesky cholesky", 1.0 / 3},
    {"linalg_inv", 2},
    {"linalg_qr", 4.0 / 3},
    {"linalg_eigh", 9},
    {"linalg_svd", 22},
    {"linalg_eig", 25},
    {"cholesky_inverse", 2.0 / 3},
};

OpFacts evaluate_linalg(const OpDesc& op) {
  OpFacts facts;
  const Tensor* x = input_or(op, "x", 0);
  if (x == nullptr || x->shape.size() < 2) return facts;
  const std::string_view name = model_word(op);
  const double n = static_cast<double>(x->shape.back());
  double each = 0;
  for (const LinalgCounting& known : kLinalgCountings) {
    for_each_word(known.words, [&](std::string_view word) {
      if (word == name) each = known.cubic * n;
    });
  }
  double flops = each * elements(x->shape);  // n^2 of them in every matrix
  // Each right-hand side: one or two triangular systems, n^2 each.
  if (const Tensor* other = input(op, "other"); other != nullptr) {
    flops += (name == "linalg_solve_triangular" ? 1 : 2) * n * elements(other->shape);
  }
  facts.cost = cost(std::round(flops), traffic(op), Basis::kEstimated);
  return facts;
}

}  // namespace

void register_linalg(Registry& registry);
void register_linalg(Registry& registry) {
  registry.add({
      .name = "linalg",
      .formulas =
          {
              {"linalg_lu_factor linalg_det linalg_solve", "2/3·n³; right-hand sides: + 2·n² each",
               "-", "in + out", "estimated"},
              {"linalg_lu_solve", "2·n² for each right-hand side", "-", "in + out", "estimated"},
              {"linalg_solve_triangular cholesky_solve",
               "n² (Cholesky 2·n²) for each right-hand side", "-", "in + out", "estimated"},
              {"linalg_cholesky cholesky", "1/3·n³", "-", "in + out", "estimated"},
              {"linalg_inv", "2·n³", "-", "in + out", "estimated"},
              {"linalg_qr", "4/3·n³", "-", "in + out", "estimated"},
              {"linalg_eigh", "9·n³", "-", "in + out", "estimated"},
              {"linalg_svd", "22·n³", "-", "in + out", "estimated"},
              {"linalg_eig", "25·n³", "-", "in + out", "estimated"},
              {"cholesky_inverse", "2/3·n³", "-", "in + out", "estimated"},
          },
      .notes = "Per matrix. Golub and Van Loan, Matrix Computations, sections 3.2, 4.2, 5.2, "
               "7.5, 8.3, 8.6; all estimated.",
      .evaluate = evaluate_linalg,
      .examples =
          {
              {"aten::linalg_inv_ex, sizes = [[2, 6, 6], []]", "T=(2,6,6)", std::nullopt,
               2 * 2 * 216, std::nullopt, Basis::kEstimated},
              {"aten::linalg_lu_solve, sizes = [[4, 4], [4], [4, 3], [], []]",
               "T=[(4,4),(4),(4,3)]", std::nullopt, 2 * 4 * 12, std::nullopt, Basis::kEstimated},
          },
  });
}

}  // namespace prof::ops
