// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// DLRM's training step on the CPU.
#pragma once

#include "common/reference_step.hpp"
#include "dlrm/batch.hpp"
#include "dlrm/config.hpp"

namespace ref {

/// `parameters` are bottom.0.weight, bottom.0.bias, embedding.0, top.0.weight, ...
[[nodiscard]] ReferenceStep reference_step(const DlrmConfig& config, const HostBatch& batch,
                                           const NamedTensors& parameters,
                                           ReferenceStorage storage);

}  // namespace ref
