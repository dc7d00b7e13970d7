// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/pinned_bytes.hpp"

namespace prof {

void PinnedBytes::destroy(Block* block) { delete block; }

}  // namespace prof
