// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The open push/pop ranges of one thread, over all NVTX domains, in the order in which they were
// opened. A pop takes the innermost range of its own domain; if that is not the innermost of all,
// the ranges above it have moved: they are on another stack from then on, to which the owner gives
// ids when something happens on it (docs/decisions/0003-what-is-recorded.md).
// Texts are copied into the stack's own arena and stay packed. Independent of rings, events and
// sessions: the owner sets ids.
//
// It begins in its owner's memory and grows with what it holds (growing_block.hpp). Threads: one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "collectors/core/events.hpp"
#include "collectors/core/growing_block.hpp"
#include "libprof/model/losses.hpp"

namespace prof::collectors {

/// Facts of an op that are stored behind its text.
struct OpOnStack {
  /// Size of the bytes behind the text; 0: none, the range is like any other.
  std::uint32_t bytes = 0;
  std::uint16_t flags = 0;  ///< OpFlags.
};

struct OpenRange {
  RangeId id = 0;        ///< As recorded; 0: not recorded, so its stack is the one below it.
  RangeId stack_id = 0;  ///< Identifies the stack that has this range on top.
  std::int64_t start_ns = 0;
  Annotation annotation;
  DomainId pops_with = kDefaultDomain;  ///< The domain whose pops take the range.
  std::uint32_t text_offset = 0;        ///< Offset of the text in the arena.
  OpOnStack op;
  std::uint32_t epoch = 0;            ///< The capture session that recorded it; 0: none.
  std::uint32_t below_in_domain = 0;  ///< DomainTop::above_top before the range was opened.
  std::uint32_t level = 0;            ///< Number of open ranges of its domain when it was opened.
};

/// Ops that a framework reports are opened and closed apart from NVTX ranges: each ends its own
/// range.
inline constexpr DomainId kOpsDomain{0xffffffffU};

class RangeStack {
 public:
  /// State of a domain, by its id.
  struct DomainTop {
    std::uint32_t above_top = 0;  ///< One past the index of its innermost range; 0: none.
    std::uint32_t too_deep = 0;   ///< Ranges above that one that were opened but not kept.
  };

  RangeStack() = default;
  RangeStack(const RangeStack&) = delete;
  RangeStack& operator=(const RangeStack&) = delete;

  /// To be set up before any use. Domains whose id is at or above the limit of tops have no ranges.
  GrowingBlock<OpenRange>& entries() noexcept { return entries_; }
  GrowingBlock<DomainTop>& tops() noexcept { return tops_; }
  GrowingBlock<char>& arena() noexcept { return arena_; }

  struct Pushed {
    OpenRange* entry = nullptr;  ///< nullptr: not kept, only counted.
    int level = 0;
    Loss why = Loss::kStackTooDeep;  ///< The reason why the range is not kept.
  };
  /// Opens a range. If annotation.registered is null, the text is the one that write_text() put at
  /// scratch(). The stack id is that of the range below until the owner sets id and stack id.
  Pushed push(const Annotation& annotation, std::int64_t start_ns) noexcept {
    return push(annotation, start_ns, annotation.domain, {});
  }
  /// Opens an op's range, which pops of kOpsDomain take. Its bytes follow its text at scratch().
  Pushed push_op(const Annotation& annotation, std::int64_t start_ns, OpOnStack op) noexcept {
    return push(annotation, start_ns, kOpsDomain, op);
  }

  /// Counts ranges that are not kept: pops of the domain take them first.
  void push_unkept(DomainId id, std::uint32_t count) noexcept {
    if (DomainTop* domain = top_of(id)) domain->too_deep += count;
  }

  struct Popped {
    int level = -1;     ///< -1: no range of this domain is open.
    bool kept = false;  ///< `range` is set: the range was kept, not too deep.
    OpenRange range;    ///< Its text is no longer valid.
  };
  Popped pop(DomainId domain) noexcept;

  /// The range that pop(domain) would take, or nullptr.
  [[nodiscard]] const OpenRange* innermost(DomainId domain) const noexcept {
    if (domain.value >= tops_.size()) return nullptr;  // Ops have no payloads.
    const DomainTop& top = tops_[domain.value];
    return top.above_top == 0 || top.too_deep != 0 ? nullptr : &entries_[top.above_top - 1];
  }

  [[nodiscard]] std::uint32_t depth() const noexcept { return depth_; }
  /// `index` counts from the bottom, 0, to depth() - 1.
  [[nodiscard]] OpenRange& at(std::uint32_t index) noexcept { return entries_[index]; }
  /// The first index whose stack id is that of a stack that no longer exists; depth(): none is.
  [[nodiscard]] std::uint32_t first_moved() const noexcept { return std::min(moved_, depth_); }
  /// The owner has given the ranges new stack ids, or does not need them.
  void forget_moves() noexcept { moved_ = kNone; }
  /// The stack with the innermost range on top, or 0.
  [[nodiscard]] RangeId top_stack_id() const noexcept {
    return depth_ == 0 ? 0 : entries_[depth_ - 1].stack_id;
  }
  [[nodiscard]] RangeId stack_id_below(std::uint32_t index) const noexcept {
    return index == 0 ? 0 : entries_[index - 1].stack_id;
  }
  /// The text of a range whose annotation names no registered string; valid until the next change.
  [[nodiscard]] std::string_view text(const OpenRange& range) const noexcept {
    return {arena_.data() + range.text_offset, range.annotation.text_bytes};
  }

  [[nodiscard]] std::string_view op(const OpenRange& range) const noexcept {
    return {arena_.data() + range.text_offset + range.annotation.text_bytes, range.op.bytes};
  }

  /// The place of the next text, and how much of it fits.
  [[nodiscard]] char* scratch() noexcept { return arena_.data() + arena_used_; }
  [[nodiscard]] const char* scratch() const noexcept { return arena_.data() + arena_used_; }
  [[nodiscard]] std::uint32_t scratch_bytes() const noexcept { return arena_.size() - arena_used_; }
  /// Makes the scratch larger if less than `bytes` fit; its contents are kept. Returns how much of
  /// `bytes` fits.
  std::uint32_t make_room(std::uint32_t bytes) noexcept {
    if (scratch_bytes() < bytes) [[unlikely]]
      arena_.grow(std::min(arena_used_ + bytes, arena_.limit()));
    return std::min(bytes, scratch_bytes());
  }

  /// Forgets all ranges.
  void clear() noexcept;

 private:
  Pushed push(const Annotation& annotation, std::int64_t start_ns, DomainId pops_with,
              OpOnStack op) noexcept;
  DomainTop* top_of(DomainId domain) noexcept;
  DomainTop& used_top_of(DomainId domain) noexcept {
    return domain == kOpsDomain ? ops_top_ : tops_[domain.value];
  }
  void remove(std::uint32_t index) noexcept;

  static constexpr std::uint32_t kNone = UINT32_MAX;

  GrowingBlock<OpenRange> entries_;
  std::uint32_t depth_ = 0;
  std::uint32_t moved_ = kNone;
  GrowingBlock<char> arena_;
  std::uint32_t arena_used_ = 0;
  DomainTop ops_top_;
  GrowingBlock<DomainTop> tops_;
  std::uint32_t domains_used_ = 0;  ///< One past the highest id.
};

}  // namespace prof::collectors
