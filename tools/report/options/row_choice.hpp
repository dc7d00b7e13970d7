// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Which rows reports see, and whether each option about rows applies to each report.
#pragma once

#include "libprof/base/result.hpp"
#include "tools/report/options/option_words.hpp"
#include "tools/report/options/options.hpp"

namespace prof::reports {

Status choose_rows(const OptionWords& words, Options& options);

/// Options about rows, layers and ranges are refused for reports that have none.
Status check_rows(const OptionWords& words, const Registry& registry, const Options& options);

}  // namespace prof::reports
