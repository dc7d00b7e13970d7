// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/ops/op_sink.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "collectors/core/caller.hpp"
#include "collectors/core/range_events.hpp"
#include "collectors/ops/op_event.hpp"

namespace prof::collectors {
namespace {

/// libprof's numbers of the threads that have run ops, by PyTorch's, which count from 1.
constexpr std::size_t kMaxThreads = 1U << 14;
constinit std::array<std::atomic<std::uint32_t>, kMaxThreads> g_threads{};

void note_thread(std::uint64_t torch_thread, ThreadId thread) noexcept {
  if (torch_thread == 0 || torch_thread >= kMaxThreads) return;
  std::atomic<std::uint32_t>& known = g_threads[torch_thread];
  if (known.load(std::memory_order_relaxed) != thread.value) {
    known.store(thread.value, std::memory_order_relaxed);
  }
}

ThreadId thread_of(std::uint64_t torch_thread) noexcept {
  if (torch_thread == 0 || torch_thread >= kMaxThreads) return {};
  return ThreadId{g_threads[torch_thread].load(std::memory_order_relaxed)};
}

/// Copies as many bytes as fit to `to`.
std::uint32_t write(char* to, std::size_t room, const void* bytes, std::size_t count) noexcept {
  const std::size_t kept = std::min(room, count);
  if (kept != 0) std::memcpy(to, bytes, kept);
  return static_cast<std::uint32_t>(kept);
}

/// Writes an op's name. A name that is too long is truncated, like a text.
std::uint32_t write_name(RangeStack& stack, const char* name) noexcept {
  const std::size_t bytes = std::strlen(name);
  const std::uint32_t room =
      stack.make_room(static_cast<std::uint32_t>(std::min<std::size_t>(bytes, kMaxTextBytes)));
  const std::uint32_t kept = write(stack.scratch(), room, name, bytes);
  if (kept < bytes) global().losses.add(Loss::kTextTruncated);
  return kept;
}

/// Writes the op's data behind the name. For an op in very deep recursion nothing is kept.
std::uint32_t write_op(RangeStack& stack, const OpBegin& op, std::uint32_t name_bytes) noexcept {
  const OpHead known{op.sequence, thread_of(op.forward_thread), op.is_backward};
  const std::size_t bytes = sizeof known + op.argument_bytes;
  const std::size_t all = name_bytes + bytes;
  if (stack.make_room(static_cast<std::uint32_t>(all)) < all) return 0;
  char* to = stack.scratch() + name_bytes;
  to += write(to, sizeof known, &known, sizeof known);
  write(to, op.argument_bytes, op.arguments, op.argument_bytes);
  return static_cast<std::uint32_t>(bytes);
}

/// Autograd's later nodes refer to ops by their numbers, and a node refers to its op likewise. A
/// range of the program's own, which has no arguments, describes the host's activity, even if it
/// makes no call.
std::uint16_t flags_of(const OpBegin& op) noexcept {
  if (op.arguments == nullptr) return kOpIsKept;
  if (op.sequence < 0) return 0;
  return op.is_backward != 0 ? kOpIsNode : kOpIsKept;
}

bool begin_op(const OpBegin& op) noexcept {
  const Caller caller;
  if (!caller) {
    if (caller.refused()) refuse_event();
    return false;
  }
  ThreadState& thread = *caller.thread;
  note_thread(op.thread, thread.id);
  Annotation annotation;
  annotation.text_bytes = write_name(thread.stack, op.name);
  OpOnStack kept;
  if (op.arguments != nullptr) {
    kept.bytes = write_op(thread.stack, op, annotation.text_bytes);
    kept.flags = flags_of(op);
  }
  push_op(thread, caller.epoch, annotation, kept);
  return true;
}

bool end_op() noexcept {
  const Caller caller;
  if (caller) pop_range(*caller.thread, caller.epoch, kOpsDomain);
  return !caller.refused();
}

}  // namespace

const OpSink& op_sink() noexcept {
  static constexpr OpSink kSink{sizeof(OpSink), begin_op, end_op};
  return kSink;
}

}  // namespace prof::collectors
