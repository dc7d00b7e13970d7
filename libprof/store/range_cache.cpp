// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/range_cache.hpp"

#include <utility>

#include "libprof/source/text_template.hpp"

namespace prof {
namespace {

constexpr std::size_t kMaxGeneration = 32'768;
constexpr RangeId kBlock = 64;

RangeRecord::Kind range_kind(std::int64_t value) {
  const bool known = value >= 0 && value <= static_cast<std::int64_t>(RangeRecord::Kind::kAlias);
  return known ? static_cast<RangeRecord::Kind>(value) : RangeRecord::Kind::kPushPop;
}

std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace

Status RangeCache::prepare() {
  Result<Statement> prepared = tables_.db.prepare(
      "SELECT id,parent_id,alias_of_id,kind,thread_id,domain_id,text_id,numbers,start_ns,"
      "duration_ns FROM range WHERE id BETWEEN ? AND ?");
  if (!prepared) return prepared.error();
  block_ = std::move(*prepared);
  return {};
}

const RangeRow* RangeCache::find(RangeId id) {
  if (id == 0) return nullptr;
  if (const auto found = young_.find(id); found != young_.end()) return &found->second;
  if (const auto found = old_.find(id); found != old_.end()) return &found->second;
  load_block(id);
  const auto found = young_.find(id);
  return found != young_.end() ? &found->second : nullptr;
}

void RangeCache::load_block(RangeId id) {
  if (young_.size() + kBlock > kMaxGeneration) {
    old_ = std::exchange(young_, {});
  }
  const RangeId first = id - id % kBlock;
  block_.bind(1, static_cast<std::int64_t>(first));
  block_.bind(2, static_cast<std::int64_t>(first + (kBlock - 1)));
  Statement::Step step;
  while ((step = block_.step()) == Statement::Step::kRow) {
    const RangeId row_id = block_.unsigned_integer(0);
    if (young_.contains(row_id)) continue;
    RangeRow row;
    row.id = row_id;
    row.parent = block_.unsigned_integer(1);
    row.alias_of = block_.unsigned_integer(2);
    row.kind = range_kind(block_.integer(3));
    row.thread = ThreadId{static_cast<std::uint32_t>(block_.integer(4))};
    row.domain = DomainId{static_cast<std::uint32_t>(block_.integer(5))};
    row.template_id = static_cast<std::uint32_t>(block_.integer(6));
    row.text = join_text(text_(StringId{row.template_id}), block_.blob(7));
    row.start_ns = block_.integer(8);
    if (!block_.is_null(9)) row.end_ns = sum(row.start_ns, block_.integer(9));
    young_.emplace(row_id, std::move(row));
  }
  if (step != Statement::Step::kDone && status_) {
    status_ = tables_.db.error("cannot be read");
  }
  block_.reset();
}

}  // namespace prof
