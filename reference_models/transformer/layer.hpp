// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What every layer with a weight and a bias has, linear or norm.
#pragma once

#include <string>

#include "common/gradient_terms.hpp"

namespace ref {

/// Which of a layer's gradients are computed. Terms: NAME.bias, NAME.data, NAME.weight.
struct LayerTerms {
  LayerTerms() = default;  // all
  LayerTerms(const GradientTerms& terms, const std::string& name)
      : bias(terms.keep(name + ".bias")),
        data(terms.keep(name + ".data")),
        weight(terms.keep(name + ".weight")) {}

  bool bias = true, data = true, weight = true;
};

/// A layer's parameters and their gradients, as stored by their owner.
template <typename T>
struct LayerWeights {
  const T *weight, *bias;
  T *dweight, *dbias;
};

}  // namespace ref
