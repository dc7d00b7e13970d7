// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Allocator events of torch.profiler (profile_memory): one for each block that is handed out or
// taken back, with what the allocator then holds.
#pragma once

#include <optional>
#include <string>

#include "tools/import/kineto/trace_event.hpp"

namespace prof::importers {

/// The text of the mark that stands for the event (`-r torch_allocations` reads it); nullopt: it is
/// another event.
std::optional<std::string> memory_mark(const TraceEvent& event);

}  // namespace prof::importers
