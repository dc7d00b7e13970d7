// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels whose sizes are template arguments: CUTLASS's GemmShape and CollectiveMma, CuTe's
// instructions (cute/arch/mma_sm*.hpp), FlashAttention's traits, cuDNN's Cta_tile. Symbols that
// cannot be demangled hold the same numbers as ILi128ELi64E.
#include <vector>

#include "analyzers/kernels/grammars.hpp"
#include "analyzers/kernels/name_words.hpp"

namespace prof::kernels {
namespace {

/// The text after the first `part`; empty if `part` is not there.
std::string_view after(std::string_view text, std::string_view part) {
  const std::size_t at = text.find(part);
  return at == std::string_view::npos ? std::string_view{} : text.substr(at + part.size());
}

/// Strips what may precede a number, in any order: "cute::C<(int)128>", "Li128E".
void skip_before_number(std::string_view& text) {
  constexpr std::string_view kSkips[] = {"<",    ",",  " ",        "I",         "(int)",
                                         "int=", "Li", "cute::C<", "cute::Int<"};
  for (bool skipped = true; skipped;) {
    skipped = false;
    for (const std::string_view skip : kSkips) {
      if (!text.starts_with(skip)) continue;
      text.remove_prefix(skip.size());
      skipped = true;
    }
  }
}

/// A template's numeric arguments up to the first that is not a number: "<64, 128, 3, half_t>" or
/// "ILi64ELi128ELi3E6half_tE".
std::vector<std::int32_t> numbers(std::string_view text, std::size_t limit) {
  std::vector<std::int32_t> values;
  while (values.size() < limit) {
    skip_before_number(text);
    const auto number = take_number(text);
    if (!number) break;
    values.push_back(*number);
    for (const std::string_view skip : {"u", ">", "E"}) {
      if (text.starts_with(skip)) text.remove_prefix(skip.size());
    }
  }
  return values;
}

std::optional<BlockShape> shape(std::string_view text) {
  const auto values = numbers(text, 3);
  if (values.size() < 3) return std::nullopt;
  return BlockShape{values[0], values[1], values[2]};
}

/// The argument of the template whose arguments start with `text`, counted from 0.
std::string_view argument(std::string_view text, std::size_t index) {
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '<' || c == '(') ++depth;
    if ((c == '>' || c == ')') && depth-- == 0)
      return index == 0 ? text.substr(start, at - start) : "";
    if (c != ',' || depth != 0) continue;
    if (index-- == 0) return text.substr(start, at - start);
    start = at + 1;
  }
  return {};
}

/// CollectiveMma<POLICY, TILE, ..>, CollectiveMainloop..<STAGES, CLUSTER, TILE, ..>
std::optional<BlockShape> collective_tile(std::string_view name) {
  std::string_view tile = argument(after(name, "CollectiveMma<"), 1);
  if (tile.empty()) {
    const std::string_view mainloop = after(name, "CollectiveMainloop");
    tile = argument(after(mainloop, "<"), 2);
  }
  return shape(after(tile, "tuple<"));
}

/// xmma_cudnn::Cta_tile<ARCH, M, N, K, ..>
std::optional<BlockShape> cta_tile(std::string_view name) {
  const std::string_view arguments = after(name, "Cta_tile<");
  const auto m = numbers(argument(arguments, 1), 1);
  const auto n = numbers(argument(arguments, 2), 1);
  const auto k = numbers(argument(arguments, 3), 1);
  if (m.empty() || n.empty() || k.empty()) return std::nullopt;
  return BlockShape{m[0], n[0], k[0]};
}

/// SM90_64x128x16_F32F16F16_SS, MMA_64x128x16_F32F16F16_SS, SM80_16x8x16_F32BF16BF16F32_TN: sizes,
/// then the dtypes of D, A, B.
void read_instruction(std::string_view name, NameFacts& facts) {
  NameWords words(name);
  std::string_view before;
  for (std::string_view word = words.next(); !word.empty(); before = word, word = words.next()) {
    const auto sizes = whole_sizes(word);
    if (!sizes || sizes->count != 3) continue;
    if (before != "MMA" && !before.starts_with("SM")) continue;
    facts.instruction = to_block(*sizes);
    return;
  }
  // SM100_MMA_F16BF16_SS<A, B, D, M, N, ..>: K follows from the dtype and is omitted.
  const std::string_view arguments = after(after(name, "SM100_MMA_"), "<");
  std::string_view m = argument(arguments, 3);
  std::string_view n = argument(arguments, 4);
  const auto first = numbers(m, 1);
  const auto second = numbers(n, 1);
  if (!first.empty() && !second.empty()) {
    facts.instruction = BlockShape{first[0], second[0], std::nullopt};
  }
}

}  // namespace

NameFacts read_templates(std::string_view name) {
  NameFacts facts;
  facts.tile = shape(after(name, "GemmShape"));  // the first is the thread block's
  if (facts.tile) {
    facts.instruction = shape(after(after(name, "arch::Mma<"), "GemmShape"));
  } else {
    facts.tile = collective_tile(name);
    if (!facts.tile) facts.tile = cta_tile(name);
    read_instruction(name, facts);
  }
  if (name.find("SplitKParallel") != std::string_view::npos) facts.split_k = true;
  return facts;
}

NameFacts read_flash_traits(std::string_view name) {
  NameFacts facts;
  for (const std::string_view traits : {"fwd_kernel_traits", "bwd_kernel_traits"}) {
    const auto sizes = shape(after(name, traits));
    if (sizes && sizes->k) facts.tile = BlockShape{sizes->n, *sizes->k, sizes->m};
  }
  return facts;
}

}  // namespace prof::kernels
