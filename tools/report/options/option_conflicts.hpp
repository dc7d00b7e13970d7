// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Options that do not go together, whatever their values.
#pragma once

#include "libprof/base/result.hpp"
#include "tools/report/options/option_words.hpp"

namespace prof::reports {

/// Of the first two that exclude each other.
Status check_conflicts(const OptionWords& words);

}  // namespace prof::reports
