// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The meaning of a range that PyTorch's record functions open, by its name and arguments. The
// source does not matter: emit_nvtx writes them in a text, a profiler in a file of its own.
// docs/dialects.md explains the names. Pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "analyzers/dialects/dialect.hpp"
#include "analyzers/ops/aten_signatures.hpp"
#include "analyzers/ops/aten_values.hpp"
#include "libprof/model/tensor.hpp"

namespace prof::dialects {

struct TorchCall {
  std::string_view name;
  bool has_seq = false;                    ///< Autograd gave it a sequence number.
  bool is_op = false;                      ///< The source says so, whatever the name.
  bool is_backward = false;                ///< The source says that it is a node of autograd.
  std::string_view layer, source_line;     ///< See FrameworkOp.
  bool has_sizes = false;                  ///< Its arguments are known.
  Direction direction = Direction::kNone;  ///< Stated, or kNone.
  std::vector<Shape> sizes;  ///< One per argument, lists of tensors flattened; others empty.
  std::vector<DType> types;  ///< Types of `sizes`, or empty.
  std::vector<ops::AtenValue> values;  ///< Values of the arguments of `sizes`, or empty.
  /// Tensor::distinct of `sizes`, or empty.
  std::vector<std::optional<double>> distinct;
  ops::AtenLists lists;  ///< The entries of `sizes` that begin a list, with its length; or empty.
  ops::AtenValues facts{};  ///< Facts that the source states beside the arguments.
};

/// True for names that no program gives its own ranges.
bool is_torch_name(std::string_view name);

/// Without the ties that are positions in a text.
RangeMeaning torch_meaning(const TorchCall& call);

}  // namespace prof::dialects
