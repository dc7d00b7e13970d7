// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Format `pprof`: GPU time, FLOPs, bytes and kernels by stacks of layers, op and kernel, as `go
// tool pprof` and its relatives read them. Kernels that differ in a label are different samples.
// Memory grows with the number of samples, not with that of kernels.
#include <fmt/format.h>

#include <protozero/pbf_builder.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "libprof/base/count_text.hpp"
#include "libprof/model/times.hpp"
#include "tools/report/export/formats/pprof_fields.hpp"
#include "tools/report/export/formats/registry.hpp"
#include "tools/report/export/formats/utf8_text.hpp"
#include "tools/report/export/formats/work_stacks.hpp"
#include "tools/report/rows/gpu_work.hpp"
#include "tools/report/rows/row_kinds.hpp"

namespace prof::formats {
namespace {

namespace pprof = exports::pprof;
using protozero::pbf_builder;

/// Texts, numbered in the order in which they are met.
class Texts {
 public:
  explicit Texts(std::initializer_list<std::string_view> first) {
    for (const std::string_view text : first) index(text);
  }
  std::int64_t index(std::string_view text) {
    const std::string_view valid = exports::utf8_text(text, made_);
    const auto [found, is_new] = indices_.try_emplace(std::string(valid), texts_.size());
    if (is_new) texts_.push_back(&found->first);
    return static_cast<std::int64_t>(found->second);
  }
  [[nodiscard]] const std::vector<const std::string*>& all() const { return texts_; }

 private:
  std::unordered_map<std::string, std::size_t> indices_;
  std::vector<const std::string*> texts_;
  std::string made_;
};

constexpr std::uint64_t kMapping = 1;  // the only one

/// FLOPs and bytes are whole numbers, but kept as real ones.
std::int64_t rounded(double value) {
  constexpr double kLimit = 9.2e18;  // below 2^63
  return static_cast<std::int64_t>(std::round(std::min(value, kLimit)));
}

/// How many kernels a sum lacks, and of how many its part is estimated.
struct Knowledge {
  std::uint64_t unknown = 0, estimated = 0;
};

class Pprof {
 public:
  Pprof(const reports::RowInput& input, tools::Output& output) : input_(input), output_(output) {}

  Status write();

 private:
  struct Sample {
    std::vector<std::uint64_t> locations;
    std::vector<std::pair<std::int64_t, std::int64_t>> labels;
    std::int64_t time_ns = 0;
    double flops = 0, bytes = 0;
    std::int64_t kernels = 0;
  };

  void add(reports::WorkRow& row);
  Sample& sample_of(reports::WorkRow& row);
  void add_labels(reports::WorkRow& row, Sample& sample);
  void add_quantities(reports::WorkRow& row, Sample& sample);
  [[nodiscard]] std::vector<std::string> comments() const;

  void write_mapping();
  void write_types();
  void write_samples();
  void write_functions();

