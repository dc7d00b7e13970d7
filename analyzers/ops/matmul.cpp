// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Matrix products of two operands, single or batched: out = op(a) op(b), row-major as torch stores
// them; `trans_a` and `trans_b` state which operand is stored transposed. A gradient of a product
// is itself a product, described in the same way.
#include <algorithm>
#include <utility>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

/// An operand as a matrix or a stack of matrices: a vector is one row on the left, one column on
/// the right.
Shape matrix(const Shape& shape, bool left) {
  if (shape.size() != 1) return shape;
  return left ? Shape{1, shape[0]} : Shape{shape[0], 1};
}

bool is_grouped(std::string_view name) { return name.find("grouped_mm") != std::string_view::npos; }
bool is_packed(std::string_view name) { return name.starts_with("_weight_int"); }

/// Rows, columns and inner sizes of op(a) and op(b); nullopt if one is not a matrix.
struct Factors {
  Shape a, b;
  std::int64_t rows, columns, inner_a, inner_b;
};

std::optional<Factors> find_factors(const OpDesc& op) {
  const Tensor* first = input_or(op, "a", 0);
  const Tensor* second = input_or(op, "b", 1);
  if (first == nullptr || second == nullptr) return std::nullopt;
  Factors found{matrix(first->shape, true), matrix(second->shape, false), 0, 0, 0, 0};
  if (found.a.size() < 2 || found.b.size() < 2) return std::nullopt;
  const auto last = [](const Shape& shape, std::size_t i) { return shape[shape.size() - 1 - i]; };
  const bool trans_a = flag(op, "trans_a");
  const bool trans_b = flag(op, "trans_b");
  found.rows = last(found.a, trans_a ? 0 : 1);
  found.inner_a = last(found.a, trans_a ? 1 : 0);
  found.inner_b = last(found.b, trans_b ? 0 : 1);
  found.columns = last(found.b, trans_b ? 1 : 0);
  return found;
}

/// In cuBLAS's terms, column-major: its A is b. Empty if the op does not state it, or if an operand
/// is a vector, which is the same either way.
std::string_view layout(const OpDesc& op, const GemmShape& gemm) {
  const bool stated = op.attrs.contains("trans_a") || op.attrs.contains("trans_b");
  if (!stated || gemm.m < 2 || gemm.n < 2 || !gemm.k || *gemm.k < 2) return {};
  constexpr std::string_view kLayouts[] = {"nn", "nt", "tn", "tt"};
  return kLayouts[(flag(op, "trans_b") ? 2 : 0) + (flag(op, "trans_a") ? 1 : 0)];
}

struct Product {
  GemmShape gemm;
  Shape result;
  bool batched = false;
};

std::optional<Product> outer_product(const Shape& a, const Shape& b) {
  if (a.size() != 1 || b.size() != 1) return std::nullopt;
  return Product{{b[0], a[0], 1, 1}, {a[0], b[0]}, false};
}

/// One product per group, side by side in rows, columns or over K: together they are as large as
/// one.
std::optional<Product> grouped_product(const OpDesc& op, const Shape& a, const Shape& b) {
  const auto factors = find_factors(op);
  if (!factors || a.size() < 2 || b.size() < 2 || a.size() > 3 || b.size() > 3) return std::nullopt;
  if (factors->inner_a != factors->inner_b) return std::nullopt;
  Product found{{factors->columns, factors->rows, factors->inner_a, 1}, {}, false};
  found.result = {factors->rows, factors->columns};
  if (a.size() == 3 && b.size() == 3) {
    if (a[0] != b[0]) return std::nullopt;
    found.gemm.batch = a[0];
    found.batched = true;
    found.result.insert(found.result.begin(), a[0]);
  } else if (a.size() == 2 && b.size() == 2) {
    const Tensor* ends = input(op, "offs");
    if (ends == nullptr || ends->shape.size() != 1) return std::nullopt;
    found.result.insert(found.result.begin(), ends->shape[0]);
  }
  return found;
}

