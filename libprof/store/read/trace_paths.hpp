// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Resolves the paths that a user gives for traces: files, or folders of them.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace prof {

/// Replaces each folder by the traces in it, in the order of their names and numbers (rank2 before
/// rank10). These are the files whose header identifies them as traces, and those named *.db that
/// are no SQLite database at all: opening them gives the error. A folder without either stays.
std::vector<std::string> traces_in(std::span<const std::string> paths);

}  // namespace prof
