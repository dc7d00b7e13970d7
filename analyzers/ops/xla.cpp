// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Ops of XLA. A fused one computes several operations; at best its name says which. For a product,
// the HLO states the sizes.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

std::optional<std::int64_t> size_at(const OpDesc& op, std::string_view key) {
  const auto found = op.attrs.find(key);
  const auto* size = found == op.attrs.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
  return size == nullptr || *size < 0 ? std::nullopt : std::optional(*size);
}

std::optional<GemmShape> stated_product(const OpDesc& op) {
  const auto m = size_at(op, "m"), n = size_at(op, "n"), k = size_at(op, "k");
  if (!m || !n || !k) return std::nullopt;
  return GemmShape{*m, *n, *k, size_at(op, "batch").value_or(1)};
}

OpFacts evaluate_xla(const OpDesc& op) {
  OpFacts facts;
  facts.params = input_params(op);
  std::optional<double> flops;
  if (const auto gemm = stated_product(op)) {
    facts.gemm = gemm;
    facts.params = gemm_params(*gemm, gemm->batch != 1);
    facts.dtype = parse_dtype(word(op, "dtype"));
    flops = gemm_flops(*gemm, facts.dtype);
  }
  const bool has_all = input_count(op) != 0 && !flag(op, "parts");
  facts.cost = cost(flops, has_all ? traffic(op) : Traffic{}, Basis::kEstimated);
  return facts;
}

}  // namespace

void register_xla(Registry& registry);
void register_xla(Registry& registry) {
  registry.add({
      .name = "xla",
      .formulas = {{"xla_op", "dot_general: 2·M·N·K·batch, without what is fused to it; else -",
                    "-", "in + out, where the op has its operands as a whole", "estimated"}},
      .notes = "Any op of XLA, by JAX's name or XLA's. Sizes are those of its HLO, which ranges of "
               "JAX programs have with them. Ops of libraries that XLA calls have them where these "
               "are recorded (`prof-run --trace cublas`).",
      .evaluate = evaluate_xla,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"xla::dot_general","args":[
              {"name":"p0","role":"in","type":"tensor","shape":[8,4],"dtype":"bfloat16"},
              {"name":"p1","role":"in","type":"tensor","shape":[4,2],"dtype":"bfloat16"},
              {"name":"","role":"out","type":"tensor","shape":[8,2],"dtype":"bfloat16"}],
              "attrs":{"m":2,"n":8,"k":4,"batch":1,"dtype":"bfloat16"}})",
               "M=2,N=8,K=4", GemmShape{2, 8, 4, 1}, 128, 2 * (32 + 8 + 16), Basis::kEstimated},
              {R"({"v":1,"mod":"prof","op":"xla::fused: mul+tanh","args":[
              {"name":"p0","role":"in","type":"tensor","shape":[8,4],"dtype":"float32"},
              {"name":"","role":"out","type":"tensor","shape":[8,4],"dtype":"float32"}]})",
               "T=(8,4)", std::nullopt, std::nullopt, 256, Basis::kEstimated},
              {R"({"v":1,"mod":"prof","op":"xla::gather","args":[
              {"name":"","role":"out","type":"tensor","shape":[8,4],"dtype":"float32"}]})",
               "T=(8,4)", std::nullopt, std::nullopt, std::nullopt, Basis::kUnknown},
          },
  });
}

}  // namespace prof::ops
