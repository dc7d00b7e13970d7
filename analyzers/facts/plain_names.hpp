// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the names of plain ranges: programs call them after their functions ("gpt2_backward",
// "LayerNormForward"), phases ("train", "step 3") and layers ("Layer 3"). A name is read as words,
// which end at signs, at digits and where an upper-case letter begins one. All of it is a guess,
// and counts only where nothing states more. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "libprof/model/tensor.hpp"

namespace prof {

/// The pass of a training step that names say work belongs to.
struct NamedPass {
  Direction direction = Direction::kNone;
  /// Something named forward in something named backward: it runs again, in the backward pass.
  bool runs_again = false;
};

/// By the innermost name that says it: `innermost`, then those of `path`, joined with ':', from
/// the end. A name of several passes ends the search: what it holds is of any of them.
NamedPass named_pass(std::string_view path, std::string_view innermost = {});

/// The name of what is done each time: numbers that stand alone are '*', "request * of a user".
/// Those of a word ("forward5") belong to it.
std::string operation_of(std::string_view name);

/// False for names that only say which pass, step or layer this is: "forward", "step 3", "Layer 3".
bool names_operation(std::string_view name);

}  // namespace prof
