// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Databases that nvprof -o wrote, as records (docs/import.md). One thread.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "tools/import/nvprof/capture_facts.hpp"
#include "tools/import/nvprof/database.hpp"
#include "tools/import/nvprof/owner.hpp"
#include "tools/import/nvprof/tables.hpp"
#include "tools/import/registry.hpp"
#include "tools/import/tables/sqlite_signature.hpp"

namespace prof::importers {
namespace nvprof {
namespace {

/// Tables of facts, not of events: what a trace has a place for is read, the rest describes it.
constexpr std::string_view kFacts[] = {
    "StringTable",
    "Version",
    "CUPTI_ACTIVITY_KIND_CONTEXT",
    "CUPTI_ACTIVITY_KIND_DEVICE",
    "CUPTI_ACTIVITY_KIND_DEVICE_ATTRIBUTE",
    "CUPTI_ACTIVITY_KIND_FUNCTION",
    "CUPTI_ACTIVITY_KIND_MODULE",
    "CUPTI_ACTIVITY_KIND_NVLINK",
    "CUPTI_ACTIVITY_KIND_PCIE",
    "CUPTI_ACTIVITY_KIND_SOURCE_LOCATOR",
    "CUPTI_ACTIVITY_KIND_STREAM",
};

/// Tables of counters that nvprof measures (--metrics, --events).
constexpr std::string_view kCounters[] = {
    "CUPTI_ACTIVITY_KIND_METRIC", "CUPTI_ACTIVITY_KIND_METRIC_INSTANCE",
    "CUPTI_ACTIVITY_KIND_EVENT", "CUPTI_ACTIVITY_KIND_EVENT_INSTANCE"};

bool is_among(std::span<const std::string_view> tables, std::string_view table) {
  return std::ranges::find(tables, table) != tables.end();
}

class Import {
 public:
  Import(const Source& source, TableFile& file, TableTexts& texts, const Owner& owner,
         RecordSink& sink)
      : source_(source),
        file_(file),
        sink_(sink),
        builder_(sink, source.scratch_folder),
        target_{sink, builder_, texts, findings_, owner} {}

  Result<Imported> run() {
    sink_.on(DomainRecord{kDefaultDomain, {}});
    PROF_TRY(pass_capture_facts(file_, target_.texts, source_.process, sink_));
    PROF_TRY(read_rows());
    // Times count from the epoch.
    const auto built = builder_.finish(0);
    if (!built) return built.error();
    // One of several processes may have nothing but damaged rows: its trace says so.
    if (built->records == 0 && target_.owner.is_only()) return nothing_taken();
    if (target_.owner.is_first()) PROF_TRY(count_other_tables());
    findings_.report(sink_);
    sink_.on(MetaRecord{"ended", "stop"});
    PROF_TRY(sink_.status());
    const std::string warning = findings_.warning();
    return Imported{built->records, warning.empty() ? "" : source_.path + ": " + warning,
                    std::string(why_no_work())};
  }

 private:
  Status read_rows() {
    if (file_.has_unread(kTexts.name)) findings_.no_table(kTexts.name);
    for (const std::string_view table : read_tables()) {
      if (file_.has_unread(table)) findings_.no_table(table);
    }
    PROF_TRY(read_markers(file_, target_));
    const std::size_t tables = host_sources().size() + gpu_sources().size();
    std::size_t done = 0;
    for (const auto sources : {host_sources(), gpu_sources()}) {
      for (const RowSource& source : sources) {
        if (source_.position) source_.position(file_.bytes() / tables * done++);
        if (file_.has(source.table)) PROF_TRY(read_table(source));
      }
    }
    if (source_.position) source_.position(file_.bytes());
    return {};
  }

  Status read_table(const RowSource& table) {
    auto rows = file_.rows(table.table, table.columns, "");
    if (!rows) return rows.error();
    return take_rows(*rows, table.table, findings_,
                     [&](TableRows& row) { return table.take(row, target_); });
  }

  Status count_other_tables() {
    const std::vector<std::string_view> read = read_tables();
    for (const std::string_view table : file_.tables()) {
      if (is_among(read, table) || is_among(kFacts, table)) continue;
      const Result<std::uint64_t> rows = file_.count(table, "");
      if (!rows) return rows.error();
      if (*rows != 0) findings_.other_table(table, *rows);
    }
    return {};
  }

  [[nodiscard]] bool has_rows(std::span<const std::string_view> tables) {
    return std::ranges::any_of(tables, [this](std::string_view table) {
      const auto rows = file_.has(table) ? file_.count(table, "") : Result<std::uint64_t>(0);
      return rows && *rows != 0;
    });
  }

  [[nodiscard]] std::string_view why_no_work() {
    constexpr std::array kCalls = {kRuntimeCalls, kDriverCalls};
    return has_rows(kCalls) ? "its CUDA calls launched none, or the program was killed"
                            : "the program made no CUDA calls while nvprof recorded";
  }

  [[nodiscard]] Error nothing_taken() {
    if (findings_.damaged_rows() != 0) {
      return {"has no event that can be imported: " + findings_.damage(), source_.path, ""};
    }
    if (const std::string unread = findings_.unread(); !unread.empty()) {
      return {"has no event that can be imported: " + unread, source_.path, ""};
    }
    if (has_rows(kCounters)) {
      return {"has counters of kernels, but no times", source_.path,
              "record with nvprof -o FILE, without --metrics and --events"};
    }
    return {"has no events", source_.path,
            "the program made no CUDA call while nvprof recorded (with --profile-from-start off, "
            "it must call cudaProfilerStart)"};
  }

  const Source& source_;
  TableFile& file_;
  RecordSink& sink_;
  TraceBuilder builder_;
  Findings findings_;
  Target target_;
};

Result<std::vector<Process>> processes(const Source& source) {
  auto file = open_database(source.path);
  if (!file) return file.error();
  return find_processes(*file);
}

Result<Imported> import_database(const Source& source, RecordSink& sink) {
  auto file = open_database(source.path);
  if (!file) return file.error();
  auto texts = TableTexts::open(*file, kTexts);
  if (!texts) return texts.error();
  const auto owner = Owner::open(*file, source.process, source.all);
  if (!owner) return owner.error();
  return Import(source, *file, *texts, *owner, sink).run();
}

}  // namespace
}  // namespace nvprof

void register_nvprof_import(Registry& registry);
void register_nvprof_import(Registry& registry) {
  registry.add({.name = "nvprof",
                .help = "database of nvprof (nvprof -o FILE; PyProf's input)",
                .sniff = is_sqlite,
                .recognizes = nvprof::is_database,
                .processes = nvprof::processes,
                .read = nvprof::import_database});
}

}  // namespace prof::importers
