// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/fleet/add/add_traces.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "tools/fleet/add/trace_queue.hpp"
#include "tools/fleet/store/tab_separated.hpp"

namespace prof::fleet {
namespace {

// ClickHouse makes a part of each insert, and prefers few.
constexpr std::uint64_t kBatchTraces = 64;
constexpr std::size_t kBatchBytes = std::size_t{16} << 20;

/// Unique, and later ones are greater.
class Attempts {
 public:
  std::uint64_t next() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
    // Microseconds until 2112, and 12 bits that distinguish processes that begin in the same one.
    const std::uint64_t attempt =
        (static_cast<std::uint64_t>(us) << 12U) | (random_bits() & 0xfffU);
    last_ = std::max(attempt, last_ + 1);
    return last_;
  }

 private:
  // Not std::random_device, which needs a newer C library than RHEL 9's (cmake/shipped.cmake).
  static std::uint32_t random_bits() {
    std::uint32_t bits = 0;
    // So few bytes are there at once, or never; then the clock alone distinguishes attempts.
    if (getrandom(&bits, sizeof bits, 0) != sizeof bits) bits = 0;
    return bits;
  }

  std::uint64_t last_ = 0;
};

std::uint32_t seconds_now() {
  return static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::seconds>(
                                        std::chrono::system_clock::now().time_since_epoch())
                                        .count());
}

/// A row of `added` for each, in RowBinary.
struct Noted {
  Subject subject;
  std::uint64_t attempt = 0, rows = 0;
};
std::string added_rows(std::span<const Noted> noted, const RunWords& words) {
  RowBinary rows;
  const std::uint32_t now = seconds_now();
  const auto label = [&](std::string_view key, const std::string& word) {
    if (!word.empty()) return word;
    const std::string begin = std::string(key) + "=";
    const auto found = std::ranges::find_if(
        words.labels, [&](const std::string& one) { return one.starts_with(begin); });
    return found == words.labels.end() ? std::string() : found->substr(begin.size());
  };
  for (const auto& [subject, attempt, count] : noted) {
    rows.add_number(attempt);
    rows.add_text(subject.run);
    rows.add_text(subject.id);
    rows.add_number(static_cast<std::uint8_t>(subject.is_run));
    rows.add_number(subject.ranks);
    rows.add_nullable(subject.rank);
    rows.add_nullable(subject.world_size);
    rows.add_text(subject.host);
    rows.add_text(subject.gpu);
    rows.add_text(label("job", words.job));
    rows.add_text(label("commit", words.commit));
    rows.add_text(subject.program);
    rows.add_text(subject.file);
    rows.add_texts(words.labels);
    rows.add_number(subject.began);
    rows.add_number(now);
    rows.add_number(count);
  }
  return rows.bytes();
}

Status insert(Store& store, std::string_view table, std::string_view rows) {
  if (rows.empty()) return {};
  return store.engine().insert(store.insertion(table), rows);
}

/// Makes the rows of these traces count from now on. Noted twice is noted once: the attempt is the
/// same.
Status note(Store& store, std::span<const Noted> noted, const RunWords& words) {
  const std::string rows = added_rows(noted, words);
  return with_attempts(store.engine(), [&] { return insert(store, kAdded, rows); });
}

/// Several traces whose rows are inserted together.
class Batch {
 public:
  void add(TraceRows trace) {
    for (const auto& [table, rows] : trace.tables) bytes_ += rows.bytes.size();
    traces_.push_back(std::move(trace));
  }
  [[nodiscard]] bool is_full() const {
    return traces_.size() >= kBatchTraces || bytes_ >= kBatchBytes;
  }
  Status insert_into(Store& store, Attempts& attempts, const RunWords& words, Added& added) {
    if (traces_.empty()) return {};
    std::vector<Noted> noted;
    PROF_TRY(with_attempts(store.engine(), [&] { return insert_once(store, attempts, noted); }));
    PROF_TRY(note(store, noted, words));
    added.traces += noted.size();
    for (const Noted& one : noted) added.rows += one.rows;
    *this = {};
    return {};
  }

 private:
  Status insert_once(Store& store, Attempts& attempts, std::vector<Noted>& noted) {
    noted.clear();
    std::map<std::string_view, std::string> tables;
    for (TraceRows& trace : traces_) {
      noted.push_back({trace.subject, attempts.next(), trace.rows});
      for (auto& [table, rows] : trace.tables) {
        rows.set_attempt(noted.back().attempt);
        tables[table] += rows.bytes;
      }
    }
    for (const auto& [table, rows] : tables) PROF_TRY(insert(store, table, rows));
    return {};
  }

  std::vector<TraceRows> traces_;
  std::size_t bytes_ = 0;
};

/// The run of each subject in the store.
using RunsOfSubjects = std::unordered_map<std::string, std::string>;
Result<RunsOfSubjects> subjects_in(Store& store) {
  RunsOfSubjects found;
  PROF_TRY(
      read_rows(store.engine(),
                fmt::format("SELECT subject, argMin(run, attempt) AS run FROM {} GROUP BY subject",
                            store.table(kAdded)),
                [&](std::span<const TabCell> cells) {
                  found.emplace(cells[0].text, cells[1].text);
                  return true;
                }));
  return found;
}

