// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Progress of reading attributed GPU work.
#pragma once

#include "tools/report/rows/read_progress.hpp"
#include "tools/report/rows/row_input.hpp"

namespace prof::reports {

/// The same work; reading it updates `progress`, which must outlive what reads.
AttributeWork with_progress(AttributeWork attribute, ReadProgress& progress);

}  // namespace prof::reports
