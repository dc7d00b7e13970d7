// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The stand-in libc10.so, in which PyTorch's tensors are.
#pragma once

#include <cstdint>
#include <vector>

#include "torch.hpp"

namespace c10 {

struct __attribute__((visibility("default"))) TensorImpl {
  std::uint64_t references = 1;
  standin::torch::Kind kind = standin::torch::Kind::kPlain;
  std::int32_t dtype = 0;
  std::vector<std::int64_t> sizes, strides;
  virtual ~TensorImpl();
};

}  // namespace c10
