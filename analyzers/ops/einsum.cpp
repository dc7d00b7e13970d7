// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Einstein summation of two operands, a batched matrix product. The equation is an attribute.
#include <algorithm>
#include <map>
#include <utility>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"
#include "libprof/base/ascii.hpp"

namespace prof::ops {
namespace {

struct Equation {
  std::string a, b, out;
};

/// "ij,jk->ik" of two operands; nullopt for anything else (an ellipsis, other operands, a letter
/// twice in one operand).
std::optional<Equation> parse(std::string_view text) {
  Equation equation;
  std::string* part = &equation.a;
  bool arrow = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ') continue;
    if (c == ',' && part == &equation.a) {
      part = &equation.b;
    } else if (c == '-' && i + 1 < text.size() && text[i + 1] == '>' && part == &equation.b) {
      part = &equation.out;
      arrow = true;
      ++i;
    } else if (is_letter(c) && part->find(c) == std::string::npos) {
      *part += c;
    } else {
      return std::nullopt;
    }
  }
  if (equation.a.empty() || equation.b.empty()) return std::nullopt;
  if (!arrow) {  // letters that occur once, in alphabetical order
    for (const char c : equation.a + equation.b) {
      if ((equation.a.find(c) == std::string::npos) != (equation.b.find(c) == std::string::npos)) {
        equation.out += c;
      }
    }
    std::sort(equation.out.begin(), equation.out.end());
  }
  return equation;
}

struct Contraction {
  GemmShape gemm{1, 1, 1, 1};
  Shape result;
};

bool multiply(std::int64_t& into, std::int64_t by) {
  return !__builtin_mul_overflow(into, by, &into);
}

std::optional<Contraction> contract(const OpDesc& op) {
  const auto equation = parse(word(op, "equation"));
  const Tensor* a = input_or(op, "a", 0);
  const Tensor* b = input_or(op, "b", 1);
  if (!equation || a == nullptr || b == nullptr || input_count(op) != 2 ||
      a->shape.size() != equation->a.size() || b->shape.size() != equation->b.size()) {
    return std::nullopt;
  }
  Contraction found;
  std::map<char, std::int64_t> sizes;
  for (std::size_t i = 0; i < equation->a.size(); ++i) sizes[equation->a[i]] = a->shape[i];
  for (std::size_t i = 0; i < equation->b.size(); ++i) {
    const auto [it, fresh] = sizes.emplace(equation->b[i], b->shape[i]);
    if (!fresh && it->second != b->shape[i]) return std::nullopt;
  }
  std::int64_t inner = 1;
  for (const auto& [letter, size] : sizes) {
    const bool in_a = equation->a.find(letter) != std::string::npos;
    const bool in_b = equation->b.find(letter) != std::string::npos;
    const bool in_out = equation->out.find(letter) != std::string::npos;
    if (!in_out && !(in_a && in_b)) return std::nullopt;  // summed before the product
    std::int64_t& part = !in_out        ? inner
                         : in_a && in_b ? found.gemm.batch
                         : in_a         ? found.gemm.n
                                        : found.gemm.m;
    if (!multiply(part, size)) return std::nullopt;
  }
  found.gemm.k = inner;
  for (const char letter : equation->out) {
    if (sizes.find(letter) == sizes.end()) return std::nullopt;
    found.result.push_back(sizes[letter]);
  }
  return found;
}

OpFacts evaluate_einsum(const OpDesc& op) {
  OpFacts facts;
  const auto found = contract(op);
  if (!found) return facts;
  facts.gemm = found->gemm;
  facts.params = gemm_params(found->gemm, true);
  facts.cost = cost(gemm_flops(found->gemm, main_dtype(op)), traffic(op));
  return facts;
}

void complete_einsum(OpDesc& op) {
  auto found = contract(op);
  if (found) add_output(op, "out", std::move(found->result), common_dtype(op));
}

}  // namespace

void register_einsum(Registry& registry);
void register_einsum(Registry& registry) {
  registry.add({
      .name = "einsum",
      .formulas =
          {
              {"einsum", "2·M·N·K·batch; complex 8·M·N·K·batch", "-"},
          },
      .notes = "Attr `equation`. Letters in both operands and the result form the batch, those "
               "in both operands only form K. PyTorch does not state the equation: there the "
               "inner products carry the numbers.",
      .evaluate = evaluate_einsum,
      .complete = complete_einsum,
      .is_product = true,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"einsum","dir":"fprop","args":[
              {"name":"a","role":"in","type":"tensor","shape":[2,4,8,16],"dtype":"float16"},
              {"name":"b","role":"in","type":"tensor","shape":[2,4,10,16],"dtype":"float16"}],
              "attrs":{"equation":"bhid,bhjd->bhij"}})",
               "B=8,M=10,N=8,K=16", GemmShape{10, 8, 16, 8}, 8 * 2560, 2 * (1024 + 1280 + 640)},
              {"aten::einsum, sizes = [[], [2, 4, 8, 16], [2, 4, 10, 16], []]",
               "T=[(2,4,8,16),(2,4,10,16)]", std::nullopt, std::nullopt, std::nullopt,
               Basis::kUnknown},
          },
  });
}

}  // namespace prof::ops
