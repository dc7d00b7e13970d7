// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/read/range_decoder.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "libprof/store/read/table_scan.hpp"

namespace prof {
Status RangeDecoder::prepare() {
  Result<Statement> prepared =
      tables_.db.prepare("SELECT alias_of_id,payload FROM range_rare WHERE id=?");
  if (!prepared) return prepared.error();
  rare_ = std::move(*prepared);
  return {};
}

Status RangeDecoder::visit(const Wants& wants,
                           const std::function<void(const StoredRange&)>& visit) {
  const auto is_wanted = [&](const RangeForm& form) {
    return form.kind == RangeRecord::Kind::kPushPop && wants(form.domain, form.text);
  };
  std::vector<std::uint8_t> forms;  // 1: wanted
  for (const RangeForm& form : tables_.range_forms) forms.push_back(is_wanted(form) ? 1 : 0);
  if (std::ranges::find(forms, 1) == forms.end()) return {};
  TableScan scan;
  PROF_TRY(scan.open(tables_.db, tables_.pages_or_null(), kTable, kColumns));
  StoredRange range;
  while (scan.next()) {
    scan.row([&](const auto& row) {
      if (row_or_default(forms, row.integer(kForm)) == 0) return;
      take(row, range);
      visit(range);
    });
  }
  if (!scan.status()) return scan.status().error();
  return status_;
}

Payload RangeDecoder::payload_of(const StoredRange& range) {
  const Payload::Type type = range.form->payload;
  if (type == Payload::Type::kNone) return {};
  return {type, look_up(range.id, kPayload)};
}

std::uint64_t RangeDecoder::look_up(RangeId id, int column) {
  rare_.bind(1, static_cast<std::int64_t>(id));
  const Statement::Step step = rare_.step();
  const std::uint64_t value =
      step == Statement::Step::kRow ? rare_.unsigned_integer(column) : std::uint64_t{0};
  if (step != Statement::Step::kRow && step != Statement::Step::kDone && status_) {
    status_ = tables_.db.error("cannot be read");
  }
  rare_.reset();
  return value;
}

}  // namespace prof
