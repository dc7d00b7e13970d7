// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Which gradient of a convolution or a norm a kernel computes, by its name. Pure function.
#pragma once

#include <string_view>

#include "libprof/model/tensor.hpp"

namespace prof::kernels {

/// kNone: the name does not say.
Part gradient_in_name(std::string_view demangled);

}  // namespace prof::kernels
