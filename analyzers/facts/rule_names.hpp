// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The names of meanings and of the code that handles them (rule_names.inc), and facts as texts:
// they explain why work is attributed as it is. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/facts/facts.hpp"

namespace prof {

/// A rule, or what finds things beside ranges, and the file that it is in.
struct RuleName {
  std::string_view what, rule, file;
};

/// Rules beside the meanings of ranges: each changes facts or leads to other ranges.
enum class Effect : std::uint8_t {
#define MEANING(type, what, rule, file)
#define EFFECT(name, what, rule, file) name,
#include "analyzers/facts/rule_names.inc"
#undef EFFECT
#undef MEANING
};

RuleName rule_of(const Meaning& meaning);
RuleName rule_of(Effect effect);
/// All of both.
std::span<const RuleName> rule_names();

/// A fact before and after: "layer", "", "fc".
struct FactChange {
  std::string_view what;
  std::string before, after;  ///< Empty: nothing.
};

/// The facts that differ, for people.
std::vector<FactChange> changes(const Facts& before, const Facts& after);

}  // namespace prof
