// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/read/trace_set.hpp"

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "libprof/model/job.hpp"
#include "libprof/model/times.hpp"

namespace prof {
namespace {

namespace fs = std::filesystem;

/// The last `parts` components of a path; fewer if it has fewer.
std::string tail(const fs::path& path, std::size_t parts) {
  const auto all = static_cast<std::size_t>(std::distance(path.begin(), path.end()));
  auto at = path.begin();
  std::advance(at, all - std::min(all, parts));
  fs::path result;
  for (; at != path.end(); ++at) result /= *at;
  return result.string();
}

/// The shortest distinct suffixes of the paths.
std::vector<std::string> distinct_names(const std::vector<TraceMember>& members) {
  std::vector<fs::path> paths;
  std::size_t longest = 1;
  for (const TraceMember& member : members) {
    std::error_code ignored;  // without a current folder the path stays unchanged
    const fs::path absolute = fs::absolute(member.reader.path(), ignored);
    paths.push_back((ignored ? fs::path(member.reader.path()) : absolute).lexically_normal());
    const auto parts = std::distance(paths.back().begin(), paths.back().end());
    longest = std::max(longest, static_cast<std::size_t>(parts));
  }
  std::vector<std::string> names(paths.size());
  std::vector<std::size_t> open(paths.size());  // those without a name so far
  for (std::size_t i = 0; i < open.size(); ++i) open[i] = i;
  for (std::size_t parts = 1; parts <= longest && !open.empty(); ++parts) {
    std::map<std::string, std::size_t> uses;
    for (const std::size_t i : open) ++uses[names[i] = tail(paths[i], parts)];
    std::erase_if(open, [&](std::size_t i) { return uses[names[i]] == 1; });
  }
  // Through links, equal paths may lead to two files.
  for (const std::size_t i : open) names[i] = members[i].reader.path();
  return names;
}

/// A trace's records of its host's clocks.
struct Clocks {
  std::string boot;  // empty: unknown
  std::int64_t realtime_ns = 0;
  std::optional<std::int64_t> monotonic_ns;  // at the trace's start
};

Result<Clocks> clocks_of(TraceReader& reader) {
  Clocks clocks{reader.meta("boot_id"), reader.start_realtime_ns(), std::nullopt};
  const auto syncs = reader.clock_syncs();
  const ClockSyncRecord* const sync = syncs->next();
  if (const Status status = syncs->status(); !status) return status.error();
  if (sync == nullptr || sync->monotonic_ns == 0) return clocks;
  const std::int64_t since_start = difference_of_times(sync->realtime_ns, clocks.realtime_ns);
  clocks.monotonic_ns = difference_of_times(sync->monotonic_ns, since_start);
  return clocks;
}

/// Whether two starts are comparable by the monotonic clock.
bool share_monotonic(const Clocks& a, const Clocks& b) {
  return !a.boot.empty() && a.boot == b.boot && a.monotonic_ns && b.monotonic_ns;
}

/// Starts on one axis per host: those of one boot by their distance from the boot's earliest.
std::vector<std::int64_t> starts_of(const std::vector<Clocks>& clocks) {
  std::vector<std::int64_t> starts;
  for (const Clocks& own : clocks) {
    const Clocks* first = &own;
    for (const Clocks& other : clocks) {
      if (share_monotonic(own, other) && *other.monotonic_ns < *first->monotonic_ns) first = &other;
    }
    const std::int64_t later =
        first == &own ? 0 : difference_of_times(*own.monotonic_ns, *first->monotonic_ns);
    starts.push_back(sum_of_times(first->realtime_ns, later));
  }
  return starts;
}

Result<std::unique_ptr<TraceReader>> readable_trace(const std::string& path) {
  Result<std::unique_ptr<TraceReader>> reader = TraceReader::open(path);
  if (!reader) return reader;
  if (const auto clocks = clocks_of(**reader); !clocks) return clocks.error();
  return reader;
}

/// All traces are open together, with a few files each; shells allow 1,024 unless a program raises
/// the limit.
void allow_open_files() {
  struct rlimit limit {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

Result<TraceSet> TraceSet::open(std::span<const std::string> paths, std::size_t base) {
  if (paths.size() > 1) allow_open_files();
  TraceSet set;
  std::map<std::pair<dev_t, ino_t>, std::string> seen;
  for (const std::string& path : paths) {
    if (set.size() == base) seen.clear();
    struct stat info {};
    const bool is_there = stat(path.c_str(), &info) == 0;
    Result<std::unique_ptr<TraceReader>> reader = readable_trace(path);
    if (!reader) {
      if (!is_there || base > 0) return reader.error();
      set.left_out_.push_back(reader.error());
      continue;
    }
    if (is_there) {
      const auto [first, is_new] = seen.try_emplace({info.st_dev, info.st_ino}, path);
      if (!is_new) {
        return Error{
            first->second == path ? "is given twice" : "is the same file as " + first->second, path,
            "name each trace once"};
      }
    }
    set.owned_.push_back(std::move(*reader));
    set.members_.push_back({*set.owned_.back(), {}});
  }
  if (set.members_.empty() && !set.left_out_.empty()) return set.left_out_.front();
  PROF_TRY(set.identify());
  return set;
}

Result<TraceSet> TraceSet::of(std::span<TraceReader* const> readers) {
  TraceSet set;
  for (TraceReader* const reader : readers) set.members_.push_back({*reader, {}});
  PROF_TRY(set.identify());
  return set;
}

Status TraceSet::identify() {
  const std::vector<std::string> names = distinct_names(members_);
  std::vector<Clocks> clocks;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    TraceReader& reader = members_[i].reader;
    TraceIdentity& identity = members_[i].identity;
    const Job job =
        job_of([&](const char* variable) { return reader.meta(std::string("env.") + variable); });
    const std::string mpi_rank = reader.meta("mpi_rank");
    const auto rank = mpi_rank.empty() ? job.rank : job_number(mpi_rank);
    identity = {names[i], rank, job.local_rank, job.world_size, reader.meta("host"), job.run, 0};
    Result<Clocks> own = clocks_of(reader);
    if (!own) return own.error();
    clocks.push_back(std::move(*own));
  }
  hosts_.resize(members_.size());
  for (std::size_t i = 0; i < members_.size(); ++i) {
    hosts_[i] = i;
    for (std::size_t j = 0; j < i; ++j) {
      const std::string& host = members_[i].identity.host;
      const bool same_host = !host.empty() && host == members_[j].identity.host;
      const bool same_boot = !clocks[i].boot.empty() && clocks[i].boot == clocks[j].boot;
      if (!same_host && !same_boot) continue;
      // Hosts that seemed to be two may be one: containers on a machine have names of their own.
      const auto [kept, merged] = std::minmax({hosts_[i], hosts_[j]});
      std::ranges::replace(hosts_.begin(), hosts_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                           merged, kept);
    }
  }
  const std::vector<std::int64_t> starts = starts_of(clocks);
  for (std::size_t i = 0; i < members_.size(); ++i) {
    std::int64_t earliest = starts[i];
    for (std::size_t j = 0; j < members_.size(); ++j) {
      if (comparable(i, j)) earliest = std::min(earliest, starts[j]);
    }
    members_[i].identity.offset_ns = difference_of_times(starts[i], earliest);
  }
  return {};
}

}  // namespace prof
