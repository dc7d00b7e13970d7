// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The fields of GPU work, one line each: a new fact about kernels is a line here. The JSON keys
// before `role` are a contract (docs/reports.md); PyProf's words keep PyProf's meaning.
#include "tools/report/rows/gpu_work.hpp"
#include "tools/report/rows/row_kind.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/work_names.hpp"
#include "tools/report/rows/work_sums.hpp"

namespace prof::reports {
namespace {

// clang-format off
constexpr auto kWorkFields = with_trace({
    {Column::integer("idx", "Idx", "", "row number across all traces, from 1, before any filter"), [](WorkRow& r) { return number(r.idx()); }},
    {Column::text("dir", "Direction", "fprop, bprop or update (the optimizer)"), [](WorkRow& r) { return text(name(r.op().direction), Why::kNoDirection); }, Role::kKey},
    {Column::text("part", "Part", "part of a gradient: data, weight or bias"), [](WorkRow& r) { return text(name(r.op().part)); }, Role::kKey},
    {Column::text("layer", "Layer", "path of the layers around the launch, separated by ':'; in a graph, around the making of its node").cut_front(14), [](WorkRow& r) { return work_cells::layer(r); }, Role::kKey},
    {Column::text("op", "Op", "op that launched the kernel").cut_end(10), [](WorkRow& r) { return work_cells::op(r); }, Role::kKey},
    {Column::integer("op_id", "OpId", "", "op instance: the same for all kernels of one op call, or of its replay in a graph"), [](WorkRow& r) { return r.attribution().op_id != 0 ? number(r.attribution().op_id) : absent(Why::kNoOp); }},
    {Column::text("op_inner", "Inner op", "innermost op around the launch, if ops call ops").cut_end(8), [](WorkRow& r) { return text(r.op().op_inner); }, Role::kKey},
    {Column::text("ops", "Ops", "of compiled code: all ops that the kernel computes, each with the node that it is in the program").cut_end(20), [](WorkRow& r) { return text(r.op().ops); }, Role::kOnRequest},
    {Column::text("layers", "Layers", "of compiled code: the layers inside the compiled module whose work the kernel does, with their shares of it; absent: one").cut_end(20), [](WorkRow& r) { return text(r.op().layers); }, Role::kOnRequest},
    {Column::text("params", "Params", "sizes of the matrix product, or shapes").styled(Column::Style::kTensors).cut_end(19).drop(3), [](WorkRow& r) { return work_cells::params(r); }, Role::kKey},
    {Column::text("inputs", "Inputs", "shapes of all tensors that the op states; without an op, those that the module around it is called with").cut_end(8).in_json(Column::Json::kShapes), [](WorkRow& r) { return Cell{Shapes{r.op().tensors}}; }},
    {Column::integer("m", "M", "", "rows of the product in cuBLAS's terms (column-major)"), [](WorkRow& r) { return work_cells::gemm_size(r, &GemmShape::m); }},
    {Column::integer("n", "N", "", "columns of the product in cuBLAS's terms"), [](WorkRow& r) { return work_cells::gemm_size(r, &GemmShape::n); }},
    {Column::integer("k", "K", "", "inner size of the product; absent for a bias"), [](WorkRow& r) { return work_cells::inner_size(r); }},
    {Column::integer("batch", "Batch", "", "number of products in the batch"), [](WorkRow& r) { return work_cells::gemm_size(r, &GemmShape::batch); }},
    {Column::text("dtype", "Type", "data type the op computes in"), [](WorkRow& r) { return text(name(r.op().dtype), Why::kNoType); }, Role::kKey},
    {Column::text("kernel", "Kernel", "short name of the kernel, or [memcpy HtoD], [memset]").cut_end(14).drop(2), [](WorkRow& r) { return work_cells::kernel_name(r, false); }, Role::kKey},
    {Column::text("kernel_full", "Kernel name", "full demangled name of the kernel").cut_end(12), [](WorkRow& r) { return work_cells::kernel_name(r, true); }, Role::kKey},
    {Column::real("time_us", "Time", "us", "time on the GPU", 0).grouped().wide(9), [](WorkRow& r) { return work_cells::time_us(r); }, Role::kAlias},
    {Column::time("time_ns", "Time", "time on the GPU").wide(9), [](WorkRow& r) { return work_cells::time_ns(r); }},
    {Column::integer("sil", "Sil", "ns", "time on the GPU, under PyProf's name").wide(9), [](WorkRow& r) { return work_cells::time_ns(r); }, Role::kAlias},
    {Column::instant("start_ns", "Start", "start on the GPU, since the start of the trace"), [](WorkRow& r) { return work_cells::start_ns(r); }},
    {Column::real("flops", "FLOPs", "", "kernel's share of its op's floating-point operations", 0).grouped(), [](WorkRow& r) { return work_cells::flops(r); }},
    {Column::real("bytes", "Bytes", "", "kernel's share of the bytes its op must move; for a copy or set, its size", 0).grouped().drop(4), [](WorkRow& r) { return work_cells::bytes(r); }},
    {Column::integer("tc", "TC", "", "uses tensor cores: 1 or 0, from the kernel's name").in_json(Column::Json::kFlag), [](WorkRow& r) { return work_cells::tensor_core(r); }},
    {Column::integer("device", "Device", "", "CUDA device number of the GPU"), [](WorkRow& r) { return number(r.row().device); }, Role::kKey},
    {Column::integer("stream", "Stream", "", "CUDA's id of the stream"), [](WorkRow& r) { return number(r.row().stream); }, Role::kKey},
    {Column::integer("thread", "Thread", "", "launching thread, as numbered in the trace"), [](WorkRow& r) { return r.row().launched && r.row().thread ? number(r.row().thread.value) : absent(Why::kNoLaunch); }, Role::kKey},
    {Column::text("grid", "Grid", "blocks: x,y,z").in_json(Column::Json::kSizes), [](WorkRow& r) { return r.has_grid() ? Cell{r.config().grid} : absent(); }},
    {Column::text("block", "Block", "threads per block: x,y,z").in_json(Column::Json::kSizes), [](WorkRow& r) { return r.has_grid() ? Cell{r.config().block} : absent(); }},
    {Column::integer("step", "Step", "", "number of the training step around the launch"), [](WorkRow& r) { const auto& s = r.attribution().step; return s ? signed_number(*s) : absent(r.row().launched ? Why::kNoStep : Why::kNoLaunch); }, Role::kKey},
    {Column::text("provenance", "Provenance", "provenance of each field: exact, inherited, estimated, upper_bound or none").in_json(Column::Json::kWords), [](WorkRow& r) { return work_cells::provenance(r); }},
    {Column::text("role", "Role", "main or helper kernel of its op"), [](WorkRow& r) { return r.attribution().op_id != 0 ? text(r.attribution().main ? "main" : "helper") : absent(); }, Role::kKey},
    {Column::real("share", "Share", "", "kernel's share of its op's cost, 0 to 1", 3), [](WorkRow& r) { return r.attribution().op_id != 0 ? Cell{std::in_place_type<double>, r.attribution().share} : absent(); }},
    {Column::integer("registers", "Regs", "", "registers per thread"), [](WorkRow& r) { return r.has_grid() ? number(r.config().registers_per_thread) : absent(); }},
    {Column::integer("shared", "Shared", "B", "shared memory per block, static and dynamic").grouped(), [](WorkRow& r) { return work_cells::shared_bytes(r); }},
    {Column::text("launch", "Launch", "CUDA function that launched it").cut_end(8), [](WorkRow& r) { return r.row().launched ? text(r.string(r.row().function)) : absent(Why::kNoLaunch); }, Role::kKey},
    {Column::instant("launch_ns", "Launched", "start of the launching call, since the start of the trace"), [](WorkRow& r) { return r.row().launched ? signed_number(r.on_axis(r.row().launch_start_ns)) : absent(Why::kNoLaunch); }},
    {Column::integer("correlation", "Correlation", "", "links the kernel to its launching call in trace.db"), [](WorkRow& r) { return r.row().launch != 0 ? number(r.row().launch) : absent(); }},
    {Column::text("origin", "Origin", "api: launched by a call; graph: by a CUDA graph; device: by a kernel"), [](WorkRow& r) { return work_cells::origin(r); }, Role::kKey},
    {Column::text("kind", "Kind", "kernel, memcpy or memset"), [](WorkRow& r) { return work_cells::kind(r); }, Role::kKey},
    {Column::text("memory", "Memory", "memory read by a copy or written by a set"), [](WorkRow& r) { return text(memory_name(r.row().kind == GpuRow::Kind::kMemcpy ? r.row().source : r.row().destination)); }, Role::kKey},
    {Column::text("memory_to", "To", "memory written by a copy"), [](WorkRow& r) { return r.row().kind == GpuRow::Kind::kMemcpy ? text(memory_name(r.row().destination)) : absent(); }, Role::kKey},
    {Column::real("tflop_per_s", "TFLOP/s", "", "FLOPs over time", 2).grouped(), [](WorkRow& r) { return work_cells::tflop_per_s(r); }},
    {Column::real("gb_per_s", "GB/s", "", "bytes over time", 1).grouped(), [](WorkRow& r) { return work_cells::gb_per_s(r); }},
    {Column::real("intensity", "FLOP/B", "", "FLOPs over bytes", 2).grouped(), [](WorkRow& r) { return work_cells::intensity(r); }},
    {Column::real("roofline_pct", "Roofline", "%", "time predicted by the roofline model, at the clocks that ran, over the actual time", 1), [](WorkRow& r) { return work_cells::roofline_pct(r); }},
    {Column::text("bound", "Bound", "limiting factor by the roofline model: compute, memory, L2 or latency"), [](WorkRow& r) { return work_cells::bound(r); }, Role::kKey},
    {Column::text("family", "Family", "library and purpose of the kernel, from its name"), [](WorkRow& r) { return work_cells::kernel_text(r, &KernelFacts::family); }, Role::kKey},
    {Column::text("tile", "Tile", "tile computed by a thread block, MxNxK, from the kernel's name"), [](WorkRow& r) { return work_cells::kernel_size(r, &KernelFacts::tile, 0); }, Role::kKey},
    {Column::text("instruction", "Instruction", "shape of the tensor core instruction, from the kernel's name"), [](WorkRow& r) { return work_cells::kernel_size(r, &KernelFacts::instruction, 1); }, Role::kKey},
    {Column::text("operand", "Operand", "operand type, from the kernel's name"), [](WorkRow& r) { return work_cells::kernel_dtype(r, &KernelFacts::operand_dtype); }, Role::kKey},
    {Column::text("accumulator", "Accumulator", "accumulator type, from the kernel's name"), [](WorkRow& r) { return work_cells::kernel_dtype(r, &KernelFacts::accumulator_dtype); }, Role::kKey},
    {Column::text("output", "Output", "result type of a product, from the kernel's name"), [](WorkRow& r) { return work_cells::kernel_dtype(r, &KernelFacts::output_dtype); }, Role::kKey},
    {Column::text("layout", "Layout", "layout of A and B in cuBLAS's terms, from the kernel's name; tn: A is transposed"), [](WorkRow& r) { return work_cells::kernel_text(r, &KernelFacts::layout); }, Role::kKey},
    {Column::integer("split_k", "SplitK", "", "several blocks share the sum over K: 1 or 0, from the kernel's name").in_json(Column::Json::kFlag), [](WorkRow& r) { return work_cells::split_k(r); }},
    {Column::text("contradicts", "Contradicts", "where the op and the kernel's name or time contradict each other"), [](WorkRow& r) { return text(r.contradictions_text()); }, Role::kKey},
    {Column::real("bytes_read", "Read", "B", "bytes read, as part of the kernel's bytes", 0).grouped(), [](WorkRow& r) { return work_cells::part_of_bytes(r, &Quantities::read); }},
    {Column::real("bytes_written", "Written", "B", "bytes written, as part of the kernel's bytes", 0).grouped(), [](WorkRow& r) { return work_cells::part_of_bytes(r, &Quantities::written); }},
    {Column::real("alg_gb_per_s", "AlgBW", "GB/s", "collectives: message size over time (nccl-tests' algbw)", 1).grouped(), [](WorkRow& r) { return work_cells::rate(r, r.attribution().cost.algorithm_bytes, 1); }},
    {Column::real("bus_gb_per_s", "BusBW", "GB/s", "collectives: algorithm bandwidth times the share each link carries (nccl-tests' busbw)", 1).grouped(), [](WorkRow& r) { return work_cells::rate(r, r.attribution().cost.bus_bytes, 1); }},
    {Column::integer("seq", "SeqId", "", "autograd sequence number of the op; for a backward op, that of its forward op"), [](WorkRow& r) { return r.attribution().seq.own() ? number(*r.attribution().seq.own()) : absent(); }},
    {Column::text("altseq", "AltSeqId", "other sequence numbers around the launch, outermost first, at most 3"), [](WorkRow& r) { return text(r.altseq_text()); }},
    {Column::integer("tid", "TId", "", "operating system id of the launching thread"), [](WorkRow& r) { const auto* t = r.thread(); return t != nullptr ? number(t->os_tid) : absent(); }},
    {Column::integer("sub", "Sub", "", "index of the kernel within its op instance, from 0"), [](WorkRow& r) { return r.attribution().op_id != 0 ? number(r.attribution().sub) : absent(); }},
    {Column::text("mod", "Module", "origin of the op: a library or a framework's module").cut_end(8), [](WorkRow& r) { return text(r.op().module); }, Role::kKey},
    {Column::text("source", "Source", "source line that calls the op, if a range states it; of a call of a library the plain range around it").cut_front(16), [](WorkRow& r) { return text(r.op().trace); }},
    {Column::integer("graph_node", "Graph node", "", "CUPTI's id of the node of a CUDA graph; its upper 32 bits are the executable"), [](WorkRow& r) { return r.row().graph_node != 0 ? number(r.row().graph_node) : absent(); }},
    {Column::text("launch_layer", "Launched in", "of a graph's replay: path of the layers around the launch of the graph").cut_front(14), [](WorkRow& r) { const auto& launch = r.attribution().launch; return launch != nullptr ? text(launch->layer) : absent(); }, Role::kKey},
    {Column::text("recompute", "Recompute", "yes: of a forward op that runs again in the backward pass, as with activation checkpointing; no: of any other op"), [](WorkRow& r) { return work_cells::recompute(r); }, Role::kKey},
    {Column::integer("graph_nodes", "Nodes", "", "of a CUDA graph recorded as a whole: number of nodes of its executable, those of child graphs and bodies among them"), [](WorkRow& r) { const auto& n = r.attribution().graph_nodes; return n ? number(*n) : absent(); }, Role::kOnRequest},
    {Column::text("operation", "Operation", "full name of the kernel, or [CUDA memcpy Host-to-Device], [CUDA memset], as nsys says").cut_end(12), [](WorkRow& r) { return work_cells::operation(r); }, Role::kOnRequest},
    {Column::integer("range_id", "RangeId", "", "id of the innermost range around the launch in trace.db"), [](WorkRow& r) { return r.row().launched && r.row().stack != 0 ? number(r.row().stack) : absent(); }, Role::kOnRequest},
    {Column::time("launch_time_ns", "Launch", "duration of the launching call"), [](WorkRow& r) { return r.row().launch_duration_ns != 0 ? signed_number(r.row().launch_duration_ns) : absent(); }, Role::kOnRequest},
    {Column::time("queue_ns", "Queue", "wait of the GPU's work from the end of the launching call to its start; absent: it starts before the call returns, or a time is not known"), [](WorkRow& r) { return work_cells::queue_ns(r); }, Role::kOnRequest},
    {Column::integer("pid", "PId", "", "operating system id of the launching process"), [](WorkRow& r) { const auto* t = r.thread(); return t != nullptr && t->process != 0 ? number(t->process) : absent(); }, Role::kOnRequest},
    {Column::integer("context", "Context", "", "CUPTI's id of the context"), [](WorkRow& r) { return number(r.row().context); }, Role::kOnRequest},
    {Column::text("device_name", "GPU", "name of the GPU").cut_end(8), [](WorkRow& r) { return work_cells::device_name(r); }, Role::kOnRequest},
    {Column::integer("static_shared", "Static", "B", "static shared memory per block").grouped(), [](WorkRow& r) { return r.has_grid() ? number(r.config().static_shared_bytes) : absent(); }, Role::kOnRequest},
    {Column::integer("dynamic_shared", "Dynamic", "B", "dynamic shared memory per block").grouped(), [](WorkRow& r) { return r.has_grid() ? number(r.config().dynamic_shared_bytes) : absent(); }, Role::kOnRequest},
    {Column::real("peak_pct", "Peak", "%", "time for the arithmetic alone at the device's peak, at the clocks that ran, over the actual time", 1), [](WorkRow& r) { return work_cells::peak_pct(r); }, Role::kOnRequest},
    {Column::real("peak_tflop_per_s", "Peak", "TFLOP/s", "the device's stated peak for the kernel's arithmetic", 1).grouped(), [](WorkRow& r) { return work_cells::peak_tflop_per_s(r.at_stated_peaks()); }, Role::kOnRequest},
    {Column::real("peak_gb_per_s", "Peak", "GB/s", "stated peak of the device's memory; where the L2 is the limit, its bandwidth", 1).grouped(), [](WorkRow& r) { return work_cells::stated_gb_per_s(r); }, Role::kOnRequest},
    {Column::integer("sm_clock_mhz", "SM", "MHz", "clock of the multiprocessors while it ran, by the samples around it; absent: there are none"), [](WorkRow& r) { return work_cells::clock_mhz(r.clocks().sm_mhz); }, Role::kOnRequest},
    {Column::integer("memory_clock_mhz", "Memory", "MHz", "clock of the memory while it ran, likewise"), [](WorkRow& r) { return work_cells::clock_mhz(r.clocks().memory_mhz); }, Role::kOnRequest},
    {Column::real("l2_bytes", "From L2", "B", "of bytes, those that the L2 cache serves: a kernel wrote them just before", 0).grouped(), [](WorkRow& r) { return work_cells::l2_bytes(r); }, Role::kOnRequest},
    {Column::text("latency_by", "Latency by", "what a kernel that is bound by latency lacks: blocks for all multiprocessors, warps on each, or time; absent: not known").cut_end(8), [](WorkRow& r) { return text(r.latency_text()); }, Role::kOnRequest},
    {Column::real("peak_at_clock_tflop_per_s", "Peak at clock", "TFLOP/s", "as peak_tflop_per_s, at the clocks that ran: what roofline_pct takes", 1).grouped(), [](WorkRow& r) { return work_cells::peak_tflop_per_s(r.roofline()); }, Role::kOnRequest},
    {Column::real("peak_at_clock_gb_per_s", "Peak at clock", "GB/s", "as peak_gb_per_s, at the clocks that ran: what roofline_pct takes", 1).grouped(), [](WorkRow& r) { return work_cells::peak_gb_per_s(r.roofline()); }, Role::kOnRequest},
    {Column::integer("tiles", "Tiles", "", "of a matrix product: tiles of the result and of the batch, in whole clusters, by the kernel's name; absent: not known, or the kernel does not compute them alone").grouped(), [](WorkRow& r) { return work_cells::waves(r, &ProductWaves::tiles); }, Role::kOnRequest},
    {Column::integer("slots", "Slots", "", "tiles that the GPU computes at once, by theoretical occupancy").grouped(), [](WorkRow& r) { return work_cells::waves(r, &ProductWaves::slots); }, Role::kOnRequest},
    {Column::text("tensor_type", "Tensor type", "type in which the GPU's tensor cores multiply the op's data type: tfloat32 for float32; none: they cannot").cut_end(8), [](WorkRow& r) { return work_cells::tensor_type(r); }, Role::kOnRequest},
    {Column::text("input_types", "Input types", "element types of the tensors of inputs, in their order; - where one is not stated").cut_end(8), [](WorkRow& r) { return text(r.input_types_text()); }, Role::kOnRequest},
});
// clang-format on

}  // namespace

constinit const RowKind kKernels = {
    .names = {"kernel", "kernels", "attributed_kernels", "every kernel, in launch order"},
    .fields = kWorkFields,
    .steps = Steps::kOwn,
    .ranges = Ranges::kOfStack,
    .open =
        [](const RowInput& input) {
          return open_work(input, input.filter.with_copies ? TraceReader::Work::kKernelsAndCopies
                                                           : TraceReader::Work::kKernels);
        },
    .sums = &kWorkSums,
    .reads_work = 1,
};

constinit const RowKind kGpuWork = {
    .names = {"piece of GPU work", "GPU work", "attributed_work",
              "kernels, memory copies and memory sets"},
    .fields = kWorkFields,
    .steps = Steps::kOwn,
    .ranges = Ranges::kOfStack,
    .open =
        [](const RowInput& input) {
          return open_work(input, TraceReader::Work::kKernelsAndCopies);
        },
    .reads_work = 1,
};

}  // namespace prof::reports
