// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Graphs with dynamic shapes: sizes that are expressions, and what kernels cost with the sizes of a
// call.
#include "analyzers/compiled/symbolic_sizes.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/unit/analyzers/compiled_program.hpp"

namespace prof::compiled {
namespace {

TEST(SymbolicSizes, ExpressionsHaveValues) {
  const Symbols symbols = {{"s0", 7}, {"s1", 3}};
  EXPECT_EQ(value_of_size("128", symbols), 128);
  EXPECT_EQ(value_of_size("s0*s1", symbols), 21);
  EXPECT_EQ(value_of_size("(1 + s0*s1) // 2", symbols), 11);
  EXPECT_EQ(value_of_size("2*(s0 - s1) + 1", symbols), 9);
  EXPECT_EQ(value_of_size("((s0 + 3) // 4) * 4", symbols), 8);
  for (const std::string_view unknown :
       {"", "s2", "s0*", "s0**2", "(s0", "s0)", "s0 s1", "-s0", "s1 - s0", "s0 // 0", "4x",
        "math.ceil(s0 / 32)", "99999999999999999999", "9223372036854775807*s0",
        "9223372036854775807 + s0"}) {
    EXPECT_FALSE(value_of_size(unknown, symbols).has_value()) << unknown;
  }
  EXPECT_FALSE(value_of_size(std::string(100'000, '(') + "s0", symbols).has_value());
  EXPECT_EQ(read_sizes("s0, 4*s1", symbols), (Shape{7, 12}));
  EXPECT_FALSE(read_sizes("s0, s2", symbols).has_value());
}

TEST(SymbolicSizes, ShapesTellSymbols) {
  Symbols known;
  EXPECT_TRUE(solve_sizes("s0*s1, 16", {24, 16}, known));
  EXPECT_TRUE(known.empty()) << "one size, two symbols";
  EXPECT_TRUE(solve_sizes("s0, 4*s1", {8, 12}, known));
  EXPECT_EQ(known, (Symbols{{"s0", 8}, {"s1", 3}}));
  EXPECT_TRUE(solve_sizes("s0*s1, s0 + s2", {24, 9}, known));
  EXPECT_EQ(known.size(), 2U) << "sums are not solved";
  EXPECT_FALSE(solve_sizes("s0*s1, 16", {25, 16}, known)) << "another size";
  EXPECT_FALSE(solve_sizes("s0", {8, 1}, known)) << "another rank";
  EXPECT_FALSE(solve_sizes("4*s9", {7}, known)) << "no whole number";
}

constexpr std::string_view kMul = "triton_poi_fused_mul_0";

/// A kernel before the first op, one after each of two ops.
constexpr std::string_view kDynamic = R"(# AOT ID: ['0_forward']
# Topologically Sorted Source Nodes: [mul], Original ATen: [aten.mul]
# Source node to ATen node mapping:
#   mul => mul
# Graph fragment:
#   %arg : Tensor "f32[s0, s1][s1, 1]cuda:0" = PlaceHolder[target=arg]
#   %mul : Tensor "f32[s0, s1][s1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%arg, 2.0), kwargs = {})
#   return %mul
triton_poi_fused_mul_0 = async_compile.triton('triton_poi_fused_mul_0', '''
def triton_poi_fused_mul_0(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
''', device_str='cuda')
def call(args):
    s0 = arg0_1
    s1 = arg1_1
    assert_size_stride(arg2_1, (s0, s1), (s1, 1))
    assert_size_stride(arg3_1, (16, 4), (4, 1))
    triton_poi_fused_mul_0_xnumel = s0*s1
    # Topologically Sorted Source Nodes: [mul], Original ATen: [aten.mul]
    triton_poi_fused_mul_0.run(arg2_1, buf0, triton_poi_fused_mul_0_xnumel, stream=stream0)
    extern_kernels.mm(reinterpret_tensor(buf0, (s0*s1 // 16, 16), (16, 1), 0), arg3_1, out=buf1)
    # Topologically Sorted Source Nodes: [mul], Original ATen: [aten.mul]
    triton_poi_fused_mul_0.run(arg2_1, buf0, triton_poi_fused_mul_0_xnumel, stream=stream0)
    extern_kernels.bmm(arg2_1, arg3_1, out=buf2)
    # Topologically Sorted Source Nodes: [mul], Original ATen: [aten.mul]
    triton_poi_fused_mul_0.run(arg2_1, buf0, triton_poi_fused_mul_0_xnumel, stream=stream0)
def benchmark_compiled_module(times=10):
    arg2_1 = rand_strided((1000, 1000), (1000, 1), device='cuda:0', dtype=torch.float32)
)";

class DynamicGraph : public fakes::CompiledProgram {
 protected:
  /// Of an input of that shape.
  void run_with(const std::string& rows, const std::string& columns, const std::string& of_16) {
    begin();
    trace_.kernel(kMul);
    run_op("aten::mm, seq = 1, sizes = [[" + of_16 + ", 16], [16, 4]]");
    trace_.kernel(kMul);
    run_op("aten::bmm, seq = 1, sizes = [[" + rows + ", " + columns + "], [16, 4]]");
    trace_.kernel(kMul);
    trace_.pop();
  }
};

TEST_F(DynamicGraph, KernelsCostWhatTheSizesOfTheirCallSay) {
  keep(kDynamic, R"({"nodes":[{"name":"mul","path":"a","target":"mul"}]})");
  run_with("8", "32", "16");   // nothing is known before
  run_with("4", "32", "8");    // other sizes
  run_with("8", "32", "16");   // other ones than those of the last call
  run_with("16", "16", "16");  // that the first op fits, too
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 20U);
  for (std::size_t call = 0; call < 4; ++call) {
    EXPECT_FALSE(rows[5 * call].own.cost.flops.has_value()) << "before any op";
    EXPECT_FALSE(rows[5 * call].own.cost.bytes.has_value());
    EXPECT_EQ(rows[5 * call].op.layer, "a");
  }
  EXPECT_EQ(rows[4].own.cost.flops, 8 * 32);
  EXPECT_EQ(rows[4].own.cost.bytes, 2 * 4 * 8 * 32);
  EXPECT_EQ(rows[4].own.basis, Basis::kExact);
  EXPECT_EQ(rows[9].own.cost.flops, 4 * 32);
  EXPECT_EQ(rows[14].own.cost.flops, 8 * 32);
  EXPECT_EQ(rows[19].own.cost.flops, 16 * 16);
  EXPECT_EQ(rows[19].own.basis, Basis::kExact);
  EXPECT_FALSE(rows[2].own.cost.flops.has_value()) << "a product of two symbols";
  EXPECT_FALSE(rows[7].own.cost.flops.has_value()) << "the last call's do not fit";
  EXPECT_EQ(rows[17].own.cost.flops, 8 * 32);
  EXPECT_EQ(rows[17].own.basis, Basis::kEstimated) << "as many in all as in the last call";
}

TEST_F(DynamicGraph, SizesThatACallStatesNeedNoOp) {
  keep(kDynamic, R"({"nodes":[{"name":"mul","path":"a","target":"mul"}]})");
  for (const std::string_view rows : {"8", "4"}) {
    trace_.push(R"({"v":1,"mod":"prof","graph":"c1","source":"0","dir":"fprop","sizes":{"s0":)" +
                std::string(rows) + R"(,"s1":32}})");
    trace_.kernel(kMul);
    trace_.pop();
  }
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].own.cost.flops, 8 * 32);
  EXPECT_EQ(rows[1].own.cost.flops, 4 * 32);
  EXPECT_EQ(rows[1].own.basis, Basis::kExact);
}

TEST_F(DynamicGraph, CallsOfManySizesKeepWhatIsNoCost) {
  keep(kDynamic, R"({"nodes":[{"name":"mul","path":"a","target":"mul"}]})");
  for (int rows = 16; rows < 16 * 400; rows += 16) {
    run_with(std::to_string(rows), "16", std::to_string(rows));
  }
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 5U * 399U);
  for (std::size_t i = 4; i < rows.size(); i += 5) {
    EXPECT_EQ(rows[i].op.layer, "a");
    const double elements = 16.0 * 16 * (1 + static_cast<double>(i / 5));
    EXPECT_EQ(rows[i].own.cost.flops.value_or(elements), elements) << "right or absent";
  }
  EXPECT_EQ(counts_.compiled.unmatched, 0U);
}

}  // namespace
}  // namespace prof::compiled
