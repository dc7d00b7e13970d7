// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See kernel_facts.hpp.
#include "analyzers/kernels/kernel_facts.hpp"

#include "analyzers/kernels/element_traits.hpp"
#include "analyzers/kernels/families.hpp"
#include "analyzers/kernels/gradient_name.hpp"
#include "analyzers/kernels/grammars.hpp"
#include "analyzers/kernels/kernel_name.hpp"
#include "analyzers/kernels/signatures.hpp"

namespace prof::kernels {

KernelFacts facts(std::string_view name) {
  KernelFacts result;
  result.demangled = demangle(name);
  result.short_name = short_name(result.demangled);
  result.tensor_core = tensor_core(result.demangled);
  NameFacts in_name;
  if (const Family* family = find_family(result.demangled, result.short_name)) {
    result.family = family->family;
    result.is_helper = family->role == Family::Role::kHelper;
    result.is_product = family->role == Family::Role::kProduct;
    result.is_ordering = family->role == Family::Role::kOrdering;
    result.is_communication = family->role == Family::Role::kCommunication;
    in_name = read_name(family->grammar, result.demangled);
  }
  result.tile = in_name.tile;
  result.cluster = in_name.cluster;
  result.instruction = in_name.instruction;
  result.operand_dtype = in_name.operand;
  result.accumulator_dtype = in_name.accumulator;
  result.output_dtype = in_name.output;
  result.split_k = in_name.split_k;
  result.elements = element_traits(result.demangled);
  result.gradient = gradient_in_name(result.demangled);
  result.layout = in_name.layout;
  if (result.elements.copies) {
    result.operand_dtype = result.elements.copied_from;
  } else if (!in_name.dtypes_known) {
    result.operand_dtype = operand_dtype(result.demangled);
  }
  return result;
}

}  // namespace prof::kernels