/// y = x Wᵀ with an 8-bit weight (N, K), or a tiled 4-bit one: (N/8, K/(16·inner), 32, inner/2).
std::optional<Product> packed_product(std::string_view name, const Shape& x, const Shape& weight) {
  const bool four = name == "_weight_int4pack_mm";
  if (x.size() != 2 || weight.size() != (four ? 4 : 2)) return std::nullopt;
  if (!four && weight[1] != x[1]) return std::nullopt;
  const std::int64_t columns = weight[0] * (four ? 8 : 1);
  return Product{{columns, x[0], x[1], 1}, {x[0], columns}, false};
}

std::optional<Product> find_product(const OpDesc& op) {
  const Tensor* first = input_or(op, "a", 0);
  const Tensor* second = input_or(op, "b", 1);
  if (first == nullptr || second == nullptr) return std::nullopt;
  const std::string_view name = model_word(op);
  if (name == "outer" || name == "addr") return outer_product(first->shape, second->shape);
  if (is_grouped(name)) return grouped_product(op, first->shape, second->shape);
  if (is_packed(name)) return packed_product(name, first->shape, second->shape);
  const auto factors = find_factors(op);
  if (!factors || factors->inner_a != factors->inner_b) return std::nullopt;
  const Shape& a = factors->a;
  const Shape& b = factors->b;
  auto result = broadcast({a.begin(), a.end() - 2}, {b.begin(), b.end() - 2});
  if (!result) return std::nullopt;
  const auto batches = product(*result, 0, result->size());
  if (!batches) return std::nullopt;
  Product found{{factors->columns, factors->rows, factors->inner_a, *batches},
                {},
                std::max(a.size(), b.size()) > 2};
  if (name == "addbmm") result->clear();
  if (first->shape.size() > 1) result->push_back(factors->rows);
  if (second->shape.size() > 1) result->push_back(factors->columns);
  found.result = std::move(*result);
  return found;
}

/// Packed weights are integers; where their type is that of the other operands, nobody stated it.
bool has_types_of_packed(const OpDesc& op) {
  const Tensor* weight = input_or(op, "b", 1);
  if (!is_packed(model_word(op)) || !has_shapes_only(op) || weight == nullptr) return true;
  return weight->dtype == DType::kInt8 || weight->dtype == DType::kUint8 ||
         weight->dtype == DType::kInt32;
}

OpFacts evaluate_matmul(const OpDesc& op) {
  OpFacts facts;
  const std::string_view name = model_word(op);
  const bool is_outer = name == "outer" || name == "addr";  // no sum
  auto found = find_product(op);
  if (!found) {
    const auto factors = find_factors(op);
    facts.claims.inner_sizes_differ =
        !is_outer && !is_packed(name) && factors && factors->inner_a != factors->inner_b;
    return facts;
  }
  // An element of a 4-bit float tensor holds a pair.
  if (main_dtype(op) == DType::kFloat4E2M1) *found->gemm.k *= 2;
  facts.claims.layout = layout(op, found->gemm);
  facts.gemm = found->gemm;
  facts.params = gemm_params(found->gemm, found->batched);
  double flops = gemm_flops(found->gemm, main_dtype(op));
  if (is_outer) flops = is_complex(main_dtype(op)) ? flops * 6 / 8 : flops / 2;
  if (input(op, "bias") != nullptr) {
    flops += (is_complex(main_dtype(op)) ? 2 : 1) * elements(found->result);
  }
  facts.cost = cost(flops, has_types_of_packed(op) ? traffic(op) : Traffic{});
  return facts;
}

/// The product; 32 bits wide for integers. For floats of 8 bits or fewer, only attr `dtype` states
/// the result's type.
void complete_matmul(OpDesc& op) {
  auto found = find_product(op);
  if (!found) return;
  DType dtype = main_dtype(op);
  if (dtype == DType::kInt8) dtype = DType::kInt32;
  if (is_float8(dtype) || dtype == DType::kFloat4E2M1) dtype = result_type(op, DType::kUnknown);
  add_output(op, "out", std::move(found->result), dtype);
}

