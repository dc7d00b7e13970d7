// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Facts about the captured process and its machine that a trace records: the keys and values of its
// meta records. Never the environment as a whole, which may hold secrets. Reads /proc; does not
// call CUDA.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace prof::collectors {

using Facts = std::vector<std::pair<std::string, std::string>>;

/// executable, command_line, pid, working_directory, host, boot_id, os, kernel,
/// env.CUDA_VISIBLE_DEVICES, env.RANK, ...
Facts process_facts();

std::string host_name();

/// Arguments as for a shell: quoted where necessary.
std::string shell_join(const std::vector<std::string>& arguments);

}  // namespace prof::collectors
