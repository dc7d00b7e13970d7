// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The same training step on the CPU, in double precision, implemented independently: it shares with
// the GPU's only the initial values, the batch and which elements dropout drops. What the model
// stores in fp16 may be rounded to fp16 here, too, so that necessary rounding does not blur the
// comparison.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "bert/batch.hpp"
#include "bert/config.hpp"
#include "common/cpu_tensor.hpp"

namespace ref {

/// Tensors by the name of their parameter: embedding.token, encoder.0.attention.q.weight, ...
using BertTensors = std::map<std::string, cpu::Tensor>;

enum class BertRounding { half, none };

struct BertReferenceStep {
  double loss;
  BertTensors gradients;  // of the unscaled loss
};

/// `step` counts from 0: dropout depends on it.
[[nodiscard]] BertReferenceStep bert_reference_step(const BertConfig& config,
                                                    const HostBertBatch& batch,
                                                    const BertTensors& parameters,
                                                    BertRounding rounding, std::uint64_t step);

}  // namespace ref
