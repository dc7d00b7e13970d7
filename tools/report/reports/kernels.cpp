// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `kernels`: every GPU kernel in launch order. The first columns of the machine's list are a
// contract (docs/reports.md).
#include "tools/report/reports/per_work_report.hpp"
#include "tools/report/reports/registry.hpp"

namespace prof::reports {

void register_kernels(Registry& registry) {
  registry.add(std::make_unique<PerWorkReport>(PerWorkReport::Traits{
      .name = "kernels",
      .help = "every GPU kernel in launch order",
      .work = TraceReader::Work::kKernels,
      .table_columns = "idx,dir,layer,op,params,kernel,time_us",
      .machine_columns =
          "idx,dir,part,layer,op,op_id,op_inner,params,inputs,m,n,k,batch,dtype,kernel,kernel_full,"
          "time_ns,start_ns,flops,bytes,tc,device,stream,thread,grid,block,step,provenance,"
          "role,share,registers,shared,launch,launch_ns,correlation,origin,"
          "tflop_per_s,gb_per_s,intensity,roofline_pct,bound,family,tile,instruction,operand,"
          "accumulator,output,layout,split_k,contradicts,bytes_read,bytes_written,alg_gb_per_s,bus_"
          "gb_per_s",
  }));
}

}  // namespace prof::reports
