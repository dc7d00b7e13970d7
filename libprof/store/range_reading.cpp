// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/range_reading.hpp"

#include <utility>

namespace prof {
namespace {

/// SQLite takes a million bytes in a statement.
constexpr std::size_t kMaxListBytes = 500'000;

constexpr std::string_view kRangeRowColumns[] = {"id",          "up",  "form_id", "start_ns",
                                                 "duration_ns", "seq", "numbers"};
constexpr std::string_view kWholeColumns[] = {"id",
                                              "parent_id",
                                              "alias_of_id",
                                              "start_ns",
                                              "duration_ns",
                                              "seq",
                                              "numbers",
                                              "kind",
                                              "thread_id",
                                              "domain_id",
                                              "text_id",
                                              "signature_id",
                                              "forward_thread_id"};

}  // namespace

Status RangeReading::prepare() {
  Result<Statement> prepared = tables_.db.prepare("SELECT alias_of_id FROM range_rare WHERE id=?");
  if (!prepared) return prepared.error();
  alias_ = std::move(*prepared);
  return {};
}

std::string_view RangeReading::table() const {
  return tables_.ranges_in_rows ? schema::kRangeRowTable.name : schema::kRangeTable.name;
}

std::span<const std::string_view> RangeReading::columns() const {
  if (tables_.ranges_in_rows) return kRangeRowColumns;
  return kWholeColumns;
}

Status RangeReading::visit(const Wants& wants,
                           const std::function<void(const StoredRange&)>& visit) {
  const auto is_wanted = [&](const RangeForm& form) {
    return form.kind == RangeRecord::Kind::kPushPop && wants(form.domain, form.text);
  };
  if (!tables_.ranges_in_rows) {
    return visit_where("true", [&](const StoredRange& range) {
      if (is_wanted(range.form)) visit(range);
    });
  }
  // By their forms, of which there are few, the table is read at its full speed.
  std::string forms;
  for (std::size_t id = 0; id < tables_.range_forms.size(); ++id) {
    if (is_wanted(tables_.range_forms[id])) {
      forms.append(forms.empty() ? "" : ",").append(std::to_string(id));
    }
    const bool is_last = id + 1 == tables_.range_forms.size();
    if (forms.empty() || (forms.size() < kMaxListBytes && !is_last)) continue;
    PROF_TRY(visit_where("form_id IN (" + forms + ")", visit));
    forms.clear();
  }
  return {};
}

Status RangeReading::visit_where(const std::string& condition,
                                 const std::function<void(const StoredRange&)>& visit) {
  std::string sql = "SELECT ";
  for (const std::string_view column : columns()) {
    sql.append(column == columns().front() ? "" : ",").append(column);
  }
  sql.append(" FROM ").append(table()).append(" WHERE ").append(condition).append(" ORDER BY id");
  Result<Statement> rows = tables_.db.prepare(sql);
  if (!rows) return rows.error();
  StoredRange range;
  Statement::Step step;
  while ((step = rows->step()) == Statement::Step::kRow) {
    take(*rows, range);
    visit(range);
  }
  PROF_TRY(status_);
  return step == Statement::Step::kDone ? Status() : tables_.db.error("cannot be read");
}

RangeId RangeReading::look_up_alias(RangeId id) {
  alias_.bind(1, static_cast<std::int64_t>(id));
  const Statement::Step step = alias_.step();
  const RangeId of = step == Statement::Step::kRow ? alias_.unsigned_integer(0) : 0;
  if (step != Statement::Step::kRow && step != Statement::Step::kDone && status_) {
    status_ = tables_.db.error("cannot be read");
  }
  alias_.reset();
  return of;
}

}  // namespace prof
