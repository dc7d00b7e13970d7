// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The update half of mixed-precision training: gradients are unscaled and checked, parameters are
// updated unless a gradient was infinite or NaN, and the loss scale is adjusted.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstddef>

namespace ref {

/// The loss scaler's state, kept on the device so that no step waits for the host.
struct ScalerState {
  float scale;         ///< the loss is multiplied by it
  int found_infinite;  ///< this step's gradients hold an infinity or NaN
  int good_steps;      ///< since the scale last changed
};

/// out[i] = grad[i] / state->scale; raises state->found_infinite. grad and out may be the same
/// array. With `divide` false the scale is taken as 1.
void unscale(cudaStream_t stream, const __half* grad, float* out, std::size_t n, ScalerState* state,
             bool divide);
void unscale(cudaStream_t stream, const float* grad, float* out, std::size_t n, ScalerState* state,
             bool divide);

/// param[i] -= rate * grad[i], and half[i] = param[i] unless half is null; nothing at all if
/// state->found_infinite.
void sgd(cudaStream_t stream, float* param, const float* grad, __half* half, std::size_t n,
         float rate, const ScalerState* state);

/// Halves the scale after an infinite gradient; doubles it, to 65536 at most, after 2000 good
/// steps.
void adjust_scale(cudaStream_t stream, ScalerState* state);

}  // namespace ref
