// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The command line of prof-fleet: prof-fleet COMMAND STORE [OPTIONS] ...; a question's name is a
// command.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/common/manual.hpp"
#include "tools/fleet/add/add_traces.hpp"
#include "tools/fleet/questions/question.hpp"
#include "tools/fleet/store/store.hpp"

namespace prof::fleet {

enum class Command : std::uint8_t { kAnswer, kInit, kAdd, kSql, kExport, kAsk };

struct FleetOptions {
  Command command = Command::kAnswer;
  std::string answer = {};  ///< The text of --help and the like: it is printed, no more.
  StoreWords store = {};
  AddOptions add = {};
  std::vector<std::string> traces = {};
  std::string sql = {};
  std::string folder = {};  ///< For Parquet.
  Asked asked = {};
  const reports::FormInfo* form = nullptr;
  std::string output = {};                    ///< Empty: stdout.
  std::optional<double> fail_above_pct = {};  ///< A step that takes longer by more is a failure.
};

/// Errors are mistakes of usage.
Result<FleetOptions> parse_options(int argc, const char* const* argv);

tools::Manual manual();

}  // namespace prof::fleet
