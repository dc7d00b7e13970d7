// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Why nothing can be captured here: questions asked once it is known that nothing was. Each is one
// line's text with what, where and what to do; nullopt: that is not the reason.
#pragma once

#include <optional>
#include <string>

namespace prof {

/// The driver cannot be loaded. Loads it if it can.
std::optional<std::string> why_no_driver();
/// It can, but does not start: it finds no GPU, or does not fit its kernel module. Starts it if it
/// can, which takes as long as the start of any CUDA program.
std::optional<std::string> why_driver_fails();

}  // namespace prof
