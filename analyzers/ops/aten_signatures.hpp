// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Facts that follow from an op's name by PyTorch's ATen schemas: its argument names, the forward op
// of a backward op, the name the user knows. emit_nvtx writes only shapes, in schema order: lists
// of tensors flattened, and an empty shape for everything that is not a tensor. Facts of torch 1.x
// to 2.11 (native_functions.yaml), as rows in aten_signatures.inc and aten_words.inc. All functions
// are pure and may be called from any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "analyzers/ops/aten_values.hpp"
#include "libprof/model/tensor.hpp"

namespace prof::ops {

/// One argument of an op, with the name that the op models use; empty if they do not use it.
struct AtenArgument {
  std::string_view name;
  bool tensor = true;
  bool list = false;  ///< A list of tensors.
  Tensor::Role role = Tensor::Role::kIn;
};

/// The arguments in schema order, of the first overload listed. Empty for an unlisted op. `op` with
/// or without `aten::`, with or without the trailing `_` of the in-place form.
std::vector<AtenArgument> aten_arguments(std::string_view op);

/// A source that looks into lists states this about each shape.
struct AtenPlace {
  std::size_t list = 0;     ///< Length of the list that begins there, 0: none, or not known.
  bool is_missing = false;  ///< Element of a list that is no tensor, with an empty shape.
};
using AtenLists = std::vector<AtenPlace>;

/// Tensors for the recorded `shapes` of one call, with names and roles, and with the dtypes of the
/// shapes where `types` has them (kUnknown: not known). `values` are those of the arguments that
/// are no tensors, as many as shapes; empty: the source does not state them. The tensors of a list
/// share its name. Optional arguments that were not passed are omitted; a required one
/// with an empty shape is a scalar. Shapes past the schema's end are outputs (`out=`). An in-place
/// op's first argument is in and out.
/// `distinct`, one per shape: Tensor::distinct. Empty: the source does not state strides.
/// `lists`, one per shape; a list that is empty, or that the source does not look into, has one
/// empty shape. Empty: the source does not state lists.
struct AtenTensors {
  std::vector<Tensor> tensors;
  /// The values that op models use, under the names of their attributes. An operand that is a
  /// number has it under its own name: its tensor has no dtype. `hides_list`: the name of a list
  /// that the source does not look into. `left_out`: which of the indices in a list are no tensors:
  /// "0,2".
  AtenValues values;
  /// False: the op is not listed, or no overload matches these shapes. Then all non-empty shapes
  /// are unnamed inputs.
  bool named = false;
};
AtenTensors aten_tensors(std::string_view op, const std::vector<Shape>& shapes,
                         const std::vector<DType>& types = {},
                         const std::vector<AtenValue>& values = {}, const AtenLists& lists = {},
                         const std::vector<std::optional<double>>& distinct = {});

/// An op that is a call of a library (prof-run --trace cublas), which states what it is asked for.
inline bool is_library_call(std::string_view op) {
  constexpr std::string_view kNamespaces[] = {
      "cublas::", "cudnn::", "cufft::", "cusolver::", "cusparse::"};
  return std::ranges::any_of(kNamespaces, [op](auto space) { return op.starts_with(space); });
}

/// An op that a library or its Python functions add to PyTorch (library_ops.inc).
bool is_library_op(std::string_view op);

/// The forward op's word for a backward op's word ("gelu_backward" gives "gelu",
/// "_softmax_backward_data" gives "softmax"); "" for any other op.
std::string_view forward_word(std::string_view op);

/// The name the user knows ("_softmax" and "_softmax_backward_data" are "softmax",
/// "native_layer_norm" is "layer_norm"): the display word of the forward op for a backward op,
/// otherwise of the op itself, without `aten::` and trailing `_`. A view of `op` or of static text.
std::string_view display_word(std::string_view op);

}  // namespace prof::ops
