// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See families.hpp.
#include "analyzers/kernels/families.hpp"

namespace prof::kernels {
namespace {

constexpr auto kStart = Family::Where::kStart;
constexpr auto kShort = Family::Where::kShort;
constexpr auto kFull = Family::Where::kFull;

// clang-format off
constexpr Family kFamilies[] = {
#define PROF_FAMILY(where, text, family, grammar, role) \
  {where, text, family, Grammar::grammar, Family::Role::role},
#include "analyzers/kernels/families.inc"
#undef PROF_FAMILY
};
// clang-format on

/// Matches the parts of `pattern` between its stars in order. No backtracking is needed: the
/// earliest match of a part leaves the most text for the rest.
bool matches(std::string_view text, std::string_view pattern) {
  while (true) {
    const std::size_t star = pattern.find('*');
    const std::string_view part = pattern.substr(0, star);
    const std::size_t at = text.find(part);
    if (at == std::string_view::npos) return false;
    if (star == std::string_view::npos) return true;
    text.remove_prefix(at + part.size());
    pattern.remove_prefix(star + 1);
  }
}

bool fits(const Family& row, std::string_view demangled, std::string_view short_name) {
  switch (row.where) {
    case kStart:
      return short_name.starts_with(row.text.substr(0, row.text.find('*'))) &&
             matches(short_name, row.text);
    case kShort:
      return matches(short_name, row.text);
    case kFull:
      return matches(demangled, row.text);
  }
  return false;
}

}  // namespace

const Family* find_family(std::string_view demangled, std::string_view short_name) {
  for (const Family& row : kFamilies) {
    if (fits(row, demangled, short_name)) return &row;
  }
  return nullptr;
}

std::span<const Family> families() { return kFamilies; }

}  // namespace prof::kernels
