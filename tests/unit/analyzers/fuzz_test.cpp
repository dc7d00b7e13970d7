// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Random and damaged texts: the analyzers handle any range and kernel names. Deterministic; also
// meant for the sanitizers.
#include <gtest/gtest.h>

#include <random>

#include "analyzers/attributor.hpp"
#include "analyzers/dialects/registry.hpp"
#include "analyzers/kernels/kernel_facts.hpp"
#include "analyzers/ops/triton_kernels.hpp"
#include "tests/unit/analyzers/fake_trace.hpp"

namespace prof {
namespace {

using fakes::FakeTrace;
using fakes::op_text;

class Fuzz : public ::testing::Test {
 protected:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  std::string bytes(std::size_t most) {
    std::string text(below(most), '\0');
    for (char& c : text) c = static_cast<char>(random_());
    return text;
  }

  /// Pieces in any order: these reach more parser branches than random bytes.
  template <std::size_t N>
  std::string pieces(const std::string_view (&from)[N], std::size_t most) {
    std::string text;
    for (std::size_t i = below(most); i > 0; --i) text += from[below(N)];
    return text;
  }

  /// A valid text with a few bytes changed, cut or duplicated.
  std::string damaged(std::string text) {
    for (std::size_t i = 1 + below(3); i > 0 && !text.empty(); --i) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text[at] = static_cast<char>(random_());
          break;
        case 1:
          text.erase(at, 1 + below(8));
          break;
        case 2:
          text.insert(at, text.substr(at, 1 + below(8)));
          break;
        default:
          text.resize(at);
      }
    }
    return text;
  }

  std::mt19937_64 random_{20240607};  // NOLINT: the same texts at every run
};

constexpr std::string_view kJsonPieces[] = {"{",
                                            "}",
                                            "[",
                                            "]",
                                            ":",
                                            ",",
                                            "\"",
                                            "\"v\":1",
                                            "\"mod\":\"prof\"",
                                            "\"op\":\"linear\"",
                                            "\"args\":",
                                            "\"shape\":[1,2]",
                                            "\"dir\":\"bprop\"",
                                            "null",
                                            "true",
                                            "1e999",
                                            "-1",
                                            "99999999999999999999",
                                            "\\u0000",
                                            "\\ud800",
                                            "\xff",
                                            "\"attrs\":{"};

constexpr std::string_view kNamePieces[] = {"nvjet_sm90_",
                                            "triton_poi_fused_",
                                            "mul_",
                                            "_to_copy",
                                            "_backward",
                                            "_0d1",
                                            "_hsh_",
                                            "128x256",
                                            "_64x4",
                                            "cutlass3x_",
                                            "tensorop_",
                                            "s64x128x16gemm_",
                                            "s1688",
                                            "f16f32_",
                                            "xmma_gemm_",
                                            "tilesize64x",
                                            "cutlass::GemmShape<64, ",
                                            "Flash_fwd_kernel_traits<",
                                            "collective::CollectiveMma<",
                                            "cute::tuple<cute::C<64>, ",
                                            "SM100_MMA_F16BF16_SS<",
                                            "99999999999",
                                            "<",
                                            ">",
                                            "(",
                                            ")",
                                            "{",
                                            "}",
                                            "[",
                                            "]",
                                            "::",
                                            " ",
                                            "operator",
                                            "operator<",
                                            "operator()",
                                            "(anonymous namespace)",
                                            "at::native::",
                                            "void ",
                                            "const",
                                            "kernel",
                                            "->",
                                            "lambda",
                                            "#1",
                                            ",",
                                            "*",
                                            "&",
                                            "decltype",
                                            "std::enable_if",
                                            "_Z",
                                            "gemm",
                                            "1",
                                            "\x01",
                                            " [clone"};

constexpr std::string_view kManglePieces[] = {"_Z",
                                              "N",
                                              "E",
                                              "I",
                                              "St",
                                              "S_",
                                              "S0_",
                                              "T_",
                                              "T0_",
                                              "L",
                                              "Li4E",
                                              "v",
                                              "i",
                                              "f",
                                              "P",
                                              "K",
                                              "3foo",
                                              "6kernel",
                                              "12_GLOBAL__N_1",
                                              "cv",
                                              "UlvE_",
                                              "Z",
                                              "D",
                                              "X",
                                              "J",
                                              "M",
                                              "F",
                                              "1",
                                              "99",
                                              "cl",
                                              "dt",
                                              "sr",
                                              "ng"};

TEST_F(Fuzz, NativeTexts) {
  dialects::Registry registry;
  dialects::register_builtin(registry);
  const std::string valid =
      op_text("linear", "bprop", "dy:in:32x8:float16 x:in:32x4:float16 dw:out:8x4:float32",
              "weight", R"("a":true,"b":1.5)");
  std::size_t ops = 0, problems = 0;
  for (int i = 0; i < 60000; ++i) {
    const std::string text = i % 3 == 0   ? damaged(valid)
                             : i % 3 == 1 ? R"({"v":1,"mod":"prof",)" + pieces(kJsonPieces, 20)
                                          : bytes(200);
    const dialects::RangeMeaning meaning = registry.parse({text, {}, true});
    if (meaning.is<StatedOp>()) {
      ASSERT_NE(meaning.op(), nullptr);
      ++ops;
    }
    problems += meaning.problem.empty() ? 0U : 1U;
  }
  EXPECT_GT(ops, 100U) << "some damage is harmless";
  EXPECT_GT(problems, 10000U);
}

