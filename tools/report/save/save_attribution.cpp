// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/save/save_attribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "analyzers/model/version.hpp"
#include "libprof/base/count_text.hpp"
#include "libprof/store/read/trace_set.hpp"
#include "libprof/store/save/saved_attribution.hpp"
#include "tools/report/rows/reading.hpp"
#include "tools/report/save/saved_rows.hpp"

namespace prof::reports {
namespace {

/// A JSON array. Different names give different texts, whatever bytes they have.
std::string to_json(const std::vector<std::string>& names) {
  std::string json = "[";
  for (const std::string& name : names) {
    json += json.size() > 1 ? ",\"" : "\"";
    for (const char c : name) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte >= ' ' && byte < 0x7f && c != '"' && c != '\\') {
        json += c;
      } else {
        json += fmt::format("\\u{:04x}", byte);
      }
    }
    json += '"';
  }
  return json += ']';
}

}  // namespace

Result<SaveOutcome> save_attribution(const std::string& path, std::vector<std::string> domains,
                                     tools::Progress* progress) {
  std::ranges::sort(domains);
  domains.erase(std::unique(domains.begin(), domains.end()), domains.end());
  const std::string version = std::string(PROF_VERSION_STRING "/").append(kAnalyzersVersion);
  auto saved = SavedAttribution::open(path, {version, to_json(domains)});
  if (!saved) return saved.error();
  SaveOutcome outcome;
  outcome.was_fresh = (*saved)->is_fresh();
  if (outcome.was_fresh) return outcome;

  {
    const Result<TraceSet> traces = TraceSet::open(std::span(&path, 1));
    if (!traces) return traces.error();
    const TraceMember& trace = traces->members().front();
    Reading reading(attribute_by_analyzers({.domains = std::move(domains), .steps = {}}),
                    Reading::Keeps::kNothing, 1, progress);
    const auto work = reading.work(trace.reader, TraceReader::Work::kKernelsAndCopies);
    SavedRows rows(**saved, trace);
    while (const AttributedRow* row = work->next()) PROF_TRY(rows.add(*row));
    PROF_TRY(work->status());
    PROF_TRY(trace.reader.status());
    outcome.kernels = work->counts().kernels;
    outcome.copies = work->counts().copies;
    outcome.attributions = rows.attributions();
  }  // The trace is closed: SQLite would wait for it.
  const Result<std::int64_t> added = (*saved)->commit();
  if (!added) return added.error();
  outcome.bytes_added = *added;
  return outcome;
}

std::string to_line(const std::string& path, const SaveOutcome& outcome) {
  if (outcome.was_fresh) return path + ": this attribution is saved already";
  const std::string growth = outcome.bytes_added > 0
                                 ? "the file grew by " +
                                       grouped(static_cast<std::uint64_t>(outcome.bytes_added)) +
                                       " bytes"
                                 : "the file did not grow";
  return fmt::format(
      "{}: saved the attribution of {} kernels and {} copies and sets, {} distinct; {}", path,
      grouped(outcome.kernels), grouped(outcome.copies), grouped(outcome.attributions), growth);
}

}  // namespace prof::reports
