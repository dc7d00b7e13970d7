// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What layers with a weight and a bias, linear or norm, are made from.
#pragma once

#include <deque>
#include <string>

#include "common/gradient_terms.hpp"
#include "common/parameter.hpp"

namespace ref {

/// What layers are made from, and where their parameters go, in the order of the forward pass.
/// Parameters do not move.
struct LayerSetup {
  Gpu& gpu;
  const GradientTerms& terms;
  std::deque<Parameter>& parameters;

  /// Makes an fp16 parameter.
  Parameter& add(const std::string& name, const prof::Dims& shape, const Initial& initial) const {
    return parameters.emplace_back(gpu, name, shape, Parameter::Precision::fp16, initial);
  }
};

/// Which of a layer's gradients are computed. Terms: NAME.bias, NAME.data, NAME.weight.
struct LayerTerms {
  LayerTerms(const GradientTerms& terms, const std::string& name)
      : bias(terms.keep(name + ".bias")),
        data(terms.keep(name + ".data")),
        weight(terms.keep(name + ".weight")) {}

  bool bias, data, weight;
};

/// A layer's parameters and their gradients, as stored by their owner.
template <typename T>
struct LayerWeights {
  const T *weight, *bias;
  T *dweight, *dbias;
};

}  // namespace ref
