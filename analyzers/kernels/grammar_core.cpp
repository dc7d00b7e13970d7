// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Names around a core word, which older cuBLAS and cuDNN share with CUTLASS:
//   volta_fp16_sgemm_fp16_128x64_nt
//   turing_fp16_s1688cudnn_fp16_128x128_ldg8_relu_f2f_exp_small_nhwc_tn_v1
//   ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn
//   cutlass_80_tensorop_s1688gemm_256x64_16x4_nt_align4
//   cutlass3x_sm90_tensorop_s64x128x16gemm_f16_f16_f32_f16_f16_128x128x64_2x1x1_0_tnn_align8_...
// The core word is [accumulator][instruction][multiplied dtype]operation. It is preceded by the
// result's dtype if that differs from the accumulator's, and followed by the operands' dtypes;
// CUTLASS 3 continues with accumulator, C and D (cutlass/python/cutlass_library,
// gemm_operation.py).
#include <algorithm>
#include <iterator>

#include "analyzers/kernels/grammars.hpp"
#include "analyzers/kernels/name_words.hpp"

namespace prof::kernels {
namespace {

struct Accumulator {
  char letter;
  DType dtype;
  DType operand;  // multiplied without tensor cores, unless the name says otherwise
};

constexpr Accumulator kAccumulators[] = {
    {'h', DType::kFloat16, DType::kFloat16},       {'s', DType::kFloat32, DType::kFloat32},
    {'d', DType::kFloat64, DType::kFloat64},       {'c', DType::kComplex64, DType::kComplex64},
    {'z', DType::kComplex128, DType::kComplex128}, {'i', DType::kInt32, DType::kInt8},
};

struct Instruction {
  std::string_view digits;
  BlockShape shape;
  DType operand;  // with a 32-bit accumulator; kUnknown if there are several
};

// PTX ISA, mma and wmma shapes; m, n and k are written without anything between them.
constexpr Instruction kInstructions[] = {
    {"884", {8, 8, 4}, DType::kFloat16},      {"1688", {16, 8, 8}, DType::kTFloat32},
    {"16816", {16, 8, 16}, DType::kUnknown},  {"16832", {16, 8, 32}, DType::kUnknown},
    {"16864", {16, 8, 64}, DType::kUnknown},  {"8816", {8, 8, 16}, DType::kInt8},
    {"1684", {16, 8, 4}, DType::kTFloat32},   {"161616", {16, 16, 16}, DType::kUnknown},
    {"16168", {16, 16, 8}, DType::kTFloat32}, {"32816", {32, 8, 16}, DType::kUnknown},
    {"83216", {8, 32, 16}, DType::kUnknown},  {"8832", {8, 8, 32}, DType::kUnknown},
    {"88128", {8, 8, 128}, DType::kUnknown},  {"168128", {16, 8, 128}, DType::kUnknown},
};

constexpr std::string_view kOperations[] = {"gemm",  "cudnn",    "fprop", "dgrad", "wgrad",
                                            "conv",  "implicit", "symm",  "hemm",  "syrk",
                                            "syr2k", "herk",     "trmm",  "spgemm"};

bool is_operation(std::string_view word) {
  for (const std::string_view operation : kOperations) {
    if (word.starts_with(operation)) return true;
  }
  return false;
}

struct Core {
  const Accumulator* accumulator = nullptr;
  std::optional<BlockShape> instruction;
  DType implied = DType::kUnknown;     // from the instruction
  DType multiplied = DType::kUnknown;  // from the word between instruction and operation
};

std::optional<Core> read_core_word(std::string_view word) {
  Core core;
  if (is_operation(word) && word != "cudnn") return core;  // cutlass3x_sm100_tensorop_gemm_...
  if (word.starts_with('g')) word.remove_prefix(1);  // gcgemm: the products of an FFT convolution
  for (const Accumulator& known : kAccumulators) {
    if (word.starts_with(known.letter)) core.accumulator = &known;
  }
  if (core.accumulator == nullptr) return std::nullopt;
  word.remove_prefix(1);
  if (const auto sizes = take_sizes(word)) {
    core.instruction = to_block(*sizes);
    if (word.empty()) return core;  // s32x256x16_conv3d_...
  } else {
    const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
    for (const Instruction& known : kInstructions) {
      if (word.substr(0, digits) != known.digits) continue;
      core.instruction = known.shape;
      core.implied = known.operand;
    }
    if (digits > 0 && !core.instruction) return std::nullopt;
    word.remove_prefix(digits);
  }
  if (const auto dtype = take_dtype(word)) core.multiplied = *dtype;
  return is_operation(word) ? std::optional(core) : std::nullopt;
}

/// The words around the core word.
struct Around {
  DType before = DType::kUnknown;
  DType after[5] = {};
  std::size_t count = 0;  // of the words after it
};

DType operand_of(const Core& core, const Around& around, bool is_turing) {
  if (core.multiplied != DType::kUnknown) return core.multiplied;
  if (around.count > 0 && (core.accumulator != nullptr || around.count >= 3)) {
    return around.after[0];
  }
  if (core.accumulator == nullptr) return DType::kUnknown;
  if (core.accumulator->letter != 's' || !core.instruction) return core.accumulator->operand;
  // Turing's tensor cores have no TF32.
  if (core.implied == DType::kTFloat32 && is_turing) return DType::kFloat16;
  return core.implied;
}

void read_dtypes(const Core& core, const Around& around, bool is_turing, NameFacts& facts) {
  facts.operand = operand_of(core, around, is_turing);
  if (core.accumulator != nullptr) facts.accumulator = core.accumulator->dtype;
  if (around.count >= 3) {
    facts.accumulator = around.after[2];
    if (around.count == 5) facts.output = around.after[4];
    return;
  }
  facts.output = around.before != DType::kUnknown ? around.before : facts.accumulator;
}

std::string_view core_identifier(std::string_view name) {
  for (const std::string_view part : {"cutlass3x_", "tensorop_", "simt_", "gemm", "cudnn_"}) {
    if (const std::string_view found = identifier_with(name, part); !found.empty()) return found;
  }
  return name;
}

}  // namespace

NameFacts read_core(std::string_view name) {
  NameFacts facts;
  facts.dtypes_known = true;
  const std::string_view identifier = core_identifier(name);
  std::optional<Core> core;
  Around around;
  bool is_turing = false;
  NameWords words(identifier);
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (const auto sizes = whole_sizes(word)) {
      if (!facts.tile) {
        facts.tile = to_block(*sizes);
      } else if (!facts.tile->k && sizes->count == 2) {
        facts.tile->k = sizes->value[0];  // 64x3: k and stages
      }
    } else if (const std::string_view layout = layout_of(word); !layout.empty()) {
      facts.layout = layout;
    } else if (const auto dtype = whole_dtype(word); dtype && !facts.tile) {
      if (!core) {
        around.before = *dtype;
      } else if (around.count < std::size(around.after)) {
        around.after[around.count++] = *dtype;
      }
    } else if (!core) {
      core = read_core_word(word);
    }
    is_turing = is_turing || word == "turing" || word == "75";
  }
  if (core) {
    facts.instruction = core->instruction;
    read_dtypes(*core, around, is_turing, facts);
  }
  for (const std::string_view split : {"splitK", "split_k", "SplitK"}) {
    if (identifier.find(split) != std::string_view::npos) facts.split_k = true;
  }
  return facts;
}

}  // namespace prof::kernels
