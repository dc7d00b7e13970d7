// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls of cuBLAS: products of column-major matrices, D = op(A) op(B) + C, with the sizes that the
// call states. Where a matrix is symmetric or triangular, half of it is in use; a band is in memory
// with a row for each diagonal, and a packed triangle has one dimension.
#include <algorithm>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

std::int64_t rows_of(const Shape& shape) { return shape[shape.size() - 2]; }

/// n(n+1)/2 of n².
double elements_of_triangle(const Shape& shape) {
  const auto n = static_cast<double>(rows_of(shape));
  return n == 0 ? 0 : elements(shape) * (n + 1) / (2 * n);
}

constexpr std::string_view kRankUpdates = "syrk herk syrkx herkx syr2k her2k";
constexpr std::string_view kVectorUpdates = "syr her spr hpr syr2 her2 spr2 hpr2";
constexpr std::string_view kTwiceUpdates = "syr2k her2k syr2 her2 spr2 hpr2";
constexpr std::string_view kTriangles = "trmm trsm trmv trsv tpmv tpsv";
constexpr std::string_view kBandTriangles = "tbmv tbsv";
/// A is known by the vectors: it is a band, or packed.
constexpr std::string_view kVectorProducts =
    "symv hemv gbmv sbmv hbmv spmv hpmv trmv trsv tbmv tbsv tpmv tpsv";

bool is_symmetric_update(std::string_view name) {
  return has_word(kRankUpdates, name) || has_word(kVectorUpdates, name);
}

/// Only a triangle of the matrix is in use.
bool is_half(const OpDesc& op, std::string_view tensor) {
  return (is_symmetric_update(model_word(op)) && has_word("c d", tensor)) ||
         has_word(word(op, "half"), tensor);
}

bool has_band(const OpDesc& op) {
  return has_word("gbmv sbmv hbmv tbmv tbsv", model_word(op)) && number(op, "kl") &&
         number(op, "ku");
}

/// Elements on the first `count` diagonals below the main one of a rows x columns matrix.
double elements_below(double rows, double columns, double count) {
  const double last = std::clamp(count, 0.0, std::max(rows - 1, 0.0));
  // As long as there are rows enough, each has all columns.
  const double whole = std::min(last, std::max(rows - columns, 0.0));
  const double rest = (last - whole) * rows - (last * (last + 1) - whole * (whole + 1)) / 2;
  return whole * columns + rest;
}
double elements_of_band(double rows, double columns, double below, double above) {
  return std::min(rows, columns) + elements_below(rows, columns, below) +
         elements_below(columns, rows, above);
}

/// A as it multiplies, which is more than is in memory where it is symmetric.
double elements_of_band(const OpDesc& op, const GemmShape& gemm) {
  const bool is_turned = has_word("t c", word(op, "trans_a")) && model_word(op) == "gbmv";
  const auto rows = static_cast<double>(is_turned ? *gemm.k : gemm.m);
  const auto columns = static_cast<double>(is_turned ? gemm.m : *gemm.k);
  return elements_of_band(rows, columns, *number(op, "kl"), *number(op, "ku"));
}

/// The share of a matrix in memory that the call uses.
double used_share(const OpDesc& op, const Tensor& tensor) {
  const double all = elements(tensor.shape);
  if (tensor.shape.size() < 2 || all == 0) return 1;
  if (is_half(op, tensor.name)) return elements_of_triangle(tensor.shape) / all;
  const Tensor* d = output(op, "d");
  const Tensor* b = input(op, "b");
  if (tensor.name != "a" || !has_band(op) || b == nullptr || d == nullptr) return 1;
  if (b->shape.size() < 2 || d->shape.size() < 2) return 1;
  const GemmShape gemm{rows_of(d->shape), 1, rows_of(b->shape), 1};
  if (!has_word("sbmv hbmv", model_word(op))) return elements_of_band(op, gemm) / all;
  const auto n = static_cast<double>(gemm.m);
  return elements_of_band(n, n, *number(op, "kl"), 0) / all;
}

