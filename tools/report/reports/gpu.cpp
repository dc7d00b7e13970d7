// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `gpu`: kernels, memory copies and memory sets in launch order, attributed the same way.
#include "tools/report/reports/per_work_report.hpp"
#include "tools/report/reports/registry.hpp"

namespace prof::reports {

void register_gpu(Registry& registry) {
  registry.add(std::make_unique<PerWorkReport>(PerWorkReport::Traits{
      .name = "gpu",
      .help = "every GPU kernel, memory copy and memory set in launch order",
      .work = TraceReader::Work::kKernelsAndCopies,
      .table_columns = "idx,dir,layer,op,params,kernel,bytes,time_us",
      .machine_columns =
          "idx,dir,part,layer,op,op_id,op_inner,params,inputs,m,n,k,batch,dtype,kernel,kernel_full,"
          "time_ns,start_ns,flops,bytes,tc,device,stream,thread,grid,block,step,provenance,"
          "role,share,registers,shared,launch,launch_ns,correlation,origin,kind,memory,memory_to,"
          "tflop_per_s,gb_per_s,intensity,roofline_pct,bound,family,tile,instruction,operand,"
          "accumulator,output,layout,split_k,contradicts,bytes_read,bytes_written,alg_gb_per_s,bus_"
          "gb_per_s",
  }));
}

}  // namespace prof::reports
