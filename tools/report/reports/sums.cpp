// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums over kernels, see sums.hpp.
#include "tools/report/reports/sums.hpp"

#include "libprof/model/times.hpp"

namespace prof::reports {
namespace {

constexpr Column::Align kRight = Column::Align::kRight;

Cell number(std::uint64_t value) { return Cell{std::in_place_type<std::uint64_t>, value}; }
Cell real(double value) { return Cell{std::in_place_type<double>, value}; }

// A sum without any known part is unknown; one with unknown parts is a lower limit.
Cell sum_cell(const KnownSum& sum, double unit) {
  if (sum.known == 0) return absent();
  if (sum.unknown > 0) return Cell{AtLeast{sum.sum / unit}};
  return real(sum.sum / unit);
}

// Over the time of those kernels alone whose part of the sum is known. `per_ns` is what one a
// nanosecond is in the printed unit.
Cell rate_cell(const KnownSum& sum, double per_ns) {
  if (sum.known == 0 || sum.time_ns <= 0) return absent();
  return real(sum.sum / static_cast<double>(sum.time_ns) * per_ns);
}

// Part of the time of those kernels for which the model has a time.
Cell part_cell(const KnownSum& model_ns) {
  if (model_ns.known == 0 || model_ns.time_ns <= 0) return absent();
  return real(100.0 * model_ns.sum / static_cast<double>(model_ns.time_ns));
}

// clang-format off
constexpr SumField kFields[] = {
    {{"calls", "Calls", "", "op instances that begin in the group", kRight, true},
     [](const Sums& s, const Sums&) { return number(s.calls); }},
    {{"kernels", "Kernels", "", "GPU kernels", kRight, true},
     [](const Sums& s, const Sums&) { return number(s.kernels); }},
    {{"time_us", "Time", "us", "time on the GPU, added up over kernels, also where they overlap", kRight, true, 0, 9},
     [](const Sums& s, const Sums&) { return s.time_ns > 0 ? Cell{Decimal{s.time_ns, 3}} : absent(); }},
    {{"time_ns", "Time", "ns", "the same in nanoseconds", kRight, true, 0, 9},
     [](const Sums& s, const Sums&) { return s.time_ns > 0 ? Cell{std::in_place_type<std::int64_t>, s.time_ns} : absent(); }},
    {{"time_pct", "Time", "%", "part of the time of all kernels shown", kRight, false, 1},
     [](const Sums& s, const Sums& all) {
       if (all.time_ns <= 0) return absent();
       return real(100.0 * static_cast<double>(s.time_ns) / static_cast<double>(all.time_ns));
     }},
    {{"mean_us", "Mean", "us", "mean time of a kernel", kRight, true, 3},
     [](const Sums& s, const Sums&) {
       if (s.time_ns <= 0) return absent();
       return real(static_cast<double>(s.time_ns) / static_cast<double>(s.kernels) / 1e3);
     }},
    {{"flops", "FLOPs", "", "floating-point operations; after '≥' some kernels' are unknown", kRight, true},
     [](const Sums& s, const Sums&) { return sum_cell(s.flops, 1); }},
    {{"gflop", "GFLOP", "", "the same in 1e9", kRight, true, 3},
     [](const Sums& s, const Sums&) { return sum_cell(s.flops, 1e9); }},
    {{"bytes", "Bytes", "", "bytes that the ops must move; after '≥' some kernels' are unknown", kRight, true},
     [](const Sums& s, const Sums&) { return sum_cell(s.bytes, 1); }},
    {{"mb", "MB", "", "the same in 1e6", kRight, true, 3},
     [](const Sums& s, const Sums&) { return sum_cell(s.bytes, 1e6); }},
    {{"bytes_read", "Read", "B", "the part of the bytes that is read; after '≥' some kernels' are unknown", kRight, true},
     [](const Sums& s, const Sums&) { return sum_cell(s.read, 1); }},
    {{"bytes_written", "Written", "B", "the part of the bytes that is written, likewise", kRight, true},
     [](const Sums& s, const Sums&) { return sum_cell(s.written, 1); }},
    {{"tflop_per_s", "TFLOP/s", "", "FLOPs over the time of the kernels whose FLOPs are known", kRight, true, 2},
     [](const Sums& s, const Sums&) { return rate_cell(s.flops, 1e-3); }},
    {{"gb_per_s", "GB/s", "", "bytes over the time of the kernels whose bytes are known", kRight, true, 1},
     [](const Sums& s, const Sums&) { return rate_cell(s.bytes, 1); }},
    {{"alg_gb_per_s", "AlgBW", "GB/s", "collectives: sizes of the messages over the time of their kernels, nccl-tests' algbw", kRight, true, 1},
     [](const Sums& s, const Sums&) { return rate_cell(s.algorithm_bytes, 1); }},
    {{"bus_gb_per_s", "BusBW", "GB/s", "collectives: those times what each link carries, nccl-tests' busbw", kRight, true, 1},
     [](const Sums& s, const Sums&) { return rate_cell(s.bus_bytes, 1); }},
    {{"intensity", "FLOP/B", "", "FLOPs over bytes of the kernels for which both are known", kRight, true, 2},
     [](const Sums& s, const Sums&) { return s.bytes_of_both > 0 ? real(s.flops_of_both / s.bytes_of_both) : absent(); }},
    {{"peak_pct", "Peak", "%", "time that arithmetic alone needs at the device's peak, over the time taken", kRight, false, 1},
     [](const Sums& s, const Sums&) { return part_cell(s.compute_ns); }},
    {{"roofline_pct", "Roofline", "%", "time that the roofline model needs, over the time taken", kRight, false, 1},
     [](const Sums& s, const Sums&) { return part_cell(s.model_ns); }},
    {{"flops_unknown", "FLOPs?", "", "kernels whose FLOPs are unknown", kRight, true},
     [](const Sums& s, const Sums&) { return number(s.flops.unknown); }},
    {{"bytes_unknown", "Bytes?", "", "kernels whose bytes are unknown", kRight, true},
     [](const Sums& s, const Sums&) { return number(s.bytes.unknown); }},
};
// clang-format on

}  // namespace

void KnownSum::add(const std::optional<double>& value, std::int64_t duration_ns) {
  if (!value) {
    ++unknown;
    return;
  }
  ++known;
  sum += *value;
  time_ns = sum_of_times(time_ns, duration_ns);
}

void Sums::add(const Work& work, const devices::RooflineTimes& roofline) {
  ++kernels;
  if (work.attribution->first_of_op) ++calls;
  time_ns = sum_of_times(time_ns, work.row->duration_ns);
  flops.add(work.attribution->flops, work.row->duration_ns);
  bytes.add(work.attribution->bytes, work.row->duration_ns);
  read.add(work.attribution->read, work.row->duration_ns);
  written.add(work.attribution->written, work.row->duration_ns);
  algorithm_bytes.add(work.attribution->algorithm_bytes, work.row->duration_ns);
  bus_bytes.add(work.attribution->bus_bytes, work.row->duration_ns);
  if (work.attribution->flops && work.attribution->bytes) {
    flops_of_both += *work.attribution->flops;
    bytes_of_both += *work.attribution->bytes;
  }
  compute_ns.add(roofline.compute_ns, work.row->duration_ns);
  model_ns.add(roofline.model_ns(), work.row->duration_ns);
}

std::span<const SumField> sum_fields() { return kFields; }

}  // namespace prof::reports
