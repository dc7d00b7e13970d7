// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Imports what Nsight Systems exports as SQLite (docs/import.md).
#include <algorithm>
#include <string>
#include <string_view>

#include "tools/import/nsys/capture_facts.hpp"
#include "tools/import/nsys/export.hpp"
#include "tools/import/nsys/processes.hpp"
#include "tools/import/nsys/row_source.hpp"
#include "tools/import/registry.hpp"
#include "tools/import/tables/sqlite_signature.hpp"

namespace prof::importers {
namespace nsys {
namespace {

/// Tables of facts, not of events: what a trace has a place for is read, the rest describes it.
constexpr std::string_view kFacts[] = {
    "ENUM_",     "META_DATA_", "TARGET_INFO_",   "ANALYSIS_", "NVTX_PAYLOAD_",   "sqlite_",
    "StringIds", "PROCESSES",  "ProcessStreams", "EXPORT_",   "CUDA_CALLCHAINS", "MODULES"};

bool is_of_facts(std::string_view table) {
  return std::ranges::any_of(kFacts,
                             [&](std::string_view begin) { return table.starts_with(begin); });
}

class Import {
 public:
  Import(const Source& source, TableFile& file, TableTexts& texts, RecordSink& sink)
      : source_(source),
        file_(file),
        share_(source.process, source.all),
        sink_(sink),
        builder_(sink, source.scratch_folder),
        payloads_(sink),
        kernel_names_(texts, builder_),
        target_{sink, builder_, texts, findings_, messages_, payloads_, kernel_names_} {}

  Result<Imported> run() {
    sink_.on(DomainRecord{kDefaultDomain, {}});
    PROF_TRY(pass_capture_facts(file_, source_.process, sink_));
    auto words = overhead_words(file_);
    if (!words) return words.error();
    target_.overheads = std::move(*words);
    PROF_TRY(read_tables());
    // One of several processes may have nothing but damaged rows: its trace says so.
    if (target_.taken == 0 && source_.process.id == kAllRows) return nothing_taken();
    for (const auto& [number, is_defined] : target_.domains) {
      if (!is_defined) sink_.on(DomainRecord{DomainId{number + 1}, {}});
    }
    const Result<std::int64_t> base = base_ns(file_);
    if (!base) return base.error();
    const auto built = builder_.finish(*base);
    if (!built) return built.error();
    PROF_TRY(count_other_tables());
    if (target_.mpi_rank) {
      sink_.on(MetaRecord{"mpi_rank", std::to_string(*target_.mpi_rank)});
    }
    findings_.report(sink_);
    messages_.report(sink_);
    sink_.on(MetaRecord{"ended", "stop"});
    PROF_TRY(sink_.status());
    const std::string warning = findings_.warning();
    return Imported{built->records, warning.empty() ? "" : source_.path + ": " + warning,
                    why_no_cuda()};
  }

 private:
  Status read_tables() {
    const std::vector<RowSource> sources = all_sources();
    if (file_.has_unread("StringIds")) findings_.no_table("StringIds");
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (file_.has(sources[i].table)) PROF_TRY(read_table(sources[i]));
      if (file_.has_unread(sources[i].table)) findings_.no_table(sources[i].table);
      if (source_.position) source_.position(file_.bytes() / sources.size() * i);
    }
    if (source_.position) source_.position(file_.bytes());
    return {};
  }

  Status read_table(const RowSource& table) {
    const std::string_view column = file_.has(table.table, table.process) ? table.process : "";
    auto rows = file_.rows(table.table, table.columns, share_.condition(table.kind, column));
    if (!rows) return rows.error();
    PROF_TRY(take_rows(*rows, table.table, findings_,
                       [&](TableRows& row) { return table.take(row, target_); }));
    return count_lost(table, column);
  }

  Status count_lost(const RowSource& table, std::string_view column) {
    if (!Share::loses(table.kind) || !share_.is_first() || column.empty()) return {};
    const Result<std::uint64_t> rows = file_.count(table.table, share_.lost(column));
    if (!rows) return rows.error();
    if (*rows != 0) findings_.other_process(table.table, *rows);
    return {};
  }

  Status count_other_tables() {
    const std::vector<RowSource> sources = all_sources();
    for (const std::string_view table : file_.tables()) {
      const bool is_read = std::ranges::find(sources, table, &RowSource::table) != sources.end();
      if (is_read || is_of_facts(table)) continue;
      const Result<std::uint64_t> rows =
          file_.count(table, share_.condition(RowKind::kUnread, process_column(table)));
      if (!rows) return rows.error();
      if (*rows != 0) findings_.other_table(table, *rows);
    }
    return {};
  }

  /// The column that names the process, in a table that is not read; empty: there is none.
  [[nodiscard]] std::string_view process_column(std::string_view table) const {
    for (const std::string_view column : {"globalTid", "globalPid"}) {
      if (file_.has(table, column)) return column;
    }
    return "";
  }

  [[nodiscard]] Error nothing_taken() const {
    if (findings_.damaged_rows() != 0) {
      return {"has no event that can be imported: " + findings_.damage(), source_.path, ""};
    }
    if (const std::string unread = findings_.unread(); !unread.empty()) {
      return {"has no event that can be imported: " + unread, source_.path, ""};
    }
    constexpr std::string_view kNothing =
        "has neither CUDA nor NVTX events, nor calls of the operating system";
    if (const std::string why = why_no_cuda(); !why.empty()) {
      return {std::string(kNothing).append("; ").append(why), source_.path, ""};
    }
    return {std::string(kNothing), source_.path, "record with nsys profile --trace=cuda,nvtx"};
  }

  [[nodiscard]] std::string why_no_cuda() const {
    const std::string said = messages_.about_cuda();
    return said.empty() ? said : std::string("nsys says: ").append(said);
  }

  const Source& source_;
  TableFile& file_;
  Share share_;
  RecordSink& sink_;
  TraceBuilder builder_;
  Findings findings_;
  Messages messages_;
  JsonPayloads payloads_;
  KernelNames kernel_names_;
  Target target_;
};

Result<std::vector<Process>> processes(const Source& source) {
  auto file = open_export(source.path);
  if (!file) return file.error();
  return find_processes(*file);
}

Result<Imported> import_export(const Source& source, RecordSink& sink) {
  auto file = open_export(source.path);
  if (!file) return file.error();
  auto texts = TableTexts::open(*file, kTexts);
  if (!texts) return texts.error();
  return Import(source, *file, *texts, sink).run();
}

}  // namespace
}  // namespace nsys

void register_nsys_import(Registry& registry);
void register_nsys_import(Registry& registry) {
  registry.add({.name = "nsys",
                .help = "export of Nsight Systems (nsys export --type sqlite)",
                .sniff = is_sqlite,
                .processes = nsys::processes,
                .read = nsys::import_export});
}

}  // namespace prof::importers
