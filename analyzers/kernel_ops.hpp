// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The op that a kernel is by its own name: Triton kernels, which are launched without an op of
// PyTorch's around them. Pure.
#pragma once

#include "analyzers/model/attribution.hpp"
#include "analyzers/ops/op_catalog.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

struct KernelOp {
  ops::SharedOp op;     ///< Null: its name states none.
  StringId name;        ///< Name of the kernel.
  bool is_sure = true;  ///< Only Triton gives such names. If not, any compiler of C may.
};

KernelOp kernel_op(const KernelFacts& kernel, StringId name);

/// Triton launches its kernels like this: whole warps along x, without memory that a block
/// declares.
bool is_launch_of_triton(const LaunchConfig& launch);

/// The trace is of a Python program.
bool is_of_python(TraceReader& reader);

}  // namespace prof
