// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/import_file.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "libprof/base/count_text.hpp"
#include "libprof/base/output_file.hpp"
#include "libprof/store/write/trace_writer.hpp"
#include "tools/import/counting_sink.hpp"
#include "tools/import/first_bytes.hpp"
#include "tools/import/foreign_formats.hpp"
#include "tools/import/staged_trace.hpp"

namespace prof::importers {
namespace {

/// Errors about the trace name the file that the user asked for.
Error shown_as(const std::string& output, const StagedTrace& staged, Error error) {
  if (error.where == staged.path()) error.where = output;
  return error;
}

/// The result of importing one process.
struct Written {
  std::string line;
  std::vector<std::string> warnings;
};

Written what_was_written(const CountingSink& counts, const Imported& imported,
                         const std::string& input) {
  Written written{counts.line(), {}};
  if (!imported.warning.empty()) written.warnings.push_back(imported.warning);
  if (!counts.has_gpu_work()) {
    const std::string_view why =
        imported.why_no_work.empty()
            ? "the program launched none while it was recorded, or CUDA was not recorded"
            : std::string_view(imported.why_no_work);
    written.warnings.push_back(std::string(input).append(": has no GPU work: ").append(why));
  }
  return written;
}

/// The writer is gone when this returns, so the trace is unlocked.
Result<Written> write_trace(const Importer& importer, const Source& source,
                            const std::string& output, const StagedTrace& staged) {
  auto writer = TraceWriter::create(staged.path());
  if (!writer) return shown_as(output, staged, writer.error());
  CountingSink sink(**writer);
  const Result<Imported> imported = importer.read(source, sink);
  sink.commit();
  const Status stored = sink.status();
  if (!stored) return shown_as(output, staged, stored.error());
  if (!imported) return imported.error();
  return what_was_written(sink, *imported, source.path);
}

/// --force is about the name that the user gave. Those of further processes come from the input.
Replacing replacing(const ImportOptions& options, const std::string& output) {
  if (!options.force) return {Existing::kRefuse, "name another output file, or use --force"};
  if (output == options.output) return {Existing::kReplace, ""};
  return {Existing::kRefuse,
          "the imported file chose this name, so --force does not replace it: "
          "remove it yourself, or name another output file"};
}

Result<Written> import_process(const Importer& importer, const ImportOptions& options,
                               const std::vector<Process>& all, const Process& process,
                               const std::string& output) {
  Result<StagedTrace> staged =
      StagedTrace::begin(options.input, output, replacing(options, output));
  if (!staged) return staged.error();
  const Source source = {options.input, staged->folder(), options.position, process, all};
  Result<Written> written = write_trace(importer, source, output, *staged);
  if (written) PROF_TRY(staged->finish());
  return written;
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
  std::string line = input + ": has " + count_text(names.size(), "process", "processes");
  for (std::size_t i = 0; i < names.size() && i < kMostNamed; ++i) {
    line.append(i == 0 ? ", a trace each: " : ", ").append(names[i]);
  }
  return names.size() > kMostNamed ? line + ", ..." : line;
}

Result<ImportedFile> import_processes(const Importer& importer, const ImportOptions& options) {
  const auto processes = importer.processes({options.input, "", {}, {}, {}});
  if (!processes) return processes.error();
  const std::vector<std::string> names = output_names(options.output, *processes);
  // Before the first one is written, so that none is if another cannot be.
  for (const std::string& name : names) {
    const auto free = StagedTrace::begin(options.input, name, replacing(options, name));
    if (!free) return free.error();
  }
  ImportedFile made;
  if (names.size() > 1) made.warnings.push_back(about_traces(options.input, names));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto written = import_process(importer, options, *processes, (*processes)[i], names[i]);
    if (!written) return written.error();
    for (const std::string& line : written->warnings) {
      made.warnings.push_back(names.size() > 1 ? names[i] + ": " + line : line);
    }
    made.written.push_back(names[i] + ": " + written->line);
  }
  return made;
}

}  // namespace

Result<ImportedFile> import_file(const ImportOptions& options,
                                 std::span<const Importer> importers) {
  const Result<std::string> start = first_bytes(options.input);
  if (!start) return start.error();
  for (const Importer& importer : importers) {
    if (!importer.sniff(*start) || !importer.recognizes(options.input)) continue;
    return import_processes(importer, options);
  }
  return unrecognized(options.input, *start);
}

}  // namespace prof::importers
