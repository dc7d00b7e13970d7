// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A ledger as a file.
#pragma once

#include <string>

#include "common/ledger.hpp"

namespace ref {

/// Writes the ledger's JSON to `path`, or to stdout for "-". Throws std::runtime_error, in one
/// line, if not all of it could be written.
void write_ledger(const Ledger& ledger, const std::string& path);

}  // namespace ref
