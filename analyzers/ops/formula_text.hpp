// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The formula that a model has for an op (OpFormula), with the op's numbers in it. The model's code
// counts; the text is shown with numbers only where those make what the code has counted. Pure
// functions.
#pragma once

#include <optional>
#include <string>

#include "analyzers/ops/op_model.hpp"

namespace prof::ops {

/// The row of the model's table that has the op; null: none has it.
const OpFormula* formula_of(const OpModel& model, const OpDesc& op);

/// "2·M·N·K = 2·16·64·32 = 65,536", of the sums of products that the formula begins with; of a
/// product also where that is a part of what is counted. Empty: it is not that simple.
std::string formula_with_numbers(std::string_view formula, const OpModel& model, const OpDesc& op,
                                 const std::optional<GemmShape>& gemm, double flops);

}  // namespace prof::ops
