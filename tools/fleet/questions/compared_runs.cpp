// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/fleet/questions/compared_runs.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <utility>

#include "libprof/base/count_text.hpp"
#include "tools/common/words.hpp"
#include "tools/fleet/store/tab_separated.hpp"

namespace prof::fleet {
namespace {

/// Who has traces. Of a program without a launcher there is one rank.
constexpr const char* kSelect = R"(
SELECT traces, ranks, gpus, length(missing) AS missing_ranks,
       arrayStringConcat(arrayMap(one -> toString(one), arraySlice(missing, 1, 8)), ', ') AS first
FROM (SELECT count() AS traces, uniqExact(ifNull(rank, toInt64(attempt))) AS there,
             greatest(there, toUInt64(ifNull(max(world_size), 0))) AS ranks,
             arrayStringConcat(arraySort(groupUniqArray(gpu)), ', ') AS gpus,
             groupUniqArray(ifNull(rank, toInt64(0))) AS known,
             arrayFilter(one -> NOT has(known, toInt64(one)), range(ranks)) AS missing
      FROM {added}
      WHERE is_run = 0))";

struct ComparedRun {
  std::string name, gpus, missing;
  std::uint64_t ranks = 0, missing_ranks = 0;
};

Result<ComparedRun> read_run(Store& store, const std::string& name) {
  ComparedRun run;
  run.name = name;
  std::string traces = "0";
  PROF_TRY(read_rows(store.engine(), store.expand(kSelect, runs_named(std::span(&name, 1))),
                     [&](std::span<const TabCell> row) {
                       traces = row[0].text;
                       run.ranks = tools::parse_number<std::uint64_t>(row[1].text).value_or(0);
                       run.gpus = row[2].text;
                       run.missing_ranks =
                           tools::parse_number<std::uint64_t>(row[3].text).value_or(0);
                       run.missing = row[4].text;
                       return true;
                     }));
  if (traces != "0") return run;
  return Error{"no such run is in the store", name, "prof-fleet runs STORE lists them"};
}

}  // namespace

Result<std::vector<std::string>> differences_of_runs(Store& store, const Asked& asked) {
  std::vector<ComparedRun> runs;
  for (const std::string& name : asked.arguments) {
    auto run = read_run(store, name);
    if (!run) return run.error();
    runs.push_back(std::move(*run));
  }
  std::vector<std::string> lines;
  for (const ComparedRun& run : runs) {
    if (run.missing_ranks == 0) continue;
    lines.push_back(fmt::format("{}: {} of {} {} no trace in the store: {}{}", run.name,
                                run.missing_ranks, count_text(run.ranks, "rank", "ranks"),
                                run.missing_ranks == 1 ? "has" : "have", run.missing,
                                run.missing_ranks > 8 ? ", ..." : ""));
  }
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const ComparedRun &a = runs[i - 1], &b = runs[i];
    if (a.ranks != b.ranks) {
      lines.push_back(fmt::format("the runs have other numbers of ranks: {} has {}, {} has {}",
                                  a.name, a.ranks, b.name, b.ranks));
    }
    if (a.gpus != b.gpus) {
      lines.push_back(fmt::format("the runs have other GPUs: {} ran on {}, {} on {}", a.name,
                                  a.gpus, b.name, b.gpus));
    }
  }
  return lines;
}

}  // namespace prof::fleet
