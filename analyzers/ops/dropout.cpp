// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Dropout: a comparison and a scaling for each element.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

OpFacts evaluate(const OpDesc& op) {
  OpFacts facts;
  const Tensor* main = input(op, std::size_t{0});
  if (main == nullptr) return facts;
  facts.params = main_params(op);
  facts.cost = {2 * elements(main->shape), moved_bytes(op), Basis::kExact};
  return facts;
}

}  // namespace

void register_dropout(Registry& registry);
void register_dropout(Registry& registry) {
  registry.add({
      .name = "dropout",
      .words = {"dropout", "native_dropout"},
      .evaluate = evaluate,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"dropout","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[64,256],"dtype":"float16"},
              {"name":"y","role":"out","type":"tensor","shape":[64,256],"dtype":"float16"},
              {"name":"mask","role":"out","type":"tensor","shape":[64,256],"dtype":"bool"}]})",
               "T=(64,256)", std::nullopt, 32768, 81920},
              {R"({"v":1,"mod":"prof","op":"dropout","dir":"bprop","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[64],"dtype":"float16"},
              {"name":"mask","role":"in","type":"tensor","shape":[64],"dtype":"bool"},
              {"name":"dx","role":"out","type":"tensor","shape":[64],"dtype":"float16"}]})",
               "T=(64)", std::nullopt, 128, 320},
          },
  });
}

}  // namespace prof::ops
