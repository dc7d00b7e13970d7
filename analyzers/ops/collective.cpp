// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Collectives, seen from one GPU. Bytes are those of its own memory, not of the links;
// algorithm_bytes and bus_bytes over the time give the speed of the links, as nccl-tests defines
// them.
#include <algorithm>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

struct CollectiveKind {
  std::string_view word;
  bool reduces;
  /// Ratio of bus bandwidth to algorithm bandwidth for n ranks: (a n + b) / n. From nccl-tests,
  /// doc/PERFORMANCE.md. Both 0: it has neither.
  double a, b;
};

constexpr CollectiveKind kKinds[] = {
    {"all_reduce", true, 2, -2},    {"reduce_scatter", true, 1, -1}, {"all_gather", false, 1, -1},
    {"all_to_all", false, 1, -1},   {"broadcast", false, 1, 0},      {"reduce", true, 1, 0},
    {"gather_ranks", false, 1, -1}, {"scatter_ranks", false, 1, -1}, {"send", false, 1, 0},
    {"recv", false, 1, 0},          {"send_recv", false, 1, 0},      {"nccl_group", true, 0, 0},
    {"barrier", false, 0, 0},
};

bool has_size(const CollectiveKind& kind) { return kind.a > 0; }

/// Nullopt for values that are not counts.
std::optional<double> count(const OpDesc& op, std::string_view key) {
  const std::optional<double> value = number(op, key);
  return value && *value >= 0 && *value < 0x1p62 ? value : std::nullopt;
}

/// For a library that states byte counts but no tensors.
OpCost stated_cost(const OpDesc& op, const CollectiveKind& kind) {
  OpCost stated = cost(kind.reduces ? count(op, "elements") : std::optional(0.0),
                       {count(op, "bytes_read"), count(op, "bytes_written")}, Basis::kEstimated);
  if (has_size(kind)) stated.algorithm_bytes = count(op, "message_bytes");
  return stated;
}

std::string stated_params(const OpDesc& op) {
  std::string params;
  const auto add = [&](std::string_view name, std::optional<double> value) {
    if (!value) return;
    if (!params.empty()) params += ',';
    params.append(name).append("=").append(std::to_string(static_cast<std::int64_t>(*value)));
  };
  add("bytes", count(op, "message_bytes"));
  add("ranks", count(op, "ranks"));
  add("calls", count(op, "calls"));
  return params;
}

OpFacts evaluate_collective(const OpDesc& op) {
  OpFacts facts;
  const std::string_view name = model_word(op);
  const CollectiveKind* kind = nullptr;
  for (const CollectiveKind& known : kKinds) {
    if (known.word == name) kind = &known;
  }
  if (kind == nullptr) return facts;
  if (op.tensors.empty()) {
    facts.params = stated_params(op);
    const OpCost stated = stated_cost(op, *kind);
    if (stated.read || stated.written || stated.algorithm_bytes) facts.cost = stated;
    facts.dtype = parse_dtype(word(op, "dtype"));
  } else {
    const double each = nonzero(op, "average") ? 2 : 1;
    std::optional<double> additions = 0;
    if (kind->reduces) additions = each * input_elements(op);
    // The reduced elements may be unknown.
    if (kind->reduces && input_count(op) == 0) additions.reset();
    const auto [in, out] = traffic(op);
    facts.cost = cost(additions, {in, out}, Basis::kEstimated);
    // The size in nccl-tests' terms: the larger side, which is the whole message.
    const bool one_is_enough = kind->b >= 0 || name == "all_reduce";
    if (has_size(*kind) && ((in && out) || (one_is_enough && (in || out)))) {
      facts.cost.algorithm_bytes = std::max(in.value_or(0), out.value_or(0));
    }
  }
  const double ranks = number(op, "ranks").value_or(0);
  if (facts.cost.algorithm_bytes && ranks >= 1) {
    facts.cost.bus_bytes = *facts.cost.algorithm_bytes * (kind->a * ranks + kind->b) / ranks;
  }
  return facts;
}

}  // namespace

void register_collective(Registry& registry);
void register_collective(Registry& registry) {
  registry.add({
      .name = "collective",
      .formulas =
          {
              {"all_reduce",
               "E; attr `average`: 2E. An upper limit: how the ranks share the additions depends "
               "on the algorithm",
               "-", "in + out of this rank's memory; not what crosses the links", "estimated"},
              {"reduce_scatter reduce", "E; attr `average`: 2E", "-", "in + out", "estimated"},
              {"all_gather all_to_all broadcast send recv send_recv gather_ranks scatter_ranks",
               "0", "-", "in + out", "estimated"},
              {"barrier", "0", "-", "in + out", "estimated"},
              {"wait_tensor record_param_comms", "-", "-", "-", "estimated"},
              {"nccl_group", "-", "-", "in + out", "estimated"},
          },
      .notes = "With attr `ranks` = n, bus bytes are the larger side times 2(n-1)/n for "
               "all_reduce, (n-1)/n for reduce_scatter, all_gather, all_to_all, gather_ranks and "
               "scatter_ranks, 1 for the others (nccl-tests, doc/PERFORMANCE.md). Where no "
               "tensors are stated, as with NCCL, attrs `message_bytes`, `bytes_read` and "
               "`bytes_written` are used as given, and additions are those of attr `elements`, "
               "if it is stated. gather_ranks and "
               "scatter_ranks are ncclGather and ncclScatter; nccl_group is a group of different "
               "calls, which has no size of its own. record_param_comms is the name PyTorch's "
               "NCCL back end gives to any collective.",
      .evaluate = evaluate_collective,
      .between_devices = true,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"all_reduce","dir":"bprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[1000],"dtype":"bfloat16"},
              {"name":"x","role":"out","type":"tensor","shape":[1000],"dtype":"bfloat16"}],
              "attrs":{"ranks":2,"average":true}})",
               "T=(1000)", std::nullopt, 2000, 4000, Basis::kEstimated},
              {R"({"v":1,"mod":"prof","op":"all_gather","attrs":{"ranks":4,"message_bytes":4096,
              "bytes_read":1024,"bytes_written":4096}})",
               "bytes=4096,ranks=4", std::nullopt, 0, 5120, Basis::kEstimated},
              {R"({"v":1,"mod":"prof","op":"all_gather","args":[
              {"name":"x","role":"in","type":"tensor","shape":[250],"dtype":"float32"},
              {"name":"y","role":"out","type":"tensor","shape":[1000],"dtype":"float32"}],
              "attrs":{"ranks":4}})",
               "T=(250)", std::nullopt, 0, 5000, Basis::kEstimated},
              {"c10d::_reduce_scatter_base_, sizes = [[250], [1000], [], [], [], []]", "T=(1000)",
               std::nullopt, 1000, 5000, Basis::kEstimated, DType::kFloat32},
          },
  });
}

}  // namespace prof::ops
