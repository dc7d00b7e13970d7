// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The words that options take, and errors that name them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/report/export/formats/registry.hpp"
#include "tools/report/query/registry.hpp"
#include "tools/report/table/renderer.hpp"

namespace prof::reports {

std::vector<std::string_view> report_names(const Registry& registry);
std::vector<std::string_view> rollup_names(const Registry& registry);
std::vector<std::string_view> form_names();
formats::Registry export_formats();
/// Their words, also the second ones.
std::vector<std::string_view> export_words();

/// "-f csv", as an error names a form, wherever it comes from.
std::string flag_of(const FormInfo& form);

/// "a, b, c".
std::string list_of(std::span<const std::string_view> names);

/// A word that is none of the valid ones; `what` is their noun.
Error unknown(std::string_view what, const std::string& word, std::string_view option,
              std::span<const std::string_view> valid);
/// A number from 1 on. Anything else "is not `what`": "a number of lines".
Result<std::uint64_t> parse_count(const std::string& word, std::string_view option,
                                  std::string_view what, std::string_view hint);
/// Two options that exclude each other.
Error clash(std::string_view option, std::string_view with, std::string_view hint = "");

}  // namespace prof::reports
