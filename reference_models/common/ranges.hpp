// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranges that name phases of the program, besides the layers and ops of prof/annotate.hpp.
#pragma once

#include <nvtx3/nvToolsExt.h>

namespace ref {

/// A plain NVTX range of the default domain, until the end of the block. `name` is copied by the
/// tool.
class [[nodiscard]] Range {
 public:
  explicit Range(const char* name) noexcept { nvtxRangePushA(name); }
  ~Range() { nvtxRangePop(); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

}  // namespace ref
