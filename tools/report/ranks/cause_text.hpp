// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Causes of late ranks in words.
#pragma once

#include <string>

#include "analyzers/ranks/blame.hpp"

namespace prof::reports {

/// "host idle before linear in h.1:mlp:c_fc, fprop: 4.1 ms (others 0.1 ms)".
std::string to_text(const ranks::Cause& cause);

/// The text about a rank that is late although no place stands out; the period is a step's.
std::string text_without_cause(const ranks::RankBlame& blame, double period_ns);

/// "; a step of 3.0 ms would take ~2.2 ms if this rank were as the others"; empty: no cost is
/// known.
std::string text_of_cost(const ranks::RankBlame& blame, double period_ns);

/// "4.1 ms"; with more digits where it is short.
std::string time_text(double ns);

}  // namespace prof::reports
