// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies a whole tensor or buffer, on the device or between host and device.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

OpFacts evaluate_copy(const OpDesc& op) {
  OpFacts facts;
  if (op.tensors.empty()) return facts;
  const auto [in, out] = traffic(op);
  const bool has_inputs = input(op, std::size_t{0}) != nullptr;
  std::optional<double> written = out;
  if (output(op, std::size_t{0}) == nullptr) {
    written = 0;
    for (const Tensor& tensor : op.tensors) {
      if (!tensor.is_repeated) written = sum(written, whole_bytes(tensor));
    }
  } else if (model_word(op) == "all_gather_copy_in") {
    written = in;  // FSDP's copy_in fills this rank's part of the tensors it names
  }
  facts.params = main_params(op);
  facts.cost = cost(0, {has_inputs ? in : out, written});
  return facts;
}

}  // namespace

void register_copy(Registry& registry);
void register_copy(Registry& registry) {
  registry.add({
      .name = "copy",
      .formulas =
          {
              {"copy clone memcpy copy_in copy_out copy_from item flatten_weight lift_fresh "
               "_assert_async",
               "0", "0", "in + out; if one side is missing, twice the other", "exact"},
              {"all_gather_copy_in", "0", "-", "2 in", "exact"},
          },
      .notes = "`item` copies a value to the host; `_assert_async` reads one on the device.",
      .evaluate = evaluate_copy,
      .no_product = true,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"copy","dir":"fprop","args":[
              {"name":"src","role":"in","type":"tensor","shape":[100],"dtype":"float32"},
              {"name":"dst","role":"out","type":"tensor","shape":[100],"dtype":"float32"}]})",
               "T=(100)", std::nullopt, 0, 800},
              {R"({"v":1,"mod":"prof","op":"memcpy","args":[
              {"name":"dst","role":"out","type":"tensor","shape":[100],"dtype":"float32"}]})",
               "T=(100)", std::nullopt, 0, 800},
              {R"({"v":1,"mod":"prof","op":"copy_","dir":"update","args":[
              {"name":"dst","role":"out","type":"tensor","shape":[5],"dtype":"float16"},
              {"name":"src","role":"in","type":"tensor","shape":[5],"dtype":"float32"}]})",
               "T=(5)", std::nullopt, 0, 30},
              {"fsdp::all_gather_copy_in, sizes = [[8], [4], [24], [], [], []]", "T=(8)",
               std::nullopt, 0, 96, Basis::kExact, DType::kFloat32},
              {R"({"op":"aten::clone","args":[
              {"shape":[4,128],"dtype":"int64","strides":[0,1]},{"value":0}]})",
               "T=(4,128)", std::nullopt, 0, 1024 + 4096},
          },
  });
}

}  // namespace prof::ops
