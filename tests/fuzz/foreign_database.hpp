// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// An SQLite file of another profiler, made from one line of text, so that texts can be damaged row
// by row and value by value.
#pragma once

#include <string>
#include <string_view>

namespace prof::fuzz {

/// `rows`: parted by '|', each "TABLE COLUMN=VALUE ..."; a table has the columns of all its rows. A
/// value is an integer, "x" and hexadecimal digits (a blob), nothing (NULL), or a text in which '+'
/// stands for a blank. What cannot be a table, a column or a value is left out.
void write_database(const std::string& path, std::string_view rows);

}  // namespace prof::fuzz
