// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Where an op and the name of a kernel that it launched cannot both be right (contradictions.inc
// has the kinds). A contradiction is shown and counted, never resolved: either may be wrong, an op
// that the program states, a range that ends too late, or what we read in a name. Pure functions.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string_view>

#include "analyzers/attribution.hpp"

namespace prof {

struct ContradictionInfo {
  std::string_view word, text;
};
inline constexpr std::array<ContradictionInfo, kContradictions> kContradictionInfos = {{
#define PROF_CONTRADICTION(kind, word, text) {word, text},
#include "analyzers/contradictions.inc"
#undef PROF_CONTRADICTION
}};

/// What a kernel's name claims: made once a name.
struct KernelClaims {
  enum class Work : std::uint8_t {
    kUnknown,
    kHelper,       ///< Serves another kernel: claims nothing of the op.
    kProduct,      ///< Multiplies matrices.
    kAttention,    ///< Products and softmax in one.
    kElementwise,  ///< The others are of no use to a product.
    kReduction,
    kCopy,
  };
  Work work = Work::kUnknown;
  bool one_tile_a_block = false;  ///< Known not to be persistent.
};
KernelClaims kernel_claims(const KernelFacts& kernel);

/// Kinds that one kernel and its op show.
Contradictions contradictions(const OpAttribution& op, const KernelFacts& kernel,
                              const KernelClaims& claims);

/// What the kernels of one op instance show together.
class InstanceClaims {
 public:
  /// A kernel; `blocks` of its launch.
  void add(const KernelFacts& kernel, const KernelClaims& claims, std::int64_t blocks);
  /// Kinds that one of the kernels shows, after all were added.
  [[nodiscard]] Contradictions contradictions(const OpAttribution& op, const KernelClaims& claims,
                                              const KernelFacts& kernel) const;

 private:
  DType operand_ = DType::kUnknown;  // of the first product kernel that says it
  std::int64_t blocks_ = 0;          // of the last product kernel
  std::uint32_t products_ = 0;
  std::uint8_t works_ = 0;  // a bit for each Work
  bool operands_differ_ = false;
};

}  // namespace prof
