// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Which types the tensor cores of a device multiply. Pure function.
#pragma once

#include <optional>

#include "libprof/model/tensor.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof::devices {

/// The type in which they take operands of `dtype`: TF32 for 32-bit floats, else `dtype` itself;
/// kUnknown: they do not. Absent: the device's compute capability is not known, or `dtype` is not
/// one that products have.
std::optional<DType> tensor_type(const DeviceRow& device, DType dtype);

}  // namespace prof::devices
