// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Notes below a table, in a form for people.
#pragma once

#include "tools/common/output.hpp"
#include "tools/common/styles.hpp"
#include "tools/report/rows/notes.hpp"
#include "tools/report/table/renderer.hpp"

namespace prof::reports {

/// A line each below a text table, a paragraph each below a Markdown table.
void write_notes(const Notes& notes, Form form, const tools::Styles& styles, tools::Output& output);

}  // namespace prof::reports
