// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/analyzers/text_cases/columns.hpp"

#include <fmt/format.h>

#include <cmath>

#include "analyzers/checks/contradictions.hpp"

namespace prof::text_cases {
namespace {

std::string shown(std::string_view text) { return text.empty() ? "-" : std::string(text); }
std::string shown(bool is) { return is ? "yes" : "no"; }
std::string shown(double number) {
  return number == std::floor(number) ? fmt::format("{:.0f}", number)
                                      : fmt::format("{:.12g}", number);
}
template <typename Whole>
requires std::is_integral_v<Whole> std::string shown(Whole number) {
  return std::to_string(number);
}
template <typename Value>
std::string shown(const std::optional<Value>& value) {
  return value ? shown(*value) : "-";
}
std::string shown(Direction direction) { return shown(name(direction)); }
std::string shown(Part part) { return shown(name(part)); }
std::string shown(DType dtype) { return shown(name(dtype)); }
std::string shown(Provenance provenance) { return std::string(name(provenance)); }
std::string shown(Basis basis) {
  constexpr std::string_view kWords[] = {"-", "exact", "estimated", "upper_bound"};
  return std::string(kWords[static_cast<std::size_t>(basis)]);
}
std::string shown(TensorCore core) {
  return core == TensorCore::kUnknown ? "-" : shown(core == TensorCore::kYes);
}

/// "(32,4) (8,4)".
std::string shapes(const std::vector<Tensor>& tensors) {
  std::string text;
  for (const Tensor& tensor : tensors) {
    text += fmt::format("{}({})", text.empty() ? "" : " ", fmt::join(tensor.shape, ","));
  }
  return shown(text);
}

std::string types(const std::vector<Tensor>& tensors) {
  std::string text;
  for (const Tensor& tensor : tensors) {
    text += (text.empty() ? "" : " ") + shown(tensor.dtype);
  }
  return shown(text);
}

/// Words of the kinds, in their order.
std::string words(const Contradictions& kinds) {
  std::string text;
  for (std::size_t kind = 0; kind < kContradictions; ++kind) {
    if (!kinds.test(kind)) continue;
    text += (text.empty() ? "" : " ") + std::string(kContradictionInfos[kind].word);
  }
  return shown(text);
}

std::string numbers(const SequenceNumbers& seq) {
  return shown(fmt::format("{}", fmt::join(seq.others(), " ")));
}

using Columns = std::map<std::string_view, Column, std::less<>>;

template <typename Fact>
Column of_op(Fact fact) {
  return
      [fact](const AttributedRow& row, InstanceNames&) { return shown(fact(*row.attribution.op)); };
}
template <typename Fact>
Column of_row(Fact fact) {
  return [fact](const AttributedRow& row, InstanceNames&) { return shown(fact(row.attribution)); };
}
template <typename Fact>
Column of_kernel(Fact fact) {
  return [fact](const AttributedRow& row, InstanceNames&) {
    const KernelFacts* kernel = row.attribution.kernel.get();
    return kernel == nullptr ? "-" : shown(fact(*kernel));
  };
}
template <typename Fact>
Column of_product(Fact fact) {
  return [fact](const AttributedRow& row, InstanceNames&) {
    const auto& gemm = row.attribution.op->gemm;
    return gemm ? shown(fact(*gemm)) : "-";
  };
}

#define PROF_OP(word, member)                                      \
  {                                                                \
    word, of_op([](const OpAttribution& op) { return op.member; }) \
  }
#define PROF_ROW(word, member)                                      \
  {                                                                 \
    word, of_row([](const Attribution& row) { return row.member; }) \
  }
#define PROF_KERNEL(word, member)                                            \
  {                                                                          \
    word, of_kernel([](const KernelFacts& kernel) { return kernel.member; }) \
  }
#define PROF_PRODUCT(word, member)                                            \
  {                                                                           \
    word, of_product([](const GemmShape& product) { return product.member; }) \
  }

Columns made_columns() {
  return {
      PROF_OP("layer", layer),
      PROF_OP("op", op),
      PROF_OP("ops", ops),
      PROF_OP("layers", layers),
      PROF_OP("inner", op_inner),
      PROF_OP("module", module),
      PROF_OP("trace", trace),
      PROF_OP("dir", direction),
      PROF_OP("part", part),
      PROF_OP("params", params),
      PROF_OP("dtype", dtype),
      PROF_OP("known", known_op),
      PROF_OP("again", is_recomputed),
      PROF_OP("plain", is_plain_op),
      PROF_OP("op_flops", cost.flops),
      PROF_OP("op_bytes", cost.bytes),
      PROF_OP("op_read", cost.read),
      PROF_OP("op_written", cost.written),
      PROF_OP("op_algorithm", cost.algorithm_bytes),
      PROF_OP("op_bus", cost.bus_bytes),
      PROF_OP("op_basis", cost.basis),
      PROF_OP("kernel_types", cost.types_from_kernel),
      PROF_OP("layer_from", layer_from),
      PROF_OP("op_from", op_from),
      PROF_OP("dir_from", direction_from),
      PROF_OP("shapes_from", shapes_from),
      PROF_OP("dtype_from", dtype_from),
      PROF_OP("communicator", group.communicator),
      PROF_OP("ranks", group.ranks),
      PROF_OP("rank", group.rank),
      PROF_OP("peer", group.peer),
      PROF_OP("root", group.root),
      {"shapes", of_op([](const OpAttribution& op) { return shapes(op.tensors); })},
      {"types", of_op([](const OpAttribution& op) { return types(op.tensors); })},
      PROF_PRODUCT("m", m),
      PROF_PRODUCT("n", n),
      PROF_PRODUCT("k", k),
      PROF_PRODUCT("batch", batch),
      PROF_ROW("flops", cost.flops),
      PROF_ROW("bytes", cost.bytes),
      PROF_ROW("read", cost.read),
      PROF_ROW("written", cost.written),
      PROF_ROW("algorithm", cost.algorithm_bytes),
      PROF_ROW("bus", cost.bus_bytes),
      PROF_ROW("basis", basis),
      PROF_ROW("main", main),
      PROF_ROW("share", share),
      PROF_ROW("step", step),
      PROF_ROW("sub", sub),
      PROF_ROW("seq", seq.own()),
      PROF_ROW("whole", is_whole_graph),
      PROF_ROW("nodes", graph_nodes),
      PROF_ROW("repeat", is_repeat),
      {"seqs", of_row([](const Attribution& row) { return numbers(row.seq); })},
      {"contradicts", of_row([](const Attribution& row) { return words(row.contradictions); })},
      {"launched_in", of_row([](const Attribution& row) {
         return row.launch == nullptr ? std::string() : row.launch->layer;
       })},
      {"instance", [](const AttributedRow& row,
                      InstanceNames& names) { return names.of(row.attribution.op_id); }},
      {"call", [](const AttributedRow& row,
                  InstanceNames& names) { return names.of(row.attribution.call_id); }},
      PROF_KERNEL("kernel", short_name),
      PROF_KERNEL("family", family),
      PROF_KERNEL("tensor_core", tensor_core),
      PROF_KERNEL("split_k", split_k),
      PROF_KERNEL("product", is_product),
  };
}

struct Count {
  std::string_view name;
  std::string (*read)(const AttributionCounts&);
};

#define PROF_COUNT(member)                                                        \
  {                                                                               \
#member, [](const AttributionCounts& counts) { return shown(counts.member); } \
  }

constexpr Count kCounts[] = {
    PROF_COUNT(kernels),
    PROF_COUNT(copies),
    PROF_COUNT(without_layer),
    PROF_COUNT(without_op),
    PROF_COUNT(without_direction),
    PROF_COUNT(of_unknown_op),
    PROF_COUNT(in_process_ranges),
    PROF_COUNT(unattributed),
    PROF_COUNT(unattributed_in_steps),
    PROF_COUNT(without_launch),
    PROF_COUNT(before_launch),
    PROF_COUNT(replayed),
    PROF_COUNT(unknown_nodes),
    PROF_COUNT(compiled.without_code),
    PROF_COUNT(compiled.unmatched),
    PROF_COUNT(compiled.first_graph),
    PROF_COUNT(compiled.unplaced),
    PROF_COUNT(compiled.damaged),
    PROF_COUNT(repeated),
    PROF_COUNT(unmarked),
    PROF_COUNT(late),
    PROF_COUNT(broken_stacks),
    PROF_COUNT(deep_stacks),
    PROF_COUNT(batches_without_beginning),
    PROF_COUNT(links.linked),
    PROF_COUNT(links.other_name),
    PROF_COUNT(links.ambiguous),
    PROF_COUNT(links.missed),
    PROF_COUNT(malformed_op_texts),
    PROF_COUNT(first_malformed_text),
    PROF_COUNT(first_malformed_why),
};

}  // namespace

std::string InstanceNames::of(std::uint64_t id) {
  if (id == 0) return "-";
  const auto [it, is_new] = names_.try_emplace(id);
  if (is_new) {
    it->second = static_cast<char>('A' + count_ % 26);
    if (count_ >= 26) it->second += std::to_string(count_ / 26);
    ++count_;
  }
  return it->second;
}

const Column* column(std::string_view name) {
  static const Columns columns = made_columns();
  const auto found = columns.find(name);
  return found == columns.end() ? nullptr : &found->second;
}

std::optional<std::string> count(const AttributionCounts& counts, std::string_view name) {
  for (const Count& one : kCounts) {
    if (one.name == name) return one.read(counts);
  }
  // "unknown_ops.NAME" and the like.
  const std::size_t dot = name.find('.');
  const std::string_view table = name.substr(0, dot);
  const auto& all = table == "unknown_ops"         ? counts.unknown_ops
                    : table == "in_unread_domains" ? counts.in_unread_domains
                                                   : counts.of_unseen_libraries;
  if (dot == name.npos || (&all == &counts.of_unseen_libraries && table != "of_unseen_libraries")) {
    return std::nullopt;
  }
  const auto found = all.find(name.substr(dot + 1));
  return found == all.end() ? "0" : std::to_string(found->second);
}

}  // namespace prof::text_cases
