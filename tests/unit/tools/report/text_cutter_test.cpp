// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of cutting a column's texts so that rows stay distinguishable.
#include "tools/report/table/text_cutter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tools/common/unicode.hpp"
#include "tools/report/table/shorten.hpp"
#include "tools/report/table/table_layout.hpp"

namespace prof::reports {
namespace {

using Texts = std::vector<std::string>;

Texts cut(const Texts& texts, std::size_t width, KeptPart telling = KeptPart::kStart) {
  TextCutter cutter(telling, width);
  for (const std::string& text : texts) cutter.add(text);
  Texts cuts;
  for (const std::string& text : texts) cuts.emplace_back(cutter.cut(text));
  return cuts;
}

/// Kernels as PyTorch launches them, of one template.
Texts elementwise_kernels() {
  Texts kernels;
  for (const std::string functor : {"FillFunctor<float>", "FillFunctor<long>", "BUnaryFunctor",
                                    "CUDAFunctor_add<c10::Half>", "AUnaryFunctor"}) {
    for (const std::string count : {"1", "2"}) {
      const std::string arguments =
          "at::native::" + functor + ", std::array<char*, " + count + "ul> >";
      kernels.push_back("void at::native::vectorized_elementwise_kernel<4, " + arguments +
                        "(int, " + arguments + ")");
    }
  }
  return kernels;
}

TEST(BareName, LacksReturnTypeNamespacesAndParameters) {
  EXPECT_EQ(bare_name("void at::native::fill<at::Half, std::array<char*, 1ul> >(int, at::Half)"),
            "fill<Half, array<char*, 1ul>>");
  EXPECT_EQ(bare_name("void (anonymous namespace)::softmax<float>(float*)"), "softmax<float>");
  EXPECT_EQ(bare_name("cutlass::Kernel2(Params)"), "Kernel2");
  EXPECT_EQ(bare_name("void k<a::f(a::T&)::{lambda()#3}::operator()() const::{lambda(int)#1}>(x)"),
            "k<f(T&)::{lambda()#3}::operator()() {lambda(int)#1}>");
}

TEST(BareName, LeavesOtherTextsAlone) {
  for (const std::string text :
       {"nvjet_sm90_tst_32x64_NTN", "[CUDA memcpy Host-to-Device]", "aten::copy_", "(8,1,1)",
        ":aten::addmm, seq = 1, sizes = [(1,2)]", "step (warm up)", "transformer:h:0", "void ()",
        "autograd::engine::evaluate_function: Mm", ")", ""}) {
    EXPECT_EQ(bare_name(text), text);
  }
}

TEST(TextCutter, KeepsKernelsOfOneTemplateApart) {
  const Texts kernels = elementwise_kernels();
  for (std::size_t width = 24; width < 80; ++width) {
    const Texts cuts = cut(kernels, width);
    for (const std::string& text : cuts) EXPECT_LE(tools::display_width(text), width) << text;
    const std::size_t different = std::set<std::string>(cuts.begin(), cuts.end()).size();
    EXPECT_GE(different, width < 33 ? 4U : kernels.size()) << width;
  }
  EXPECT_EQ(cut(kernels, 30)[4], "vectorized…BUnaryFunctor…1ul…") << "the words that differ";
}

TEST(TextCutter, ShowsTheWholeBareNameIfItFits) {
  EXPECT_EQ(cut({"void at::native::a_kernel<float>(int, float*, std::array<char*, 2ul>)"}, 30),
            Texts{"a_kernel<float>…"});
}

TEST(TextCutter, TellsFunctionsApartThatDifferInTheirParameters) {
  const Texts cuts =
      cut({"void a::long_name_of_kernel(float*)", "void a::long_name_of_kernel(int)"}, 26);
  EXPECT_NE(cuts[0], cuts[1]);
}

TEST(TextCutter, WordsTellMoreThanNumbers) {
  const Texts cuts = cut({"run_engine: AddBackward, id = 11", "run_engine: AddBackward, id = 12",
                          "run_engine: MulBackward, id = 13", "run_engine: SubBackward, id = 14"},
                         22);
  EXPECT_NE(cuts[2].find("MulBackward"), std::string::npos) << cuts[2];
  EXPECT_NE(cuts[0].find("11"), std::string::npos) << "the same words: the number counts";
  EXPECT_NE(cuts[1].find("12"), std::string::npos) << cuts[1];
}

TEST(TextCutter, PathsKeepTheirEnd) {
  const Texts cuts = cut({"transformer.h.0.attn.c_proj", "transformer.h.1.attn.c_proj",
                          "transformer.h.0.attn.c_attn", "transformer.h.0.mlp.c_proj"},
                         16, KeptPart::kEnd);
  EXPECT_EQ(std::set<std::string>(cuts.begin(), cuts.end()).size(), 4U);
  EXPECT_TRUE(cuts[2].ends_with("c_attn")) << cuts[2];
  EXPECT_EQ(cut({"transformer.wte", "transformer.wpe"}, 14, KeptPart::kEnd),
            (Texts{"…ansformer.wte", "…ansformer.wpe"}));
  EXPECT_TRUE(cuts[3].ends_with("mlp.c_proj")) << cuts[3];
}

TEST(TextCutter, DoesNotDependOnTheOrder) {
  Texts kernels = elementwise_kernels();
  Texts cuts = cut(kernels, 33);
  std::ranges::reverse(kernels);
  std::ranges::reverse(cuts);
  EXPECT_EQ(cut(kernels, 33), cuts);
}

TEST(TextCutter, CutsTextsItDoesNotKnow) {
  TextCutter cutter(KeptPart::kStart, 24);
  for (const std::string& kernel : elementwise_kernels()) cutter.add(kernel);
  const std::string_view other =
      cutter.cut("void at::native::vectorized_elementwise_kernel<4, at::native::TanhFunctor>(int)");
  EXPECT_NE(other.find("TanhFunctor"), std::string::npos) << other;
}

TEST(TextCutter, FitsAndSplitsNoCharacterAtAnyWidth) {
  const Texts texts = {"日本:e\u0301ncoder:12/層:注意力attn345",
                       "日本:e\u0301ncoder:13/層:注意力attn345",
                       "::::::::::::::::::::",
                       std::string(40, 'x'),
                       "void f<>(a)",
                       "a, b, c, d, e"};
  for (std::size_t width = 1; width < 40; ++width) {
    for (const KeptPart telling : {KeptPart::kStart, KeptPart::kEnd}) {
      for (const std::string& text : texts) {
        TextCutter cutter(telling, width);
        for (const std::string& other : texts) cutter.add(other);
        const std::string_view rest = cutter.cut(text);
        EXPECT_LE(tools::display_width(rest), width) << rest;
        for (std::string_view left = rest; !left.empty();) {
          const tools::Utf8Step step = tools::utf8_step(left);
          ASSERT_TRUE(step.valid) << rest;
          left.remove_prefix(step.length);
        }
      }
    }
  }
}

TEST(LeftOut, IsOneLineThatFits) {
  EXPECT_EQ(LeftOut{}.to_line(80), "");
  EXPECT_EQ((LeftOut{.columns = {}, .texts = true}.to_line(80)),
            "names are cut at …; pipe to less -S to see all");
  EXPECT_EQ((LeftOut{.columns = {"mb"}, .texts = false}.to_line(80)),
            "not shown: mb; pipe to less -S to see all");
  const LeftOut many{.columns = {"min_ns", "max_ns", "med_ns", "stddev_ns"}, .texts = true};
  EXPECT_EQ(many.to_line(200),
            "not shown: min_ns, max_ns, med_ns, stddev_ns; names are cut at …; pipe to less -S to "
            "see all");
  EXPECT_EQ(many.to_line(79),
            "not shown: min_ns, 3 more; names are cut at …; pipe to less -S to see all");
  EXPECT_EQ(many.to_line(70),
            "not shown: 4 columns; names are cut at …; pipe to less -S to see all");
}

}  // namespace
}  // namespace prof::reports
