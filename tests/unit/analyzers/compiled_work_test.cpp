// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of compiled graphs whose code is changed; cases/compiled_work.txt has the others.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/analyzers/compiled_program.hpp"

namespace prof {
namespace {

using fakes::deflated;
using fakes::kForwardCode;
using fakes::kMul;
using fakes::kSum;
using CompiledWork = fakes::CompiledProgram;

TEST_F(CompiledWork, NodesOfABackwardPassAreThoseOfTheirForwardNodes) {
  std::string code(kForwardCode);
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{"[linear_1]", "[mm_3]"}, {"0_forward", "0_backward"}}) {
    code.replace(code.find(from), from.size(), to);
  }
  keep(code);
  trace_.document("aot.nodes", "c1", deflated(R"({"nodes":[
      {"name":"mm","source":"linear","recompute":true},
      {"name":"mm_3","source":"linear","dir":"bprop"}]})"));
  begin("bprop");
  run_op();
  trace_.kernel(kMul);
  run_op();
  trace_.pop();
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].op.layer, "a.proj");
  EXPECT_EQ(rows[0].op.direction, Direction::kBprop);
  EXPECT_TRUE(rows[0].op.is_recomputed);
  EXPECT_EQ(rows[2].op.layer, "a.proj");
  EXPECT_EQ(rows[2].op.op, "linear");
  EXPECT_FALSE(rows[2].op.is_recomputed);
}

// Attention, whose mask is a node of the same name, and which is given a product.
TEST_F(CompiledWork, AProductIsItsOwnNodeAmongThoseOfTheCall) {
  std::string code(kForwardCode);
  code.replace(code.find("[linear]"), 8, "[attn, linear, mul]");
  code.replace(code.find("extern_kernels.mm"), 17,
               "buf0 = torch.ops.aten._scaled_dot_product_efficient_attention.default");
  keep(code, R"({"nodes":[
      {"name":"linear","path":"a.proj","target":"linear"},
      {"name":"mul","path":"a","target":"mul"},
      {"name":"attn","path":"a.core","target":"scaled_dot_product_attention"}]})");
  begin();
  run_op(
      "aten::_scaled_dot_product_efficient_attention, sizes = [[1, 4, 8, 16], [1, 4, 8, 16], "
      "[1, 4, 8, 16], [], [], [], [], []]");
  trace_.pop();
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].op.layer, "a.core");
  EXPECT_EQ(rows[0].op.op, "scaled_dot_product_attention");
  EXPECT_EQ(rows[0].op.ops, "_scaled_dot_product_efficient_attention(attn)");
}

TEST_F(CompiledWork, ANodeThatNoListHasIsKnownByItsNameInTheFirstCallAlone) {
  std::string code(kForwardCode);
  code.replace(code.find("#   mul => mul\n"), 15, "");
  keep(code);
  run();
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[1].op.ops, "mul(mul)");
  EXPECT_EQ(rows[3].op.ops, "mul");
}

TEST_F(CompiledWork, ANameThatOccursSeveralTimesIsFoundInTheOrderOfTheCalls) {
  std::string code(kForwardCode);
  for (const std::string name : {"linear_1", "linear_1", "mul_1"}) {
    const std::string plain = name.substr(0, name.find('_'));
    const std::size_t at = code.rfind("[" + name) != code.npos ? code.rfind("[" + name) + 1
                                                               : code.rfind(", " + name + "]") + 2;
    code.replace(at, name.size(), plain);
  }
  keep(code, R"({"nodes":[
      {"name":"linear","path":"blocks.0","target":"linear"},
      {"name":"mul","path":"blocks.0","target":"mul"},
      {"name":"linear","path":"blocks.1","target":"linear"},
      {"name":"mul","path":"blocks.1","target":"mul"},
      {"name":"total","target":"sum"}]})");
  run();
  EXPECT_EQ(told(attribute()),
            "blocks.0 linear fprop, blocks.0 mul fprop, blocks.1 linear fprop, blocks.1 mul fprop, "
            " sum fprop");
}

// The compiler runs first what depends on nothing: a mask, say, that the program makes last.
TEST_F(CompiledWork, AnEarlyCallOfALateNodeDoesNotMoveTheOthers) {
  std::string code(kForwardCode);
  const std::size_t last = code.rfind("        # Topologically Sorted Source Nodes: [total]");
  const std::string call = code.substr(last);
  code.erase(last);
  code.insert(code.find("        # Topologically Sorted Source Nodes: [linear], "), call);
  for (const std::string name : {"linear_1", "linear_1", "mul_1"}) {
    const std::size_t at = code.rfind(name);
    code.erase(at + name.size() - 2, 2);
  }
  keep(code, R"({"nodes":[
      {"name":"linear","path":"blocks.0","target":"linear"},
      {"name":"mul","path":"blocks.0","target":"mul"},
      {"name":"linear","path":"blocks.1","target":"linear"},
      {"name":"mul","path":"blocks.1","target":"mul"},
      {"name":"total","target":"sum"}]})");
  begin();
  trace_.kernel(kSum);
  for (int block = 0; block < 2; ++block) {
    run_op();
    trace_.kernel(kMul);
  }
  trace_.pop();
  EXPECT_EQ(told(attribute()),
            " sum fprop, blocks.0 linear fprop, blocks.0 mul fprop, blocks.1 linear fprop, "
            "blocks.1 mul fprop");
}

}  // namespace
}  // namespace prof
