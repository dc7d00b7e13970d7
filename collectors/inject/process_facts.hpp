// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What a trace says about the process and the machine that it was captured in: the keys and values
// of its meta records. Never the environment as a whole, which may hold secrets. Reads /proc and
// calls nothing of CUDA.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace prof::collectors {

using Facts = std::vector<std::pair<std::string, std::string>>;

/// executable, command_line, pid, working_directory, host, os, kernel, env.CUDA_VISIBLE_DEVICES,
/// ...
Facts process_facts();

std::string host_name();

/// Arguments as a shell would take them: quoted where they need it.
std::string shell_join(const std::vector<std::string>& arguments);

}  // namespace prof::collectors
