// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Sizes that an op in a backward node does not state and that follow from the forward op: what a
// gradient's sum reduces, how many rows a gradient's table has. Pure.
#pragma once

#include "libprof/model/tensor.hpp"

namespace prof::ops {

/// Adds them to `op`, which runs in the backward node of `forward` and may call `inner`. False: it
/// lacks none that are known.
bool add_forward_sizes(OpDesc& op, const OpDesc& inner, const OpDesc& forward);

}  // namespace prof::ops
