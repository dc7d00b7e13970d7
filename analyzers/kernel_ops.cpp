// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/kernel_ops.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "analyzers/ops/triton_kernels.hpp"
#include "libprof/base/ascii.hpp"

namespace prof {
namespace {

/// A function of C or of Triton: C++ mangles its names, libraries' kernels have families.
bool is_plain_function(const KernelFacts& kernel) {
  const std::string_view name = kernel.demangled;
  return kernel.family.empty() && !name.empty() && !is_digit(name.front()) &&
         std::ranges::all_of(name, is_word);
}

}  // namespace

KernelOp kernel_op(const KernelFacts& kernel, StringId name) {
  const std::string_view symbol = kernel.demangled;
  const bool is_fused = !ops::fused_ops(symbol).empty();
  const bool is_specialized = kernel.family == "triton";
  if (!is_fused && !is_specialized && !is_plain_function(kernel)) return {nullptr, name};
  OpDesc op;
  op.module = "triton";
  if (!is_fused) op.op = ops::kTritonNamespace;
  op.op += is_specialized ? ops::without_specialization(symbol) : symbol;
  return {std::make_shared<const OpDesc>(std::move(op)), name, is_fused || is_specialized};
}

bool is_launch_of_triton(const LaunchConfig& launch) {
  constexpr std::uint32_t kWarp = 32;
  const Dim3& block = launch.block;
  return block.y == 1 && block.z == 1 && block.x >= kWarp && std::has_single_bit(block.x) &&
         launch.static_shared_bytes == 0;
}

bool is_of_python(TraceReader& reader) {
  if (reader.meta("imported_from") == "kineto") return true;
  const std::string executable = reader.meta("executable");
  return std::string_view(executable).substr(executable.rfind('/') + 1).starts_with("python");
}

}  // namespace prof
