// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// NcuCommand: the command line of Nsight Compute that runs the captured program again and measures
// one kernel of the trace there. The kernel is found by its mangled name and by how many launches
// of this name came before it, as ncu counts them (docs/other_tools.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/report/rows/row_input.hpp"

namespace prof::reports {

struct NcuCommand {
  std::string line;                ///< Quoted for a shell.
  std::vector<std::string> facts;  ///< How the program ran that was captured.
  /// Why ncu may count other launches than the trace has.
  std::vector<std::string> warnings;
};

/// The command for the kernel that report `kernels` shows as `idx`, or report `gpu` if copies are
/// chosen, too. Reads the work up to it. An error says why the row cannot be measured.
Result<NcuCommand> ncu_command(const RowInput& input, std::uint64_t idx);

}  // namespace prof::reports
