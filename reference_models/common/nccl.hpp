// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The few NCCL calls that data-parallel training needs. The library is loaded on first use, so that
// programs start where it is not installed, and its headers are not needed.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>
#include <vector>

struct ncclComm;

namespace ref {

/// One GPU's end of the communication between `ranks` GPUs of this process. Each is used by one
/// thread, all of them in the same order of calls. Throws std::runtime_error.
class Communicator {
 public:
  Communicator(Communicator&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Communicator& operator=(Communicator&&) = delete;
  ~Communicator();

  /// Replaces `count` elements with their mean over the GPUs. Asynchronous on `stream`.
  void average(float* data, std::size_t count, cudaStream_t stream);
  void average(__nv_bfloat16* data, std::size_t count, cudaStream_t stream);

 private:
  friend std::vector<Communicator> connect_gpus(int ranks);
  explicit Communicator(ncclComm* handle) : handle_(handle) {}

  ncclComm* handle_;
};

/// Rank i is GPU i. Throws std::runtime_error with one line if libnccl.so.2 is missing.
[[nodiscard]] std::vector<Communicator> connect_gpus(int ranks);

}  // namespace ref
