// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Triton kernels as ops. Inductor, the compiler of torch.compile, names a kernel after the ops that
// it computes: `triton_poi_fused_mul_silu_2`. A hand-written kernel is an op with the name of its
// function, in the namespace `triton::`. Names may be any bytes. Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace prof::ops {

/// The prefix before a hand-written kernel's name in the name of its op.
inline constexpr std::string_view kTritonNamespace = "triton::";

/// The ops in the name of a kernel that Inductor generated, as the name has them, each once; a name
/// that is of no known op stays whole. Empty: the kernel is not Inductor's, or its name has none.
std::vector<std::string_view> fused_ops(std::string_view kernel);

/// Such a kernel's op as reports show it: "fused: mul+silu"; of a template that computes a product
/// its product, "mm". Empty if fused_ops() is.
std::string fused_word(std::string_view kernel);

/// Such a kernel is of a backward pass, as far as its name shows: it computes the backward of an op
/// that it does not compute itself. A kernel of a forward pass may prepare the backward of its ops.
bool is_fused_backward(std::string_view kernel);

/// The op is a Triton kernel.
bool is_triton_kernel(std::string_view op);

/// `suffixed` without the suffix that Triton's compiler appended to names until 2.1 for what its
/// arguments are: "add_kernel_0d1d2de" gives "add_kernel".
std::string_view without_specialization(std::string_view suffixed);

}  // namespace prof::ops
