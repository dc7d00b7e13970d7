// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What versions of Inductor write otherwise than the others, and what is known of each.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/compiled/graph_sites.hpp"

namespace prof::compiled {
namespace {

using Names = std::vector<std::string_view>;

InductorCode code_of(std::string_view text) {
  return read_inductor_code(std::make_shared<const std::string>(text));
}

Names kernels_of(const InductorCode& code) {
  Names kernels;
  for (const Call& call : code.calls) {
    if (call.kernel != nullptr) {
      kernels.push_back(call.kernel->symbols.empty() ? "?" : call.kernel->symbols.front());
    } else {
      kernels.push_back(call.op);
    }
  }
  return kernels;
}

std::vector<std::shared_ptr<const CompiledSite>> describe(const InductorCode& code,
                                                          std::string_view sources) {
  static const ops::OpCatalog ops;
  return describe_sites(code, {*read_source_nodes(sources), {}}, ops);
}

// The list is in the order of the alphabet, "10" before "9"; the map has no heading, and there is
// no fragment.
constexpr std::string_view kAlphabetic = R"(
# Source Nodes: [add, attn, x_1], Original ATen: [aten.add, aten.mul]
# add => add_3
# attn => mul_2
# x_1 => mul_3
triton_poi_fused_add_mul_0 = async_compile.triton('triton_', '''
def triton_(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
''')
def call(args):
    buf0 = empty_strided((8, 16), (16, 1), device='cuda', dtype=torch.float16)
    # Source Nodes: [add, attn, x_1], Original ATen: [aten.add, aten.mul]
    stream0 = get_cuda_stream(0)
    triton_poi_fused_add_mul_0.run(primals_1, buf0, 128, grid=grid(128), stream=stream0)
    # Source Nodes: [add_1, attn_1, x_10], Original ATen: [aten.add, aten.mul]
    triton_poi_fused_add_mul_0.run(buf0, buf1, 128, grid=((2, 1, 1)), stream=stream0)
)";

TEST(InductorVersions, ListsInTheOrderOfTheAlphabet) {
  const InductorCode code = code_of(kAlphabetic);
  EXPECT_EQ(kernels_of(code), (Names{"triton_", "triton_"}));
  EXPECT_FALSE(code.calls[0].sources.is_ordered);
  ASSERT_EQ(code.definitions[0]->origins.size(), 3U);
  EXPECT_EQ(code.definitions[0]->origins[0].made, Names{"add_3"});
  const auto sites = describe(code, R"({"nodes":[
      {"name":"x_1","path":"a.norm","target":"mul"},{"name":"attn","path":"a.attn","target":"mul"},
      {"name":"add","path":"a.attn","target":"add"},{"name":"x_10","path":"b.norm","target":"mul"},
      {"name":"attn_1","path":"b.attn","target":"mul"},
      {"name":"add_1","path":"b.attn","target":"add"}]})");
  ASSERT_EQ(sites.size(), 2U);
  EXPECT_EQ(sites[0]->layer, "a.attn") << "two of three nodes";
  EXPECT_EQ(sites[0]->op->op, "aten::add") << "the last one that runs";
  EXPECT_EQ(sites[0]->layers, "a.attn 67%, a.norm 33%");
  EXPECT_EQ(sites[1]->layer, "b.attn");
  EXPECT_FALSE(sites[0]->cost->flops.has_value());
  EXPECT_FALSE(sites[0]->cost->bytes.has_value()) << "the size of an argument is not known";
}

// Until torch 2.8 nodes have no types: FLOPs are unknown, ops and layers are not.
TEST(InductorVersions, FragmentsWithoutTypes) {
  const auto sites = describe(code_of(R"(
# Topologically Sorted Source Nodes: [y, z], Original ATen: [aten.relu, aten.mul]
# Source node to ATen node mapping:
#   y => relu
#   z => mul
# Graph fragment:
#   %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%arg0_1,), kwargs = {})
#   %mul : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%relu, 2), kwargs = {})
triton_poi_fused_mul_relu_0 = async_compile.triton('triton_poi_fused_mul_relu_0', '''
def triton_poi_fused_mul_relu_0(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
''', device_str='cuda')
def call(args):
    buf0 = empty_strided_cuda((8, 16), (16, 1), torch.float32)
    # Topologically Sorted Source Nodes: [y, z], Original ATen: [aten.relu, aten.mul]
    triton_poi_fused_mul_relu_0.run(arg0_1, buf0, 128, stream=stream0)
def benchmark_compiled_module(times=10, repeat=10):
    arg0_1 = rand_strided((8, 16), (16, 1), device='cuda:0', dtype=torch.float32)
)"),
                              R"({"nodes":[{"name":"y","path":"a","target":"relu"},
                                           {"name":"z","path":"a","target":"mul"}]})");
  ASSERT_EQ(sites.size(), 1U);
  EXPECT_EQ(sites[0]->layer, "a");
  EXPECT_EQ(sites[0]->op->op, "aten::mul");
  EXPECT_FALSE(sites[0]->cost->flops.has_value());
  EXPECT_EQ(sites[0]->cost->bytes, 2 * 4 * 128) << "by the arguments of the call";
  EXPECT_EQ(sites[0]->cost->basis, Basis::kEstimated);
}

