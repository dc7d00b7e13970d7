// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ARCH_xmma_OPERATION_AD_MATH+ACC_EPILOGUE_LAYOUT_tilesizeMxNxK_..._tensorMxNxK_..., cuBLAS and
// cuDNN kernels from Ampere on:
// sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x128x16_stage4_warpsize2x2x1_tensor16x8x8_...
// The first pair of dtypes is those of A and the result in memory, the second the multiplied dtype
// and the accumulator. Products that are split over K have the same names as those that are not.
#include "analyzers/kernels/grammars.hpp"
#include "analyzers/kernels/name_words.hpp"

namespace prof::kernels {
namespace {

struct Pair {
  DType first, second;
};

std::optional<Pair> dtype_pair(std::string_view word) {
  const auto first = take_dtype(word);
  if (!first) return std::nullopt;
  const auto second = take_dtype(word);
  if (!second || !word.empty()) return std::nullopt;
  return Pair{*first, *second};
}

std::optional<BlockShape> shape_after(std::string_view prefix, std::string_view word) {
  if (!word.starts_with(prefix)) return std::nullopt;
  const auto sizes = whole_sizes(word.substr(prefix.size()));
  return sizes ? std::optional(to_block(*sizes)) : std::nullopt;
}

}  // namespace

NameFacts read_xmma(std::string_view name) {
  NameFacts facts;
  facts.dtypes_known = true;
  const std::string_view identifier = identifier_with(name, "xmma_");
  NameWords words(identifier);
  int pairs = 0;
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (const auto pair = dtype_pair(word); pair && pairs < 2) {
      if (++pairs == 1) {
        facts.output = pair->second;
      } else {
        facts.operand = pair->first;
        facts.accumulator = pair->second;
      }
    } else if (const auto tile = shape_after("tilesize", word)) {
      facts.tile = tile;
    } else if (const auto instruction = shape_after("tensor", word)) {
      facts.instruction = instruction;
    } else if (pairs == 2 && facts.layout.empty() && word.size() == 2) {
      facts.layout = layout_of(word);
    }
  }
  return facts;
}

}  // namespace prof::kernels
