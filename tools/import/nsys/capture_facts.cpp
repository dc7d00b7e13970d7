// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/nsys/capture_facts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include "libprof/model/job.hpp"
#include "libprof/model/times.hpp"
#include "tools/import/nsys/export.hpp"
#include "tools/import/nsys/processes.hpp"

namespace prof::importers::nsys {
namespace {

/// More of them than any machine has, or texts longer than such facts have, are damage.
constexpr std::size_t kMaxDevices = 1024;
constexpr std::size_t kMaxTextBytes = 4096;
constexpr std::size_t kMaxFacts = 100'000;

/// Calls `take` for each row of a table, if the file has it.
template <typename Take>
Status each(TableFile& file, std::string_view table, std::span<const std::string_view> columns,
            Take take) {
  if (!file.has(table)) return {};
  auto rows = file.rows(table, columns, "");
  if (!rows) return rows.error();
  for (std::size_t n = 0; n < kMaxFacts && rows->next(); ++n) take(*rows);
  return rows->status();
}

/// Calls `take(name, value)` for each fact about the export itself.
template <typename Take>
Status each_export_fact(TableFile& file, Take take) {
  constexpr std::array<std::string_view, 2> kColumns = {"name", "value"};
  for (const std::string_view table : kFactsOfExport) {
    PROF_TRY(each(file, table, kColumns,
                  [&](TableRows& row) { take(row.text(0), std::string(row.text(1))); }));
  }
  return {};
}

std::string cuda_version(std::string_view text) {
  unsigned number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  if (number < 1000) return std::string(text);
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

class Facts {
 public:
  Facts(TableFile& file, const Process& process, RecordSink& sink)
      : file_(file), process_(process), sink_(sink) {}

  Status pass() {
    meta("imported_from", "nsys");
    if (process_.pid != 0) meta("pid", std::to_string(process_.pid));
    PROF_TRY(pass_versions());
    PROF_TRY(pass_machine());
    PROF_TRY(pass_program());
    PROF_TRY(pass_environment());
    return pass_devices();
  }

 private:
  void meta(std::string_view key, std::string_view value) {
    if (!value.empty() && value.size() <= kMaxTextBytes) sink_.on(MetaRecord{key, value});
  }

  Status pass_versions() {
    return each_export_fact(file_, [this](std::string_view name, std::string_view value) {
      if (name == "EXPORT_PRODUCT_VERSION") meta("nsys.version", value);
      if (name == "EXPORT_SCHEMA_VERSION") meta("nsys.schema_version", value);
    });
  }

  Status pass_machine() {
    constexpr std::array<std::string_view, 2> kColumns = {"name", "value"};
    return each(file_, "TARGET_INFO_SYSTEM_ENV", kColumns, [this](TableRows& row) {
      const std::string_view name = row.text(0);
      if (name == "Hostname") meta("host", row.text(1));
      if (name == "CudaDriverVersion") meta("cuda_driver_version", cuda_version(row.text(1)));
      if (name == "NvDriverVersion") meta("driver_version", row.text(1));
    });
  }

  Status pass_program() {
    constexpr std::array<std::string_view, 2> kColumns = {"globalPid", "name"};
    return each(file_, "PROCESSES", kColumns, [this](TableRows& row) {
      const std::uint64_t id = process_of(row.integer(0).value_or(0));
      const bool is_ours =
          process_.id == kAllRows ? low_bits(id) == process_.pid : id == process_.id;
      if (process_.pid != 0 && is_ours) meta("executable", row.text(1));
    });
  }

  /// The place in a distributed job is in the environment of what nsys launched: it is that of a
  /// process only if there is no other.
  Status pass_environment() {
    constexpr std::array<std::string_view, 2> kColumns = {"name", "value"};
    if (process_.id != kAllRows) return {};
    return each(file_, "META_DATA_CAPTURE", kColumns, [this](TableRows& row) {
      if (!row.text(0).ends_with(":ENVIRONMENT_VARIABLE")) return;
      const std::string_view text = row.text(1);
      const std::size_t equals = text.find('=');
      if (equals == std::string_view::npos) return;
      const std::string_view name = text.substr(0, equals);
      const bool is_of_job = std::ranges::any_of(
          kJobVariables, [&](const JobVariable& variable) { return name == variable.name; });
      std::string_view value = text.substr(equals + 1);
      if (value.size() >= 2 && value.starts_with('"') && value.ends_with('"')) {
        value = value.substr(1, value.size() - 2);
      }
      if (is_of_job) meta("env." + std::string(name), value);
    });
  }

  /// The process's numbers of GPUs, by nsys's; empty in versions without them.
  Result<std::map<std::int64_t, std::int64_t>> cuda_numbers() {
    constexpr std::array<std::string_view, 3> kColumns = {"gpuId", "cudaId", "pid"};
    std::map<std::int64_t, std::int64_t> numbers;
    const Status status = each(file_, "TARGET_INFO_CUDA_DEVICE", kColumns, [&](TableRows& row) {
      const auto gpu = row.integer(0);
      const auto cuda = row.integer(1);
      const auto pid = row.integer(2).value_or(0);
      const bool is_ours = static_cast<std::uint64_t>(pid) == process_.pid;
      if (gpu && cuda && is_ours && numbers.size() < kMaxDevices) numbers[*gpu] = *cuda;
    });
    if (!status) return status.error();
    return numbers;
  }

  Status pass_devices() {
    constexpr std::array<std::string_view, 11> kColumns = {
        "id",          "cuDevice",        "name",        "uuid",         "smCount",     "clockRate",
        "totalMemory", "memoryBandwidth", "l2CacheSize", "computeMajor", "computeMinor"};
    const auto numbers = cuda_numbers();
    if (!numbers) return numbers.error();
    std::size_t devices = 0;
    return each(file_, "TARGET_INFO_GPU", kColumns, [&](TableRows& row) {
      const std::int64_t gpu = row.integer(0).value_or(0);
      const auto known = numbers->find(gpu);
      if ((!numbers->empty() && known == numbers->end()) || ++devices > kMaxDevices) return;
      DeviceRecord record;
      record.device = static_cast<std::uint32_t>(numbers->empty() ? row.integer(1).value_or(gpu)
                                                                  : known->second);
      record.name = row.text(2);
      std::string uuid(row.text(3));
      const bool is_bare = !uuid.empty() && !uuid.starts_with("GPU-") && !uuid.starts_with("MIG-");
      if (is_bare) uuid.insert(0, "GPU-");
      record.uuid = uuid;
      record.sm_count = row.number32(4).value_or(0);
      record.core_clock_khz = static_cast<std::uint32_t>(row.integer(5).value_or(0) / 1000);
      record.memory_bytes = static_cast<std::uint64_t>(row.integer(6).value_or(0));
      record.memory_bandwidth_bytes_per_s = static_cast<std::uint64_t>(row.integer(7).value_or(0));
      record.l2_bytes = row.number32(8).value_or(0);
      record.compute_major = row.number32(9).value_or(0);
      record.compute_minor = row.number32(10).value_or(0);
      sink_.on(record);
    });
  }

  TableFile& file_;
  const Process& process_;
  RecordSink& sink_;
};

}  // namespace

Status pass_capture_facts(TableFile& file, const Process& process, RecordSink& sink) {
  return Facts(file, process, sink).pass();
}

Result<std::int64_t> base_ns(TableFile& file) {
  constexpr std::array<std::string_view, 1> kStarts = {"utcEpochNs"};
  bool has_epoch_times = false;
  std::int64_t shift_ns = 0;
  PROF_TRY(each_export_fact(file, [&](std::string_view name, const std::string& value) {
    if (name == "EXPORT_PARAM_TIME_NORMALIZE") has_epoch_times = value == "true";
    if (name == "EXPORT_PARAM_TIME_SHIFT") {
      std::from_chars(value.data(), value.data() + value.size(), shift_ns);
    }
  }));
  std::optional<std::int64_t> start_ns;
  PROF_TRY(each(file, "TARGET_INFO_SESSION_START_TIME", kStarts, [&](TableRows& row) {
    if (!start_ns) start_ns = row.integer(0);
  }));
  return difference_of_times(has_epoch_times ? 0 : start_ns.value_or(0), shift_ns);
}

Result<std::map<std::int64_t, std::string>> overhead_words(TableFile& file) {
  constexpr std::array<std::string_view, 2> kColumns = {"id", "name"};
  constexpr std::string_view kPrefix = "OVERHEAD_";
  constexpr std::size_t kMaxWords = 1000;
  std::map<std::int64_t, std::string> words;
  const Status status = each(file, "ENUM_CUPTI_OVERHEAD_TYPE", kColumns, [&](TableRows& row) {
    const auto id = row.integer(0);
    std::string_view word = row.text(1);
    if (word.starts_with(kPrefix)) word.remove_prefix(kPrefix.size());
    if (word == "UNDEFINED" || word == "UNKNOWN") return;
    if (id && !word.empty() && words.size() < kMaxWords) words[*id] = word.substr(0, 64);
  });
  if (!status) return status.error();
  return words;
}

}  // namespace prof::importers::nsys
