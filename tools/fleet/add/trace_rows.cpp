// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/fleet/add/trace_rows.hpp"

#define XXH_INLINE_ALL
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "tools/report/ranks/find_rank_waits.hpp"
#include "tools/report/rows/reading.hpp"
#include "tools/report/rows/row_input.hpp"

namespace prof::fleet {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{8} << 20;

/// Writes a report's lines as a table's rows.
class StoredRows final : public reports::RowSink {
 public:
  StoredRows(const FleetTable& table, std::string_view run, std::uint64_t attempt,
             const TakeRows& take)
      : table_(table), run_(run), attempt_(attempt), take_(take) {}

  bool row(std::span<const reports::Cell> cells) override {
    begins_.push_back(rows_.bytes().size());
    rows_.add_number(attempt_);
    rows_.add_text(run_);
    const std::size_t keys = row_keys().size();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      rows_.add_cell(cells[i], table_.columns[keys + i].type);
    }
    ++count_;
    if (rows_.bytes().size() >= kBlockBytes) flush();
    return status_.ok();
  }
  void total(std::span<const reports::Cell> /*cells*/) override {}
  void flush() {
    if (status_ && !rows_.bytes().empty()) {
      status_ = take_(table_, {rows_.bytes(), std::exchange(begins_, {})});
    }
    rows_.clear();
  }
  [[nodiscard]] const Status& status() const { return status_; }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  const FleetTable& table_;
  std::string_view run_;
  std::uint64_t attempt_;
  const TakeRows& take_;
  RowBinary rows_;
  std::vector<std::size_t> begins_;
  std::uint64_t count_ = 0;
  Status status_;
};

struct Source {
  const TraceSet& traces;
  reports::Reading& reading;
  reports::FindRankWaits find_waits;
};

/// All rows of the tables of a kind.
Result<std::uint64_t> make_rows(const Source& source, bool is_of_run, std::string_view run,
                                std::uint64_t attempt, const TakeRows& take) {
  std::uint64_t count = 0;
  const reports::RowFilter everything;
  for (const FleetTable& table : fleet_tables()) {
    if (table.report == nullptr || table.is_of_run != is_of_run) continue;
    reports::Tally tally;
    const reports::RowInput input{source.traces, source.reading, everything, tally,
                                  source.find_waits};
    StoredRows rows(table, run, attempt, take);
    PROF_TRY(table.report->run(input, {.columns = table.cells}, rows));
    rows.flush();
    if (!rows.status()) return rows.status().error();
    count += rows.count();
  }
  for (const TraceMember& trace : source.traces.members()) PROF_TRY(trace.reader.status());
  return count;
}

std::string hex(const XXH128_hash_t& hash) {
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace

Result<std::string> content_id(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Error{std::strerror(errno), path, {}};
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       XXH3_freeState);
  XXH3_128bits_reset(state.get());
  std::vector<char> block(std::size_t{1} << 20);
  ssize_t size = 0;
  while ((size = read(file, block.data(), block.size())) > 0) {
    XXH3_128bits_update(state.get(), block.data(), static_cast<std::size_t>(size));
  }
  const int error = errno;
  close(file);
  if (size < 0) return Error{std::strerror(error), path, {}};
  return hex(XXH3_128bits_digest(state.get()));
}

std::string joint_id(std::vector<std::string> ids) {
  std::ranges::sort(ids);
  std::string text;
  for (const std::string& id : ids) text += id;
  return hex(XXH3_128bits(text.data(), text.size()));
}

Subject subject_of(const TraceMember& trace, std::string id, const RunWords& words) {
  const TraceIdentity& identity = trace.identity;
  Subject subject{.id = std::move(id), .run = words.run};
  if (subject.run.empty()) subject.run = identity.run;
  // A program without a launcher is a run of its own.
  if (subject.run.empty()) subject.run = subject.id.substr(0, 12);
  if (identity.rank) subject.rank = *identity.rank;
  if (identity.world_size) subject.world_size = *identity.world_size;
  subject.host = identity.host;
  const auto& devices = trace.reader.devices();
  if (!devices.empty()) subject.gpu = devices.front().name;
  subject.program = trace.reader.meta("command_line");
  std::error_code error;
  subject.file = std::filesystem::absolute(trace.reader.path(), error).string();
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t seconds = trace.reader.start_realtime_ns() / kSecond;
  subject.began = static_cast<std::uint32_t>(std::clamp<std::int64_t>(seconds, 0, UINT32_MAX));
  return subject;
}

void TableRows::set_attempt(std::uint64_t attempt) {
  for (const std::size_t begin : begins)
    std::memcpy(bytes.data() + begin, &attempt, sizeof attempt);
}

Result<TraceRows> rows_of_trace(const TraceSet& trace, Subject subject) {
  TraceRows made{.subject = std::move(subject), .tables = {}};
  reports::Reading reading(reports::attribute_by_analyzers({}), reports::Reading::Keeps::kTimelines,
                           trace.size());
  const Source source{trace, reading, {}};
  const Result<std::uint64_t> rows =
      make_rows(source, false, made.subject.run, 0,
                [&](const FleetTable& table, const TableRows& block) -> Status {
                  TableRows& all = made.tables[table.name];
                  for (const std::size_t begin : block.begins) {
                    all.begins.push_back(all.bytes.size() + begin);
                  }
                  all.bytes += block.bytes;
                  return {};
                });
  if (!rows) return rows.error();
  made.rows = *rows;
  return made;
}

Result<std::uint64_t> rows_of_run(const TraceSet& traces, const std::string& run,
                                  std::uint64_t attempt, const TakeRows& take) {
  reports::Reading reading(reports::attribute_by_analyzers({}), reports::Reading::Keeps::kNothing,
                           traces.size());
  const Source source{traces, reading, reports::find_rank_waits(traces, reading)};
  return make_rows(source, true, run, attempt, take);
}

}  // namespace prof::fleet
