// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranges by thread, domain and text, see range_groups.hpp.
#include "tools/report/query/range_groups.hpp"

namespace prof::reports {
namespace {

// An opening's own row comes before the work launched inside; the work of one call is together.
constexpr std::string_view kSelect = R"(
  SELECT thread, domain, text, range_id, correlation, is_work, time_ns, memory_op, kernel_id,
         launch, launch_ns
  FROM (SELECT thread, domain, ifnull(text, '') AS text, range_id, NULL AS correlation,
               0 AS is_work, time_ns, NULL AS memory_op, NULL AS kernel_id, NULL AS launch,
               NULL AS launch_ns
        FROM nvtx_ranges
        UNION ALL
        SELECT thread, domain, range, range_id, correlation, 1, time_ns, memory_op, kernel_id,
               launch, launch_ns
        FROM nvtx_work WHERE range_id IS NOT NULL)
  ORDER BY thread, domain IS NULL, domain, text, range_id, is_work, correlation)";

enum GroupColumn : std::uint8_t {
  kThread,
  kDomain,
  kText,
  kRangeId,
  kCorrelation,
  kIsWork,
  kTime,
  kMemoryOp,
  kKernelId,
  kLaunch,
  kLaunchTime
};

std::optional<std::int64_t> integer(const Cell& cell) {
  const auto* value = std::get_if<std::int64_t>(&cell);
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

std::string_view text_of(const Cell& cell) {
  const auto* value = std::get_if<std::string_view>(&cell);
  return value != nullptr ? *value : std::string_view();
}

}  // namespace

Result<std::unique_ptr<RangeGroups>> RangeGroups::open(const RowInput& input) {
  std::unique_ptr<RangeGroups> groups(new RangeGroups(input.traces.members()[0].reader));
  Result<std::unique_ptr<Query>> query = Query::open(input, kSelect);
  if (!query) return query.error();
  groups->query_ = std::move(*query);
  groups->has_row_ = groups->query_->next();
  return groups;
}

const RangeGroup* RangeGroups::next() {
  while (has_row_) {
    begin_group();
    do {
      add_row();
      has_row_ = query_->next();
    } while (has_row_ && is_of_group());
    if (group_.openings.calls > 0) return &group_;
  }
  return nullptr;
}

void RangeGroups::begin_group() {
  group_.thread = integer(query_->cell(kThread));
  group_.domain = text_of(query_->cell(kDomain));
  group_.text = text_of(query_->cell(kText));
  group_.openings = {};
  group_.work.clear();
  group_.calls.clear();
}

bool RangeGroups::is_of_group() {
  return integer(query_->cell(kThread)) == group_.thread &&
         text_of(query_->cell(kText)) == group_.text &&
         text_of(query_->cell(kDomain)) == group_.domain;
}

void RangeGroups::add_row() {
  const bool is_work = integer(query_->cell(kIsWork)) == 1;
  if (is_work) {
    if (is_closed_ && integer(query_->cell(kRangeId)) == opening_) add_work();
    return;
  }
  const std::optional<std::int64_t> time_ns = integer(query_->cell(kTime));
  opening_ = integer(query_->cell(kRangeId)).value_or(0);
  is_closed_ = time_ns.has_value();
  last_call_.reset();
  if (time_ns) group_.openings.add(*time_ns);
}

void RangeGroups::add_work() {
  if (const auto time_ns = integer(query_->cell(kTime))) group_.work.add(name_of_work(), *time_ns);
  const auto call = integer(query_->cell(kCorrelation));
  if (call && call == last_call_) return;
  last_call_ = call;
  const std::string_view function = text_of(query_->cell(kLaunch));
  const auto time_ns = integer(query_->cell(kLaunchTime));
  if (!function.empty() && time_ns) group_.calls.add(function, *time_ns);
}

std::string_view RangeGroups::name_of_work() {
  const auto kernel = integer(query_->cell(kKernelId));
  if (!kernel) return text_of(query_->cell(kMemoryOp));
  return kernel_names_.of(trace_, StringId{static_cast<std::uint32_t>(*kernel)}).full;
}

}  // namespace prof::reports