  const reports::RowInput& input_;
  tools::Output& output_;
  Texts texts_{""};
  std::vector<Sample> samples_;
  // Indices of samples, by all that distinguishes these.
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<std::int64_t> functions_;  // their names; the first has the id 1
  std::unordered_map<std::int64_t, std::uint64_t> function_ids_;
  std::string key_;
  std::uint64_t kernels_ = 0, without_time_ = 0;
  Knowledge flops_, bytes_;
  std::int64_t first_ns_ = INT64_MAX, last_ns_ = INT64_MIN;
  std::int64_t begin_realtime_ns_ = INT64_MAX;
};

Pprof::Sample& Pprof::sample_of(reports::WorkRow& row) {
  const exports::WorkNames names = exports::names_of(row);
  const std::string& params = row.op().params;
  key_.clear();
  fmt::format_to(std::back_inserter(key_), "{} {} {} {} {} {} ",
                 exports::place_of(input_.traces, row.trace()), row.row().device,
                 static_cast<int>(row.op().direction), names.layer.size(), names.op.size(),
                 params.size());
  key_.append(names.layer).append(names.op).append(params).append(names.kernel);
  const auto [found, is_new] = places_.try_emplace(key_, samples_.size());
  if (!is_new) return samples_[found->second];
  Sample& sample = samples_.emplace_back();
  const std::vector<std::string_view> stack = exports::stack_of(names);
  for (auto frame = stack.rbegin(); frame != stack.rend(); ++frame) {
    const std::int64_t name = texts_.index(*frame);
    const auto [function, is_new_one] = function_ids_.try_emplace(name, functions_.size() + 1);
    if (is_new_one) functions_.push_back(name);
    sample.locations.push_back(function->second);
  }
  add_labels(row, sample);
  return sample;
}

void Pprof::add_labels(reports::WorkRow& row, Sample& sample) {
  const auto add = [&](std::string_view key, std::string_view text) {
    if (!text.empty()) sample.labels.emplace_back(texts_.index(key), texts_.index(text));
  };
  const OpAttribution& op = row.op();
  add("layer", op.layer);
  add("op", op.op);
  add("dir", name(op.direction));
  add("params", op.params);
  if (input_.traces.size() > 1) add("trace", row.trace().name);
  if (row.trace().rank) add("rank", std::to_string(*row.trace().rank));
  add("gpu", std::to_string(row.row().device));
}

void Pprof::add_quantities(reports::WorkRow& row, Sample& sample) {
  if (!row.is_kernel()) {
    sample.bytes += static_cast<double>(row.row().bytes);
    return;
  }
  ++kernels_;
  ++sample.kernels;
  const reports::Cell cell = reports::work_cells::provenance(row);
  const std::span<const reports::WordPair> from = std::get<reports::Words>(cell).pairs;
  const auto add = [&](std::string_view word, const std::optional<double>& amount, double& sum,
                       Knowledge& known) {
    if (!amount) {
      ++known.unknown;
      return;
    }
    sum += *amount;
    const auto found = std::ranges::find(from, word, &reports::WordPair::key);
    if (found == from.end()) return;
    const bool is_bound = found->word == name(Provenance::kUpperBound);
    if (is_bound || found->word == name(Provenance::kEstimated)) ++known.estimated;
  };
  add("flops", row.attribution().cost.flops, sample.flops, flops_);
  add("bytes", row.attribution().cost.bytes, sample.bytes, bytes_);
}

void Pprof::add(reports::WorkRow& row) {
  const GpuRow& work = row.row();
  if (!work.has_times()) {
    ++without_time_;
    return;
  }
  Sample& sample = sample_of(row);
  sample.time_ns = sum_of_times(sample.time_ns, work.duration_ns);
  add_quantities(row, sample);
  const std::int64_t start_ns = row.on_axis(work.start_ns);
  first_ns_ = std::min(first_ns_, start_ns);
  last_ns_ = std::max(last_ns_, sum_of_times(start_ns, work.duration_ns));
  const std::size_t trace = exports::place_of(input_.traces, row.trace());
  const std::int64_t realtime_ns = input_.traces.members()[trace].reader.start_realtime_ns();
  if (realtime_ns <= 0) return;
  begin_realtime_ns_ = std::min(begin_realtime_ns_, sum_of_times(realtime_ns, work.start_ns));
}

std::vector<std::string> Pprof::comments() const {
  std::vector<std::string> lines{"prof-report " PROF_VERSION_STRING};
  for (const TraceMember& trace : input_.traces.members()) {
    lines.push_back("trace: " + exports::name_of(trace.identity));
  }
  const auto tell = [&](std::string_view word, const Knowledge& known) {
    if (known.unknown == 0 && known.estimated == 0) return;
    lines.push_back(fmt::format("{}: unknown for {} of {}, which add nothing; estimated for {}",
                                word, grouped(known.unknown),
                                count_text(kernels_, "kernel", "kernels"),
                                grouped(known.estimated)));
  };
  tell("flops", flops_);
  tell("bytes", bytes_);
  const std::string left_out = exports::left_out_without_time(without_time_);
  if (!left_out.empty()) lines.push_back(left_out);
  return lines;
}

/// The trace stands where profiles of the CPU have the program.
void Pprof::write_mapping() {
  const std::vector<TraceMember>& traces = input_.traces.members();
  pbf_builder<pprof::Profile> profile(output_.buffer());
  pbf_builder<pprof::Mapping> mapping(profile, pprof::Profile::kMapping);
  mapping.add_uint64(pprof::Mapping::kId, kMapping);
  mapping.add_int64(pprof::Mapping::kFilename,
                    texts_.index(traces.size() == 1 ? exports::name_of(traces.front().identity)
                                                    : fmt::format("{} traces", traces.size())));
  mapping.add_bool(pprof::Mapping::kHasFunctions, true);
}

void Pprof::write_types() {
  constexpr std::array<std::array<std::string_view, 2>, 4> kTypes = {
      {{"gpu_time", "nanoseconds"}, {"flops", "count"}, {"bytes", "bytes"}, {"kernels", "count"}}};
  pbf_builder<pprof::Profile> profile(output_.buffer());
  for (const auto& [type, unit] : kTypes) {
    pbf_builder<pprof::ValueType> value(profile, pprof::Profile::kSampleType);
    value.add_int64(pprof::ValueType::kType, texts_.index(type));
    value.add_int64(pprof::ValueType::kUnit, texts_.index(unit));
  }
  profile.add_int64(pprof::Profile::kDefaultSampleType, texts_.index(kTypes.front().front()));
  if (begin_realtime_ns_ != INT64_MAX) {
    profile.add_int64(pprof::Profile::kTimeNanos, begin_realtime_ns_);
  }
  if (first_ns_ <= last_ns_) {
    profile.add_int64(pprof::Profile::kDurationNanos, difference_of_times(last_ns_, first_ns_));
  }
  std::vector<std::int64_t> lines;
  for (const std::string& line : comments()) lines.push_back(texts_.index(line));
  profile.add_packed_int64(pprof::Profile::kComment, lines.begin(), lines.end());
}

void Pprof::write_samples() {
  for (const Sample& sample : samples_) {
    {
      pbf_builder<pprof::Profile> profile(output_.buffer());
      pbf_builder<pprof::Sample> message(profile, pprof::Profile::kSample);
      message.add_packed_uint64(pprof::Sample::kLocationId, sample.locations.begin(),
                                sample.locations.end());
      const std::array<std::int64_t, 4> values = {sample.time_ns, rounded(sample.flops),
                                                  rounded(sample.bytes), sample.kernels};
      message.add_packed_int64(pprof::Sample::kValue, values.begin(), values.end());
      for (const auto& [key, text] : sample.labels) {
        pbf_builder<pprof::Label> label(message, pprof::Sample::kLabel);
        label.add_int64(pprof::Label::kKey, key);
        label.add_int64(pprof::Label::kStr, text);
      }
    }
    if (!output_.commit()) return;
  }
}

/// A function has one place, where no code is known.
void Pprof::write_functions() {
  std::uint64_t id = 0;
  for (const std::int64_t name : functions_) {
    ++id;
    {
      pbf_builder<pprof::Profile> profile(output_.buffer());
      {
        pbf_builder<pprof::Location> location(profile, pprof::Profile::kLocation);
        location.add_uint64(pprof::Location::kId, id);
        location.add_uint64(pprof::Location::kMappingId, kMapping);
        pbf_builder<pprof::Line> line(location, pprof::Location::kLine);
        line.add_uint64(pprof::Line::kFunctionId, id);
      }
      pbf_builder<pprof::Function> function(profile, pprof::Profile::kFunction);
      function.add_uint64(pprof::Function::kId, id);
      function.add_int64(pprof::Function::kName, name);
    }
    if (!output_.commit()) return;
  }
}

Status Pprof::write() {
  write_mapping();  // first, as ResultFile knows such files by their beginning
  reports::RowsOf<reports::WorkRow> work(reports::kGpuWork, input_);
  while (reports::WorkRow* const row = work.next()) add(*row);
  PROF_TRY(work.status());
  const std::string left_out = exports::left_out_without_time(without_time_);
  if (!left_out.empty()) input_.tally.remarks.push_back(left_out);
  write_types();
  write_samples();
  write_functions();
  for (const std::string* const text : texts_.all()) {
    pbf_builder<pprof::Profile>(output_.buffer()).add_string(pprof::Profile::kStringTable, *text);
    if (!output_.commit()) break;
  }
  return {};
}

Status write_pprof(const reports::RowInput& input, tools::Output& output) {
  return Pprof(input, output).write();
}

}  // namespace

void register_pprof(Registry& registry) {
  registry.add(
      {.word = "pprof",
       .help = "GPU time, FLOPs, bytes and kernels by layers, op and kernel: go tool pprof",
       .extension = "pb.gz",
       .write = write_pprof});
}

}  // namespace prof::formats
