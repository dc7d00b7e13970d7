// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GPU work in launch order, in which work of conditional nodes' bodies stands at the launch of its
// graph (body_launches.hpp). If that is ambiguous, it stands at the last launch that may have run
// it, because its graph is alive until then; if there is none, it comes last. For such work,
// `launch_start_ns` is a time at which its graph was alive, and `launched` is false.
#pragma once

#include <memory>

#include "libprof/store/read/trace_reader.hpp"

namespace prof {

std::unique_ptr<GpuCursor> launched_work(TraceReader& reader, TraceReader::Work work);

}  // namespace prof
