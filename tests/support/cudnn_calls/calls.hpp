// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls cuDNN's functions for layers, each wrapped one, and executes graphs of its backend, and
// prints a line for each call: FUNCTION STATUS OP, the operands as SIZES:TYPE (or - for none, ? for
// unknown) and facts as KEY=VALUE. compare.py compares the lines with a trace.
#pragma once

#include <cuda_runtime_api.h>
#include <cudnn.h>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

namespace cudnn_calls {

/// What the calls work on: a GPU, or a stand-in for cuDNN, which reads no memory.
struct Machine {
  char* memory;  ///< Of zeros; operands and workspaces are in it.
  std::size_t bytes;
  cudaStream_t stream;
  bool is_real;
  void (*before)();  ///< Each call; may be null.
  void (*after)();
};

/// Each returns how many calls were refused.
int make_layer_calls(const Machine& machine, cudnnHandle_t handle);
int make_backend_calls(const Machine& machine, cudnnHandle_t handle);

/// Prints the line, and makes the call between the machine's hooks. True: it was not refused.
template <typename Call>
bool said(const Machine& machine, const char* function, const char* line, Call call) {
  if (machine.before != nullptr) machine.before();
  const cudnnStatus_t status = call();
  if (machine.after != nullptr) machine.after();
  std::printf("%s %d %s\n", function, static_cast<int>(status), line);
  return status == CUDNN_STATUS_SUCCESS;
}

}  // namespace cudnn_calls
