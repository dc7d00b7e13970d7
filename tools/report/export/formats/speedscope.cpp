// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Format `speedscope`: a profile for each GPU, whose samples are the stacks of layers, op and
// kernel, weighted by GPU time in nanoseconds.
#include <fmt/format.h>

#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "libprof/model/times.hpp"
#include "tools/report/export/formats/registry.hpp"
#include "tools/report/export/formats/work_stacks.hpp"
#include "tools/report/table/value_text.hpp"

namespace prof::formats {
namespace {

using reports::append;

/// Names of frames, numbered in the order in which they are met.
class Frames {
 public:
  std::size_t number(const std::string& name) {
    const auto [found, is_new] = numbers_.try_emplace(name, names_.size());
    if (is_new) names_.push_back(&found->first);
    return found->second;
  }
  [[nodiscard]] const std::vector<const std::string*>& names() const { return names_; }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<const std::string*> names_;
};

void append_string(std::string_view text, std::string& out) {
  reports::append_json(reports::Cell{std::in_place_type<std::string_view>, text}, out);
}

void write_profile(const std::string& name, const exports::WorkStacks::TimeByStack& times,
                   Frames& frames, tools::Output& output) {
  std::string& out = output.buffer();
  std::int64_t sum_ns = 0;
  for (const auto& [stack, time_ns] : times) sum_ns = sum_of_times(sum_ns, time_ns);
  append("{\"type\":\"sampled\",\"name\":", out);
  append_string(name, out);
  fmt::format_to(std::back_inserter(out),
                 ",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":{},\n\"samples\":[",
                 sum_ns);
  bool is_first = true;
  for (const auto& [stack, time_ns] : times) {
    append(is_first ? "[" : ",\n[", out);
    is_first = false;
    for (const std::string& frame : stack) {
      if (&frame != &stack.front()) out.push_back(',');
      reports::append_integer(frames.number(frame), out);
    }
    out.push_back(']');
    output.commit();
  }
  append("],\n\"weights\":[", out);
  is_first = true;
  for (const auto& [stack, time_ns] : times) {
    if (!is_first) out.push_back(',');
    is_first = false;
    reports::append_integer(time_ns, out);
    output.commit();
  }
  append("]}", out);
}

Status write_speedscope(const reports::RowInput& input, tools::Output& output) {
  const Result<exports::WorkStacks> stacks = exports::sum_by_stack(input);
  if (!stacks) return stacks.error();
  std::string& out = output.buffer();
  append("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n", out);
  append("\"exporter\":\"prof-report " PROF_VERSION_STRING "\",\n\"name\":", out);
  append_string(exports::name_of(input.traces.members().front().identity), out);
  append(",\n\"activeProfileIndex\":0,\n\"profiles\":[", out);
  Frames frames;
  bool is_first = true;
  for (const auto& [gpu, times] : stacks->gpus) {
    if (!is_first) append(",\n", out);
    is_first = false;
    const TraceMember& trace = input.traces.members()[gpu.trace];
    const std::string name = exports::gpu_name(trace.reader, gpu.device);
    const bool several = input.traces.size() > 1;
    write_profile(several ? exports::name_of(trace.identity) + " " + name : name, times, frames,
                  output);
  }
  append("],\n\"shared\":{\"frames\":[", out);
  for (const std::string* const name : frames.names()) {
    append(name == frames.names().front() ? "{\"name\":" : ",\n{\"name\":", out);
    append_string(*name, out);
    out.push_back('}');
    output.commit();
  }
  append("]}}\n", out);
  output.commit();
  return {};
}

}  // namespace

void register_speedscope(Registry& registry) {
  registry.add({.word = "speedscope",
                .help = "GPU time by layers, op and kernel, a profile for each GPU: speedscope.app",
                .extension = "json",
                .write = write_speedscope});
}

}  // namespace prof::formats
