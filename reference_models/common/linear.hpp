// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A fully connected layer in fp16: the product, and the bias either as a separate op or not at all,
// if a later op adds it.
#pragma once

#include <string>

#include "common/describe.hpp"
#include "common/layer.hpp"

namespace ref {

/// How the bias is added.
enum class BiasForm {
  none,  ///< elsewhere
  bias,  ///< an op `bias`
  add,   ///< an op `add` of two tensors, as frameworks do with a bias that broadcasts
};

struct LinearSizes {
  prof::Dims tokens;  // the dimensions before the last
  int in;
  int out;
  BiasForm bias = BiasForm::bias;
  int x_pitch = 0;             // elements from one row of x to the next; 0: dense
  bool input_gradient = true;  // whether data_backward() is called
};

/// y = x W^T (+ b). Terms: NAME.bias, NAME.data, NAME.weight.
class Linear {
 public:
  /// `initial` is the weight's; the bias uses the stream after it. `shared` is the weight if it
  /// belongs to another layer.
  Linear(const LayerSetup& setup, const std::string& name, const LinearSizes& sizes,
         const Initial& initial, Parameter* shared = nullptr);

  /// (tokens, out); valid until the next call.
  __half* forward(Gpu& gpu, const __half* x);

  // The three gradients, in the order in which the caller wants them launched.
  void bias_backward(Gpu& gpu, const __half* dy);
  /// (tokens, in); valid until the next call.
  __half* data_backward(Gpu& gpu, const __half* dy);
  void weight_backward(Gpu& gpu, const __half* x, const __half* dy);
  /// All: bias, data, weight. Returns what data_backward() does.
  __half* backward(Gpu& gpu, const __half* x, const __half* dy);

 private:
  LinearSizes sizes_;
  int rows_;
  LayerTerms terms_;
  Parameter* weight_;
  Parameter* bias_;  // null where the layer does not add it
  DeviceBuffer<__half> y_, dx_;
  DeviceBuffer<float> scratch_;
  LinearTexts texts_;
  prof::OpText added_bias_text_;
};

}  // namespace ref
