// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Where an op contradicts the name or the time of a kernel it launched (contradictions.inc has the
// kinds). A contradiction is shown and counted, never resolved: the op the program states may
// be wrong, or a range that ends too late, or our reading of the name. Pure functions.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string_view>

#include "analyzers/devices/device_limits.hpp"
#include "analyzers/model/attribution.hpp"

namespace prof {

struct ContradictionInfo {
  std::string_view word;
  std::string_view text;  ///< Text of a warning; empty: nothing is wrong.
};
inline constexpr std::array<ContradictionInfo, kContradictions> kContradictionInfos = {{
#define PROF_CONTRADICTION(kind, word, text) {word, text},
#include "analyzers/model/contradictions.inc"
#undef PROF_CONTRADICTION
}};

/// The claims of a kernel's name; computed once per name.
struct KernelClaims {
  enum class Work : std::uint8_t {
    kUnknown,
    kHelper,       ///< Serves another kernel: claims nothing about the op.
    kProduct,      ///< Multiplies matrices.
    kAttention,    ///< Products and softmax in one.
    kElementwise,  ///< This and those below cannot compute a product.
    kReduction,
    kCopy,
  };
  Work work = Work::kUnknown;
  bool one_tile_a_block = false;  ///< Known not to be persistent.
};
KernelClaims kernel_claims(const KernelFacts& kernel);

/// The contradictions between one kernel and its op.
Contradictions contradictions(const OpAttribution& op, const KernelFacts& kernel,
                              const KernelClaims& claims);

/// Why a kernel's share of its op's cost, `made`, is more than the device can do in the kernel's
/// time; none if it is not. An estimate may depend on values that nobody stated.
Contradictions device_contradictions(const Attribution& made, std::int64_t duration_ns,
                                     const devices::DeviceLimits& device);

/// The joint claims of the kernels of one op instance.
class InstanceClaims {
 public:
  /// Adds a kernel; `blocks` is the number of blocks of its launch.
  void add(const KernelFacts& kernel, const KernelClaims& claims, std::int64_t blocks);
  /// The contradictions of one of the kernels; call after all have been added.
  [[nodiscard]] Contradictions contradictions(const OpAttribution& op, const KernelClaims& claims,
                                              const KernelFacts& kernel) const;
  /// Some of them transform the operands of a convolution, or its result.
  [[nodiscard]] bool is_transformed() const { return is_transformed_; }

 private:
  DType operand_ = DType::kUnknown;  // of the first product kernel that states it
  std::int64_t blocks_ = 0;          // of the last product kernel
  std::uint32_t products_ = 0;
  std::uint8_t works_ = 0;  // one bit for each Work
  bool operands_differ_ = false;
  bool is_transformed_ = false;
};

}  // namespace prof
