// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Factorizations and solutions as cuSOLVER and cuBLAS are called for them, under LAPACK's names.
#include <algorithm>
#include <cmath>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

// LAPACK Working Note 41, table "operation counts": the terms of the highest order, multiplications
// and additions together. `k`: the smaller size of A, or the number of reflectors.
double real_flops(std::string_view name, double m, double n, double k, double others) {
  const double cubes = k * k * k / 3;
  const double larger = std::max(m, n);
  const double lu = 2 * (m * n * k - (m + n) * k * k / 2 + cubes);
  const double qr = 2 * k * k * (larger - k / 3);
  if (name == "getrf") return lu;
  if (name == "geqrf") return qr;
  if (has_word("orgqr orgbr", name)) return 4 * m * n * k - 2 * (m + n) * k * k + 4 * cubes;
  if (has_word("ormqr ormtr", name)) return (4 * m - 2 * k) * k * others;
  if (has_word("potrf sytrf trtri lauum", name)) return cubes;
  if (has_word("potri sytri", name)) return 2 * cubes;
  if (has_word("getri orgtr sytrd", name)) return 4 * cubes;
  if (name == "matinv") return 6 * cubes;  // getrf and getri
  if (name == "gebrd") return 2 * qr;
  if (name == "gesv") return lu + 2 * n * n * others;
  // A triangle, after ormqr.
  if (name == "gels") return qr + (4 * larger - k) * k * others;
  if (name == "laswp") return 0;
  return 2 * n * n * others;  // getrs, potrs, sytrs
}

bool has_count(std::string_view name) { return !has_word("gesvd syev sygv geev larft", name); }

OpFacts evaluate_lapack(const OpDesc& op) {
  OpFacts facts;
  const Tensor* a = input(op, "a");
  if (a == nullptr || a->shape.size() < 2) return facts;
  facts.params = input_params(op);
  const std::string_view name = model_word(op);
  if (!has_count(name)) return facts;
  const auto m = static_cast<double>(a->shape[a->shape.size() - 2]);
  const auto n = static_cast<double>(a->shape.back());
  // Each column of B is solved for; reflectors are applied to the columns of C, or to its rows.
  const Tensor* other = has_word("ormqr ormtr", name) ? input(op, "c") : input(op, "b");
  const bool is_right = word(op, "side") == "right";
  double others = 0;
  if (other != nullptr && other->shape.size() >= 2) {
    others = static_cast<double>(other->shape[other->shape.size() - (is_right ? 2 : 1)]);
  }
  const double k = std::min(number(op, "k").value_or(std::min(m, n)), std::min(m, n));
  const double batch = m * n > 0 ? elements(a->shape) / (m * n) : 0;
  const double flops = batch * real_flops(name, m, n, k, others);
  facts.cost =
      cost(std::round(is_complex(main_dtype(op)) ? 4 * flops : flops), {}, Basis::kEstimated);
  return facts;
}

}  // namespace

