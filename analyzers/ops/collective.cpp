// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What several GPUs do together, seen from one of them. Bytes are those of its own memory, not of
// the links between.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

OpFacts evaluate(const OpDesc& op) {
  OpFacts facts;
  if (input(op, std::size_t{0}) == nullptr) return facts;
  const double each = nonzero(op, "average") ? 2 : 1;
  facts.cost = {each * input_elements(op), moved_bytes(op), Basis::kEstimated};
  return facts;
}

}  // namespace

void register_collective(Registry& registry);
void register_collective(Registry& registry) {
  registry.add({
      .name = "collective",
      .words = {"all_reduce"},
      .evaluate = evaluate,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"all_reduce","dir":"bprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[1000],"dtype":"bfloat16"},
              {"name":"x","role":"out","type":"tensor","shape":[1000],"dtype":"bfloat16"}],
              "attrs":{"ranks":2,"average":true}})",
               "T=(1000)", std::nullopt, 2000, 4000, Basis::kEstimated},
          },
  });
}

}  // namespace prof::ops
