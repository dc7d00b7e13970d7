// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The words that options take, and errors that name them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/report/export/formats/registry.hpp"
#include "tools/report/query/registry.hpp"

namespace prof::reports {

std::vector<std::string_view> report_names(const Registry& registry);
std::vector<std::string_view> rollup_names(const Registry& registry);
std::vector<std::string_view> form_names();
std::vector<std::string_view> export_words(const formats::Registry& exports);

/// "a, b, c".
std::string list_of(std::span<const std::string_view> names);

/// A word that is none of the valid ones; `what` is their noun.
Error unknown(std::string_view what, const std::string& word, std::string_view option,
              std::span<const std::string_view> valid);
/// Two options that exclude each other.
Error clash(std::string_view option, std::string_view with, std::string_view hint = "");

}  // namespace prof::reports
