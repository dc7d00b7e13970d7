// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The columns and lines of each report, and how layers are shown.
#pragma once

#include "libprof/base/result.hpp"
#include "tools/report/options/option_words.hpp"
#include "tools/report/options/options.hpp"

namespace prof::reports {

/// --depth and --flat.
Status choose_layers(const OptionWords& words, Options& options);
/// -c and --by, for every report.
Status choose_report_columns(const OptionWords& words, const Registry& registry, Options& options);
/// --where, --sort and --top, once the columns are known.
Status choose_report_lines(const OptionWords& words, Options& options);

}  // namespace prof::reports
