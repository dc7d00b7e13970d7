// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The texts of NVTX ranges that number steps: the one list for captures of some steps and for the
// readers of traces. Any thread; allocates no memory.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

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

}  // namespace prof
