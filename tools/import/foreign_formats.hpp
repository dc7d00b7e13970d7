// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that people take for traces, but that no importer reads: what they are, known by their
// content, and what to import instead. Pure.
#pragma once

#include <string>
#include <string_view>

#include "libprof/base/result.hpp"

namespace prof::importers {

/// `first_bytes`: of the file (first_bytes()), which no importer took.
Error unrecognized(const std::string& path, std::string_view first_bytes);

}  // namespace prof::importers
