// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The steps from words to Options, in the order in which they are made (options.cpp). Each has what
// the steps before it chose, and gives an Error for the first word that does not hold.
#pragma once

#include "libprof/base/result.hpp"
#include "tools/report/options/option_table.hpp"
#include "tools/report/options/options.hpp"

namespace prof::reports {

// report_choice.cpp: what is printed, in which form and where.
/// -r, with the reports of a list in place of its name.
Status choose_reports(const OptionWords& words, const Registry& registry, Options& options);
/// -f, or else the form of the output file's name: -o x.csv.
Status choose_form(const OptionWords& words, Options& options);
/// What stands in place of reports: --sql, --export and --ncu.
Status choose_instead(const OptionWords& words, Options& options);
/// -o.
Status choose_output(const OptionWords& words, Options& options);
/// --jobs, or as there are cores.
Status choose_jobs(const OptionWords& words, Options& options);

// row_choice.cpp: which rows reports see.
Status choose_rows(const OptionWords& words, Options& options);
/// Options about rows, layers and ranges are refused for reports that have none.
Status check_rows(const OptionWords& words, const Registry& registry, const Options& options);

// input_traces.cpp
/// Puts the traces of folders in their place. For a comparison, orders them, the base first: two
/// traces or folders without --base and --new are the two sides. --fail-above.
Status choose_traces(const OptionWords& words, Options& options);

// line_choice.cpp: the columns and lines of each report.
/// --depth and --flat.
Status choose_layers(const OptionWords& words, Options& options);
/// -c and --by.
Status choose_report_columns(const OptionWords& words, const Registry& registry, Options& options);
/// --where, --sort and --top.
Status choose_report_lines(const OptionWords& words, Options& options);

}  // namespace prof::reports
