// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Placeholders in the names of outputs: prof-run checks a name before the program runs, the
// collector fills it. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace prof {

struct Placeholders {
  std::string pid;     ///< %p
  std::string host;    ///< %h
  std::string rank;    ///< %r
  std::string window;  ///< %n
};

/// Fills %p, %h, %r, %n and %% in the file's name; any other % stays, and so do those in its
/// folders, which already exist under those names.
std::string fill_placeholders(std::string_view path, const Placeholders& values);
/// Whether the file's name is known only once it is filled.
bool has_placeholder(std::string_view path);
/// Whether the file's name has %n: each window has a file of its own.
bool has_window_number(std::string_view path);
/// The name of window 1, if it depends on nothing else; otherwise empty.
std::string name_of_first_window(std::string_view path);

}  // namespace prof
