// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/core/range_stack.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace prof::collectors {

static_assert(std::is_trivially_copyable_v<OpenRange>);

RangeStack::DomainTop* RangeStack::top_of(DomainId domain) noexcept {
  if (domain == kOpsDomain) return &ops_top_;
  if (domain.value >= tops_.size() && !tops_.grow(domain.value + 1)) return nullptr;
  if (domain.value >= domains_used_) domains_used_ = domain.value + 1;
  return &tops_[domain.value];
}

RangeStack::Pushed RangeStack::push(const Annotation& annotation, std::int64_t start_ns,
                                    DomainId pops_with, OpOnStack op) noexcept {
  DomainTop* domain = top_of(pops_with);
  if (domain == nullptr) {
    return {nullptr, 0,
            pops_with.value < tops_.limit() ? Loss::kNoThreadMemory : Loss::kStackTooDeep};
  }
  const std::uint32_t kept_level =
      domain->above_top == 0 ? 0 : entries_[domain->above_top - 1].level + 1;
  // Once a range of a domain is not kept, none above it is, so that pops find the right one.
  const bool is_room = depth_ < entries_.size() || entries_.grow(depth_ + 1);
  if (!is_room || domain->too_deep != 0) {
    const bool is_deep = is_room || depth_ == entries_.limit();
    return {nullptr, static_cast<int>(kept_level + domain->too_deep++),
            is_deep ? Loss::kStackTooDeep : Loss::kNoThreadMemory};
  }
  OpenRange& entry = entries_[depth_];
  entry.id = 0;
  entry.stack_id = top_stack_id();
  entry.start_ns = start_ns;
  entry.annotation = annotation;
  entry.pops_with = pops_with;
  entry.text_offset = arena_used_;
  entry.op = op;
  entry.epoch = 0;
  entry.below_in_domain = domain->above_top;
  entry.level = kept_level;
  arena_used_ += annotation.inline_bytes() + op.bytes;
  domain->above_top = ++depth_;
  return {&entry, static_cast<int>(kept_level)};
}

RangeStack::Popped RangeStack::pop(DomainId domain_id) noexcept {
  Popped popped;
  if (domain_id != kOpsDomain && domain_id.value >= tops_.size()) return popped;
  DomainTop* const domain = &used_top_of(domain_id);
  if (domain->too_deep != 0) {
    const std::uint32_t kept =
        domain->above_top == 0 ? 0 : entries_[domain->above_top - 1].level + 1;
    popped.level = static_cast<int>(kept + --domain->too_deep);
    return popped;
  }
  if (domain->above_top == 0) return popped;
  const std::uint32_t index = domain->above_top - 1;
  popped.kept = true;
  popped.range = entries_[index];
  popped.level = static_cast<int>(popped.range.level);
  domain->above_top = popped.range.below_in_domain;
  remove(index);
  return popped;
}

void RangeStack::remove(std::uint32_t index) noexcept {
  const OpenRange& gone = entries_[index];
  const std::uint32_t hole = gone.annotation.inline_bytes() + gone.op.bytes;
  const std::uint32_t hole_end = gone.text_offset + hole;
  if (index + 1 < depth_) {
    // Tops are updated first: they hold old indices, each of an entry above the removed one.
    for (std::uint32_t above = index + 1; above < depth_; ++above) {
      DomainTop& domain = used_top_of(entries_[above].pops_with);
      if (domain.above_top == above + 1) --domain.above_top;
    }
    if (hole != 0) {
      std::memmove(arena_.data() + gone.text_offset, arena_.data() + hole_end,
                   arena_used_ - hole_end);
    }
    std::memmove(&entries_[index], &entries_[index + 1], (depth_ - 1 - index) * sizeof(OpenRange));
    for (std::uint32_t moved = index; moved + 1 < depth_; ++moved) {
      OpenRange& entry = entries_[moved];
      entry.text_offset -= hole;
      if (entry.below_in_domain > index + 1) --entry.below_in_domain;
    }
  }
  arena_used_ -= hole;
  --depth_;
  if (index < depth_) moved_ = std::min(moved_, index);
  if (moved_ >= depth_) moved_ = kNone;
}

void RangeStack::clear() noexcept {
  depth_ = 0;
  moved_ = kNone;
  arena_used_ = 0;
  ops_top_ = {};
  std::fill_n(tops_.data(), domains_used_, DomainTop{});
  domains_used_ = 0;
  entries_.shrink();
  tops_.shrink();
  arena_.shrink();
}

}  // namespace prof::collectors