/// Traces of a run, which are compared with each other.
struct RunOfTraces {
  std::vector<std::string> paths, ids;
  Subject first;
};

class Adding {
 public:
  Adding(Store& store, const AddOptions& options) : store_(store), options_(options) {}

  Result<Added> add(std::span<const std::string> paths, const AddProgress& progress);

 private:
  ReadTrace read(const std::string& path);
  ReadTrace read_or_fail(const std::string& path);
  Status insert_batch(Batch& batch) {
    return batch.insert_into(store_, attempts_, options_.words, added_);
  }
  Status add_run(const std::string& run, const RunOfTraces& traces);

  Store& store_;
  const AddOptions& options_;
  RunsOfSubjects there_;
  Attempts attempts_;
  Added added_;
};

/// On a reader's thread.
ReadTrace Adding::read(const std::string& path) {
  ReadTrace trace{.path = path, .subject = {}, .rows = {}, .error = {}};
  Result<std::string> id = content_id(path);
  if (!id) {
    trace.error = id.error();
    return trace;
  }
  const auto opened = TraceSet::open(std::span(&path, 1));
  if (!opened) {
    trace.error = opened.error();
    return trace;
  }
  const auto known = there_.find(*id);
  trace.is_there = known != there_.end();
  trace.subject = subject_of(opened->members().front(), std::move(*id), options_.words);
  if (trace.is_there) {
    trace.subject.run = known->second;
    return trace;
  }
  Result<TraceRows> rows = rows_of_trace(*opened, trace.subject);
  if (rows) {
    trace.rows = std::move(*rows);
  } else {
    trace.error = rows.error();
  }
  return trace;
}

/// A trace for which memory does not suffice keeps none of the others from the store.
ReadTrace Adding::read_or_fail(const std::string& path) {
  try {
    return read(path);
  } catch (const std::exception& error) {
    return {.path = path, .subject = {}, .rows = {}, .error = Error{error.what(), path, {}}};
  }
}

Result<Added> Adding::add(std::span<const std::string> paths, const AddProgress& progress) {
  auto there = subjects_in(store_);
  if (!there) return there.error();
  there_ = std::move(*there);
  std::map<std::string, RunOfTraces> runs;
  std::unordered_set<std::string> taken;
  {
    TraceQueue queue(paths, options_.threads,
                     [this](const std::string& path) { return read_or_fail(path); });
    Batch batch;
    std::uint64_t done = 0;
    while (!added_.is_interrupted) {
      std::optional<ReadTrace> trace = queue.next();
      if (!trace) break;
      added_.is_interrupted = !progress(++done, paths.size());
      if (trace->error) {
        added_.left_out.push_back(std::move(*trace->error));
        continue;
      }
      const bool is_new = taken.insert(trace->subject.id).second;
      if (is_new) {
        RunOfTraces& run = runs[trace->subject.run];
        run.paths.push_back(trace->path);
        run.ids.push_back(trace->subject.id);
        if (run.paths.size() == 1) run.first = trace->subject;
      }
      if (trace->is_there || !is_new) {
        ++added_.there;
        continue;
      }
      batch.add(std::move(*trace->rows));
      if (batch.is_full()) PROF_TRY(insert_batch(batch));
    }
    PROF_TRY(insert_batch(batch));
  }
  if (added_.is_interrupted) return std::move(added_);
  for (const auto& [run, traces] : runs) {
    if (traces.paths.size() > 1) PROF_TRY(add_run(run, traces));
  }
  return std::move(added_);
}

Status Adding::add_run(const std::string& run, const RunOfTraces& traces) {
  Subject subject = traces.first;
  subject.id = joint_id(traces.ids);
  if (there_.contains(subject.id)) return {};
  subject.is_run = true;
  subject.ranks = static_cast<std::uint32_t>(traces.paths.size());
  subject.rank = std::nullopt;
  subject.file.clear();
  std::vector<std::string> paths = traces.paths;
  std::ranges::sort(paths);
  const auto opened = TraceSet::open(paths);
  if (!opened) return opened.error();
  std::optional<Error> unreadable;
  Noted noted{.subject = std::move(subject)};
  PROF_TRY(with_attempts(store_.engine(), [&]() -> Status {
    noted.attempt = attempts_.next();
    Status inserted;
    const Result<std::uint64_t> rows = rows_of_run(
        *opened, run, noted.attempt, [&](const FleetTable& table, const TableRows& block) {
          inserted = insert(store_, table.name, block.bytes);
          return inserted;
        });
    if (inserted && !rows) unreadable = rows.error();
    if (rows) noted.rows = *rows;
    return inserted;
  }));
  if (unreadable) {
    added_.left_out.push_back(*std::move(unreadable));
    return {};
  }
  PROF_TRY(note(store_, std::span(&noted, 1), options_.words));
  ++added_.runs;
  added_.rows += noted.rows;
  return {};
}

}  // namespace

Result<Added> add_traces(Store& store, std::span<const std::string> paths,
                         const AddOptions& options, const AddProgress& progress) {
  return Adding(store, options).add(paths, progress);
}

}  // namespace prof::fleet
