// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The start of a file, to detect its format.
#pragma once

#include <string>

#include "libprof/base/result.hpp"

namespace prof::importers {

/// The first 4 KiB of a file, or fewer; of the decompressed data where it is gzip.
Result<std::string> first_bytes(const std::string& path);

}  // namespace prof::importers