Traffic traffic_of_call(const OpDesc& op) {
  Traffic moved{0.0, 0.0};
  for (const Tensor& tensor : op.tensors) {
    auto bytes = is_output(tensor) ? whole_bytes(tensor) : tensor_bytes(tensor);
    if (bytes) *bytes *= used_share(op, tensor);
    std::optional<double>& side = is_output(tensor) ? moved.written : moved.read;
    side = sum(side, bytes);
  }
  return moved;
}

/// The sizes that the call states: M and N are D's, K is A's.
std::optional<GemmShape> product_of(const Tensor& a, const Tensor& d) {
  const Shape &left = a.shape, &result = d.shape;
  if (left.size() < 2 || result.size() < 2) return std::nullopt;
  const auto batch = product(result, 0, result.size() - 2);
  if (!batch) return std::nullopt;
  return GemmShape{rows_of(result), result.back(), left.back(), *batch};
}

/// Estimated where it is not known whether C is read, or how large the scales of A and B are.
OpCost cost_of_call(const OpDesc& op, double flops) {
  const bool is_exact =
      word(op, "beta") != "unknown" && !has_attr(op, "scale_a") && !has_attr(op, "scale_b");
  return cost(flops, traffic_of_call(op), is_exact ? Basis::kExact : Basis::kEstimated);
}

/// The shape of an update by vectors or of a product with one, whose matrix may be packed.
std::optional<GemmShape> product_with_vector(const OpDesc& op, const Tensor& a, const Tensor& d) {
  if (has_word(kVectorUpdates, model_word(op))) {
    if (a.shape.size() < 2) return std::nullopt;
    return GemmShape{rows_of(a.shape), rows_of(a.shape), 1, 1};
  }
  const Tensor* b = input(op, "b");
  if (b == nullptr || b->shape.size() < 2 || d.shape.size() < 2) return std::nullopt;
  return GemmShape{rows_of(d.shape), 1, rows_of(b->shape), 1};
}

std::optional<GemmShape> product_of_call(const OpDesc& op, const Tensor& a, const Tensor& d) {
  const std::string_view name = model_word(op);
  if (has_word(kVectorProducts, name) || has_word(kVectorUpdates, name))
    return product_with_vector(op, a, d);
  auto gemm = product_of(a, d);
  // If a symmetric or triangular factor is on the right, K is its size, too.
  if (has_word("symm hemm trmm trsm", name) && gemm && word(op, "side") == "right")
    gemm->k = gemm->n;
  return gemm;
}

double flops_of_product(const OpDesc& op, const GemmShape& gemm) {
  const std::string_view name = model_word(op);
  double flops = gemm_flops(gemm, main_dtype(op));
  const auto m = static_cast<double>(gemm.m);
  const double elements = m * static_cast<double>(*gemm.k);
  if (has_word(kTriangles, name)) flops /= 2;
  if (has_band(op) && elements > 0) {
    // In a triangle's band, each row begins with a product that is added to nothing.
    const double first = has_word(kBandTriangles, name) ? m / 2 : 0;
    flops *= (elements_of_band(op, gemm) - first) / elements;
  }
  if (is_symmetric_update(name) && m > 0) flops *= (m + 1) / (2 * m);
  if (has_word(kTwiceUpdates, name)) flops *= 2;
  return flops;
}

OpFacts evaluate_product(const OpDesc& op) {
  OpFacts facts;
  const Tensor* a = input(op, "a");
  const Tensor* d = output(op, "d");
  if (a == nullptr || d == nullptr) return facts;
  auto gemm = product_of_call(op, *a, *d);
  if (!gemm) return facts;
  // An element of a 4-bit float tensor holds a pair.
  if (a->dtype == DType::kFloat4E2M1) *gemm->k *= 2;
  double flops = flops_of_product(op, *gemm);
  if (input(op, "bias") != nullptr) flops += elements(d->shape);
  facts.gemm = gemm;
  facts.params = gemm_params(*gemm, d->shape.size() > 2);
  facts.cost = cost_of_call(op, flops);
  return facts;
}

