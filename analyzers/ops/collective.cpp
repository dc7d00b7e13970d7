// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What several GPUs do together, seen from one of them. Bytes are those of its own memory, not of
// the links between; how fast those were, algorithm_bytes and bus_bytes over the time tell, as
// nccl-tests defines them.
#include <algorithm>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

struct Kind {
  std::string_view word;
  bool reduces;
  /// Bus bandwidth over algorithm bandwidth, of n ranks: (a n + b) / n. From nccl-tests,
  /// doc/PERFORMANCE.md.
  double a, b;
};

constexpr Kind kKinds[] = {
    {"all_reduce", true, 2, -2},  {"reduce_scatter", true, 1, -1}, {"all_gather", false, 1, -1},
    {"all_to_all", false, 1, -1}, {"broadcast", false, 1, 0},      {"reduce", true, 1, 0},
    {"send", false, 1, 0},        {"recv", false, 1, 0},           {"send_recv", false, 1, 0},
};

OpFacts evaluate(const OpDesc& op) {
  OpFacts facts;
  const std::string_view name = model_word(op);
  const Kind* kind = nullptr;
  for (const Kind& known : kKinds) {
    if (known.word == name) kind = &known;
  }
  if (op.tensors.empty() || kind == nullptr) return facts;
  const double each = !kind->reduces ? 0 : nonzero(op, "average") ? 2 : 1;
  facts.cost = cost(each * input_elements(op), traffic(op), Basis::kEstimated);
  // What nccl-tests calls the size: the larger side, which is the whole message.
  const auto [in, out] = traffic(op);
  if (in || out) facts.cost.algorithm_bytes = std::max(in.value_or(0), out.value_or(0));
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
              {"all_gather all_to_all broadcast send recv send_recv", "0", "-", "in + out",
               "estimated"},
          },
      .notes = "With attr `ranks` = n, bus bytes are the larger side times 2(n-1)/n for "
               "all_reduce, (n-1)/n for reduce_scatter, all_gather and all_to_all, 1 for the "
               "others (nccl-tests, doc/PERFORMANCE.md).",
      .evaluate = evaluate,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"all_reduce","dir":"bprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[1000],"dtype":"bfloat16"},
              {"name":"x","role":"out","type":"tensor","shape":[1000],"dtype":"bfloat16"}],
              "attrs":{"ranks":2,"average":true}})",
               "T=(1000)", std::nullopt, 2000, 4000, Basis::kEstimated},
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
