// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The ops of programs that XLA compiles. Their names are JAX's and XLA's, which often mean
// something else in PyTorch (`max`, `gather`), so they have a namespace.
#pragma once

#include <string_view>

namespace prof::ops {

/// The prefix of the name of an XLA op.
inline constexpr std::string_view kXlaNamespace = "xla::";

inline bool is_xla_op(std::string_view op) { return op.starts_with(kXlaNamespace); }

}  // namespace prof::ops
