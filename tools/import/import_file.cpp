// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/import_file.hpp"

#include <utility>

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
Result<Imported> write_trace(const Importer& importer, const ImportOptions& options,
                             const StagedTrace& staged) {
  auto writer = TraceWriter::create(staged.path());
  if (!writer) return shown_as(options.output, staged, writer.error());
  Result<Imported> imported =
      importer.read({options.input, staged.folder(), options.position}, **writer);
  (*writer)->commit();
  const Status stored = (*writer)->status();
  if (!stored) return shown_as(options.output, staged, stored.error());
  return imported;
}

}  // namespace

Result<std::string> import_file(const ImportOptions& options, const Registry& registry) {
  const Result<std::string> start = first_bytes(options.input);
  if (!start) return start.error();
  for (const auto& importer : registry.all()) {
    if (!importer->sniff(*start)) continue;
    Result<StagedTrace> staged = StagedTrace::begin(options.input, options.output, options.force);
    if (!staged) return staged.error();
    const Result<Imported> imported = write_trace(*importer, options, *staged);
    if (!imported) return imported.error();
    PROF_TRY(staged->finish());
    return imported->warning;
  }
  return Error{
      "unrecognized format", options.input,
      "prof-import reads libprof streams and traces of torch.profiler (prof-import --help)"};
}

}  // namespace prof::importers
