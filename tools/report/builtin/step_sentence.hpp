// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What a comparison says first, in a sentence: the step before and after, whether it changed, and
// what most of the change is.
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
