// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What a range adds to the facts of the stack below it, and what reports are told of them.
#include <algorithm>
#include <iterator>
#include <utility>

#include "analyzers/context.hpp"
#include "analyzers/ops/aten_roles.hpp"
#include "analyzers/ops/aten_signatures.hpp"
#include "analyzers/product_part.hpp"

namespace prof {
namespace {

std::shared_ptr<const OpDesc> plain_op(std::string name, std::string module = "torch") {
  OpDesc op;
  op.module = std::move(module);
  op.op = std::move(name);
  return std::make_shared<const OpDesc>(std::move(op));
}

/// A framework's ops compute what their own names say, whatever they are called for: a product in a
/// backward node is a product.
OpDesc as_called(const OpDesc& op) {
  OpDesc directed = op;
  const std::string_view forward = ops::forward_word(op.op);
  directed.direction = forward.empty() ? Direction::kFprop : Direction::kBprop;
  return directed;
}

template <typename Words>
bool holds(const Words& words, std::string_view wanted) {
  return std::ranges::find(words, wanted) != std::end(words);
}

// Arguments whose type does not follow from the kernel's, by their names in aten_signatures.inc.
constexpr std::string_view kIndices[] = {"indices",  "index",           "offsets", "offset2bag",
                                         "bag_size", "maximum_indices", "sorter"};
constexpr std::string_view kFlags[] = {"mask", "condition"};
/// Their targets are classes, those of other losses are values like the predictions.
constexpr std::string_view kClassLosses[] = {"cross_entropy", "nll_loss", "multi_margin_loss",
                                             "multilabel_margin_loss", "ctc_loss"};

/// The type of an argument of an op that works on `dtype`.
DType type_of(const OpDesc& op, const Tensor& tensor, DType dtype) {
  if (holds(kIndices, tensor.name)) return DType::kInt64;
  if (holds(kFlags, tensor.name)) return DType::kBool;
  if (tensor.name != "target") return dtype;
  const std::string_view loss = ops::display_word(op.op);
  if (!holds(kClassLosses, loss)) return dtype;
  // Cross entropy also takes a probability for each class.
  const auto is_prediction = [&](const Tensor& other) {
    return other.name == "x" && other.shape == tensor.shape;
  };
  const bool probabilities =
      loss == "cross_entropy" && std::ranges::any_of(op.tensors, is_prediction);
  return probabilities ? dtype : DType::kInt64;
}

bool is_floating(DType dtype) { return dtype >= DType::kFloat8E4M3 && dtype <= DType::kComplex128; }

/// Types whose products are not 2·M·N·K: a number is two, or an element is a pair.
bool counts_by_type(DType dtype) {
  return dtype == DType::kComplex64 || dtype == DType::kComplex128 || dtype == DType::kFloat4E2M1;
}

/// Unknown element types become `dtype`. False where that would be no more than a guess: of whole
/// numbers only the op that launched the kernel (`direct`) is known to work on them.
bool fill_dtype(OpDesc& op, DType dtype, bool direct) {
  if (dtype == DType::kUnknown || ops::is_preparation(op.op)) return false;
  if (!direct && !is_floating(dtype)) return false;
  bool filled = false;
  for (Tensor& tensor : op.tensors) {
    if (tensor.dtype != DType::kUnknown) continue;
    tensor.dtype = type_of(op, tensor, dtype);
    filled = true;
  }
  return filled;
}

/// A bit for each type; 0 unless all inputs tell theirs.
std::uint32_t input_types(const std::vector<Tensor>& tensors) {
  std::uint32_t types = 0;
  for (const Tensor& tensor : tensors) {
    if (tensor.role == Tensor::Role::kOut) continue;
    if (tensor.dtype == DType::kUnknown) return 0;
    types |= 1U << static_cast<unsigned>(tensor.dtype);
  }
  return types;
}

/// What a library's call tells of an op's bytes, where the op does not.
void add_told(const OpCost& told, OpCost& cost) {
  const bool is_collective = told.algorithm_bytes || told.bytes;
  if (!is_collective) return;
  if (!cost.bytes) {
    cost.bytes = told.bytes;
    cost.read = told.read;
    cost.written = told.written;
    if (cost.basis == Basis::kUnknown) cost.basis = told.basis;
  }
  if (!cost.bus_bytes && told.algorithm_bytes) {
    cost.algorithm_bytes = told.algorithm_bytes;
    cost.bus_bytes = told.bus_bytes;
  }
}

}  // namespace

std::shared_ptr<const OpDesc> ContextCache::with_attrs(const std::shared_ptr<const OpDesc>& op,
                                                       const Context::Facts& around) const {
  if (around.attrs == nullptr) return op;
  bool meant = false;
  const std::string_view word = ops::display_word(op->op);
  ops::for_each_word(around.attrs->op, [&](std::string_view one) { meant = meant || one == word; });
  if (!meant) return op;
  auto made = std::make_shared<OpDesc>(*op);
  made->attrs.insert(around.attrs->attrs.begin(), around.attrs->attrs.end());
  return made;
}

/// From a backward node's facts to those of an op of its own that is called in it. What waits until
/// a gradient is complete (DistributedDataParallel's buckets) works on gradients of many layers.
void ContextCache::leave_backward(Context::Facts& facts) {
  if (facts.linked && facts.forward == nullptr) {
    facts.inherited_layer.clear();
    facts.plain_path.clear();
  }
  facts.forward = nullptr;
  facts.backward = facts.recomputes = false;
}

/// The facts inside one of a framework's ops, from those around it.
void ContextCache::nest(Context::Facts& facts, const dialects::RangeMeaning& meaning) const {
  const std::shared_ptr<const OpDesc> made = with_attrs(meaning.op, facts);
  const OpDesc& op = *made;
  const ops::OpModel* model = model_of(op);
  const bool known = model != nullptr;
  const bool is_update = op.direction == Direction::kUpdate;
  const bool apart = facts.backward && !facts.recomputes && known && model->between_devices;
  const bool begins = !facts.nested || facts.recomputes || apart ||
                      (is_update && facts.direction != Direction::kUpdate);
  if (apart) leave_backward(facts);
  // What a library of its own or a Function of the program calls counts where only that is known.
  // In a backward node the op is the forward's.
  const bool better =
      facts.nested && !facts.op_known && known && !facts.backward && !ops::is_aten(facts.op->op);
  if (begins || better) {
    facts.op = made;
    facts.op_known = known;
  }
  if (begins) {
    facts.nested = true;
    facts.library = nullptr;
    facts.owner = nullptr;
    facts.owner_counted = false;
    facts.backward = facts.backward && !is_update && !facts.recomputes;
    if (facts.recomputes) {
      facts.forward = nullptr;
      facts.linked = facts.recomputes = false;
    }
    if (is_update) {
      facts.direction = Direction::kUpdate;
      facts.direction_from = Provenance::kExact;
    } else if (facts.direction == Direction::kNone) {
      const bool gradients = ops::is_foreach(op.op) && meaning.seq < 0;
      const bool update = ops::is_update(op.op) || gradients;
      facts.direction = update ? Direction::kUpdate : Direction::kFprop;
      facts.direction_from = update ? Provenance::kEstimated : Provenance::kExact;
    }
  }
  facts.inner = made;

  // The cost is that of the outermost op that can be counted; what only prepares its operands has a
  // cost of its own.
  if (facts.owner_counted) {
    if (!ops::is_preparation(op.op) || ops::is_preparation(facts.owner->op)) return;
    facts.owner = made;
    facts.owner_counted = can_count(op);
  } else if (can_count(op)) {
    facts.owner = made;
    facts.owner_counted = true;
  } else if (facts.owner == nullptr || facts.owner->tensors.empty()) {
    facts.owner = made;
  }
}

/// The facts where a library works for the op around it, or for the program itself.
void ContextCache::call_library(Context::Facts& facts,
                                const dialects::RangeMeaning& meaning) const {
  facts.library = meaning.op;
  facts.inner = plain_op(meaning.name, meaning.op->module);
  const ops::OpModel* model = model_of(*meaning.op);
  const bool apart = facts.backward && model != nullptr && model->between_devices;
  if (facts.op != nullptr && (facts.op_known || !facts.nested) && !apart) return;
  if (apart) leave_backward(facts);
  facts.op = facts.owner = meaning.op;
  facts.op_known = model != nullptr;
  facts.nested = false;
}

/// The model of an op by its own word, else by its forward op's or by that which a person has for
/// it.
const ops::OpModel* ContextCache::model_of(const OpDesc& op) const {
  if (const ops::OpModel* model = ops_.find(op.op)) return model;
  if (const ops::OpModel* model = ops_.find(ops::forward_word(op.op))) return model;
  return ops_.find(ops::display_word(op.op));
}

bool ContextCache::can_count(const OpDesc& op) const {
  const ops::OpModel* model = model_of(op);
  if (model == nullptr) return false;
  const ops::OpFacts facts = ops::evaluate(model, as_called(op));
  return facts.gemm || facts.cost.flops;
}

/// The facts inside a backward node, from those of its forward op or, where that is not known, from
/// those of the stack that it is on.
Context::Facts ContextCache::backward(const Context::Facts& from,
                                      const dialects::RangeMeaning& meaning, Base base) const {
  Context::Facts made;
  const bool linked = base == Base::kForward && from.op != nullptr;
  made.trace = from.trace;
  const bool accumulates = meaning.name == "accumulate_grad";
  if (linked) {
    made.plain_path = from.plain_path;
    made.inherited_layer = from.layer_path.empty() ? from.inherited_layer : from.layer_path;
    made.forward = accumulates ? nullptr : from.op;
    made.attrs = from.attrs;
  } else {
    made.layer_path = from.layer_path;
    made.layer_name_at = from.layer_name_at;
    made.plain_path = from.plain_path;
    made.inherited_layer = from.inherited_layer;
  }
  if (made.forward != nullptr) {
    made.op = from.op;
    made.op_known = from.op_known;
  } else {
    made.op = plain_op(meaning.name);
    made.op_known = model_of(*made.op) != nullptr;
  }
  made.nested = true;
  // torch.utils.checkpoint with use_reentrant=True calls what it wraps in its node.
  made.recomputes = meaning.name == "checkpoint_function";
  made.backward = true;
  made.linked = linked;
  made.direction = Direction::kBprop;
  made.direction_from = Provenance::kExact;
  return made;
}

std::shared_ptr<const OpAttribution> ContextCache::make(const Context::Facts& facts,
                                                        DType kernel_dtype) const {
  OpAttribution made;
  if (!facts.layer_path.empty()) {
    made.layer = facts.layer_path;
    made.layer_from = Provenance::kExact;
  } else if (!facts.inherited_layer.empty()) {
    made.layer = facts.inherited_layer;
    made.layer_from = Provenance::kInherited;
  } else if (!facts.plain_path.empty()) {
    made.layer = facts.plain_path;
    made.layer_from = facts.linked ? Provenance::kInherited : Provenance::kEstimated;
  }
  if (facts.op != nullptr) describe(facts, kernel_dtype, made);
  if (made.dtype == DType::kUnknown && kernel_dtype != DType::kUnknown) {
    made.dtype = kernel_dtype;
    made.dtype_from = Provenance::kEstimated;
  }
  return std::make_shared<const OpAttribution>(std::move(made));
}

void ContextCache::describe(const Context::Facts& facts, DType kernel_dtype,
                            OpAttribution& made) const {
  const OpDesc& op = *facts.op;
  made.op = facts.nested ? ops::display_word(op.op) : op.op;
  const OpDesc* inner = facts.inner.get();
  made.op_inner = (inner == nullptr ? op : *inner).op;
  made.module = op.module;
  made.trace = facts.trace;
  made.op_from = !facts.backward ? Provenance::kExact
                 : facts.linked  ? Provenance::kInherited
                                 : Provenance::kEstimated;
  made.part = op.part;

  const OpDesc* owner = facts.owner.get();
  if (owner == nullptr || owner->tensors.empty()) {
    if (facts.forward != nullptr && !facts.forward->tensors.empty()) {
      made.tensors = facts.forward->tensors;
      made.shapes_from = Provenance::kInherited;
      made.params = ops::evaluate(nullptr, *facts.forward).params;
    }
  } else {
    made.tensors = owner->tensors;
    made.shapes_from = Provenance::kExact;
  }
  if (owner == nullptr) owner = &op;
  const ops::OpModel* model = model_of(*owner);
  made.is_product = model != nullptr && model->is_product;
  made.known_op = facts.op_known || model != nullptr;
  made.direction = facts.direction;
  made.direction_from = facts.direction_from;
  if (made.direction == Direction::kNone) {
    made.direction = ops::implied_direction(model, op.op);
    if (made.direction != Direction::kNone) made.direction_from = Provenance::kEstimated;
  }

  // A model counts by direction, which an op around this one may have said.
  OpDesc counted = facts.nested ? as_called(*owner) : *owner;
  if (!facts.nested) counted.direction = made.direction;
  ops::OpFacts said = ops::evaluate(model, counted);
  if (!said.params.empty()) made.params = std::move(said.params);
  made.gemm = said.gemm;
  made.cost = said.cost;
  made.claims = said.claims;
  made.claims.input_types = input_types(owner->tensors);
  made.claims.adds_products = said.gemm && said.gemm->k.value_or(0) > 1;
  const ops::OpModel* inner_model = inner == nullptr ? nullptr : model_of(*inner);
  made.claims.no_product =
      model != nullptr && model->no_product && inner_model != nullptr && inner_model->no_product;
  made.dtype = said.dtype;
  if (made.dtype != DType::kUnknown) made.dtype_from = Provenance::kExact;
  if (!made.cost.bytes && fill_dtype(counted, kernel_dtype, facts.inner == facts.owner)) {
    ops::OpFacts filled = ops::evaluate(model, counted);
    if (counts_by_type(kernel_dtype) && made.is_product) {
      made.gemm = filled.gemm;
      made.params = std::move(filled.params);
      filled.cost.basis = Basis::kEstimated;
      made.cost = filled.cost;
    }
    made.cost.bytes = filled.cost.bytes;
    made.cost.read = filled.cost.read;
    made.cost.written = filled.cost.written;
    made.cost.types_from_kernel = made.cost.bytes.has_value();
    if (!made.cost.flops && made.cost.bytes) made.cost.basis = Basis::kEstimated;
  }
  if (facts.library != nullptr && facts.library.get() != owner) {
    OpDesc call = *facts.library;
    // To the library, an all-to-all may be a group of sends and receives.
    if (call.op == "send_recv" && ops::display_word(owner->op) == "all_to_all") {
      call.op = "all_to_all";
    }
    add_told(ops::evaluate(model_of(call), call).cost, made.cost);
  }
  if (facts.backward && facts.forward != nullptr) {
    made.part = product_part(ops::evaluate(model_of(op), as_called(op)), op, said, *owner);
  }
}

}  // namespace prof
