// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether the step's period is longer by more than a limit on any GPU: --fail-above. It is if
// chance hardly makes it so, and it is not if chance hardly hides it; between these it is
// undecided.
#pragma once

#include <span>
#include <string_view>

#include "tools/report/compare/changes.hpp"

namespace prof::reports {

/// `alone` names a GPU that has no partner; empty: there is none.
LimitVerdict judge_limit(std::span<const ComparedGpu> compared, std::string_view alone,
                         double limit_pct);

}  // namespace prof::reports