/// HLO in a range's payload.
class HloPayload final : public dialects::RangePayload {
 public:
  HloPayload(std::string own, std::string called)
      : own_(std::move(own)), called_(std::move(called)) {}
  std::optional<std::int64_t> number(std::string_view) const override { return {}; }
  std::optional<std::int64_t> fact(const Fact&, std::int64_t) const override { return {}; }
  std::string_view text(std::string_view field) const override {
    if (field == "HLO") return own_;
    if (field == "Called HLO") return called_;
    return "\n- a.py:3[f]\n-- b.py:4 add\n";
  }

 private:
  std::string own_, called_;
};

TEST_F(Fuzz, XlaTexts) {
  dialects::Registry registry;
  dialects::register_builtin(registry);
  const std::string title =
      "Thunk:#name=jvp(GPT)/block_0/transpose[permutation=(1, 0)],hlo_op=gemm_fusion_dot.1#";
  const std::string own =
      "gemm_fusion_dot.1 = (f32[8,4]{1,0}, /*index=1*/s8[64]{0}) fusion(a, %b), kind=kCustom, "
      "metadata={op_name=\"jit(f)/transpose(jvp(GPT))/add\" source_file=\"a.py\" source_line=3}";
  const std::string called =
      "c {\n p = bf16[8,2]{1,0} parameter(0)\n q = bf16[2,4]{1,0} parameter(1)\n"
      " ROOT d = f32[8,4]{1,0} dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
      "metadata={op_name=\"jit(f)/transpose(jvp(GPT))/dot_general\"}\n}\n";
  std::size_t ops = 0, products = 0;
  for (int i = 0; i < 30000; ++i) {
    const HloPayload payload(i % 3 == 0 ? damaged(own) : own,
                             i % 3 == 1 ? damaged(called) : called);
    const std::string text = i % 3 == 2 ? damaged(title) : title;
    const dialects::RangeMeaning meaning = registry.parse({text, "TSL", false, &payload});
    const auto* traced = meaning.as<TracedOp>();
    if (traced == nullptr) continue;
    ASSERT_NE(traced->op, nullptr);
    ASSERT_NE(traced->instruction, nullptr);
    ++ops;
    if (traced->op->attrs.contains("k")) ++products;
  }
  EXPECT_GT(ops, 20000U);
  EXPECT_GT(products, 10000U);
  EXPECT_LT(products, ops);
}

TEST_F(Fuzz, KernelNames) {
  for (int i = 0; i < 60000; ++i) {
    const std::string name =
        i % 4 == 0   ? bytes(100)
        : i % 4 == 1 ? pieces(kNamePieces, 40)
        : i % 4 == 2 ? "_Z" + pieces(kManglePieces, 20)
                     : damaged(
                           "void at::native::(anonymous namespace)::k<4, ns::F<float>, "
                           "std::array<char*, 2ul> >(int, ns::F<float>::operator()(int) const)");
    const KernelFacts facts = kernels::facts(name);
    EXPECT_EQ(facts.short_name.empty(), name.empty()) << name;
    EXPECT_LE(facts.short_name.size(), facts.demangled.size());
    EXPECT_EQ(ops::fused_word(name).empty(), ops::fused_ops(name).empty()) << name;
  }
}

TEST_F(Fuzz, Traces) {
  const std::string valid = op_text("relu", "fprop", "x:in:8:float16 y:out:8:float16");
  for (int round = 0; round < 60; ++round) {
    FakeTrace trace;
    std::size_t rows = 0;
    std::vector<std::size_t> depth(4, 0);
    for (int i = 0; i < 400; ++i) {
      const auto thread = static_cast<std::uint32_t>(below(4));
      if (below(3) == 0) {
        const RangeId id = trace.push(below(2) == 0 ? valid : damaged(valid), thread);
        ++depth[thread];
        if (below(20) == 0) trace.range_row(id).parent = below(2 * id);
        if (below(20) == 0) trace.range_row(id).alias_of = below(2 * id);
        if (below(40) == 0) trace.range_row(id).kind = RangeRecord::Kind::kStartEnd;
      } else if (depth[thread] > 0 && below(3) == 0) {
        trace.pop(thread);
        --depth[thread];
      } else {
        const std::size_t row = below(8) == 0 ? trace.memset(4, 1, thread)
                                              : trace.kernel(pieces(kNamePieces, 6), 100, thread);
        if (below(20) == 0) trace.row(row).stack = below(1000);
        if (below(20) == 0) trace.row(row).duration_ns = static_cast<std::int64_t>(random_());
        if (below(20) == 0) trace.row(row).launch_start_ns = static_cast<std::int64_t>(random_());
        if (below(20) == 0) trace.row(row).config = {static_cast<std::uint32_t>(random_())};
        ++rows;
      }
    }
    const auto cursor = attribute_work(trace, {.work = TraceReader::Work::kKernelsAndCopies,
                                               .max_held_rows = 32,
                                               .max_cache_entries = 64});
    std::size_t seen = 0;
    while (const AttributedRow* item = cursor->next()) {
      ASSERT_NE(item->attribution.op, nullptr);
      ASSERT_EQ(item->attribution.kernel == nullptr, item->gpu.kind != GpuRow::Kind::kKernel);
      ++seen;
    }
    EXPECT_EQ(seen, rows) << "every row comes back";
  }
}

}  // namespace
}  // namespace prof
