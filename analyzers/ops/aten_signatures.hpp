// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What PyTorch's ATen schemas say about an op by its name alone: the names of its arguments, which
// op a backward op belongs to, what a person calls it. emit_nvtx writes only shapes, in the order
// of the schema: lists of tensors flattened, and an empty shape for everything that is not a
// tensor. Facts of torch 1.x to 2.11 (native_functions.yaml), as rows in aten_signatures.inc and
// aten_words.inc. All functions are pure and may be called by any thread.
#pragma once

#include <string_view>
#include <vector>

#include "libprof/model/tensor.hpp"

namespace prof::ops {

/// Argument names in schema order as the op models use them, "-" for what is not a tensor; of the
/// first overload listed. A list of tensors is one name. Empty for an op that is not listed.
/// `op` with or without `aten::`, with or without the trailing `_` of the in-place form.
std::vector<std::string_view> aten_argument_names(std::string_view op);

/// Tensors for the recorded `shapes` of one call, named and with roles, dtypes unknown. The tensors
/// of a list share its name. Optional arguments that were not given are left out, a required one
/// with an empty shape is a scalar. Shapes after the schema's end are outputs (`out=`). An in-place
/// op's first argument is in and out.
struct AtenTensors {
  std::vector<Tensor> tensors;
  /// False: the op is not listed, or no overload fits these shapes. Then all shapes that are not
  /// empty are inputs without a name.
  bool named = false;
};
AtenTensors aten_tensors(std::string_view op, const std::vector<Shape>& shapes);

/// The forward op's word for the word of a backward op ("gelu_backward" gives "gelu",
/// "_softmax_backward_data" gives "softmax"); "" for an op that is no backward op.
std::string_view forward_word(std::string_view op);

/// What a person calls the op ("_softmax" and "_softmax_backward_data" are "softmax",
/// "native_layer_norm" is "layer_norm"): the display word of its forward op if it is a backward op,
/// else the op's own word without `aten::` and trailing `_`. A view of `op` or of static text.
std::string_view display_word(std::string_view op);

}  // namespace prof::ops
