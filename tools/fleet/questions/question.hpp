// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A question to a store: one SQL file, which begins as a report's does (docs/add.md), and
// has marks that are replaced before it is asked: {facts} and the like (Store::expand), {a} and {b}
// (its arguments), {by} (columns that it groups by). Behind a line "-- with NAME: ..." is a
// statement for which {NAME} stands further down; the last one, behind "-- answer", is asked.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/common/streams.hpp"
#include "tools/fleet/store/store.hpp"
#include "tools/report/query/registry.hpp"
#include "tools/report/table/renderer.hpp"

namespace prof::fleet {

/// The runs and the work that a question is about.
struct Choice {
  std::vector<std::string> runs, jobs, labels;  ///< Any of the runs, any of the jobs, all labels.
  std::string op, layer, dir;                   ///< May have * and ? as wildcards; empty: all.
};

struct Asked {
  const reports::Report* question = nullptr;
  std::vector<std::string> arguments = {};  ///< As many as its line "arguments:" has.
  std::string by = {};                      ///< Empty: as its line "keys:" says.
  Choice choice = {};
  /// The most lines; absent: a table has a screenful, others all.
  std::optional<std::uint64_t> limit = {};
};

const reports::Registry& questions();
/// Its lines are by the columns that --by names, and without --by by its default keys.
bool groups_on_request(const reports::Report& question);
std::string default_keys(const reports::Report& question);
/// The arguments that it takes, in words: {"A", "B"}.
std::vector<std::string> arguments_of(const reports::Report& question);

/// The statement without the comments that describe it, and before its marks are replaced.
std::string statement_in(const reports::Report& question);
/// Conditions for these runs alone.
Conditions runs_named(std::span<const std::string> runs);
/// The statement for a store, as `sql` would be given it.
Result<std::string> statement_of(const Store& store, const Asked& asked);

/// Its first line says by how much a step got longer, for --fail-above.
bool decides(const reports::Report& question);

struct Answered {
  std::uint64_t lines = 0;
  bool has_more = false;  ///< Beyond those that are printed.
  /// At least and at most, of the first line, if that decides.
  std::pair<std::optional<double>, std::optional<double>> longer_pct = {};
};
/// Asks, and prints.
Result<Answered> ask(Store& store, const Asked& asked, reports::Renderer& renderer,
                     bool for_people);
/// A SELECT of the user's.
Result<Answered> ask_sql(Store& store, const std::string& sql, reports::Renderer& renderer);

}  // namespace prof::fleet
