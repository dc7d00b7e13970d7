// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How a range is named together with its domain.
#pragma once

#include <string>
#include <string_view>

#include "libprof/store/read/trace_reader.hpp"

namespace prof::reports {

/// "DOMAIN:text", as Nsight Systems names ranges; ":text" in the default domain.
inline std::string qualified_text(TraceReader& trace, DomainId domain, std::string_view text) {
  return std::string(trace.domain_name(domain)).append(":").append(text);
}

}  // namespace prof::reports
