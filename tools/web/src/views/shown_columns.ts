// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Which columns a table shows unasked: those that say most, as the reports' own tables do. All
// others are a click away.
import type { Table } from "../data/model";

const SHOWN: Readonly<Record<string, string>> = {
  groups:
    "layer,op,dir,params,dtype,bound,step_ns,time_ns,kernels,roofline_pct,headroom_ns,share_pct",
  gaps: "device,section,cause,op,step_ns,time_pct,gaps,max_ns,max_step",
  idle: "device,step,cause,op,start_ns,time_ns",
  launch:
    "op,dir,origin,launches,kernels,cpu_ns,cpu_mean_ns,cpu_median_ns,delay_median_ns," +
    "delay_p95_ns,launch_bound_pct,time_ns",
  steps:
    "device,step,period_ns,computing_pct,collective_pct,waits_pct,copying_pct,idle_pct,kernels," +
    "launches,mfu_pct,hfu_pct,from_median_pct,unusual",
  gemms:
    "m,n,k,batch,dtype,layout,count,time_ns,tflop_per_s,peak_pct,tc,tc_possible,unaligned," +
    "wave_pct,tile,tiles,slots,padded,padded_pct,kernel",
  memory: "copy,memory,memory_to,launch,op,count,bytes,time_ns,share_pct,gb_per_s,call_ns",
  clocks:
    "device,throttle,samples,time_pct,steps_pct,sm_min_mhz,sm_median_mhz,sm_max_mhz,lost_pct," +
    "power_w,power_max_w,temperature_max_c",
  comm:
    "op,dir,message_bytes,params,dtype,count,time_ns,wait_ns,alg_gb_per_s,bus_gb_per_s," +
    "exposed_ns,hidden_pct",
  work: "idx,dir,layer,op,params,kernel,time_ns,start_ns,roofline_pct,bound,stream,step",
  losses: "kind,count,time_ns,time_pct,what,advice",
  diff: "gpu,change,layer,op,dir,params,base_ns,new_ns,diff_ns,diff_pct,p,detail,why",
  stragglers: "who,host,waited_for_ns,share_pct,last_pct,cause,why",
  imbalance:
    "layer,op,dir,what,who,own_ns,others_ns,excess_ns,size_ratio,rows,others_rows,ranks",
};

/** Columns that say the same in every row of most traces. */
const RARELY_SHOWN = ["trace", "rank", "host", "run", "capture"];
const MOST_SHOWN = 14;

export function shownColumns(table: Table): string[] {
  const words = table.columns.map(({ info }) => info.word);
  const told = SHOWN[table.name]?.split(",").filter((word) => words.includes(word));
  const others = words.filter((word) => !RARELY_SHOWN.includes(word)).slice(0, MOST_SHOWN);
  const ranks = table.column("rank")?.numbers ?? new Float64Array(0);
  const hasRanks = ranks.some((rank) => !Number.isNaN(rank) && rank !== ranks[0]);
  const wanted = told ?? others;
  const saysWho = wanted.includes("rank") || wanted.includes("who");
  return hasRanks && !saysWho ? ["rank", ...wanted] : wanted;
}
