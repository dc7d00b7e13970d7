// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Notifies WindowTriggers of ranges. A handler constructs one of these outside of its Caller, and
// looks at the range inside of it: a trigger's action takes long, and uses the thread's ring. Cheap
// if there is no listener.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "collectors/core/thread_state.hpp"
#include "collectors/core/window_triggers.hpp"

namespace prof::collectors {

/// The begin of a range.
class RangeBegin {
 public:
  /// To be called inside of the Caller, before the range is on the stack.
  void look(const ThreadState& thread, const Domain& domain,
            const Annotation& annotation) noexcept {
    WindowTriggers* const triggers = window_triggers();
    if (triggers == nullptr) [[likely]]
      return;
    const std::string_view text =
        annotation.registered != nullptr
            ? std::string_view(annotation.registered->text)
            : std::string_view(thread.stack.scratch(), annotation.text_bytes);
    match_ = triggers->match(domain.name, text);
    if (match_ == 0) return;
    domain_ = domain.id;
    text_bytes_ = std::min<std::size_t>(text.size(), sizeof text_);
    std::copy_n(text.data(), text_bytes_, text_);
  }
  /// To be called outside of the Caller, after the push.
  void push_done(int level) noexcept {
    WindowTriggers* const triggers = window_triggers();
    if (match_ == 0 || level < 0 || triggers == nullptr) [[likely]]
      return;
    const WindowTriggers::Token token = triggers->range_begins(match_, text());
    if (token == 0) return;
    ThreadState* const thread = current_thread();
    // Without a place for its token the range would keep the window open.
    if (thread == nullptr || !thread->watched.push(domain_, level, token))
      triggers->range_ends(token);
  }
  /// A start/end range has begun.
  void start_done(RangeId id) noexcept {
    WindowTriggers* const triggers = window_triggers();
    if (match_ == 0 || id == 0 || triggers == nullptr) [[likely]]
      return;
    triggers->process_range_begins(match_, text(), id);
  }

 private:
  [[nodiscard]] std::string_view text() const { return {text_, text_bytes_}; }

  WindowTriggers::Match match_ = 0;
  DomainId domain_;
  std::size_t text_bytes_ = 0;
  char text_[120];  // NOLINT: only what is copied to it is read.
};

/// The end of a range.
class RangeEnd {
 public:
  /// To be called inside of the Caller, after the pop.
  void look(ThreadState& thread, DomainId domain, int level) noexcept {
    if (thread.watched.empty() || level < 0) [[likely]]
      return;
    token_ = thread.watched.pop(domain, level);
  }
  /// To be called outside of the Caller.
  void done() noexcept {
    if (token_ == 0) [[likely]]
      return;
    if (WindowTriggers* const triggers = window_triggers()) triggers->range_ends(token_);
  }

 private:
  WindowTriggers::Token token_ = 0;
};

}  // namespace prof::collectors
