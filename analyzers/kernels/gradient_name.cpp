// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/kernels/gradient_name.hpp"

namespace prof::kernels {
namespace {

struct Word {
  std::string_view word;
  Part part;
};

// The weight's come first: PyTorch's conv_depthwise3d_cuda_backward_weight_kernel has both. A
// norm's kernels for gamma and beta compute the gradients of weight and bias.
constexpr Word kWords[] = {
    {"wgrad", Part::kWeight},        // cuDNN, CUTLASS, XMMA
    {"Wgrad", Part::kWeight},        // cuDNN's setup
    {"grad_weight", Part::kWeight},  // PyTorch's conv_depthwise2d
    {"backward_weight", Part::kWeight},
    {"bwd_filter", Part::kWeight},
    {"backward_filter", Part::kWeight},
    {"GammaBetaBackward", Part::kWeight},  // PyTorch's layer_norm and group_norm
    {"GradGammaBeta", Part::kWeight},      // Apex's layer_norm
    {"dgrad", Part::kData},
    {"Dgrad", Part::kData},
    {"backward_input", Part::kData},
    {"layer_norm_grad_input", Part::kData},
    {"ComputeGradInput", Part::kData},
    {"bwd_data", Part::kData},
    {"backward_data", Part::kData},
    {"conv_depthwise2d_backward", Part::kData},
};

}  // namespace

Part gradient_in_name(std::string_view demangled) {
  for (const Word& known : kWords) {
    if (demangled.find(known.word) != std::string_view::npos) return known.part;
  }
  return Part::kNone;
}

}  // namespace prof::kernels
