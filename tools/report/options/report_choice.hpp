// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What is printed, in which form and where: reports, or what stands in place of them.
#pragma once

#include "libprof/base/result.hpp"
#include "tools/report/options/option_words.hpp"
#include "tools/report/options/options.hpp"

namespace prof::reports {

/// -r, with the names of lists in place of their reports.
Status choose_reports(const OptionWords& words, const Registry& registry, Options& options);
/// -f, or else the form of the output file's name: -o x.csv.
Status choose_form(const OptionWords& words, Options& options);
/// --sql, --export and --ncu.
Status choose_instead(const OptionWords& words, Options& options);
/// -o.
Status choose_output(const OptionWords& words, Options& options);

}  // namespace prof::reports
