// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See contradictions.hpp.
#include "analyzers/checks/contradictions.hpp"

#include <algorithm>
#include <iterator>

namespace prof {
namespace {

using Work = KernelClaims::Work;

struct FamilyWork {
  std::string_view family;  // "*/what": of any library
  Work work;
};

// Words of kernels/families.inc. A family not listed may do anything, for example: reductions of
// cuBLAS (a dot product), Inductor's kernels (small products become pointwise code), convolutions
// (a different kind of product).
constexpr FamilyWork kFamilyWorks[] = {
    {"*/gemm", Work::kProduct},
    {"*/nvjet", Work::kProduct},
    {"*/gemv", Work::kProduct},
    {"flash_attn/forward", Work::kAttention},
    {"flash_attn/backward", Work::kAttention},
    {"torch/elementwise", Work::kElementwise},
    {"torch/dropout", Work::kElementwise},
    {"torch/multi_tensor", Work::kElementwise},
    {"torch/reduce", Work::kReduction},
    {"torch/fill", Work::kCopy},
    {"torch/copy", Work::kCopy},
    {"torch/cat", Work::kCopy},
    {"torch/random", Work::kCopy},
    {"torch/factory", Work::kCopy},
};

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

bool fits(std::string_view pattern, std::string_view family) {
  if (!pattern.starts_with('*')) return family == pattern;
  return family.ends_with(pattern.substr(1));
}

std::uint32_t bit(DType dtype) { return 1U << static_cast<unsigned>(dtype); }
std::uint8_t bit(Work work) { return static_cast<std::uint8_t>(1U << static_cast<unsigned>(work)); }

/// Types that an input may have where a kernel's name says `operand`.
std::uint32_t compatible(DType operand) {
  switch (operand) {
    case DType::kTFloat32:
    case DType::kFloat32:
      return bit(DType::kTFloat32) | bit(DType::kFloat32);
    case DType::kFloat8E4M3:
    case DType::kFloat8E5M2:
    case DType::kFloat8E4M3Fnuz:
    case DType::kFloat8E5M2Fnuz:
      return bit(DType::kFloat8E4M3) | bit(DType::kFloat8E5M2) | bit(DType::kFloat8E4M3Fnuz) |
             bit(DType::kFloat8E5M2Fnuz);
    default:
      return bit(operand);
  }
}

/// CUTLASS 2's products by its generator's names, except those that do not compute one whole
/// result.
bool one_tile_a_block(const KernelFacts& kernel) {
  if (kernel.family != "cutlass2/gemm" || !kernel.tile) return false;
  const std::string_view name = kernel.demangled;
  if (!has(name, "cutlass_")) return false;
  return std::ranges::none_of(std::to_array<std::string_view>(
                                  {"treamk", "treamK", "tream_k", "roup", "syr", "symm", "trmm"}),
                              [&](std::string_view other) { return has(name, other); });
}

std::int64_t tiles(std::int64_t size, std::int32_t tile) {
  return size / tile + (size % tile != 0 ? 1 : 0);
}

/// Tiles of the result, in the orientation that takes fewer; 0 if unknown.
std::int64_t tiles_of(const GemmShape& gemm, const BlockShape& tile) {
  constexpr std::int64_t kLargest = 1LL << 31;
  if (gemm.batch != 1 || tile.m <= 0 || tile.n <= 0) return 0;
  if (gemm.m <= 0 || gemm.n <= 0 || gemm.m > kLargest || gemm.n > kLargest) return 0;
  return std::min(tiles(gemm.m, tile.m) * tiles(gemm.n, tile.n),
                  tiles(gemm.n, tile.m) * tiles(gemm.m, tile.n));
}

/// Convolutions by transforms take fewer products than their op counts, sparse operands skip some.
bool computes_less(const Attribution& made) {
  constexpr std::string_view kWords[] = {"winograd", "Winograd", "fft", "sparse", "spgemm"};
  const KernelFacts& kernel = *made.kernel;
  const auto is_in_name = [&](std::string_view word) { return has(kernel.demangled, word); };
  if (std::ranges::any_of(kWords, is_in_name)) return true;
  return made.is_transformed || kernel.family.ends_with("/fft");
}

/// Elements that are read several times come from a cache, and its op counts each time.
bool reads_by_index(const OpAttribution& op) {
  constexpr std::string_view kNames[] = {"index", "indices", "offsets"};
  return std::ranges::any_of(op.tensors, [&](const Tensor& tensor) {
    return std::ranges::find(kNames, tensor.name) != std::end(kNames);
  });
}

void set(Contradictions& found, Contradiction kind, bool value) {
  found.set(static_cast<std::size_t>(kind), value);
}

}  // namespace

KernelClaims kernel_claims(const KernelFacts& kernel) {
  KernelClaims claims;
  for (const FamilyWork& row : kFamilyWorks) {
    if (!fits(row.family, kernel.family)) continue;
    claims.work = row.work;
    break;
  }
  if (kernel.is_helper) claims.work = Work::kHelper;
  claims.one_tile_a_block = one_tile_a_block(kernel);
  return claims;
}

Contradictions contradictions(const OpAttribution& op, const KernelFacts& kernel,
                              const KernelClaims& claims) {
  Contradictions found;
  if (claims.work == Work::kHelper) return found;
  set(found, Contradiction::kInner, op.claims.inner_sizes_differ);
  if (claims.work == Work::kAttention) {
    const bool known = op.claims.head_size > 0 && kernel.tile && kernel.tile->k;
    set(found, Contradiction::kHead, known && *kernel.tile->k < op.claims.head_size);
  }
  if (claims.work != Work::kProduct) return found;
  const OpClaims& stated = op.claims;
  set(found, Contradiction::kProduct, stated.no_product);
  set(found, Contradiction::kLayout,
      !stated.layout.empty() && !kernel.layout.empty() && stated.layout != kernel.layout);
  const bool types_known =
      op.gemm && stated.input_types != 0 && kernel.operand_dtype != DType::kUnknown;
  set(found, Contradiction::kDType,
      types_known && (stated.input_types & compatible(kernel.operand_dtype)) == 0);
  return found;
}

Contradictions device_contradictions(const Attribution& made, std::int64_t duration_ns,
                                     const devices::DeviceLimits& device) {
  Contradictions found;
  if (made.kernel == nullptr || duration_ns <= 0) return found;
  const double longest_ns = static_cast<double>(duration_ns) + devices::kTimerTickNs;
  const auto is_too_fast = [&](std::optional<double> shortest_ns) {
    return shortest_ns && *shortest_ns > longest_ns;
  };
  const Quantities& cost = made.cost;
  const bool is_estimate = made.op->cost.basis != Basis::kExact;
  // Why takes longer to find out, and hardly any kernel is too fast.
  if (cost.flops && is_too_fast(device.compute_ns(*cost.flops, *made.op, *made.kernel))) {
    set(found,
        computes_less(made) ? Contradiction::kAlgorithm
        : is_estimate       ? Contradiction::kEstimate
                            : Contradiction::kFlops,
        true);
  }
  if (cost.bytes && is_too_fast(device.memory_ns(*cost.bytes))) {
    const bool is_certain =
        device.l2().basis == Basis::kExact || is_too_fast(device.beyond_l2_ns(*cost.bytes));
    set(found,
        reads_by_index(*made.op)     ? Contradiction::kRepeats
        : is_estimate || !is_certain ? Contradiction::kEstimate
                                     : Contradiction::kBytes,
        true);
  }
  return found;
}

void InstanceClaims::add(const KernelFacts& kernel, const KernelClaims& claims,
                         std::int64_t blocks) {
  if (claims.work != Work::kHelper) works_ |= bit(claims.work);
  if (kernel.family == "cudnn/winograd" || kernel.family == "cudnn/fft") is_transformed_ = true;
  if (claims.work != Work::kProduct) return;
  ++products_;
  blocks_ = blocks;
  const DType operand = kernel.operand_dtype;
  if (operand == DType::kUnknown) return;
  if (operand_ == DType::kUnknown) operand_ = operand;
  if ((compatible(operand_) & bit(operand)) == 0) operands_differ_ = true;
}

Contradictions InstanceClaims::contradictions(const OpAttribution& op, const KernelClaims& claims,
                                              const KernelFacts& kernel) const {
  Contradictions found;
  if (!op.claims.adds_products || claims.work == Work::kHelper) return found;
  if (claims.work != Work::kProduct) {
    // A product can be written as an elementwise multiplication and a reduction.
    const auto useless = static_cast<std::uint8_t>(works_ & ~bit(Work::kCopy));
    set(found, Contradiction::kNoProduct,
        useless == 0 || useless == bit(Work::kElementwise) || useless == bit(Work::kReduction));
    return found;
  }
  set(found, Contradiction::kOperands, operands_differ_);
  if (products_ == 1 && claims.one_tile_a_block) {
    set(found, Contradiction::kGrid, blocks_ < tiles_of(*op.gemm, *kernel.tile));
  }
  return found;
}

}  // namespace prof
