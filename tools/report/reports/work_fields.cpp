// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The table of facts about GPU work, see work_fields.hpp. PyProf's words keep PyProf's meaning.
#include "tools/report/reports/work_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analyzers/contradictions.hpp"

namespace prof::reports {
namespace {

using Align = Column::Align;
constexpr Align kLeft = Align::kLeft;
constexpr Align kRight = Align::kRight;
constexpr auto kCutEnd = Column::Shrink::kCutEnd;
constexpr auto kCutFront = Column::Shrink::kCutFront;

Cell signed_number(std::int64_t value) { return Cell{std::in_place_type<std::int64_t>, value}; }
Cell number(std::uint64_t value) { return Cell{std::in_place_type<std::uint64_t>, value}; }

Cell real(const std::optional<double>& value) {
  return value ? Cell{std::in_place_type<double>, *value} : absent();
}

// A piece of work that took no time is one whose times are not known.
bool has_times(const WorkContext& context) { return context.row().duration_ns > 0; }

Cell time_ns(WorkContext& context) {
  return has_times(context) ? signed_number(context.row().duration_ns) : absent();
}

Cell time_us(WorkContext& context) {
  return has_times(context) ? Cell{Decimal{context.row().duration_ns, 3}} : absent();
}

Cell start_ns(WorkContext& context) {
  return has_times(context) ? signed_number(context.row().start_ns) : absent();
}

std::string_view copy_name(std::uint8_t kind) {
  // CUpti_ActivityMemcpyKind.
  static constexpr std::array<std::string_view, 11> kNames = {
      "[memcpy]",      "[memcpy HtoD]", "[memcpy DtoH]", "[memcpy HtoA]",
      "[memcpy AtoH]", "[memcpy AtoA]", "[memcpy AtoD]", "[memcpy DtoA]",
      "[memcpy DtoD]", "[memcpy HtoH]", "[memcpy PtoP]"};
  return kind < kNames.size() ? kNames[kind] : kNames[0];
}

Cell kind(WorkContext& context) {
  switch (context.row().kind) {
    case GpuRow::Kind::kKernel:
      return text("kernel");
    case GpuRow::Kind::kMemcpy:
      return text("memcpy");
    case GpuRow::Kind::kMemset:
      return text("memset");
  }
  return absent();
}

Cell kernel_name(WorkContext& context, bool full) {
  switch (context.row().kind) {
    case GpuRow::Kind::kMemcpy:
      return text(copy_name(context.row().copy_kind));
    case GpuRow::Kind::kMemset:
      return text("[memset]");
    case GpuRow::Kind::kKernel:
      break;
  }
  const KernelFacts* facts = context.attribution().kernel.get();
  if (facts == nullptr) return text(context.string(context.config().name));
  return text(full ? facts->demangled : facts->short_name);
}

std::string_view memory_name(MemoryKind memory) {
  switch (memory) {
    case MemoryKind::kUnknown:
      return "";
    case MemoryKind::kPageable:
      return "pageable";
    case MemoryKind::kPinned:
      return "pinned";
    case MemoryKind::kDevice:
      return "device";
    case MemoryKind::kArray:
      return "array";
    case MemoryKind::kManaged:
      return "managed";
    case MemoryKind::kDeviceStatic:
      return "device_static";
    case MemoryKind::kManagedStatic:
      return "managed_static";
  }
  return "";
}

Cell bytes(WorkContext& context) {
  return context.is_kernel() ? real(context.attribution().bytes) : number(context.row().bytes);
}

Cell tensor_core(WorkContext& context) {
  const KernelFacts* facts = context.attribution().kernel.get();
  if (facts == nullptr || facts->tensor_core == TensorCore::kUnknown) return absent();
  return Cell{std::in_place_type<bool>, facts->tensor_core == TensorCore::kYes};
}

Cell gemm_size(WorkContext& context, std::int64_t GemmShape::*member) {
  const std::optional<GemmShape>& gemm = context.op().gemm;
  return gemm ? signed_number((*gemm).*member) : absent();
}

Cell inner_size(WorkContext& context) {
  const std::optional<GemmShape>& gemm = context.op().gemm;
  return gemm && gemm->k ? signed_number(*gemm->k) : absent();
}

std::string_view cost_provenance(const OpAttribution& op, bool known, bool estimated = false) {
  if (!known) return name(Provenance::kNone);
  estimated = estimated || op.cost.basis == Basis::kEstimated;
  return name(estimated ? Provenance::kEstimated : op.shapes_from);
}

Cell provenance(WorkContext& context) {
  const OpAttribution& op = context.op();
  const Attribution& attribution = context.attribution();
  const KernelFacts* facts = attribution.kernel.get();
  const bool tc_known = facts != nullptr && facts->tensor_core != TensorCore::kUnknown;
  const std::span<WordPair> words = context.words();
  words[0] = {"layer", name(op.layer_from)};
  words[1] = {"op", name(op.op_from)};
  words[2] = {"dir", name(op.direction_from)};
  words[3] = {"shapes", name(op.shapes_from)};
  words[4] = {"dtype", name(op.dtype_from)};
  words[5] = {"flops", cost_provenance(op, attribution.flops.has_value())};
  words[6] = {"bytes", context.is_kernel() ? cost_provenance(op, attribution.bytes.has_value(),
                                                             op.cost.types_from_kernel)
                                           : name(Provenance::kExact)};
  words[7] = {"tc", name(tc_known ? Provenance::kEstimated : Provenance::kNone)};
  return Cell{Words{words}};
}

// `amount` a nanosecond, in the printed unit.
Cell rate(WorkContext& context, const std::optional<double>& amount, double per_ns) {
  if (!amount || !has_times(context)) return absent();
  return Cell{std::in_place_type<double>,
              *amount / static_cast<double>(context.row().duration_ns) * per_ns};
}

Cell tflop_per_s(WorkContext& context) { return rate(context, context.attribution().flops, 1e-3); }

Cell gb_per_s(WorkContext& context) {
  if (context.is_kernel()) return rate(context, context.attribution().bytes, 1);
  return rate(context, static_cast<double>(context.row().bytes), 1);
}

// Of a kernel alone: a copy reads and writes its size, which is one number.
Cell part_of_bytes(WorkContext& context, std::optional<double> Attribution::*member) {
  return context.is_kernel() ? real(context.attribution().*member) : absent();
}

Cell intensity(WorkContext& context) {
  const Attribution& attribution = context.attribution();
  if (!attribution.flops || !attribution.bytes || *attribution.bytes <= 0) return absent();
  return real(*attribution.flops / *attribution.bytes);
}

// Helpers carry no part of their op's cost: there is nothing to compare their time with.
Cell roofline_pct(WorkContext& context) {
  const std::optional<double> model = context.roofline().model_ns();
  if (!model || *model <= 0 || !has_times(context)) return absent();
  return real(100.0 * *model / static_cast<double>(context.row().duration_ns));
}

Cell bound(WorkContext& context) {
  return text(devices::name(devices::bound(context.roofline(), context.row().duration_ns)));
}

Cell kernel_text(WorkContext& context, std::string_view KernelFacts::*member) {
  const KernelFacts* facts = context.attribution().kernel.get();
  return facts != nullptr ? text(facts->*member) : absent();
}

Cell kernel_dtype(WorkContext& context, DType KernelFacts::*member) {
  const KernelFacts* facts = context.attribution().kernel.get();
  return facts != nullptr ? text(name(facts->*member)) : absent();
}

Cell kernel_size(WorkContext& context, std::optional<BlockShape> KernelFacts::*member,
                 std::size_t slot) {
  const KernelFacts* facts = context.attribution().kernel.get();
  if (facts == nullptr || !(facts->*member)) return absent();
  return text(context.size_text(*(facts->*member), slot));
}

Cell split_k(WorkContext& context) {
  const KernelFacts* facts = context.attribution().kernel.get();
  if (facts == nullptr || !facts->split_k) return absent();
  return Cell{std::in_place_type<bool>, *facts->split_k};
}

Cell origin(WorkContext& context) {
  switch (context.row().origin) {
    case Origin::kApi:
      return text("api");
    case Origin::kGraph:
      return text("graph");
    case Origin::kDevice:
      return text("device");
    case Origin::kNone:
      return absent();
  }
  return absent();
}

Cell shared_bytes(WorkContext& context) {
  if (!context.is_kernel()) return absent();
  const LaunchConfig& config = context.config();
  return number(std::uint64_t{config.static_shared_bytes} + config.dynamic_shared_bytes);
}

// clang-format off
constexpr WorkField kFields[] = {
    {{"idx", "Idx", "", "number of the row over the whole trace, from 1, whatever --step shows", kRight},
     [](WorkContext& c) { return number(c.work().idx); }},
    {{"seq", "SeqId", "", "autograd's sequence number of the op, of a backward op that of its forward op", kRight},
     [](WorkContext& c) { return c.attribution().seq ? number(*c.attribution().seq) : absent(); }},
    {{"altseq", "AltSeqId", "", "other sequence numbers around the launch, outermost first, at most 3", kLeft},
     [](WorkContext& c) { return text(c.altseq_text()); }},
    {{"tid", "TId", "", "the operating system's id of the launching thread", kRight},
     [](WorkContext& c) { const auto* t = c.thread(); return t != nullptr ? number(t->os_tid) : absent(); }},
    {{"layer", "Layer", "", "path of the layers around the launch, joined by ':'", kLeft, false, 0, 16, kCutFront},
     [](WorkContext& c) { return text(c.op().layer); }, true},
    {{"trace", "Trace", "", "where in the program's source the op was called, if a range says it", kLeft, false, 0, 16, kCutFront},
     [](WorkContext& c) { return text(c.op().trace); }},
    {{"dir", "Direction", "", "fprop, bprop or update (the optimizer)", kLeft},
     [](WorkContext& c) { return text(name(c.op().direction)); }, true},
    {{"part", "Part", "", "of a gradient: data, weight or bias", kLeft},
     [](WorkContext& c) { return text(name(c.op().part)); }, true},
    {{"sub", "Sub", "", "number of the row in its op instance, from 0", kRight},
     [](WorkContext& c) { return c.attribution().op_id != 0 ? number(c.attribution().sub) : absent(); }},
    {{"mod", "Module", "", "where the op comes from: a library or a framework's module", kLeft, false, 0, 8, kCutEnd},
     [](WorkContext& c) { return text(c.op().module); }, true},
    {{"op", "Op", "", "the op that launched the kernel", kLeft, false, 0, 8, kCutEnd},
     [](WorkContext& c) { return text(c.op().op); }, true},
    {{"op_inner", "Inner op", "", "the innermost op around the launch, where ops call ops", kLeft, false, 0, 8, kCutEnd},
     [](WorkContext& c) { return text(c.op().op_inner); }, true},
    {{"op_id", "OpId", "", "op instance: equal for the kernels of one call of an op", kRight},
     [](WorkContext& c) { return c.attribution().op_id != 0 ? number(c.attribution().op_id) : absent(); }},
    {{"params", "Params", "", "sizes of the matrix product, or shapes", kLeft, false, 0, 20, kCutEnd},
     [](WorkContext& c) { return text(c.op().params); }, true},
    {{"inputs", "Inputs", "", "shapes of all tensors that the op names", kLeft, false, 0, 8, kCutEnd},
     [](WorkContext& c) { return Cell{Shapes{c.op().tensors}}; }},
    {{"m", "M", "", "rows of the product as cuBLAS is called (column-major)", kRight},
     [](WorkContext& c) { return gemm_size(c, &GemmShape::m); }},
    {{"n", "N", "", "columns of the product, likewise", kRight},
     [](WorkContext& c) { return gemm_size(c, &GemmShape::n); }},
    {{"k", "K", "", "inner size of the product; a bias has none", kRight}, inner_size},
    {{"batch", "Batch", "", "how many products at once", kRight},
     [](WorkContext& c) { return gemm_size(c, &GemmShape::batch); }},
    {{"dtype", "Type", "", "the data type that the op computes in", kLeft},
     [](WorkContext& c) { return text(name(c.op().dtype)); }, true},
    {{"kind", "Kind", "", "kernel, memcpy or memset", kLeft}, kind, true},
    {{"kernel", "Kernel", "", "short name of the kernel, or [memcpy HtoD], [memset]", kLeft, false, 0, 12, kCutEnd},
     [](WorkContext& c) { return kernel_name(c, false); }, true},
    {{"kernel_full", "Kernel name", "", "whole demangled name of the kernel", kLeft, false, 0, 12, kCutEnd},
     [](WorkContext& c) { return kernel_name(c, true); }, true},
    {{"time_us", "Time", "us", "time on the GPU", kRight, true, 0, 9}, time_us},
    {{"time_ns", "Time", "ns", "time on the GPU", kRight, true, 0, 9}, time_ns},
    {{"sil", "Sil", "ns", "time on the GPU, by PyProf's word", kRight, false, 0, 9}, time_ns},
    {{"start_ns", "Start", "ns", "start on the GPU, from the trace's start", kRight, true}, start_ns},
    {{"flops", "FLOPs", "", "the kernel's share of its op's floating-point operations", kRight, true},
     [](WorkContext& c) { return real(c.attribution().flops); }},
    {{"bytes", "Bytes", "", "the kernel's share of the bytes that its op must move; of a copy or set its size", kRight, true}, bytes},
    {{"bytes_read", "Read", "B", "the part of a kernel's bytes that is read", kRight, true},
     [](WorkContext& c) { return part_of_bytes(c, &Attribution::read); }},
    {{"bytes_written", "Written", "B", "the part of a kernel's bytes that is written", kRight, true},
     [](WorkContext& c) { return part_of_bytes(c, &Attribution::written); }},
    {{"tflop_per_s", "TFLOP/s", "", "FLOPs over time", kRight, true, 2}, tflop_per_s},
    {{"gb_per_s", "GB/s", "", "bytes over time", kRight, true, 1}, gb_per_s},
    {{"alg_gb_per_s", "AlgBW", "GB/s", "of a collective: size of the message over time, nccl-tests' algbw", kRight, true, 1},
     [](WorkContext& c) { return rate(c, c.attribution().algorithm_bytes, 1); }},
    {{"bus_gb_per_s", "BusBW", "GB/s", "of a collective: that times what each link carries of it, nccl-tests' busbw", kRight, true, 1},
     [](WorkContext& c) { return rate(c, c.attribution().bus_bytes, 1); }},
    {{"intensity", "FLOP/B", "", "FLOPs over bytes", kRight, true, 2}, intensity},
    {{"roofline_pct", "Roofline", "%", "time that the roofline model needs over the time taken", kRight, false, 1}, roofline_pct},
    {{"bound", "Bound", "", "compute, memory or latency, by the roofline model", kLeft}, bound, true},
    {{"tc", "TC", "", "tensor cores: 1 or 0, from the kernel's name", kRight}, tensor_core},
    {{"family", "Family", "", "library and what the kernel is for, from its name", kLeft},
     [](WorkContext& c) { return kernel_text(c, &KernelFacts::family); }, true},
    {{"tile", "Tile", "", "what a block of threads computes, MxNxK, from the kernel's name", kLeft},
     [](WorkContext& c) { return kernel_size(c, &KernelFacts::tile, 0); }, true},
    {{"instruction", "Instruction", "", "what a tensor core instruction computes, from the kernel's name", kLeft},
     [](WorkContext& c) { return kernel_size(c, &KernelFacts::instruction, 1); }, true},
    {{"operand", "Operand", "", "the type that is multiplied or worked on, from the kernel's name", kLeft},
     [](WorkContext& c) { return kernel_dtype(c, &KernelFacts::operand_dtype); }, true},
    {{"accumulator", "Accumulator", "", "the type that products are added up in, from the kernel's name", kLeft},
     [](WorkContext& c) { return kernel_dtype(c, &KernelFacts::accumulator_dtype); }, true},
    {{"output", "Output", "", "the type of a product's result, from the kernel's name", kLeft},
     [](WorkContext& c) { return kernel_dtype(c, &KernelFacts::output_dtype); }, true},
    {{"layout", "Layout", "", "of A and B as cuBLAS counts, from the kernel's name: tn has A transposed", kLeft},
     [](WorkContext& c) { return kernel_text(c, &KernelFacts::layout); }, true},
    {{"split_k", "SplitK", "", "several blocks share a sum over K: 1 or 0, from the kernel's name", kRight}, split_k},
    {{"contradicts", "Contradicts", "", "in what the op and the kernel's name cannot both be right", kLeft},
     [](WorkContext& c) { return text(c.contradictions_text()); }, true},
    {{"device", "Device", "", "CUDA's number of the GPU", kRight},
     [](WorkContext& c) { return number(c.row().device); }, true},
    {{"stream", "Stream", "", "CUDA's number of the stream", kRight},
     [](WorkContext& c) { return number(c.row().stream); }, true},
    {{"thread", "Thread", "", "the launching thread, numbered in the trace", kRight},
     [](WorkContext& c) { return c.row().launched && c.row().thread ? number(c.row().thread.value) : absent(); }, true},
    {{"grid", "Grid", "", "blocks: x,y,z", kLeft},
     [](WorkContext& c) { return c.is_kernel() ? Cell{c.config().grid} : absent(); }},
    {{"block", "Block", "", "threads of a block: x,y,z", kLeft},
     [](WorkContext& c) { return c.is_kernel() ? Cell{c.config().block} : absent(); }},
    {{"registers", "Regs", "", "registers per thread", kRight},
     [](WorkContext& c) { return c.is_kernel() ? number(c.config().registers_per_thread) : absent(); }},
    {{"shared", "Shared", "B", "shared memory of a block, static and dynamic", kRight, true}, shared_bytes},
    {{"step", "Step", "", "number of the training step around the launch", kRight},
     [](WorkContext& c) { const auto& s = c.attribution().step; return s ? signed_number(*s) : absent(); }, true},
    {{"role", "Role", "", "main kernel of its op, or a helper of it", kLeft},
     [](WorkContext& c) { return c.attribution().op_id != 0 ? text(c.attribution().main ? "main" : "helper") : absent(); }, true},
    {{"share", "Share", "", "the kernel's part of its op's cost, 0 to 1", kRight, false, 3},
     [](WorkContext& c) { return c.attribution().op_id != 0 ? Cell{std::in_place_type<double>, c.attribution().share} : absent(); }},
    {{"memory", "Memory", "", "memory that a copy reads or a set writes", kLeft},
     [](WorkContext& c) { return text(memory_name(c.row().kind == GpuRow::Kind::kMemcpy ? c.row().source : c.row().destination)); }, true},
    {{"memory_to", "To", "", "memory that a copy writes", kLeft},
     [](WorkContext& c) { return c.row().kind == GpuRow::Kind::kMemcpy ? text(memory_name(c.row().destination)) : absent(); }, true},
    {{"launch", "Launch", "", "the CUDA function that launched it", kLeft, false, 0, 8, kCutEnd},
     [](WorkContext& c) { return c.row().launched ? text(c.string(c.row().function)) : absent(); }, true},
    {{"launch_ns", "Launched", "ns", "start of the launching call, from the trace's start", kRight, true},
     [](WorkContext& c) { return c.row().launched ? signed_number(c.row().launch_start_ns) : absent(); }},
    {{"correlation", "Correlation", "", "ties the kernel to its launching call in trace.db", kRight},
     [](WorkContext& c) { return c.row().correlation != 0 ? number(c.row().correlation) : absent(); }},
    {{"origin", "Origin", "", "api: launched by a call; graph: by a CUDA graph; device: by a kernel", kLeft}, origin, true},
    {{"graph_node", "Graph node", "", "node of the CUDA graph", kRight},
     [](WorkContext& c) { return c.row().graph_node != 0 ? number(c.row().graph_node) : absent(); }},
    {{"provenance", "Provenance", "", "where each field comes from: exact, inherited, estimated or none", kLeft}, provenance},
};
// clang-format on

}  // namespace

WorkContext::WorkContext(TraceReader& trace) : trace_(trace) {
  for (const ThreadRow& thread : trace.threads()) {
    threads_.emplace(thread.id.value, &thread);
  }
  for (const DeviceRow& device : trace.devices()) {
    peaks_.emplace(device.device, devices::device_peaks(device));
  }
}

devices::RooflineTimes WorkContext::roofline() const {
  const auto found = peaks_.find(row().device);
  if (found == peaks_.end()) return {};
  return devices::roofline_times(attribution(), found->second);
}

std::string_view WorkContext::altseq_text() {
  altseq_.clear();
  for (const std::uint64_t number : attribution().altseq) {
    if (!altseq_.empty()) altseq_ += ',';
    altseq_ += std::to_string(number);
  }
  return altseq_;
}

std::string_view WorkContext::contradictions_text() {
  contradictions_.clear();
  for (std::size_t kind = 0; kind < kContradictions; ++kind) {
    if (!attribution().contradictions.test(kind)) continue;
    if (!contradictions_.empty()) contradictions_ += ',';
    contradictions_ += kContradictionInfos[kind].word;
  }
  return contradictions_;
}

std::string_view WorkContext::size_text(const BlockShape& shape, std::size_t slot) {
  auto& buffer = sizes_[slot];
  const auto end =
      shape.k
          ? fmt::format_to_n(buffer.data(), buffer.size(), "{}x{}x{}", shape.m, shape.n, *shape.k)
          : fmt::format_to_n(buffer.data(), buffer.size(), "{}x{}", shape.m, shape.n);
  return {buffer.data(), std::min(end.size, buffer.size())};
}

const ThreadRow* WorkContext::thread() const {
  if (!row().launched) return nullptr;
  const auto found = threads_.find(row().thread.value);
  return found != threads_.end() ? found->second : nullptr;
}

std::span<const WorkField> work_fields() { return kFields; }

std::span<const Column> work_columns() {
  static const std::vector<Column> columns = [] {
    std::vector<Column> all;
    for (const WorkField& field : kFields) all.push_back(field.column);
    return all;
  }();
  return columns;
}

}  // namespace prof::reports
