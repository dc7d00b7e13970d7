// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Which library a kernel comes from and what it is for, judged by its name. The rules are data in
// families.inc: a new library adds rows there. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace prof::kernels {

/// How a family encodes tile, instruction, dtypes, split-K and layout in its names (grammars.hpp).
enum class Grammar : std::uint8_t {
  kNone,       ///< Not encoded, or only dtypes among template arguments.
  kPointers,   ///< softmax_warp_forward<...>(float*, c10::Half const*, int): writes, then reads
  kNotInName,  ///< Not encoded, and what looks like a dtype is not one.
  kNvjet,      ///< nvjet_sm90_hsh_128x256_64x4_2x1_v_bz_coopA_NNN
  kXmma,       ///< sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x32_..._tensor16x8x16_...
  kCore,  ///< cutlass_80_tensorop_f16_s16816gemm_f16_128x64_64x3_nn_align8, turing_..., volta_...
  kAligned,      ///< fmha_cutlassF_bf16_aligned_64x128_rf_sm80
  kTile,         ///< Tile only: cudnn_generated_fort_native_sdpa_sm90_..._64x128x128_...
  kTrtllmGemm,   ///< bmm_Bfloat16_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32_...
  kTemplates,    ///< CUTLASS's template arguments: GemmShape<..>, CollectiveMma<..>,
                 ///< SM90_64x128x16_..
  kFlashTraits,  ///< Flash_fwd_kernel_traits<64, 128, 128, ..>: head size, rows, columns
};

struct Family {
  enum class Where : std::uint8_t { kStart, kShort, kFull };
  enum class Role : std::uint8_t { kMain, kProduct, kOrdering, kHelper, kCommunication };

  Where where;
  std::string_view text;    ///< `*` stands for any characters.
  std::string_view family;  ///< "cublas/gemm"
  Grammar grammar;
  Role role;
};

/// The first row that matches; null if none does.
const Family* find_family(std::string_view demangled, std::string_view short_name);

/// All rows, in order.
std::span<const Family> families();

}  // namespace prof::kernels
