// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ops/registry.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analyzers/ops/aten_signatures.hpp"
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/promotion.hpp"
#include "analyzers/ops/triton_kernels.hpp"
#include "analyzers/ops/xla_ops.hpp"
#include "libprof/base/check.hpp"

namespace prof::ops {
namespace {

/// FlashInfer compiles its attention for each configuration, whose name is then the namespace:
/// "batch_decode_with_kv_cache_dtype_q_bf16_..::run". The same op of its prebuilt library.
std::string_view compiled_attention(std::string_view op) {
  struct Compiled {
    std::string_view start, end, prebuilt;
  };
  constexpr Compiled kOps[] = {
      {"batch_decode_with_kv_cache_", "::run",
       "flashinfer_kernels::batch_decode_with_paged_kv_cache_run"},
      {"batch_prefill_with_kv_cache_", "::ragged_run",
       "flashinfer_kernels::batch_prefill_with_ragged_kv_cache_run"},
      {"batch_prefill_with_kv_cache_", "::paged_run",
       "flashinfer_kernels::batch_prefill_with_paged_kv_cache_run"},
      {"single_prefill_with_kv_cache_", "::run",
       "flashinfer_kernels::single_prefill_with_kv_cache"},
      {"single_decode_with_kv_cache_", "::run", "flashinfer_kernels::single_decode_with_kv_cache"},
  };
  if (!op.ends_with("run")) return {};
  for (const Compiled& known : kOps) {
    if (op.starts_with(known.start) && op.ends_with(known.end)) return known.prebuilt;
  }
  return {};
}

}  // namespace

std::string_view without_namespace(std::string_view op) {
  // c10d's collectives arrive in several ways: from the library, torch.compile, and NCCL's own
  // ranges.
  constexpr std::string_view kNamespaces[] = {
      "aten::", "c10d::",        "_c10d_functional::", "c10d_functional::", "nccl:",
      "fsdp::", "torchvision::", "torch_scatter::",    kTritonNamespace,    kXlaNamespace};
  // Torch has other ops with these names, which select elements.
  constexpr std::string_view kTwins[][2] = {{"c10d::gather_", "gather_ranks_"},
                                            {"c10d::scatter_", "scatter_ranks_"},
                                            {"nccl:gather", "gather_ranks"},
                                            {"nccl:scatter", "scatter_ranks"}};
  for (const auto& [name, meant] : kTwins) {
    if (op == name) return meant;
  }
  if (const std::string_view compiled = compiled_attention(op); !compiled.empty()) return compiled;
  for (const std::string_view name : kNamespaces) {
    if (op.starts_with(name)) return op.substr(name.size());
  }
  return op;
}

std::string_view canonical_word(std::string_view op) {
  op = without_namespace(op);
  if (op.size() > 1 && op.ends_with('_') && !op.ends_with("__")) op.remove_suffix(1);
  return op;
}

void Registry::add(OpModel model, const char* file) {
  PROF_CHECK(!model.name.empty() && model.evaluate != nullptr);
  const std::string_view path = file;
  model.file = path.substr(std::min(path.rfind("analyzers/"), path.size()));
  const OpModel& kept = models_.emplace_back(std::move(model));
  for (const OpFormula& formula : kept.formulas) {
    for_each_word(formula.words, [&](std::string_view word) {
      if (!by_word_.emplace(word, &kept).second) clashes_.emplace_back(word);
    });
  }
}

const OpModel* Registry::find_word(std::string_view word) const {
  const auto it = by_word_.find(word);
  return it == by_word_.end() ? nullptr : it->second;
}

const OpModel* Registry::find(std::string_view op) const {
  if (is_triton_kernel(op)) return find_word("triton_kernel");
  if (is_xla_op(op)) return find_word("xla_op");
  if (const OpModel* model = find_word(canonical_word(op))) return model;
  if (const OpModel* model = find_word(forward_word(op))) return model;
  return find_word(display_word(op));
}

Direction implied_direction(const OpModel* model, std::string_view op) {
  if (!forward_word(op).empty()) return Direction::kBprop;
  return model == nullptr ? Direction::kNone : model->implied_direction;
}

namespace {

/// All that it reads and writes is known to be integers: none of its operations is a FLOP.
bool works_on_integers(const OpDesc& op) {
  const auto is_whole = [](const Tensor& tensor) { return is_integer(tensor.dtype); };
  return std::ranges::any_of(op.tensors, is_output) && std::ranges::all_of(op.tensors, is_whole);
}

/// Empty if a size is unknown.
std::vector<Operand> operands_of(const OpDesc& op) {
  std::vector<Operand> operands;
  for (const Tensor& tensor : op.tensors) {
    const auto bytes = tensor_bytes(tensor);
    if (!bytes) return {};
    if (tensor.is_repeated || *bytes <= 0) continue;
    operands.push_back({*bytes, is_input(tensor), is_output(tensor)});
  }
  return operands;
}

}  // namespace

OpFacts evaluate(const OpModel* model, const OpDesc& op) {
  OpFacts facts;
  if (model != nullptr) {
    OpDesc complete = op;
    if (!forward_word(op.op).empty()) {
      complete.direction = Direction::kBprop;
    } else if (has_shapes_only(op) && op.direction == Direction::kBprop) {
      complete.direction = Direction::kFprop;
    }
    if (model->complete != nullptr && output(op, std::size_t{0}) == nullptr) {
      model->complete(complete);
    }
    facts = model->evaluate(complete);
    const bool knows_sides = facts.cost.read || facts.cost.written;
    if (facts.cost.bytes && knows_sides) facts.operands = operands_of(complete);
    if (!model->is_product && facts.cost.flops && works_on_integers(complete)) facts.cost.flops = 0;
  }
  if (facts.params.empty()) facts.params = input_params(op);
  if (facts.dtype == DType::kUnknown) facts.dtype = main_dtype(op);
  // The source leaves out tensors. How many elements are indexed, their values decide.
  if (const std::string_view hidden = word(op, "hides_list"); !hidden.empty()) {
    if (hidden != "indices") facts.cost.flops.reset();
    facts.cost.bytes = facts.cost.read = facts.cost.written = std::nullopt;
  }
  // Sizes that do not fit in an integer are invalid.
  for_each_quantity(
      [](std::optional<double>& value) {
        if (value && !std::isfinite(*value)) value.reset();
      },
      facts.cost);
  if (!facts.cost.flops && !facts.cost.bytes) facts.cost.basis = Basis::kUnknown;
  // The source leaves out an element type that the op may convert to.
  if (flag(op, "hides_dtype") && facts.cost.bytes && facts.cost.basis == Basis::kExact) {
    facts.cost.basis = Basis::kEstimated;
  }
  return facts;
}

}  // namespace prof::ops
