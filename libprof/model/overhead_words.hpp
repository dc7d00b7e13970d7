// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CUPTI's words for kinds of overhead (OverheadRecord::kind).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace prof {

/// Word for a CUpti_ActivityOverheadKind: 1, or a multiple of 2^16. "UNKNOWN" for any other number.
constexpr std::string_view overhead_word(std::uint32_t kind) {
  constexpr std::array<std::string_view, 9> kWords = {"DRIVER_COMPILER",
                                                      "CUPTI_BUFFER_FLUSH",
                                                      "CUPTI_INSTRUMENTATION",
                                                      "CUPTI_RESOURCE",
                                                      "RUNTIME_TRIGGERED_MODULE_LOADING",
                                                      "LAZY_FUNCTION_LOADING",
                                                      "COMMAND_BUFFER_FULL",
                                                      "ACTIVITY_BUFFER_REQUEST",
                                                      "UVM_ACTIVITY_INIT"};
  constexpr std::uint32_t kCompiler = 1;
  constexpr int kShift = 16;
  if (kind == kCompiler) return kWords[0];
  const std::uint32_t number = kind >> kShift;
  const bool is_known = number != 0 && number << kShift == kind && number < kWords.size();
  return is_known ? kWords[number] : "UNKNOWN";
}

}  // namespace prof
