// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// IdleCause: the words for why a GPU is idle, with their meaning and the evidence that a trace must
// hold for each; and what names of CUDA functions and texts of ranges say of it. The one list of
// them: docs/conventions.md has the same.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace prof {

enum class IdleCause : std::uint8_t {
  kTurnaround,
  kStream,
  kLaunch,
  kPython,
  kSynchronize,
  kCopy,
  kAllocate,
  kGraph,
  kLoad,
  kCompile,
  kData,
  kSystem,
  kHost,
  kUnknown,
};

struct IdleCauseText {
  std::string_view word, meaning, evidence;
};
/// In the order of IdleCause.
std::span<const IdleCauseText> idle_cause_texts();
std::string_view name(IdleCause cause);

/// The next work was in the queue: the GPU's own time.
constexpr bool was_queued(IdleCause cause) {
  return cause == IdleCause::kTurnaround || cause == IdleCause::kStream;
}

struct IdlePart {
  std::int64_t begin_ns = 0, end_ns = 0;
  IdleCause cause = IdleCause::kUnknown;
};

/// The reason why a call keeps a thread from launching, by the name of the CUDA function; kUnknown:
/// it does not.
IdleCause cause_of_call(std::string_view function);

/// The thread's activity while a range of that text, or template of it, is open: kCompile or kData.
std::optional<IdleCause> cause_of_range(std::string_view text);

}  // namespace prof
