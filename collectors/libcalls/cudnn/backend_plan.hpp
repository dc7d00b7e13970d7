// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The op that a plan of cuDNN's backend computes: that of its main operation, attention before a
// product before a normalization before anything else. Operands are tensors in memory: where the
// main operation has a virtual one, the tensor of the same sizes that it is made of, or that is
// made of it. A product with other operations around it has operands of these, too: bias, then up
// to three, in; up to two, out. Attention that is a chain of products is recognized
// (backend_attention.hpp).
#pragma once

#include "collectors/libcalls/cudnn/backend_table.hpp"

namespace prof::collectors {

/// Describes a plan that is final. If its graph is unknown, the op is cudnn::graph and says why.
BackendPlan plan_of(const BackendNode& plan);

}  // namespace prof::collectors