/// One product per group, each with its own sizes and batch.
OpFacts evaluate_grouped(const OpDesc& op) {
  OpFacts facts;
  std::vector<const Tensor*> left, results;
  for (const Tensor& tensor : op.tensors) {
    if (tensor.name == "a") left.push_back(&tensor);
    if (tensor.name == "d") results.push_back(&tensor);
  }
  if (left.empty() || left.size() != results.size()) return facts;
  double flops = 0;
  std::optional<GemmShape> common;
  bool are_alike = true;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const auto gemm = product_of(*left[i], *results[i]);
    if (!gemm) return facts;
    flops += gemm_flops(*gemm, main_dtype(op));
    are_alike = are_alike &&
                (!common || (common->m == gemm->m && common->n == gemm->n && common->k == gemm->k));
    if (!common) {
      common = gemm;
    } else {
      common->batch += gemm->batch;
    }
  }
  if (are_alike) {
    facts.gemm = common;
    facts.params = gemm_params(*common, true);
  }
  facts.cost = cost_of_call(op, flops);
  return facts;
}

OpFacts evaluate_elementwise_call(const OpDesc& op) {
  OpFacts facts;
  const Tensor* d = output(op, "d");
  if (d == nullptr) return facts;
  facts.params = shape_params({d});
  // With one matrix, geam is a transposition, and the ops that pack a triangle copy.
  const double each = input(op, "b") == nullptr ? 0 : is_complex(main_dtype(op)) ? 2 : 1;
  const bool is_product = model_word(op) == "dgmm";
  facts.cost = cost_of_call(op, elements(d->shape) * (is_product && each == 2 ? 6 : each));
  return facts;
}

OpFacts evaluate_blas(const OpDesc& op) {
  const std::string_view name = model_word(op);
  if (name == "grouped_gemm") return evaluate_grouped(op);
  return has_word("geam dgmm tpttr trttp", name) ? evaluate_elementwise_call(op)
                                                 : evaluate_product(op);
}

}  // namespace

