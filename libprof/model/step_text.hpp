// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The texts of NVTX ranges that number steps, and those that number turns of other loops: the one
// list for captures of some steps and for the readers of traces. Any thread; allocates no memory.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

#include "libprof/base/ascii.hpp"

namespace prof {

/// The texts before the number: that of prof/annotate.hpp and prof_torch, that of torch.profiler,
/// and one that programs use.
inline constexpr std::string_view kStepWords[] = {"step:", "ProfilerStep#", "Train step "};

/// The number of the step that a range with that text is, such as "step:12". Absent: it is no step.
inline std::optional<std::int64_t> step_number(std::string_view text) {
  for (const std::string_view word : kStepWords) {
    if (!text.starts_with(word)) continue;
    text.remove_prefix(word.size());
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && stop == end ? std::optional(number) : std::nullopt;
  }
  return std::nullopt;
}

/// Whether the text is a word for a turn of a program's outer loops and a number, such as "epoch 3"
/// or "Batch_12". It names no layer; nor is it a step, unless a user says so: a program may count
/// several loops.
inline bool is_turn_text(std::string_view text) {
  constexpr std::string_view kWords[] = {
      "batch",     "episode", "epoch",   "frame",  "iter", "iteration", "microbatch",
      "minibatch", "prompt",  "request", "sample", "step", "token",     "trial"};
  std::array<char, 12> word{};  // longer than any of them
  std::size_t length = 0;
  bool has_number = false;
  for (const char c : text) {
    if (is_letter(c)) {
      if (has_number || length == word.size()) return false;
      word[length++] = lower(c);
    }
    has_number = has_number || is_digit(c);
  }
  return has_number &&
         std::ranges::find(kWords, std::string_view(word.data(), length)) != std::end(kWords);
}

}  // namespace prof