// Comments that stand between, and a block that runs when the code is loaded.
TEST(InductorVersions, LinesOfRecentTorch) {
  const InductorCode code = code_of(R"(
# AOT ID: ['5_inference']
triton_per_fused_0 = async_compile.triton('triton_per_fused_0', '''
def triton_per_fused_0(in_ptr0, out_ptr0, xnumel, r0_numel):
    # Topologically Sorted Source Nodes: [inner], Original ATen: []
def call(args):
    triton_per_fused_0.run(*args, stream=raw_stream0)
''', device_str='cuda')
with torch.cuda._DeviceGuard(0):
    raw_stream0 = get_raw_stream(0)
triton_per_fused_0.run(arg0_1, buf0, 8, 16, stream=raw_stream0)
def partition_0(args):
    arg0_1, arg1_1 = args
    assert_size_stride_grouped((arg0_1, arg1_1), ((8, 16), (16, )), ((16, 1), (1, )), 'input')
    with torch.cuda._DeviceGuard(0):
        arg0_1 = copy_if_misaligned(arg0_1)
        # Topologically Sorted Source Nodes: [norm], Original ATen: [aten._fused_rms_norm]
        # [Provenance debug handles] triton_per_fused_0:1
        raw_stream0 = get_raw_stream(0)
        triton_per_fused_0.run(arg0_1, buf0, 8, 16, stream=raw_stream0)
        # Topologically Sorted Source Nodes: [norm], Original ATen: []
        # [Provenance debug handles] torch.ops.aten.any.dims:2
        buf4 = torch.ops.aten.any.dims(buf3, [-1], True)
        assert_alignment(buf4, 16, 'torch.ops.aten.any.dims')
class Runner:
    def call(self, args):
        buf0 = empty_strided_cpu_pinned((1, ), (1, ), torch.float64)
        cpp_fused_0(arg3_1, buf0)
        buf1.copy_(buf0, True)
        partition0_args = [arg2_1, buf1, s27, s77]
        () = self.partitions[0](partition0_args)
)");
  EXPECT_EQ(code.direction, Direction::kFprop);
  EXPECT_EQ(kernels_of(code), (Names{"copy_", "triton_per_fused_0", "any"}));
  EXPECT_EQ(code.calls[1].sources.names, Names{"norm"});
  EXPECT_EQ(code.calls[2].sources.names, Names{"norm"});
}

// Which variant runs is decided when it runs. Lists go over several lines, or are by sizes.
TEST(InductorVersions, KernelsOfWhichOneRuns) {
  const InductorCode code = code_of(R"(
triton_red_0 = async_compile.triton('triton_red_0', '''
def triton_red_0(in_ptr0, out_ptr0, xnumel):
''')
triton_per_0 = async_compile.triton('triton_per_0', '''
''')
arg_index = {
    0: [slice(0, 2, None)],
}
multi_kernel_0 = async_compile.multi_kernel('multi_kernel_0', [
    triton_red_0,
    triton_per_0,
], arg_index=arg_index)
multi_kernel_1 = async_compile.size_hint_multi_kernel('multi_kernel_1', {
    (8, 16): triton_per_0,
    (64, 16): triton_red_0,
})
def call(args):
    multi_kernel_0.run(buf0, buf1, 8)
    multi_kernel_1.run(buf0, buf1, 8)
)");
  ASSERT_EQ(code.calls.size(), 2U);
  EXPECT_EQ(code.calls[0].kernel->symbols, (Names{"triton_red_0", "triton_per_0"}));
  EXPECT_EQ(code.calls[1].kernel->symbols, (Names{"triton_per_0", "triton_red_0"}));
}

// Sizes that are computed stand between a call and its comment.
TEST(InductorVersions, StatementsThatAreNoCallsTakeNoComments) {
  const InductorCode code = code_of(R"(
triton_red_0 = async_compile.triton('triton_red_0', '''
def triton_red_0(in_ptr0, out_ptr0, xnumel, r0_numel):
''')
def call(args):
    # Topologically Sorted Source Nodes: [total], Original ATen: [aten.sum]
    triton_red_0_r0_numel = (1 + s33*s50) // 2
    stream0 = get_raw_stream(0)
    triton_red_0.run(buf0, buf1, 2048, triton_red_0_r0_numel, stream=stream0)
    self.partitions[](partition0_args)
)");
  ASSERT_EQ(kernels_of(code), Names{"triton_red_0"});
  EXPECT_EQ(code.calls[0].sources.names, Names{"total"});
}

