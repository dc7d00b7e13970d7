// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The first sentence of a comparison: the step before and after, whether it changed, and the cause
// of most of the change.
#pragma once

#include <span>
#include <string>

#include "tools/report/compare/changes.hpp"

namespace prof::reports {

struct StepSentence {
  const ComparedGpu* gpu = nullptr;  ///< The one whose step changed most; null: there is none.
  std::string text;  ///< "The step takes 22 % longer: 20.0 → 24.2 ms. Most of it: ..."
};
StepSentence step_sentence(std::span<const ComparedGpu> compared);

}  // namespace prof::reports
