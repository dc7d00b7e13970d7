// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reasons why nothing can be captured, determined once it is known that nothing was. Each is one
// line's text with the problem, its place and the remedy; nullopt: that is not the reason.
#pragma once

#include <optional>
#include <string>

namespace prof {

/// The driver cannot be loaded. Loads it if possible.
std::optional<std::string> why_no_driver();
/// The driver can be loaded, but does not start: it finds no GPU, or does not fit its kernel
/// module. Starts it if possible, which takes as long as the start of any CUDA program.
std::optional<std::string> why_driver_fails();

}  // namespace prof