TEST(InductorVersions, KernelsInOneLaunchAreOneCall) {
  const InductorCode code = code_of(R"(
# Unsorted Source Nodes: [], Original ATen: []
triton_for_fused_0 = async_compile.triton('triton_for_fused_0', '''
def triton_for_fused_0(in_ptr0, in_ptr1, out_ptr0, out_ptr1, xnumel_0, xnumel_1, XBLOCK):
''', device_str='cuda')
def call(args):
    # Unsorted Source Nodes: [], Original ATen: []
    triton_for_fused_0.run(arg0_1, arg1_1, buf0, buf1, 8, 16, grid=grid_combo_kernels(8, 16), stream=stream0)
)");
  EXPECT_EQ(kernels_of(code), Names{"triton_for_fused_0"});
  EXPECT_EQ(code.calls[0].kernel->parameters.size(), 7U);
  EXPECT_TRUE(code.calls[0].sources.names.empty());
}

// Functions for bodies of higher-order ops since torch 2.7, bodies in their place before.
TEST(InductorVersions, BodiesOfHigherOrderOps) {
  EXPECT_EQ(kernels_of(code_of(R"(
def repeated_subgraph0(args):
    extern_kernels.mm(a, b, out=buf0)
def true_graph_0(args):
    extern_kernels.bmm(a, b, out=buf0)
def body_fn_0(args):
    extern_kernels.baddbmm(a, b, out=buf0)
def call(args):
    buf0 = [None] * 1
    # subgraph: repeated_subgraph0
    repeated_subgraph0_args = [arg0_1]
    (buf1,) = repeated_subgraph0(repeated_subgraph0_args)
    # subgraph: repeated_subgraph0
    (buf2,) = repeated_subgraph0(repeated_subgraph0_args)
    if arg1_1.item():
        # subgraph: true_graph_0
        true_graph_0_args = [arg0_1]
        (buf3,) = true_graph_0(true_graph_0_args)
    else:
        # subgraph: false_graph_0
        extern_kernels.addmm(c, a, b, out=buf0)
    while True:
        (buf4,) = body_fn_0(body_fn_0_args)
        if not buf5.item():
            break
)")),
            (Names{"mm", "mm", "bmm", "addmm", "baddbmm"}));
}

// Their kernels' names on the GPU are not those in the code.
TEST(InductorVersions, TemplatesOfOtherMakers) {
  const InductorCode code = code_of(R"(
# Topologically Sorted Source Nodes: [y], Original ATen: [aten.mm]
cuda_fused_0 = async_compile.cuda(r'''
extern "C" int cuda_fused_0(const half* X) { call(args); }
''', 'so', aot_compile=False)
# Topologically Sorted Source Nodes: [z], Original ATen: [aten.mm]
cutedsl_fused_1 = async_compile.cutedsl('cutedsl_fused_1', r'''
def cutedsl_fused_1_main(arg0, stream=None):
''')
nv_universal_gemm_2 = async_compile.nv_universal_gemm('nv_universal_gemm_2', r'''
''', precompile_metadata={'a': 1})
def call(args):
    # Topologically Sorted Source Nodes: [y], Original ATen: [aten.mm]
    cuda_fused_0.cuda_fused_0(c_void_p(arg0_1.data_ptr()), None, c_void_p(stream0))
    cutedsl_fused_1.run(arg0_1, buf0, stream=stream0)
    nv_universal_gemm_2.run(arg0_1, buf0, stream=stream0)
)");
  EXPECT_EQ(kernels_of(code), (Names{"?", "?", "?"}));
  EXPECT_EQ(code.calls[0].sources.names, Names{"y"});
}

// The wrapper in C++ is no code that is read: no calls, so that kernels keep what is around them.
TEST(InductorVersions, CppWrappersHaveNoCalls) {
  const InductorCode code = code_of(R"(# AOT ID: ['0_inference']
"""
Compile-time auto-tuning block:
triton_poi_fused_0 = async_compile.triton('triton_poi_fused_0', '''
def triton_poi_fused_0(in_ptr0, out_ptr0, xnumel):
''', device_str='cuda')
"""
cpp_wrapper_src = (
r'''
#include <torch/csrc/inductor/cpp_wrapper/cuda.h>
void inductor_entry_impl(AtenTensorHandle* input_handles) {
    // Topologically Sorted Source Nodes: [y], Original ATen: [aten.mm]
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_cuda_mm_out(buf0, arg0_1, arg1_1));
    call_triton_poi_fused_0(arg0_1, buf0, 128L, device_idx_, stream, kernels);
}
'''
)
def _wrap_func(f):
    def g(args):
        output_handles = f(input_handles)
        return output_tensors
    return g
call = _wrap_func(module.inductor_entry_cpp)
)");
  EXPECT_TRUE(code.calls.empty());
  EXPECT_EQ(code.direction, Direction::kFprop);
}

}  // namespace
}  // namespace prof::compiled