void register_blas(Registry& registry);
void register_blas(Registry& registry) {
  registry.add({
      .name = "blas",
      .formulas =
          {
              {"gemm gemv ger_update symm hemm",
               "2·M·N·K·batch; complex 8·M·N·K·batch; + elements of D for the bias", "-",
               "A + B + D, + C where beta is not 0"},
              {"grouped_gemm", "the sum over the groups", "-", "the sum over the groups"},
              {"syrk herk syrkx herkx", "N·(N+1)·K; complex 4·N·(N+1)·K", "-",
               "A (and B) + half of D, + half of C where beta is not 0"},
              {"syr2k her2k", "2·N·(N+1)·K; complex 8·N·(N+1)·K", "-",
               "A + B + half of D, + half of C where beta is not 0"},
              {"syr her spr hpr", "n·(n+1); complex 4·n·(n+1)", "-", "x + twice half of A"},
              {"syr2 her2 spr2 hpr2", "2·n·(n+1); complex 8·n·(n+1)", "-",
               "x + y + twice half of A"},
              {"trmm trsm trmv trsv tpmv tpsv",
               "M·N·K, where K is the size of the triangle; complex 4·M·N·K", "-",
               "half of A + B + D"},
              {"symv hemv spmv hpmv", "2·n²; complex 8·n²", "-",
               "half of A + x + y, + y where beta is not 0"},
              {"gbmv sbmv hbmv", "2·elements of the band; complex 8", "-",
               "band in memory + x + y, + y where beta is not 0"},
              {"tbmv tbsv", "2·elements of the band - n; complex 4 times that", "-",
               "band + x + y"},
              {"geam dgmm tpttr trttp", "elements of D; geam of one matrix, and of packed ones: 0",
               "-", "in + out; of packed triangles what is in use"},
          },
      .notes =
          "M, N and K are cuBLAS's, as the call states them. Where beta is in the device's memory, "
          "C is taken to be read, and the cost is estimated. Scaling by alpha or beta is not "
          "counted.",
      .evaluate = evaluate_blas,
      .is_product = true,
      .examples =
          {
              {R"({"op":"cublas::gemm","args":[{"shape":[5,3],"dtype":"float32"},
              {"shape":[3,7],"dtype":"float32"},null,{"shape":[5,7],"dtype":"float32"}],
              "facts":{"trans_a":"n","trans_b":"t"}})",
               "M=5,N=7,K=3", GemmShape{5, 7, 3, 1}, 210, 4 * (15 + 21 + 35)},
              {R"({"op":"cublas::gemm","args":[{"shape":[2,5,3],"dtype":"float16"},
              {"shape":[2,3,7],"dtype":"float16"},{"shape":[2,5,7],"dtype":"float16"},
              {"shape":[2,5,7],"dtype":"float16"}],"facts":{"beta":"unknown"}})",
               "B=2,M=5,N=7,K=3", GemmShape{5, 7, 3, 2}, 420, 2 * (30 + 42 + 70 + 70),
               Basis::kEstimated},
              {R"({"op":"cublas::gemm","args":[
              {"shape":[16,8],"dtype":"float4_e2m1fn_x2"},{"shape":[8,32],"dtype":"float4_e2m1fn_x2"},
              null,{"shape":[16,32],"dtype":"bfloat16"},{"shape":[16,1],"dtype":"bfloat16"}]})",
               "M=16,N=32,K=16", GemmShape{16, 32, 16, 1}, 2 * 16 * 32 * 16 + 512,
               16 * 8 + 8 * 32 + 2 * 512 + 2 * 16},
              {R"({"op":"cublas::gemm","args":[{"shape":[16,32],"dtype":"float8_e4m3fn"},
              {"shape":[32,16],"dtype":"float8_e4m3fn"},null,{"shape":[16,16],"dtype":"bfloat16"}],
              "facts":{"scale_a":"vec32_ue8m0","scale_b":"vec32_ue8m0"}})",
               "M=16,N=16,K=32", GemmShape{16, 16, 32, 1}, 16384, 512 + 512 + 2 * 256,
               Basis::kEstimated},
              {R"({"op":"cublas::grouped_gemm","args":[
              {"list":[{"shape":[2,4,3],"dtype":"float32"},{"shape":[1,2,3],"dtype":"float32"}]},
              {"list":[{"shape":[2,3,5],"dtype":"float32"},{"shape":[1,3,2],"dtype":"float32"}]},
              {"list":[null,null]},
              {"list":[{"shape":[2,4,5],"dtype":"float32"},{"shape":[1,2,2],"dtype":"float32"}]}]})",
               "T=[(2,4,3),(1,2,3),(2,3,5),(1,3,2)]", std::nullopt, 2 * 2 * 60 + 24,
               4 * (24 + 6 + 30 + 6 + 40 + 4)},
              {R"({"op":"cublas::syrk","args":[{"shape":[4,6],"dtype":"float32"},
              null,null,{"shape":[4,4],"dtype":"float32"}]})",
               "M=4,N=4,K=6", GemmShape{4, 4, 6, 1}, 4 * 5 * 6, 4 * (24 + 10)},
              {R"({"op":"cublas::syr2k","args":[{"shape":[4,6],"dtype":"float64"},
              {"shape":[6,4],"dtype":"float64"},{"shape":[4,4],"dtype":"float64"},
              {"shape":[4,4],"dtype":"float64"}]})",
               "M=4,N=4,K=6", GemmShape{4, 4, 6, 1}, 2 * 4 * 5 * 6, 8 * (24 + 24 + 20)},
              {R"({"op":"cublas::trsm","args":[{"shape":[4,4],"dtype":"float32"},
              {"shape":[4,6],"dtype":"float32"},{"shape":[4,6],"dtype":"float32"}],
              "facts":{"half":"a","side":"left"}})",
               "M=4,N=6,K=4", GemmShape{4, 6, 4, 1}, 96, 4 * (10 + 24 + 24)},
              {R"({"op":"cublas::symv","args":[{"shape":[5,5],"dtype":"float32"},
              {"shape":[5,1],"dtype":"float32"},null,{"shape":[5,1],"dtype":"float32"}],
              "facts":{"half":"a"}})",
               "M=5,N=1,K=5", GemmShape{5, 1, 5, 1}, 50, 4 * (15 + 5 + 5)},
              {R"({"op":"cublas::gbmv","args":[{"shape":[3,6],"dtype":"float32"},
              {"shape":[6,1],"dtype":"float32"},null,{"shape":[4,1],"dtype":"float32"}],
              "facts":{"trans_a":"n","kl":1,"ku":1}})",
               "M=4,N=1,K=6", GemmShape{4, 1, 6, 1}, 2 * (4 + 3 + 4), 4 * (11 + 6 + 4)},
              {R"({"op":"cublas::sbmv","args":[{"shape":[3,6],"dtype":"complex64"},
              {"shape":[6,1],"dtype":"complex64"},null,{"shape":[6,1],"dtype":"complex64"}],
              "facts":{"kl":2,"ku":2}})",
               "M=6,N=1,K=6", GemmShape{6, 1, 6, 1}, 8 * (6 + 2 * 9), 8 * (15 + 6 + 6)},
              {R"({"op":"cublas::tbsv","args":[{"shape":[3,6],"dtype":"float64"},
              {"shape":[6,1],"dtype":"float64"},{"shape":[6,1],"dtype":"float64"}],
              "facts":{"kl":0,"ku":2}})",
               "M=6,N=1,K=6", GemmShape{6, 1, 6, 1}, 2 * 15 - 6, 8 * (15 + 6 + 6)},
              {R"({"op":"cublas::tpmv","args":[{"shape":[15],"dtype":"float32"},
              {"shape":[5,1],"dtype":"float32"},{"shape":[5,1],"dtype":"float32"}]})",
               "M=5,N=1,K=5", GemmShape{5, 1, 5, 1}, 25, 4 * 25},
              {R"({"op":"cublas::syr","args":[{"shape":[5,1],"dtype":"float32"},null,
              {"shape":[5,5],"dtype":"float32"},{"shape":[5,5],"dtype":"float32"}]})",
               "M=5,N=5,K=1", GemmShape{5, 5, 1, 1}, 30, 4 * (5 + 15 + 15)},
              {R"({"op":"cublas::spr2","args":[{"shape":[5,1],"dtype":"float32"},
              {"shape":[1,5],"dtype":"float32"},{"shape":[15],"dtype":"float32"},
              {"shape":[15],"dtype":"float32"}]})",
               "M=5,N=5,K=1", GemmShape{5, 5, 1, 1}, 60, 4 * (10 + 15 + 15)},
              {R"({"op":"cublas::tpttr","args":[{"shape":[15],"dtype":"float32"},
              {"shape":[5,5],"dtype":"float32"}],"facts":{"half":"d"}})",
               "T=(5,5)", std::nullopt, 0, 4 * 30},
              {R"({"op":"cublas::geam","args":[{"shape":[4,6],"dtype":"float32"},
              {"shape":[4,6],"dtype":"float32"},{"shape":[4,6],"dtype":"float32"}]})",
               "T=(4,6)", std::nullopt, 24, 4 * 72},
          },
  });
}

}  // namespace prof::ops
