// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `memory`: memory copies and sets. Of pageable memory even cudaMemcpyAsync may return late:
// the time of the calls shows whether the program waits. Kernels count in the time of all work
// alone.
#include <algorithm>
#include <memory>

#include "libprof/base/ordered_bits.hpp"
#include "tools/report/builtin/registry.hpp"
#include "tools/report/builtin/row_report.hpp"
#include "tools/report/rows/gpu_work.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/sum_parts.hpp"
#include "tools/report/rows/sums.hpp"
#include "tools/report/rows/time_cells.hpp"
#include "tools/report/rows/work_names.hpp"

namespace prof::reports {
namespace {

struct CopySum {
  std::uint64_t count = 0;
  std::uint64_t size = 0, timed_size = 0;  // of those with a known time
  std::uint64_t least = UINT64_MAX, most = 0;
  WholeSum time_ns, call_ns;
};

class CopySums final : public PlainSums<CopySums, CopySum> {
 public:
  void add(Row& row) override {
    const GpuRow& copy = static_cast<WorkRow&>(row).row();
    ++count;
    size += copy.bytes;
    least = std::min(least, copy.bytes);
    most = std::max(most, copy.bytes);
    if (copy.has_times()) {
      time_ns.add(copy.duration_ns);
      timed_size += copy.bytes;
    }
    if (copy.origin == Origin::kApi && copy.launch_duration_ns != 0) {
      call_ns.add(copy.launch_duration_ns);
    }
  }
  void add_to_all(Row& row) override {
    const GpuRow& work = static_cast<WorkRow&>(row).row();
    if (work.has_times()) time_ns.add(work.duration_ns);
  }
  void merge(const Sums& others) override {
    const auto& other = static_cast<const CopySums&>(others);
    count += other.count;
    size += other.size;
    timed_size += other.timed_size;
    least = std::min(least, other.least);
    most = std::max(most, other.most);
    time_ns.merge(other.time_ns);
    call_ns.merge(other.call_ns);
  }
  [[nodiscard]] Weight weight() const override {
    return {time_ns.count > 0 ? ordered_bits(time_ns.sum) : 0, count};
  }
};

/// "memcpy HtoD" of "[memcpy HtoD]".
Cell copy_cell(const WorkRow& copy) {
  std::string_view name = short_name_of(copy.row());
  name.remove_prefix(std::min(name.find_first_not_of("[]"), name.size()));
  return text(name.substr(0, name.find_last_not_of("[]") + 1));
}

Cell memory_cell(const WorkRow& copy) {
  const bool is_set = copy.row().kind == GpuRow::Kind::kMemset;
  return text(memory_name(is_set ? copy.row().destination : copy.row().source));
}

Cell memory_to(const WorkRow& copy) {
  const bool is_set = copy.row().kind == GpuRow::Kind::kMemset;
  return is_set ? absent() : text(memory_name(copy.row().destination));
}

Cell share_pct(const CopySums& sums, const CopySums& all) {
  return sums.time_ns.count > 0 ? percent(sums.time_ns.sum, all.time_ns.sum) : absent();
}

Cell rate(const CopySums& sums) {
  if (sums.time_ns.sum <= 0) return absent();
  return real(static_cast<double>(sums.timed_size) / static_cast<double>(sums.time_ns.sum));
}

// clang-format off
constexpr Field kCopyKeys[] = {
    {Column::text("trace", "Trace", "file name of the trace").cut_end(8), trace_cells::name, Role::kKey},
    {Column::integer("rank", "Rank", "", "rank of the process in its job"), trace_cells::rank, Role::kKey},
    {Column::text("copy", "Copy", "memcpy HtoD, DtoH, DtoD, ... (H: host, D: device, P: peer device, A: array), or memset").cut_end(11), [](WorkRow& r) { return copy_cell(r); }, Role::kKey},
    {Column::text("memory", "Memory", "memory read by a copy or written by a set: pageable, pinned, device, managed, ...").cut_end(6), [](WorkRow& r) { return memory_cell(r); }, Role::kKey},
    {Column::text("memory_to", "To", "memory written by a copy").cut_end(6), [](WorkRow& r) { return memory_to(r); }, Role::kKey},
    {Column::text("launch", "Call", "CUDA function; one named Async may return before the end, unless the memory is pageable").cut_end(7), [](WorkRow& r) { return r.row().launched ? text(r.string(r.row().function)) : absent(); }, Role::kKey},
    {Column::text("op", "Op", "op for which it is").cut_end(7), [](WorkRow& r) { return text(r.op().op); }, Role::kKey},
    {Column::text("dir", "Dir", "fprop, bprop or update (the optimizer)").cut_end(5), [](WorkRow& r) { return text(name(r.op().direction)); }, Role::kOnRequest},
    {Column::text("layer", "Layer", "path of the layers around the launch").cut_end(14), [](WorkRow& r) { return text(r.op().layer); }, Role::kOnRequest},
    {Column::integer("step", "Step", "", "number of the step around the launch"), [](WorkRow& r) { return r.attribution().step ? signed_number(*r.attribution().step) : absent(); }, Role::kOnRequest},
};
constexpr SumField kCopySumFields[] = {
    {Column::integer("count", "Count", "", "copies or sets").grouped(), [](const CopySums& s, const CopySums&) { return number(s.count); }},
    {Column::integer("bytes", "Bytes", "B", "their total size").grouped().drop(1), [](const CopySums& s, const CopySums&) { return number(s.size); }},
    {Column::time("time_ns", "Time", "their total time on the GPU", Column::Type::kReal), [](const CopySums& s, const CopySums&) { return s.time_ns.cell(); }},
    {Column::real("share_pct", "Share", "%", "share of the time of all kernels, copies and sets", 1).grouped().drop(4), [](const CopySums& s, const CopySums& all) { return share_pct(s, all); }},
    {Column::real("gb_per_s", "GB/s", "", "bytes over time", 1).grouped().drop(3), [](const CopySums& s, const CopySums&) { return rate(s); }},
    {Column::integer("min_bytes", "Smallest", "B", "size of the smallest").grouped().drop(6), [](const CopySums& s, const CopySums&) { return number(s.least); }},
    {Column::integer("max_bytes", "Largest", "B", "size of the largest").grouped().drop(5), [](const CopySums& s, const CopySums&) { return number(s.most); }},
    {Column::time("call_ns", "In calls", "total time of the calls, on the CPU; absent for graphs, whose calls launch other work, too", Column::Type::kReal).drop(2), [](const CopySums& s, const CopySums&) { return s.call_ns.cell(); }},
};
// clang-format on

constexpr SumKind kCopySums = {
    .fields = kCopySumFields,
    .empty = []() -> std::unique_ptr<Sums> { return std::make_unique<CopySums>(); },
    .keys = kCopyKeys,
    .is_in_group = [](Row& row) { return !static_cast<WorkRow&>(row).is_kernel(); },
};

}  // namespace

void register_memory(Registry& registry) {
  registry.add(make_report(
      {.name = "memory",
       .help = "memory copies and sets by direction, memories, call and op, most time first",
       .kind = kGpuWork,
       .form = RowForm::kGroups,
       .table = "copy,memory,memory_to,launch,op,count,bytes,time_ns,share_pct,gb_per_s,min_bytes,"
                "max_bytes,call_ns",
       .sums = &kCopySums,
       .missing = "there are no memory copies and sets"}));
}

}  // namespace prof::reports