/// The gradients of a forward product of two matrices, or of two stacks of as many.
std::optional<GradientOps> matmul_gradients(const OpDesc& op) {
  const std::string_view name = model_word(op);
  const auto found = find_product(op);
  if (!found || name == "outer" || name == "addr" || name == "addbmm") return std::nullopt;
  if (is_grouped(name) || is_packed(name)) return std::nullopt;
  if (flag(op, "trans_a") || flag(op, "trans_b")) return std::nullopt;
  const Tensor& a = *input_or(op, "a", 0);
  const Tensor& b = *input_or(op, "b", 1);
  if (a.shape.size() < 2 || a.shape.size() != b.shape.size()) return std::nullopt;
  if (!std::equal(a.shape.begin(), a.shape.end() - 2, b.shape.begin())) return std::nullopt;
  const bool is_linear = name == "addmm" || name == "mm";
  const Tensor dy{"dy", Tensor::Role::kIn, a.dtype, found->result};
  const auto of = [&](Part part, Tensor left, Tensor right, const Tensor& operand) {
    OpDesc one;
    one.op = "bmm";
    one.direction = Direction::kBprop;
    if (is_linear) one.part = part;
    one.attrs[part == Part::kData ? "trans_b" : "trans_a"] = true;
    left.name = "a";
    right.name = "b";
    one.tensors = {std::move(left),
                   std::move(right),
                   {"out", Tensor::Role::kOut, operand.dtype, operand.shape}};
    return one;
  };
  GradientOps made{.is_linear = is_linear};
  made.of[static_cast<std::size_t>(Part::kData)] = of(Part::kData, dy, b, a);
  made.of[static_cast<std::size_t>(Part::kWeight)] = of(Part::kWeight, a, dy, b);
  return made;
}

}  // namespace

