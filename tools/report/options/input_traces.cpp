// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/options/choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "libprof/store/read/trace_paths.hpp"
#include "tools/common/words.hpp"

namespace prof::reports {
namespace {

constexpr const char* kUsage = "give two traces, or sides: -r diff --base a.db... --new b.db...";

void put_sides(std::span<const std::string> base, std::span<const std::string> fresh,
               Options& options) {
  std::vector<std::string> traces = traces_in(base);
  options.base_traces = traces.size();
  const std::vector<std::string> others = traces_in(fresh);
  traces.insert(traces.end(), others.begin(), others.end());
  options.traces = std::move(traces);
}

bool are_two_folders(const std::vector<std::string>& paths) {
  return paths.size() == 2 && std::ranges::all_of(paths, [](const std::string& path) {
           std::error_code error;
           return std::filesystem::is_directory(path, error);
         });
}

Status check_unused(const OptionWords& words) {
  for (const char* const flag : {"--base", "--new", "--fail-above"}) {
    if (!words.has(flag)) continue;
    return Error{.what = "applies to report 'diff' only", .where = flag, .hint = "give -r diff"};
  }
  return {};
}

}  // namespace

Status choose_traces(const OptionWords& words, Options& options) {
  const std::vector<std::string>& base = words.values("--base");
  const std::vector<std::string>& fresh = words.values("--new");
  const bool has_sides = !base.empty() || !fresh.empty();
  const bool compares = (options.page && has_sides) ||
                        std::ranges::any_of(options.reports, [](const ReportRequest& request) {
                          return request.report->info().is_comparison;
                        });
  if (!compares) {
    if (options.page && are_two_folders(options.traces)) {
      put_sides({&options.traces[0], 1}, {&options.traces[1], 1}, options);
    } else {
      options.traces = traces_in(options.traces);
    }
    return check_unused(words);
  }
  if (base.empty() != fresh.empty()) {
    const bool has_base = !base.empty();
    return Error{.what = has_base ? "needs the other side" : "needs the side before",
                 .where = has_base ? "--base" : "--new",
                 .hint = kUsage};
  }
  if (base.empty() && options.traces.size() == 2) {
    put_sides({&options.traces[0], 1}, {&options.traces[1], 1}, options);
  } else if (base.empty()) {
    options.traces = traces_in(options.traces);
    if (options.traces.size() != 2) {
      return Error{
          .what = fmt::format("report 'diff' compares two traces, and there {} {}",
                              options.traces.size() == 1 ? "is" : "are", options.traces.size()),
          .where = "-r",
          .hint = kUsage};
    }
    options.base_traces = 1;
  } else if (!options.traces.empty()) {
    return Error{.what = fmt::format("'{}' is on no side", options.traces.front()),
                 .where = "-r diff",
                 .hint = "give it after --base or --new"};
  } else {
    put_sides(base, fresh, options);
  }
  if (!words.has("--fail-above")) return {};
  const std::string& limit = words.value("--fail-above");
  options.fail_above_pct = tools::percent_in(limit);
  if (options.fail_above_pct) return {};
  return Error{
      .what = "'" + limit + "' is not a percentage", .where = "--fail-above", .hint = "give 5%"};
}

}  // namespace prof::reports
