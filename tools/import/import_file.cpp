// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/import_file.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "libprof/base/counted.hpp"
#include "libprof/base/output_file.hpp"
#include "libprof/store/trace_writer.hpp"
#include "tools/import/first_bytes.hpp"
#include "tools/import/staged_trace.hpp"

namespace prof::importers {
namespace {

/// Errors about the trace name the file that the user asked for.
Error shown_as(const std::string& output, const StagedTrace& staged, Error error) {
  if (error.where == staged.path()) error.where = output;
  return error;
}

/// The writer is gone when this returns, so the trace is unlocked.
Result<Imported> write_trace(const Importer& importer, const Source& source,
                             const std::string& output, const StagedTrace& staged) {
  auto writer = TraceWriter::create(staged.path());
  if (!writer) return shown_as(output, staged, writer.error());
  Result<Imported> imported = importer.read(source, **writer);
  (*writer)->commit();
  const Status stored = (*writer)->status();
  if (!stored) return shown_as(output, staged, stored.error());
  return imported;
}

Result<Imported> import_process(const Importer& importer, const ImportOptions& options,
                                const std::vector<Process>& all, const Process& process,
                                const std::string& output) {
  Result<StagedTrace> staged = StagedTrace::begin(options.input, output, options.force);
  if (!staged) return staged.error();
  const Source source = {options.input, staged->folder(), options.position, process, all};
  Result<Imported> imported = write_trace(importer, source, output, *staged);
  if (imported) PROF_TRY(staged->finish());
  return imported;
}

/// As a capture names the traces of a program's processes: the first has the name asked for.
std::vector<std::string> output_names(const std::string& output,
                                      const std::vector<Process>& processes) {
  std::vector<std::string> names;
  for (const Process& process : processes) {
    std::string name = output;
    for (int n = 1; std::ranges::find(names, name) != names.end(); ++n) {
      name = name_of_other_process(output, static_cast<long>(process.pid), n);
    }
    names.push_back(std::move(name));
  }
  return names;
}

/// "in.sqlite: has 2 processes, a trace each: trace.db, trace.112.db".
std::string about_traces(const std::string& input, const std::vector<std::string>& names) {
  constexpr std::size_t kMostNamed = 16;
  std::string line = input + ": has " + counted(names.size(), "process", "processes");
  for (std::size_t i = 0; i < names.size() && i < kMostNamed; ++i) {
    line.append(i == 0 ? ", a trace each: " : ", ").append(names[i]);
  }
  return names.size() > kMostNamed ? line + ", ..." : line;
}

Result<std::vector<std::string>> import_processes(const Importer& importer,
                                                  const ImportOptions& options) {
  const auto processes = importer.processes({options.input, "", {}, {}, {}});
  if (!processes) return processes.error();
  const std::vector<std::string> names = output_names(options.output, *processes);
  // Before the first one is written, so that none is if another cannot be.
  for (const std::string& name : names) {
    const auto free = StagedTrace::begin(options.input, name, options.force);
    if (!free) return free.error();
  }
  std::vector<std::string> lines;
  if (names.size() > 1) lines.push_back(about_traces(options.input, names));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto imported = import_process(importer, options, *processes, (*processes)[i], names[i]);
    if (!imported) return imported.error();
    if (imported->warning.empty()) continue;
    lines.push_back(names.size() > 1 ? names[i] + ": " + imported->warning : imported->warning);
  }
  return lines;
}

constexpr std::string_view kBlanks = " \t\r\n";

/// What else a file may be that somebody takes for a trace.
Error unrecognized(const std::string& input, std::string_view start) {
  start.remove_prefix(std::min(start.find_first_not_of(kBlanks), start.size()));
  const auto begins_with = [start](std::string_view word) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return start.size() >= word.size() &&
           std::ranges::equal(start.substr(0, word.size()), word, {}, lower);
  };
  if (begins_with("<!doctype html") || begins_with("<html")) {
    return {"is a web page, not a trace", input, "download the file that it shows or links to"};
  }
  if (begins_with("{") || begins_with("[")) {
    return {"looks like JSON, but is neither a trace of torch.profiler nor a record stream", input,
            "prof-import --help lists what it reads"};
  }
  return {"unrecognized format", input, "prof-import --help lists what it reads"};
}

}  // namespace

Result<std::vector<std::string>> import_file(const ImportOptions& options,
                                             const Registry& registry) {
  const Result<std::string> start = first_bytes(options.input);
  if (!start) return start.error();
  for (const auto& importer : registry.all()) {
    if (!importer->sniff(*start) || !importer->recognizes(options.input)) continue;
    return import_processes(*importer, options);
  }
  Error unknown = unrecognized(options.input, *start);
  for (const auto& importer : registry.all()) {
    const std::string_view hint = importer->hint(options.input);
    if (!hint.empty()) unknown.hint = hint;
  }
  return unknown;
}

}  // namespace prof::importers
