// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Times as short texts with their unit, as nvprof writes them.
#pragma once

#include <cstdint>
#include <string>

namespace prof::reports {

/// "608ns", "2.6560us", "26.435us", "115.18ms", "8.92100s": whole nanoseconds below a microsecond,
/// five digits below a second, then six. Halves are rounded up; what is rounded up to 1000 of a
/// unit is 1 of the next. From a million seconds on, all digits of the seconds.
void append_time_digits(std::int64_t time_ns, std::string& out);

}  // namespace prof::reports
