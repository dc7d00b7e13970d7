// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls of cuBLAS that work on the elements of vectors (level 1).
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

/// FLOPs of an element: of reals, of complex numbers, and of these where alpha or the sine is real.
struct ElementFlops {
  std::string_view words;
  double real, complex, mixed;
};
constexpr ElementFlops kElementFlops[] = {
    {"axpy", 2, 8, 4},   {"scal", 1, 6, 2},      {"swap", 0, 0, 0},        {"rot", 6, 20, 12},
    {"rotm", 6, 24, 12}, {"nrm2 asum", 2, 4, 4}, {"iamax iamin", 2, 4, 4},
};

OpFacts evaluate_vectors(const OpDesc& op) {
  OpFacts facts;
  const Tensor* x = input(op, "x");
  if (x == nullptr) return facts;
  facts.params = main_params(op);
  const std::string_view name = model_word(op);
  for (const ElementFlops& known : kElementFlops) {
    if (!has_word(known.words, name)) continue;
    const double each = !is_complex(main_dtype(op))    ? known.real
                        : word(op, "factor") == "real" ? known.mixed
                                                       : known.complex;
    const double root = name == "nrm2" ? 1 : 0;
    facts.cost = cost(each * elements(x->shape) + root, traffic(op),
                      name == "rotm" ? Basis::kEstimated : Basis::kExact);
  }
  return facts;
}

}  // namespace

void register_blas_vectors(Registry& registry);
void register_blas_vectors(Registry& registry) {
  registry.add({
      .name = "blas_vectors",
      .formulas =
          {
              {"axpy", "2n; complex 8n, with a real alpha 4n", "-"},
              {"scal", "n; complex 6n, with a real alpha 2n", "-"},
              {"swap", "0", "-"},
              {"nrm2", "2n + 1; complex 4n + 1", "-"},
              {"asum iamax iamin", "2n; complex 4n", "-"},
              {"rot", "6n; complex 20n, with a real sine 12n", "-"},
              {"rotm", "6n", "-", "in + out", "estimated"},
          },
      .notes = "n: elements of x. Absolute values and comparisons are operations. What a modified "
               "rotation (`rotm`) leaves out is in its parameters. `dot` and `copy` are under "
               "matmul and copy.",
      .evaluate = evaluate_vectors,
      .no_product = true,
      .examples =
          {
              {R"({"op":"cublas::axpy","args":[{"shape":[100],"dtype":"float32"},
              {"shape":[100],"dtype":"float32"}]})",
               "T=(100)", std::nullopt, 200, 1200},
              {R"({"op":"cublas::scal","args":[{"shape":[100],"dtype":"complex64"}],
              "facts":{"factor":"real"}})",
               "T=(100)", std::nullopt, 200, 1600},
              {R"({"op":"cublas::swap","args":[{"shape":[100],"dtype":"float32"},
              {"shape":[100],"dtype":"float32"}]})",
               "T=(100)", std::nullopt, 0, 1600},
              {R"({"op":"cublas::nrm2","args":[{"shape":[100],"dtype":"complex128"},
              {"shape":[],"dtype":"float64"}]})",
               "T=(100)", std::nullopt, 401, 1608},
              {R"({"op":"cublas::iamax","args":[{"shape":[100],"dtype":"float32"},
              {"shape":[],"dtype":"int32"}]})",
               "T=(100)", std::nullopt, 200, 404},
              {R"({"op":"cublas::rot","args":[{"shape":[100],"dtype":"complex64"},
              {"shape":[100],"dtype":"complex64"}]})",
               "T=(100)", std::nullopt, 2000, 3200},
              {R"({"op":"cublas::rotm","args":[{"shape":[100],"dtype":"float32"},
              {"shape":[100],"dtype":"float32"}]})",
               "T=(100)", std::nullopt, 600, 1600, Basis::kEstimated},
          },
  });
}

}  // namespace prof::ops