void register_matmul(Registry& registry);
void register_matmul(Registry& registry) {
  registry.add({
      .name = "matmul",
      .formulas =
          {
              {"bmm matmul mm mv dot vdot inner _int_mm _scaled_mm _scaled_mm_v2 "
               "_weight_int8pack_mm "
               "_weight_int4pack_mm",
               "2·M·N·K·batch; complex 8·M·N·K·batch", "the same for each gradient",
               "in + out: (M·K·s + K·N·s + M·N·s)·batch"},
              {"addmm baddbmm addbmm addmv",
               "2·M·N·K·batch, + elements of the result for the bias; `addbmm` sums over the batch",
               "the same for each gradient"},
              {"_grouped_mm _scaled_grouped_mm _scaled_grouped_mm_v2",
               "2·M·N·K, where one of the sizes is that of all groups together",
               "the same for each gradient"},
              {"outer", "M·N; complex 6·M·N", "-"},
              {"addr", "2·M·N", "-"},
          },
      .notes = "M, N and K are cuBLAS's, column-major: see conventions.md. Scaling by alpha or "
               "beta is not counted.",
      .evaluate = evaluate_matmul,
      .complete = complete_matmul,
      .gradients = matmul_gradients,
      .is_product = true,
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
              {"aten::addmm, sizes = [[16], [64, 32], [32, 16], [], []]", "M=16,N=64,K=32",
               GemmShape{16, 64, 32, 1}, 65536 + 1024, 2.0 * (16 + 2048 + 512 + 1024),
               Basis::kExact, DType::kBFloat16},
              {"aten::baddbmm, sizes = [[4, 64, 16], [4, 64, 32], [4, 32, 16], [], []]",
               "B=4,M=16,N=64,K=32", GemmShape{16, 64, 32, 4}, 4 * (65536 + 1024), std::nullopt},
              {"aten::addbmm, sizes = [[64, 16], [4, 64, 32], [4, 32, 16], [], []]",
               "B=4,M=16,N=64,K=32", GemmShape{16, 64, 32, 4}, 4 * 65536 + 1024,
               4.0 * (1024 + 4 * 2048 + 4 * 512 + 1024), Basis::kExact, DType::kFloat32},
              {"aten::matmul, sizes = [[2, 3, 8, 16], [16, 8]]", "B=6,M=8,N=8,K=16",
               GemmShape{8, 8, 16, 6}, 6 * 2048, 4.0 * (768 + 128 + 384), Basis::kExact,
               DType::kTFloat32},
              {"aten::mv, sizes = [[64, 32], [32]]", "M=1,N=64,K=32", GemmShape{1, 64, 32, 1}, 4096,
               std::nullopt},
              {"aten::dot, sizes = [[64], [64]]", "M=1,N=1,K=64", GemmShape{1, 1, 64, 1}, 128,
               4 * 129, Basis::kExact, DType::kFloat32},
              {"aten::outer, sizes = [[8], [4]]", "M=4,N=8,K=1", GemmShape{4, 8, 1, 1}, 32, 4 * 44,
               Basis::kExact, DType::kFloat32},
              {"aten::mm, sizes = [[16, 8], [8, 4]]", "M=4,N=16,K=8", GemmShape{4, 16, 8, 1},
               8 * 512, 8.0 * (128 + 32 + 64), Basis::kExact, DType::kComplex64},
              {"aten::_int_mm, sizes = [[32, 32], [32, 32]]", "M=32,N=32,K=32",
               GemmShape{32, 32, 32, 1}, 65536, 1024 * (1 + 1 + 4), Basis::kExact, DType::kInt8},
              {"aten::_scaled_mm, sizes = [[32, 32], [32, 32], [], [], [], [], [], []]",
               "M=32,N=32,K=32", GemmShape{32, 32, 32, 1}, 65536, std::nullopt, Basis::kExact,
               DType::kFloat8E4M3},
              {R"({"op":"aten::_scaled_mm","args":[{"shape":[64,32],"dtype":"float8_e4m3fn"},
              {"shape":[32,16],"dtype":"float8_e4m3fn"},{"shape":[],"dtype":"float32"},
              {"shape":[],"dtype":"float32"},null,null,{"value":15},{"value":true}]})",
               "M=16,N=64,K=32", GemmShape{16, 64, 32, 1}, 65536, 2048 + 512 + 8 + 2 * 1024},
              {R"({"op":"aten::_weight_int4pack_mm","args":[{"shape":[8,256],"dtype":"bfloat16"},
              {"shape":[2,4,32,4],"dtype":"int32"},{"value":128},
              {"shape":[2,16,2],"dtype":"bfloat16"}]})",
               "M=16,N=8,K=256", GemmShape{16, 8, 256, 1}, 65536, 4096 + 4096 + 128 + 2 * 128},
              {"aten::_scaled_mm, sizes = [[64, 16], [16, 32], [], [], [], [], [], []]",
               "M=32,N=64,K=32", GemmShape{32, 64, 32, 1}, 131072, std::nullopt, Basis::kExact,
               DType::kFloat4E2M1},
              {"aten::_grouped_mm, sizes = [[64, 32], [4, 32, 16], [4], [], []]", "M=16,N=64,K=32",
               GemmShape{16, 64, 32, 1}, 65536, std::nullopt},
              {"aten::_grouped_mm, sizes = [[16, 64], [64, 32], [4], [], []]", "M=32,N=16,K=64",
               GemmShape{32, 16, 64, 1}, 65536, 2.0 * (1024 + 2048 + 4 + 4 * 512), Basis::kExact,
               DType::kBFloat16},
              {"aten::_weight_int8pack_mm, sizes = [[8, 256], [64, 256], [64]]", "M=64,N=8,K=256",
               GemmShape{64, 8, 256, 1}, 262144, std::nullopt},
              {"aten::_weight_int4pack_mm, sizes = [[8, 256], [2, 4, 32, 4], [], [4, 16, 2]]",
               "M=16,N=8,K=256", GemmShape{16, 8, 256, 1}, 65536, std::nullopt},
          },
  });
}

}  // namespace prof::ops
