// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The processes of a file. torch.profiler writes one; programs that merge the files of several
// ranks leave each its number, or write a text in its place ("[TP01] 84"). The numbers of launches
// and of ops are then not unique any more: which GPU is whose follows from that text, or else by
// launches whose number only one process has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/import/importer.hpp"

namespace prof::importers {

/// At least one. A file of several is read twice.
Result<std::vector<Process>> kineto_processes(const Source& source);

/// The number at the end of a process's name: 84 of "[TP01] 84", 0 if it has none.
std::uint64_t pid_in(std::string_view name);

}  // namespace prof::importers
