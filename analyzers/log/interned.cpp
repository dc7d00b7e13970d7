// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/log/interned.hpp"

#include <bit>

namespace prof {
namespace {

std::uint64_t word_of(const void* object) { return reinterpret_cast<std::uintptr_t>(object); }

constexpr std::uint64_t both(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}

}  // namespace

AttributionKey key_of(const Attribution& made) {
  AttributionKey key;
  std::size_t at = 0;
  const auto add = [&](std::uint64_t word) { key.words[at++] = word; };
  add(word_of(made.op.get()));
  add(word_of(made.kernel.get()));
  add(word_of(made.launch.get()));
  add(std::bit_cast<std::uint64_t>(made.share));
  std::uint32_t flags = 0;
  const auto add_flag = [&](bool flag) { flags = flags << 1 | std::uint32_t{flag}; };
  for_each_quantity(
      [&](const std::optional<double>& one) {
        add(std::bit_cast<std::uint64_t>(one.value_or(0)));
        add_flag(one.has_value());
      },
      made.cost);
  add(std::bit_cast<std::uint64_t>(made.l2_bytes));
  add(both(made.sub, made.graph_nodes.value_or(0)));
  add_flag(made.graph_nodes.has_value());
  add_flag(made.is_whole_graph);
  add_flag(made.is_repeat);
  add_flag(made.step_is_found);
  add_flag(made.main);
  add_flag(made.is_transformed);
  static_assert(kContradictions <= 32);
  add(both(static_cast<std::uint32_t>(made.contradictions.to_ulong()),
           flags << 8 | static_cast<std::uint32_t>(made.basis)));
  return key;
}

FormKey key_of(const GpuRow& row) {
  const std::uint32_t kinds = static_cast<std::uint32_t>(row.kind) << 16 |
                              static_cast<std::uint32_t>(row.origin) << 8 |
                              std::uint32_t{row.copy_kind};
  const std::uint32_t memory = static_cast<std::uint32_t>(row.source) << 16 |
                               static_cast<std::uint32_t>(row.destination) << 8 |
                               std::uint32_t{row.launched};
  return {{both(kinds, memory), both(row.graph, row.device), both(row.context, row.stream),
           both(static_cast<std::uint32_t>(row.config.value),
                static_cast<std::uint32_t>(row.thread.value)),
           row.function.value, row.bytes}};
}

}  // namespace prof