void register_lapack(Registry& registry);
void register_lapack(Registry& registry) {
  registry.add({
      .name = "lapack",
      .formulas =
          {
              {"getrf", "2·(M·N·K - (M+N)·K²/2 + K³/3), K the smaller of M and N", "-", "-",
               "estimated"},
              {"getrs potrs sytrs", "2·n² for each right-hand side", "-", "-", "estimated"},
              {"potrf sytrf trtri lauum", "1/3·n³", "-", "-", "estimated"},
              {"potri sytri", "2/3·n³", "-", "-", "estimated"},
              {"getri orgtr sytrd", "4/3·n³", "-", "-", "estimated"},
              {"matinv", "2·n³: getrf and getri", "-", "-", "estimated"},
              {"gels", "geqrf, + (4·L - K)·K for each right-hand side", "-", "-", "estimated"},
              {"geqrf", "2·K²·(L - K/3), L the larger of M and N", "-", "-", "estimated"},
              {"orgqr orgbr", "4·M·N·K - 2·(M+N)·K² + 4/3·K³", "-", "-", "estimated"},
              {"ormqr ormtr", "(4·m - 2·K)·K for each vector of m elements", "-", "-", "estimated"},
              {"gebrd", "4·K²·(L - K/3)", "-", "-", "estimated"},
              {"gesv", "getrf and getrs", "-", "-", "estimated"},
              {"laswp", "0", "-", "-", "estimated"},
              {"gesvd syev sygv geev larft", "unknown", "-", "-"},
          },
      .notes = "Per matrix; complex 4 times that. The terms of the highest order in LAPACK Working "
               "Note 41 (netlib.org/lapack/lawnspdf/lawn41.pdf), whatever the algorithm does. "
               "Singular values and eigenvalues are iterated, and have no count. What `gesv` and "
               "`gels` of cuSOLVER add in iterations is left out.",
      .evaluate = evaluate_lapack,
      .examples =
          {
              {R"({"op":"cusolver::getrf","args":[{"shape":[6,6],"dtype":"float32"}]})", "T=(6,6)",
               std::nullopt, 144, std::nullopt, Basis::kEstimated},
              {R"({"op":"cusolver::potrf","args":[{"shape":[2,6,6],"dtype":"complex64"}]})",
               "T=(2,6,6)", std::nullopt, 4 * 2 * 72, std::nullopt, Basis::kEstimated},
              {R"({"op":"cusolver::getrs","args":[{"shape":[6,6],"dtype":"float64"},
              {"shape":[6,5],"dtype":"float64"}]})",
               "T=[(6,6),(6,5)]", std::nullopt, 2 * 36 * 5, std::nullopt, Basis::kEstimated},
              {R"({"op":"cusolver::geqrf","args":[{"shape":[9,3],"dtype":"float32"}]})", "T=(9,3)",
               std::nullopt, 2 * 9 * 8, std::nullopt, Basis::kEstimated},
              {R"({"op":"cublas::getri","args":[{"shape":[3,6,6],"dtype":"float32"},
              {"shape":[3,6,6],"dtype":"float32"}]})",
               "T=(3,6,6)", std::nullopt, 3 * 288, std::nullopt, Basis::kEstimated},
              {R"({"op":"cublas::matinv","args":[{"shape":[3,6,6],"dtype":"float32"},
              {"shape":[3,6,6],"dtype":"float32"}]})",
               "T=(3,6,6)", std::nullopt, 3 * 432, std::nullopt, Basis::kEstimated},
              {R"({"op":"cublas::gels","args":[{"shape":[2,9,3],"dtype":"float32"},
              {"shape":[2,9,4],"dtype":"float32"}]})",
               "T=[(2,9,3),(2,9,4)]", std::nullopt, 2 * (144 + 33 * 3 * 4), std::nullopt,
               Basis::kEstimated},
              {R"({"op":"cusolver::gesv","args":[{"shape":[6,6],"dtype":"float64"},
              {"shape":[6,5],"dtype":"float64"}]})",
               "T=[(6,6),(6,5)]", std::nullopt, 144 + 360, std::nullopt, Basis::kEstimated},
              {R"({"op":"cusolver::orgbr","args":[{"shape":[6,6],"dtype":"float32"}],
              "facts":{"side":"right","k":9}})",
               "T=(6,6)", std::nullopt, 4 * 72, std::nullopt, Basis::kEstimated},
              {R"({"op":"cusolver::ormqr","args":[{"shape":[9,3],"dtype":"float32"},
              {"shape":[9,4],"dtype":"float32"}],"facts":{"side":"left"}})",
               "T=[(9,3),(9,4)]", std::nullopt, (36 - 6) * 3 * 4, std::nullopt, Basis::kEstimated},
              {R"({"op":"cusolver::syev","args":[{"shape":[6,6],"dtype":"float32"}]})", "T=(6,6)",
               std::nullopt, std::nullopt, std::nullopt, Basis::kUnknown},
          },
  });
}

}  // namespace prof::ops
