// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Data of an op that is stored behind the text of its range, its name (OpEvent). Copied in and out
// as bytes.
#pragma once

#include <cstdint>

#include "libprof/model/record_parts.hpp"

namespace prof::collectors {

struct OpHead {           // Followed by the arguments.
  std::int64_t sequence;  ///< Negative: none.
  ThreadId forward_thread;
  std::uint32_t is_backward;
};

}  // namespace prof::collectors
