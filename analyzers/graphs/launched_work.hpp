// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GPU work in launch order, in which work of conditional nodes' bodies stands at the launch of its
// graph (body_launches.hpp). Work whose launch is ambiguous comes last.
#pragma once

#include <memory>

#include "libprof/store/trace_reader.hpp"

namespace prof {

std::unique_ptr<GpuCursor> launched_work(TraceReader& reader, TraceReader::Work work);

}  // namespace prof
