// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// BERT's training step on the CPU. It shares with the GPU's also which elements dropout drops.
#pragma once

#include <cstdint>

#include "bert/batch.hpp"
#include "bert/config.hpp"
#include "common/reference_step.hpp"

namespace ref {

/// `parameters` are embedding.token, encoder.0.attention.q.weight, ... `step` counts from 0:
/// dropout depends on it.
[[nodiscard]] ReferenceStep bert_reference_step(const BertConfig& config,
                                                const HostBertBatch& batch,
                                                const NamedTensors& parameters,
                                                ReferenceStorage storage, std::uint64_t step);

}  // namespace ref
