// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What is kept of an op behind the name of its range (OpEvent). Copied in and out as bytes.
#pragma once

#include <cstdint>

#include "libprof/model/record_parts.hpp"

namespace prof::collectors {

struct TorchOp {          // Followed by the name and the arguments.
  std::int64_t sequence;  ///< Negative: none.
  ThreadId forward_thread;
  std::uint32_t is_backward;
  std::uint32_t name_bytes;
  std::uint32_t unused;
};

}  // namespace prof::collectors
