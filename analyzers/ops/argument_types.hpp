// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Infers the element types that an op's text omits from the type its kernel works on. Pure.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzers/model/attribution.hpp"
#include "libprof/model/tensor.hpp"

namespace prof {

/// The data types that a kernel's name suggests, for ops whose texts state none. kUnknown: it
/// suggests none.
struct KernelTypes {
  KernelTypes() = default;
  KernelTypes(DType computed) : operand(computed) {}  // NOLINT(google-explicit-constructor)

  DType operand = DType::kUnknown;
  DType result = DType::kUnknown;  ///< Where it differs from the operands' type.
  /// Operands or results of other types are converted on the way.
  bool converts = false;
  ElementTraits elements;
  bool operator==(const KernelTypes&) const = default;
};

namespace ops {

/// Whether an op works on the type of a kernel inside of it: one of integers is known to be the
/// op's only if the op launched the kernel itself (`is_direct`).
bool is_type_of_op(DType dtype, bool is_direct);

/// Sets unknown element types to `dtype`, except for arguments whose type is not the kernel's:
/// indices, masks, classes. False if that would only be a guess: for integer types, only the op
/// that launched the kernel (`is_direct`) is known to work on them. An argument whose type may be
/// another keeps none. `launched_by`: the name of the op that launched the kernel, which names the
/// library.
bool fill_types(OpDesc& op, DType dtype, bool is_direct, std::string_view launched_by);

/// Likewise of an op that only copies, for a kernel that reads one type and writes the other.
bool fill_copied_types(OpDesc& op, DType from, DType to);

/// A type of so many bytes for elements of which only the size is known: good for bytes alone.
DType stand_in(std::uint8_t size);

/// Removes the operands that are stated to be numbers, which are not in memory. False if there are
/// none.
bool drop_stated_numbers(OpDesc& op);

/// Removes the operand of one element that a kernel computing in that type takes as an argument,
/// not from memory. False if there is none.
bool drop_number(OpDesc& op, DType computed);

/// Forgets element types of `op` that the op `inner`, which it called, does not work on: autocast
/// converts arguments inside the op that the program calls. Only floating types. False: none.
bool forget_converted_types(OpDesc& op, const OpDesc& inner);

/// Types whose products are not 2·M·N·K: complex numbers, or elements that hold a pair.
bool counts_by_type(DType dtype);

/// One bit for each input type; 0 unless all are known.
std::uint32_t input_types(const std::vector<Tensor>& tensors);

}  // namespace ops
}  // namespace prof
