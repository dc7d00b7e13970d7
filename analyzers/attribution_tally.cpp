// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/attribution_tally.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace prof {
namespace {

constexpr std::size_t kMaxUnknownOps = 256;

/// "linear M=8,N=32,K=4: ampere_sgemm_128x64_tn"
std::string example(const OpAttribution& op, const KernelFacts& kernel) {
  constexpr std::size_t kMaxName = 120;
  std::string text = op.op;
  if (!op.params.empty()) text += ' ' + op.params;
  return text + ": " + kernel.short_name.substr(0, kMaxName);
}

/// Whether a kernel is that library's by its name: "cublas/gemm", "cublaslt/nvjet";
/// "cusparse::csrmv_kernel".
bool is_of(std::string_view library, const KernelFacts& kernel) {
  const std::string_view name = kernel.short_name;
  const bool is_in_namespace =
      name.starts_with(library) && name.substr(library.size()).starts_with("::");
  return is_in_namespace || (library == "cublas" && kernel.family.starts_with(library));
}

bool is_launched_by_kernel(const HeldRow& held) {
  return held.attribution.is_whole_graph && held.gpu.origin == Origin::kDevice;
}

}  // namespace

void AttributionTally::add_stack(const StackMeaning& stack) {
  if (stack.broken) ++counts_.broken_stacks;
  if (stack.depth > StackMeaning::kMaxDepth) ++counts_.deep_stacks;
}

void AttributionTally::add(const HeldRow& held) {
  if (held.late) ++counts_.late;
  if (held.gpu.kind != GpuRow::Kind::kKernel) {
    ++counts_.copies;
    return;
  }
  ++counts_.kernels;
  const Attribution& made = held.attribution;
  if (made.is_repeat) ++counts_.repeated;
  if (held.position.role == RepeatedSteps::Role::kUnmarked) ++counts_.unmarked;
  if (made.contradictions.any()) add_contradictions(made);
  if (!held.gpu.launched && !is_launched_by_kernel(held)) ++counts_.without_launch;
  if (held.gpu.starts_before_launch()) ++counts_.before_launch;
  if (!unseen_libraries_.empty()) add_library(*made.kernel);
  const OpAttribution& op = *made.op;
  if (op.layer.empty()) add_without_layer(held);
  if (op.op.empty() && !made.is_whole_graph) ++counts_.without_op;
  if (op.direction == Direction::kNone && !made.is_whole_graph) ++counts_.without_direction;
  if (!op.op.empty() && !op.known_op) {
    ++counts_.of_unknown_op;
    if (!op.is_plain_op) add_unknown_op(op.op);
  }
  if (!is_unattributed(made)) return;
  ++counts_.unattributed;
  if (made.step) ++counts_.unattributed_in_steps;
}

/// A range around it may be why: of a domain that is not read, or of the process.
void AttributionTally::add_without_layer(const HeldRow& kernel) {
  ++counts_.without_layer;
  if (kernel.unread != kDefaultDomain) {
    ++counts_.in_unread_domains[std::string(reader_.domain_name(kernel.unread))];
  } else if (kernel.gpu.launched && stacks_.process_layers().at(kernel.gpu.launch_start_ns) != 0) {
    ++counts_.in_process_ranges;
  }
}

void AttributionTally::add_contradictions(const Attribution& kernel) {
  for (std::size_t kind = 0; kind < kContradictions; ++kind) {
    if (!kernel.contradictions.test(kind)) continue;
    ContradictionCount& seen = counts_.contradictions[kind];
    if (seen.kernels++ == 0) seen.first = example(*kernel.op, *kernel.kernel);
  }
}

void AttributionTally::add_unknown_op(const std::string& op) {
  const auto known = counts_.unknown_ops.find(op);
  if (known != counts_.unknown_ops.end()) {
    ++known->second;
  } else if (counts_.unknown_ops.size() < kMaxUnknownOps) {
    counts_.unknown_ops.emplace(op, 1);
  }
}

void AttributionTally::add_library(const KernelFacts& kernel) {
  std::string_view rest = unseen_libraries_;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(", "), rest.size());
    const std::string_view library = rest.substr(0, end);
    if (is_of(library, kernel)) ++counts_.of_unseen_libraries[std::string(library)];
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
}

AttributionCounts AttributionTally::counts() const {
  AttributionCounts counts = counts_;
  counts.links = stacks_.links();
  counts.unknown_nodes = replays_.unknown();
  counts.compiled = compiled_.counts();
  counts.batches_without_beginning = stacks_.batches_without_beginning();
  counts.malformed_op_texts = stacks_.texts().malformed_texts();
  counts.first_malformed_text = stacks_.texts().first_malformed_text();
  counts.first_malformed_why = stacks_.texts().first_malformed_why();
  return counts;
}

}  // namespace prof
