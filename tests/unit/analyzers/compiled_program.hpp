// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A fixture for tests of compiled code: a graph of two linear layers, its documents and its calls.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/deflated.hpp"
#include "tests/unit/analyzers/torch_program.hpp"

namespace prof::fakes {

using test::deflated;

inline constexpr std::string_view kMul = "triton_poi_fused_mul_0";
inline constexpr std::string_view kSum = "triton_red_fused_sum_1";

/// Two linear layers, each with a product and the same pointwise kernel after it, and a sum.
inline constexpr std::string_view kForwardCode = R"(# AOT ID: ['0_forward']
# Topologically Sorted Source Nodes: [linear, mul], Original ATen: [aten.mm, aten.mul]
# Source node to ATen node mapping:
#   linear => mm
#   mul => mul
# Graph fragment:
#   %mm : Tensor "f32[8, 16][16, 1]cuda:0" = PlaceHolder[target=mm]
#   %mul : Tensor "f32[8, 16][16, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mm, 2.0), kwargs = {})
#   return %mul
triton_poi_fused_mul_0 = async_compile.triton('triton_poi_fused_mul_0', '''
def triton_poi_fused_mul_0(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
''', device_str='cuda')
# Topologically Sorted Source Nodes: [total], Original ATen: [aten.sum]
# Source node to ATen node mapping:
#   total => sum_1
# Graph fragment:
#   %mul_1 : Tensor "f32[8, 16][16, 1]cuda:0" = PlaceHolder[target=mul_1]
#   %sum_1 : Tensor "f32[16][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_1, [0]), kwargs = {})
#   return %sum_1
triton_red_fused_sum_1 = async_compile.triton('triton_red_fused_sum_1', '''
def triton_red_fused_sum_1(in_ptr0, out_ptr0, xnumel, r0_numel):
''', device_str='cuda')
class Runner:
    def call(self, args):
        # Topologically Sorted Source Nodes: [linear], Original ATen: [aten.mm]
        extern_kernels.mm(primals_1, primals_2, out=buf0)
        # Topologically Sorted Source Nodes: [linear, mul], Original ATen: [aten.mm, aten.mul]
        triton_poi_fused_mul_0.run(buf0, buf1, 128, stream=stream0)
        # Topologically Sorted Source Nodes: [linear_1], Original ATen: [aten.mm]
        extern_kernels.mm(buf1, primals_3, out=buf2)
        # Topologically Sorted Source Nodes: [linear_1, mul_1], Original ATen: [aten.mm, aten.mul]
        triton_poi_fused_mul_0.run(buf2, buf3, 128, stream=stream0)
        # Topologically Sorted Source Nodes: [total], Original ATen: [aten.sum]
        triton_red_fused_sum_1.run(buf3, buf4, 16, 8, stream=stream0)
)";

inline constexpr std::string_view kCompiledSources = R"({"nodes":[
{"name":"linear","path":"a.proj","target":"linear","where":"model.py:3"},
{"name":"mul","path":"a","target":"mul"},
{"name":"linear_1","path":"b.proj","target":"linear"},
{"name":"mul_1","path":"b","target":"mul"},
{"name":"total","target":"sum"}]})";

inline constexpr std::string_view kMm = "aten::mm, seq = 1, sizes = [[8, 4], [4, 16]]";

class CompiledProgram : public AttributedProgram {
 protected:
  void keep(std::string_view code = kForwardCode, std::string_view sources = kCompiledSources) {
    trace_.document("inductor.wrapper", "c1", deflated(code));
    trace_.document("dynamo.nodes", "0", deflated(sources));
  }

  void begin(std::string_view direction = "fprop") {
    trace_.push(R"({"v":1,"mod":"prof","graph":"c1","source":"0","dir":")" +
                std::string(direction) + R"("})");
  }

  void run_op(std::string_view op = kMm, std::string_view kernel = kSgemm) {
    trace_.push(op);
    trace_.kernel(kernel);
    trace_.pop();
  }

  /// All that the code calls.
  void run() {
    begin();
    run_op();
    trace_.kernel(kMul);
    run_op();
    trace_.kernel(kMul);
    trace_.kernel(kSum);
    trace_.pop();
  }

  /// "a.proj linear fprop, ...", one for each row.
  static std::string told(const std::vector<Row>& rows) {
    std::string text;
    for (const Row& row : rows) {
      if (!text.empty()) text += ", ";
      text += row.op.layer + " " + row.op.op + " " + std::string(name(row.op.direction));
    }
    return text;
  }
};

}  // namespace prof::fakes
