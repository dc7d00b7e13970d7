// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/range_reading.hpp"

#include <utility>

namespace prof {
namespace {

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
