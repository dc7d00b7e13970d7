// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Why: the reason why a cell has no value. JSON states it beside the null; the other forms do not.
#pragma once

#include <cstdint>
#include <string_view>

namespace prof::reports {

enum class Why : std::uint8_t {
  kUnstated,  ///< The column's help says it, or the column does not apply to the row.
  kNoOp,
  kNoLayer,
  kNoDirection,
  kNoStep,
  kNoShapes,
  kNoFormula,
  kNoProduct,
  kNoInnerSize,
  kNoType,
  kNotInName,
  kNoTime,
  kHelper,
  kNoPeak,
  kNoLaunch,
  kNoSamples,
  kOfNone,
  kUndecided,
};

/// Empty: unstated.
constexpr std::string_view text_of(Why why) {
  switch (why) {
    case Why::kUnstated:
      break;
    case Why::kNoOp:
      return "no op is known";
    case Why::kNoLayer:
      return "no layer is known";
    case Why::kNoDirection:
      return "no direction is known";
    case Why::kNoStep:
      return "launched in no step";
    case Why::kNoShapes:
      return "the op's shapes are unknown";
    case Why::kNoFormula:
      return "no formula, or its inputs are unknown";
    case Why::kNoProduct:
      return "no matrix product, or its sizes are unknown";
    case Why::kNoInnerSize:
      return "a bias has no inner size";
    case Why::kNoType:
      return "the data type is unknown";
    case Why::kNotInName:
      return "the kernel's name does not tell";
    case Why::kNoTime:
      return "the time is unknown";
    case Why::kHelper:
      return "a helper has no share of its op's cost";
    case Why::kNoPeak:
      return "no peak is known for this device and data type";
    case Why::kNoLaunch:
      return "the launching call was not recorded";
    case Why::kNoSamples:
      return "the GPU's clocks were not sampled";
    case Why::kOfNone:
      return "unknown of all that is added up";
    case Why::kUndecided:
      return "too few steps to decide";
  }
  return {};
}

}  // namespace prof::reports
