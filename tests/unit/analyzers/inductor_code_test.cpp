// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The text that Inductor generates: which calls it makes, in which order, and what they compute.
#include "analyzers/compiled/inductor_code.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/compiled/argument_list.hpp"

namespace prof::compiled {
namespace {

using Words = std::vector<std::string_view>;

InductorCode read(std::string_view text) {
  return read_inductor_code(std::make_shared<const std::string>(text));
}

/// "mm, triton_poi_fused_relu_0, [silu]": ops and kernels, those that may not run in brackets.
std::string calls_of(const InductorCode& code) {
  std::string calls;
  for (const Call& call : code.calls) {
    if (!calls.empty()) calls += ", ";
    const bool is_known = call.kernel != nullptr && !call.kernel->symbols.empty();
    const std::string name(call.kernel == nullptr ? call.op
                           : is_known             ? call.kernel->symbols.front()
                                                  : "?");
    calls += call.is_optional ? "[" + name + "]" : name;
  }
  return calls;
}

constexpr std::string_view kModern = R"(# AOT ID: ['0_forward']
import torch
aten = torch.ops.aten

# kernel path: /tmp/cache/ab/cab.py
# Topologically Sorted Source Nodes: [linear, relu], Original ATen: [aten.addmm, aten.relu]
# Source node to ATen node mapping:
#   linear => add_tensor
#   relu => relu
# Graph fragment:
#   %mm_default : Tensor "f32[8, 16][16, 1]cuda:0" = PlaceHolder[target=mm_default]
#   %primals_2 : Tensor "f32[16][1]cuda:0" = PlaceHolder[target=primals_2]
#   %add_tensor : Tensor "f32[8, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%primals_2, %mm_default), kwargs = {})
#   %relu : Tensor "f32[8, 16][16, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.relu.default](args = (%add_tensor,), kwargs = {})
#   return %relu
triton_poi_fused_relu_0 = async_compile.triton('triton_poi_fused_relu_0', '''
import triton
@triton.jit
def helper(a, b):
    return a
@triton.jit
def triton_poi_fused_relu_0(in_out_ptr0, in_ptr0, xnumel, XBLOCK : tl.constexpr):
    if True:
        extern_kernels.mm(a, b)
''', device_str='cuda')

class Runner:
    def call(self, args):
        primals_1, primals_2 = args
        assert_size_stride(primals_2, (16, ), (1, ), 'torch.ops.aten.relu.default')
        with torch.cuda._DeviceGuard(0):
            buf0 = empty_strided_cuda((8, 16), (16, 1), torch.float32)
            # Topologically Sorted Source Nodes: [linear], Original ATen: [aten.addmm]
            extern_kernels.mm(primals_3, reinterpret_tensor(primals_1, (4, 16), (1, 4), 0), out=buf0)
            buf1 = buf0; del buf0  # reuse
            # Topologically Sorted Source Nodes: [linear, relu], Original ATen: [aten.addmm, aten.relu]
            stream0 = get_raw_stream(0)
            triton_poi_fused_relu_0.run(buf1, primals_2, 128, stream=stream0)
            # Topologically Sorted Source Nodes: [linear_1, relu_1], Original ATen: [aten.addmm, aten.relu]
            triton_poi_fused_relu_0.run(buf1, primals_2, 128, stream=stream0)
            # Topologically Sorted Source Nodes: [sdpa], Original ATen: [aten.x]
            buf2 = torch.ops.aten._scaled_dot_product_flash_attention.default(buf1, None)
        return (buf1, )

def get_args():
    primals_1 = rand_strided((16, 4), (4, 1), device='cuda:0', dtype=torch.bfloat16)
    primals_2 = rand_strided((16, ), (1, ), device='cuda:0', dtype=torch.float32)
)";

TEST(InductorCode, CallsAreInTheOrderOfTheText) {
  const InductorCode code = read(kModern);
  EXPECT_EQ(code.direction, Direction::kFprop);
  EXPECT_EQ(calls_of(code),
            "mm, triton_poi_fused_relu_0, triton_poi_fused_relu_0, "
            "_scaled_dot_product_flash_attention");
  ASSERT_EQ(code.calls.size(), 4U);
  EXPECT_EQ(code.calls[0].sources.names, Words{"linear"});
  EXPECT_EQ(code.calls[1].sources.names, (Words{"linear", "relu"}));
  EXPECT_EQ(code.calls[2].sources.names, (Words{"linear_1", "relu_1"}));
  EXPECT_EQ(code.calls[1].args, (Words{"buf1", "primals_2", "128", "stream=stream0"}));
}

TEST(InductorCode, ADefinitionSaysWhatItsKernelComputes) {
  const InductorCode code = read(kModern);
  ASSERT_EQ(code.definitions.size(), 1U);
  const Definition& kernel = *code.definitions[0];
  EXPECT_EQ(kernel.parameters, (Words{"in_out_ptr0", "in_ptr0", "xnumel", "XBLOCK"}));
  ASSERT_EQ(kernel.origins.size(), 2U);
  EXPECT_EQ(kernel.origins[0].source, "linear");
  EXPECT_EQ(kernel.origins[0].made, Words{"add_tensor"});
  const GraphFragment& fragment = kernel.fragment;
  ASSERT_EQ(fragment.nodes().size(), 4U);
  EXPECT_EQ(fragment.written, Words{"relu"});
  EXPECT_TRUE(fragment.is_read("primals_2"));
  EXPECT_FALSE(fragment.is_computed("primals_2"));
  const OpDesc relu = describe_node(*fragment.find("relu"), fragment);
  EXPECT_EQ(relu.op, "aten::relu");
  ASSERT_EQ(relu.tensors.size(), 2U);
  EXPECT_EQ(relu.tensors[0].shape, (Shape{8, 16}));
  EXPECT_EQ(relu.tensors[1].role, Tensor::Role::kOut);
}

TEST(InductorCode, ArgumentsHaveTypesAndSizes) {
  const InductorCode code = read(kModern);
  const auto type = type_of_argument(code, "buf1");  // another name of buf0
  ASSERT_TRUE(type.has_value());
  EXPECT_EQ(type->shape, (Shape{8, 16}));
  EXPECT_EQ(type_of_argument(code, "primals_2")->dtype, DType::kFloat32) << "as a kernel reads it";
  EXPECT_EQ(type_of_argument(code, "reinterpret_tensor(primals_1, (4, 16), (1, 4), 0)")->dtype,
            DType::kBFloat16)
      << "as the example has it";
  EXPECT_EQ(type_of_argument(code, "reinterpret_tensor(primals_1, (4, 16), (1, 4), 0)")->shape,
            (Shape{4, 16}));
  for (const std::string_view arg : {"128", "primals_9", "stream=stream0", "reinterpret_tensor(",
                                     "reinterpret_tensor(buf1, (s0, 16), (1, 4), 0)"}) {
    EXPECT_FALSE(type_of_argument(code, arg).has_value()) << arg;
  }
}

TEST(InductorCode, PartitionsAndFunctionsStandWhereTheyAreCalled) {
  EXPECT_EQ(calls_of(read(R"(
def subgraph_0(args):
    # Source Nodes: [a], Original ATen: [aten.mm]
    extern_kernels.mm(x, y, out=buf0)
def partition_1(args):
    aten.index_put_(buf1, [primals_1], buf2, True)
def partition_0(args):
    (buf5,) = subgraph_0(subgraph_0_args)
    extern_kernels.addmm(a, b, c)
    (buf6,) = subgraph_0(subgraph_0_args)
class Runner:
    def call(self, args):
        (buf1, buf2) = self.partitions[0](partition0_args)
        (buf3,) = self.partitions[1](partition1_args)
        return ()
def benchmark_compiled_module(times=10):
    extern_kernels.bmm(a, b)
)")),
            "mm, addmm, mm, index_put_");
}

TEST(InductorCode, OtherWaysToCallAnOpAreThatOp) {
  EXPECT_EQ(calls_of(read(R"(def call(args):
    extern_kernels.bias_addmm(a, b, c, alpha=1, beta=1, out=buf0)
    extern_kernels.bmm_dtype(a, b, out_dtype=torch.float32, out=buf1)
)")),
            "addmm, bmm");
}

TEST(InductorCode, WhatIsInABranchMayNotRun) {
  EXPECT_EQ(calls_of(read(R"(def call(args):
    if buf0.item():
        extern_kernels.mm(a, b)
    else:
        extern_kernels.bmm(a, b)
    extern_kernels.addmm(a, b, c)
)")),
            "[mm], [bmm], addmm");
}

TEST(InductorCode, KernelsOfOtherKinds) {
  const InductorCode code = read(R"(
# Original path: /home/u/kernels.py:12
add_kernel_0 = async_compile.triton('add_kernel', '''
def add_kernel(x_ptr, BLOCK):
''', device_str='cuda')
triton_red_a = async_compile.triton('triton_red_a', r'''
def triton_red_a(in_ptr0, out_ptr0, xnumel):
''')
triton_per_a = async_compile.triton('triton_per_a', r'''
''')
multi_kernel_0 = async_compile.multi_kernel('multi_kernel_0', [triton_red_a, triton_per_a])
cutlass_7 = async_compile.cuda(r'''
extern "C" int run() { extern_kernels.mm(x) }
''', 'so', )
def call(args):
    add_kernel_0.run(buf0, 16, stream=stream0)
    multi_kernel_0.run(buf0, buf1, stream=stream0)
    cutlass_7.cutlass_7(c_void_p(buf0.data_ptr()))
    unknown.run(buf0)
    buf3 = torch.ops.higher_order.graphsafe_run_with_rng_state(torch.ops.aten._flash.default, q, rng_state=s)
)");
  EXPECT_EQ(calls_of(code), "add_kernel, triton_red_a, ?, _flash");
  EXPECT_EQ(code.definitions[0]->written_at, "/home/u/kernels.py:12");
  EXPECT_EQ(code.calls[1].kernel->symbols, (Words{"triton_red_a", "triton_per_a"}));
  EXPECT_EQ(code.calls[1].kernel->parameters, (Words{"in_ptr0", "out_ptr0", "xnumel"}));
}

// torch 2.4: no sizes in fragments, another name of the list, every kernel is called "triton_".
TEST(InductorCode, OlderTexts) {
  const InductorCode code = read(R"(
# AOT ID: ['3_backward']
# kernel path: /tmp/x.py
# Source Nodes: [], Original ATen: [aten.sum]
# Graph fragment:
# %sum_1 : [num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%a, [0], True), kwargs = {})
triton_poi_fused_sum_0 = async_compile.triton('triton_', '''
def triton_(in_ptr0, out_ptr0, xnumel):
''')
def call(args):
    triton_poi_fused_sum_0.run(primals_1, buf0, 4, grid=grid(4), stream=stream0)
)");
  EXPECT_EQ(code.direction, Direction::kBprop);
  EXPECT_EQ(calls_of(code), "triton_");
  const GraphFragment& fragment = code.definitions[0]->fragment;
  ASSERT_EQ(fragment.nodes().size(), 1U);
  EXPECT_FALSE(fragment.nodes()[0].type.has_value());
  const OpDesc sum = describe_node(fragment.nodes()[0], fragment);
  EXPECT_EQ(sum.op, "aten::sum");
}

TEST(InductorCode, TypesOfTensors) {
  EXPECT_EQ(read_tensor_type("bf16[4, 8][8, 1]cuda:0")->dtype, DType::kBFloat16);
  EXPECT_EQ(read_tensor_type("f8e4m3fn[][]cuda:0")->shape, Shape{});
  for (const std::string_view bad : {"", "f32", "f32[", "x7[4]", "f32[s0, 4][4, 1]cuda:0",
                                     "f32[-4]", "f32[99999999999999999999]"}) {
    EXPECT_FALSE(read_tensor_type(bad).has_value()) << bad;
  }
}

TEST(InductorCode, ArgumentsAreSplitAtTheirCommas) {
  EXPECT_EQ(split_arguments("%a, [1, 2], 'x, y', f(b, c)"),
            (Words{"%a", "[1, 2]", "'x, y'", "f(b, c)"}));
  EXPECT_EQ(split_arguments(""), Words{});
  EXPECT_EQ(split_arguments("a,"), Words{"a"});
}

// Every prefix of a text, and the text with any one line left out, reads as something.
TEST(InductorCode, DamagedTexts) {
  for (std::size_t size = 0; size < kModern.size(); size += 7) {
    EXPECT_LE(read(kModern.substr(0, size)).calls.size(), 4U);
  }
  for (std::size_t at = 0; at < kModern.size();) {
    const std::size_t end = std::min(kModern.find('\n', at), kModern.size() - 1) + 1;
    std::string text(kModern.substr(0, at));
    text += kModern.substr(end);
    EXPECT_LE(read(text).calls.size(), 4U);
    at = end;
  }
  EXPECT_EQ(read("def call(args):\n    call(args)\n    call(args)\n").calls.size(), 0U);
}

}  // namespace
}  // namespace prof::compiled
