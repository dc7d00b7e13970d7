// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Records a loss that becomes known after its trace was closed.
#pragma once

#include <string>

#include "libprof/base/result.hpp"
#include "libprof/model/records.hpp"

namespace prof {

/// Adds to the losses of the finished trace at `path`. One thread; the file must not be open.
Status append_loss(const std::string& path, const LossRecord& record);

}  // namespace prof
