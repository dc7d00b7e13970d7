// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The capture's configuration, see config.hpp.
#include "collectors/inject/config.hpp"

#include <charconv>

#include "libprof/model/job.hpp"

namespace prof::collectors {
namespace {

constexpr std::size_t kMaxMegabytes = 1024 * 1024;

std::string_view value_of(const Environment& environment, const char* name) {
  const char* value = environment(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

void complain(std::vector<std::string>& complaints, const char* name, std::string_view value,
              std::string_view expected) {
  complaints.push_back(std::string(name) + "=" + std::string(value) + ": not understood; " +
                       std::string(expected) + " expected, using the default");
}

void read_switch(const Environment& environment, const char* name, bool& target,
                 std::vector<std::string>& complaints) {
  const std::string_view value = value_of(environment, name);
  if (value.empty()) return;
  if (value == "1" || value == "0") {
    target = value == "1";
  } else {
    complain(complaints, name, value, "0 or 1");
  }
}

void read_megabytes(const Environment& environment, const char* name, std::size_t& bytes,
                    std::vector<std::string>& complaints) {
  const std::string_view value = value_of(environment, name);
  if (value.empty()) return;
  std::size_t megabytes = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), megabytes);
  if (error != std::errc() || end != value.data() + value.size() || megabytes == 0 ||
      megabytes > kMaxMegabytes) {
    complain(complaints, name, value, "a number of MiB from 1 on");
    return;
  }
  bytes = megabytes << 20;
}

/// Reads variables that choose code or files, or start a capture.
void read_trusted(const Environment& environment, CaptureConfig& config) {
  if (const auto output = value_of(environment, "PROF_OUTPUT"); !output.empty())
    config.output = output;
  config.stream = value_of(environment, "PROF_STREAM");
  config.run_id = value_of(environment, "PROF_RUN_ID");
  config.replace = value_of(environment, "PROF_REPLACE");
  config.replace_stream = value_of(environment, "PROF_REPLACE_STREAM");
  config.cuda_home = value_of(environment, "CUDA_HOME");
  config.library_path = value_of(environment, "LD_LIBRARY_PATH");
}

void report_ignored(const Environment& environment, std::vector<std::string>& complaints) {
  std::string names;
  for (const char* name : {"PROF_OUTPUT", "PROF_STREAM", "PROF_FORCE", "PROF_RUN_ID", "CUDA_HOME",
                           "LD_LIBRARY_PATH", "CUDA_INJECTION64_PATH"}) {
    if (!value_of(environment, name).empty()) names.append(names.empty() ? "" : ", ").append(name);
  }
  if (!names.empty()) complaints.push_back(names + kWhyIgnored);
}

}  // namespace

bool parse_api_mode(std::string_view word, ApiMode& mode) {
  for (ApiMode known : {ApiMode::kNone, ApiMode::kLaunch, ApiMode::kAll}) {
    if (word != to_word(known)) continue;
    mode = known;
    return true;
  }
  return false;
}

CaptureConfig read_config(const Environment& environment, std::vector<std::string>& complaints,
                          bool is_secure) {
  CaptureConfig config;
  config.rank = rank_of(environment);
  if (is_secure) {
    report_ignored(environment, complaints);
  } else {
    read_trusted(environment, config);
  }
  if (const auto api = value_of(environment, "PROF_API");
      !api.empty() && !parse_api_mode(api, config.api)) {
    complain(complaints, "PROF_API", api, "launch, all or none");
  }
  if (const auto trace = value_of(environment, "PROF_TRACE"); !config.trace.parse(trace)) {
    complain(complaints, "PROF_TRACE", trace, expected_trace_words());
  }
  if (const auto word = value_of(environment, "PROF_GRAPH_TRACE"); !word.empty()) {
    const auto graph_trace = parse_graph_trace(word);
    config.graph_trace = graph_trace.value_or(config.graph_trace);
    if (!graph_trace) complain(complaints, "PROF_GRAPH_TRACE", word, "graph or node");
  }
  if (!is_secure) read_switch(environment, "PROF_FORCE", config.force, complaints);
  read_switch(environment, "PROF_QUIET", config.quiet, complaints);
  read_switch(environment, "PROF_CUPTI_SHARED", config.shares_cupti, complaints);
  read_megabytes(environment, "PROF_QUEUE_MB", config.queue_bytes, complaints);
  read_megabytes(environment, "PROF_BUFFER_MB", config.buffer_bytes, complaints);
  if (const auto start = value_of(environment, "PROF_START"); !start.empty()) {
    config.manual = start == "manual";
    if (!config.manual && start != "auto")
      complain(complaints, "PROF_START", start, "auto or manual");
  }
  if (const auto between = value_of(environment, "PROF_BETWEEN"); !between.empty()) {
    if (between == "light" || between == "off") {
      config.stands_by = between == "light";
    } else {
      complain(complaints, "PROF_BETWEEN", between, "light or off");
    }
  }
  if (const auto size = value_of(environment, "PROF_MAX_SIZE"); !size.empty()) {
    config.max_bytes = parse_size(size).value_or(0);
    if (config.max_bytes == 0) complain(complaints, "PROF_MAX_SIZE", size, kSizeExpected);
  }
  if (Status read = add_capture_specs(value_of(environment, "PROF_CAPTURE"), config.windows);
      !read) {
    complaints.push_back("PROF_CAPTURE: " + read.error().to_line() + "; nothing is captured");
    config.manual = true;
  } else if (config.max_bytes != 0 && config.windows.words.empty()) {
    complaints.emplace_back("PROF_MAX_SIZE: limits the files of windows, and there are none");
  }
  if (is_secure) config.manual = true;
  return config;
}

std::string rank_of(const Environment& environment) {
  const Job job = job_of([&](const char* name) { return value_of(environment, name); });
  return job.rank ? std::to_string(*job.rank) : "none";
}

}  // namespace prof::collectors
