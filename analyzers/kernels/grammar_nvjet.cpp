// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// nvjet_[ARCH_]DTYPES_TILE_KxSTAGES_CLUSTER_..._LAYOUT, cuBLASLt's kernels since CUDA 12:
// nvjet_sm90_hsh_128x256_64x4_2x1_v_bz_coopA_NNN. DTYPES has one letter each for operands,
// accumulator, result (hsh), or for A, B, C, accumulator, D (qqtst). On Blackwell workstation GPUs:
// nvjet_sm120_tst_mma_64x32x64_8_16x32x64_tmaAB_alignCD4_bz_TNNN, with tile, stages, warp tile; the
// layout has an extra letter for C.
#include "analyzers/kernels/grammars.hpp"
#include "analyzers/kernels/name_words.hpp"

namespace prof::kernels {
namespace {

struct Letter {
  char letter;
  DType operand;  // what it means for operands
  DType other;    // for accumulator and result
};

// Seen in traces: h, t, s, q, o, and bi for 8-bit integers accumulated in 32 bits. The others
// follow the same scheme. 32-bit operands are multiplied as TF32.
constexpr Letter kLetters[] = {
    {'h', DType::kFloat16, DType::kFloat16},       {'t', DType::kBFloat16, DType::kBFloat16},
    {'s', DType::kTFloat32, DType::kFloat32},      {'d', DType::kFloat64, DType::kFloat64},
    {'q', DType::kFloat8E4M3, DType::kFloat8E4M3}, {'r', DType::kFloat8E5M2, DType::kFloat8E5M2},
    {'o', DType::kFloat4E2M1, DType::kFloat4E2M1}, {'b', DType::kInt8, DType::kInt8},
    {'i', DType::kInt32, DType::kInt32},
};

const Letter* find_letter(char c) {
  for (const Letter& known : kLetters) {
    if (known.letter == c) return &known;
  }
  return nullptr;
}

void read_dtypes(std::string_view letters, NameFacts& facts) {
  const bool three = letters.size() == 3;
  if (!three && letters.size() != 5) return;
  if (const Letter* a = find_letter(letters[0])) facts.operand = a->operand;
  if (const Letter* accumulator = find_letter(letters[three ? 1 : 3])) {
    facts.accumulator = accumulator->other;
  }
  if (const Letter* d = find_letter(letters.back())) facts.output = d->other;
}

}  // namespace

NameFacts read_nvjet(std::string_view name) {
  NameFacts facts;
  facts.dtypes_known = true;
  const std::string_view identifier = identifier_with(name, "nvjet_");
  NameWords words(identifier);
  words.next();  // nvjet
  std::string_view word = words.next();
  if (word.starts_with("sm")) word = words.next();
  read_dtypes(word, facts);
  for (word = words.next(); !word.empty(); word = words.next()) {
    if (const auto sizes = whole_sizes(word); sizes && sizes->count <= 3) {
      if (!facts.tile) {
        facts.tile = to_block(*sizes);
      } else if (!facts.tile->k) {
        facts.tile->k = sizes->value[0];
      } else if (!facts.cluster && sizes->count == 2) {
        facts.cluster = to_block(*sizes);
      }
    } else if (word.size() == 3 || word.size() == 4) {
      const std::string_view layout = layout_of(word.substr(0, 3));
      if (!layout.empty() && !layout_of(word.substr(word.size() - 2)).empty())
        facts.layout = layout;
    }
  }
  if (facts.tile) facts.split_k = identifier.find("splitK") != std::string_view::npos;
  return facts;
}

}  // namespace prof::kernels
