// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/facts/attribute.hpp"

#include <string>
#include <utility>
#include <variant>

#include "analyzers/facts/plain_names.hpp"
#include "analyzers/facts/product_part.hpp"
#include "analyzers/ops/aten_roles.hpp"
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/triton_kernels.hpp"

namespace prof {
namespace {

void describe_layer(const Facts& facts, OpAttribution& made) {
  const LayerFacts& layer = facts.layer;
  if (!layer.path.empty()) {
    made.layer = layer.path;
    made.layer_from = facts.stated();
  } else if (!layer.inherited.empty()) {
    made.layer = layer.inherited;
    made.layer_from = Provenance::kInherited;
  } else if (!layer.is_empty()) {
    made.layer = layer.guessed_path();
    const bool is_forward = facts.backward.is_linked && !layer.is_of_process;
    made.layer_from = is_forward ? Provenance::kInherited : Provenance::kEstimated;
  }
}

void describe_op(const Facts& facts, OpAttribution& made) {
  const OpDesc& op = *facts.op.reported;
  const std::string fused = ops::fused_word(op.op);
  made.op = !fused.empty() ? fused : facts.op.is_framework ? ops::word_for_people(op) : op.op;
  made.op_inner = facts.op.inner == nullptr ? op.op : facts.op.inner->op;
  made.module = op.module;
  made.trace = facts.source_line.empty() ? facts.plain_op : facts.source_line;
  if (!fused.empty() || facts.op.is_kernel || facts.op.is_traced) {
    made.op_from = Provenance::kEstimated;
  } else {
    made.op_from = !facts.backward.is_inside  ? facts.stated()
                   : facts.backward.is_linked ? Provenance::kInherited
                                              : Provenance::kEstimated;
  }
  made.part = op.part;
  made.is_recomputed = facts.is_recomputed;
}

/// The subject's shapes, otherwise the forward op's.
void describe_shapes(const Facts& facts, OpAttribution& made) {
  const OpDesc* subject = facts.op.subject.get();
  const OpDesc* forward = facts.backward.forward.get();
  if (subject != nullptr && !subject->tensors.empty()) {
    made.tensors = subject->tensors;
    made.shapes_from = facts.stated();
  } else if (forward != nullptr && !forward->tensors.empty()) {
    made.tensors = forward->tensors;
    made.shapes_from = Provenance::kInherited;
    made.params = ops::input_params(*forward);
  }
}

/// Without an op, what the module around the work is called with: no more than shapes and types,
/// which are those of the module and maybe not of the work.
void describe_module_call(const OpDesc& call, OpAttribution& made) {
  if (call.tensors.empty()) return;
  made.tensors = call.tensors;
  made.shapes_from = Provenance::kInherited;
}

Provenance direction_provenance(const Facts& facts) {
  return facts.direction_from == Provenance::kExact ? facts.stated() : facts.direction_from;
}

void describe_direction(const Facts& facts, const ops::OpModel* model, OpAttribution& made) {
  made.direction = facts.direction;
  made.direction_from = direction_provenance(facts);
  if (made.direction != Direction::kNone) return;
  made.direction = ops::implied_direction(model, facts.op.reported->op);
  if (made.direction != Direction::kNone) made.direction_from = Provenance::kEstimated;
}

/// By the names of the plain ranges around the work, if nothing else states it. A framework says
/// itself which of its ops have a direction.
void describe_direction_by_names(const Facts& facts, OpAttribution& made) {
  const OpsOnStack& op = facts.op;
  const bool is_framework = op.is_framework && !op.is_library_call && !op.is_kernel;
  if (made.direction != Direction::kNone || is_framework) return;
  const NamedPass pass = named_pass(facts.layer.plain_path, facts.plain_op);
  if (pass.direction == Direction::kNone) return;
  made.direction = pass.direction;
  made.direction_from = Provenance::kEstimated;
  made.is_recomputed = pass.runs_again;
}

/// Work without an op in a plain range that names one.
void describe_plain_op(const Facts& facts, OpAttribution& made) {
  if (facts.plain_op.empty()) return;
  made.op = made.op_inner = facts.plain_op;
  made.module = "nvtx";
  made.is_plain_op = true;
  made.op_from = Provenance::kEstimated;
}

/// The context of the op whose cost the work carries.
ops::OpContext context_of(const Facts& facts, const KernelTypes& kernel, Direction direction) {
  ops::OpContext context;
  context.kernel = kernel;
  context.inner = facts.op.inner;
  if (facts.backward.is_inside) context.forward = facts.backward.forward;
  context.product = facts.backward.product;
  context.direction = direction;
  context.is_framework = facts.op.is_framework;
  context.is_direct = facts.op.inner == facts.op.owner;
  context.is_shown = facts.op.subject == facts.op.owner;
  context.is_bare_node = facts.backward.is_inside && facts.op.owner == nullptr;
  return context;
}

/// The cost, and the parameters of the op that has it.
void take_cost(ops::OpFacts op, OpAttribution& made) {
  if (!op.params.empty()) made.params = std::move(op.params);
  made.gemm = op.gemm;
  made.cost = op.cost;
  made.operands = std::move(op.operands);
}

/// The bytes a library call states, if the op itself does not.
void cost_from_library(const Facts& facts, const OpDesc& owner, const ops::OpCatalog& ops,
                       OpCost& cost) {
  if (facts.op.library == nullptr || facts.op.library == facts.op.owner) return;
  OpDesc call = *facts.op.library;
  // A library may implement an all-to-all as a group of sends and receives.
  if (call.op == "send_recv" && ops::is_one_of(owner, "all_to_all")) call.op = "all_to_all";
  const OpCost stated = ops.facts_of(call).cost;
  if (!stated.algorithm_bytes && !stated.bytes) return;  // not a collective
  if (!cost.bytes) {
    cost.bytes = stated.bytes;
    cost.read = stated.read;
    cost.written = stated.written;
    if (cost.basis == Basis::kUnknown) cost.basis = stated.basis;
  }
  if (!cost.bus_bytes && stated.algorithm_bytes) {
    cost.algorithm_bytes = stated.algorithm_bytes;
    cost.bus_bytes = stated.bus_bytes;
  }
}

/// The type that a library call states, if the op itself does not.
void type_from_library(const Facts& facts, OpAttribution& made) {
  if (made.dtype != DType::kUnknown || facts.op.library == nullptr) return;
  made.dtype = parse_dtype(ops::word(*facts.op.library, "dtype"));
  if (made.dtype != DType::kUnknown) made.dtype_from = facts.stated();
}

std::optional<std::int64_t> attribute_of(const OpDesc& op, std::string_view key) {
  const auto found = op.attrs.find(key);
  const auto* value = found != op.attrs.end() ? std::get_if<std::int64_t>(&found->second) : nullptr;
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

/// The library knows its communicator; a program's own op may state one, too.
void describe_group(const Facts& facts, OpAttribution& made) {
  const OpRef& call = facts.op.library != nullptr ? facts.op.library : facts.op.reported;
  made.group = {.communicator = attribute_of(*call, "communicator"),
                .ranks = attribute_of(*call, "ranks"),
                .rank = attribute_of(*call, "rank"),
                .peer = attribute_of(*call, "peer"),
                .root = attribute_of(*call, "root")};
}

/// Adds each gradient with its size and cost.
void split_into_gradients(const Facts& facts, ops::OpInContext::Gradients gradients,
                          OpAttribution& whole) {
  auto made = std::make_shared<GradientAttributions>();
  made->is_stated = gradients.ops.is_stated;
  made->weight_first = facts.op.owner == nullptr && facts.backward.weight_first;
  made->has_weight_layout = gradients.ops.is_linear;
  made->in_order = gradients.ops.in_order;
  for (std::size_t i = 0; i < gradients.facts.size(); ++i) {
    if (!gradients.facts[i]) continue;
    OpAttribution one = whole;
    one.part = gradients.ops.of[i]->part;
    take_cost(std::move(*gradients.facts[i]), one);
    made->of[i] = std::make_shared<const OpAttribution>(std::move(one));
  }
  // How many of them the node's kernels compute is not known.
  if (facts.op.owner == nullptr) whole.cost = {};
  whole.gradients = std::move(made);
}

/// The kernel copies an operand of the op.
bool copies_operand(const Facts& facts) {
  return facts.op.inner != nullptr && ops::is_preparation(facts.op.inner->op) &&
         !ops::is_fill(facts.op.inner->op);
}

/// The op's type is the kernel's, where the kernel proves it.
void take_type_from_kernel(const Facts& facts, const KernelTypes& kernel, OpAttribution& made) {
  // A kernel that converts computes in a type that its operands need not have.
  const bool is_direct = facts.op.inner == facts.op.owner || copies_operand(facts);
  const bool is_proof = !kernel.converts && ops::is_type_of_op(kernel.operand, is_direct);
  if (made.dtype != DType::kUnknown || !is_proof) return;
  made.dtype = kernel.operand;
  made.dtype_from = Provenance::kEstimated;
}

void set_part(NodeProduct product, OpAttribution& made) {
  switch (product) {
    case NodeProduct::kData:
      made.part = Part::kData;
      return;
    case NodeProduct::kWeight:
      made.part = Part::kWeight;
      return;
    case NodeProduct::kBias:
      made.part = Part::kBias;
      return;
    case NodeProduct::kOther:
      made.part = Part::kNone;
      return;
    case NodeProduct::kEither:
      break;
  }
  made.part = Part::kNone;
  // One row or column is the same in either layout.
  if (made.gemm->m < 2 || made.gemm->n < 2) return;
  auto either = std::make_shared<GradientAttributions>();
  for (const Part part : {Part::kData, Part::kWeight}) {
    OpAttribution one = made;
    one.part = part;
    either->of[static_cast<std::size_t>(part)] =
        std::make_shared<const OpAttribution>(std::move(one));
  }
  made.either = std::move(either);
}

void describe_cost(const Facts& facts, const KernelTypes& kernel, const ops::OpCatalog& ops,
                   OpAttribution& made) {
  const OpRef& owner = cost_owner(facts);
  const ops::OpModel* model = ops.model_of(*owner);
  made.known_op = facts.op.is_known || model != nullptr;
  describe_direction(facts, model, made);
  const ops::OpContext context = context_of(facts, kernel, made.direction);
  ops::OpInContext op = ops.in_context(owner, context);
  made.is_product = op.is_product;
  made.ordering_prepares = op.ordering_prepares;
  made.claims = op.facts.claims;
  made.dtype = op.facts.dtype;
  if (made.dtype != DType::kUnknown) made.dtype_from = facts.stated();
  // Those of an op that does part of the subject's work stand beside the subject's, as M, N and K.
  if (!context.is_shown && !context.is_bare_node) {
    op.facts.params = ops.called(facts.op.subject).params;
  }
  take_cost(std::move(op.facts), made);
  cost_from_library(facts, *owner, ops, made.cost);
  type_from_library(facts, made);
  take_type_from_kernel(facts, kernel, made);
  if (context.forward != nullptr) {
    const OpRef& forward = facts.op.reported;
    set_part(product_of_node(*forward, ops.called(forward).gemm, *owner, op.stated_gemm), made);
  }
  if (op.gradients) split_into_gradients(facts, std::move(*op.gradients), made);
}

/// Generated code computes several ops in one kernel, so the call's description lists them all.
void describe_site(const CompiledSite& site, OpAttribution& made) {
  made.ops = site.ops;
  made.layers = site.layers;
  if (site.is_guessed && !made.layer.empty()) made.layer_from = Provenance::kEstimated;
  if (!site.cost) return;
  made.cost = *site.cost;
  made.operands.clear();
  made.gradients = nullptr;
  made.either = nullptr;
}

}  // namespace

const OpRef& cost_owner(const Facts& facts) {
  if (facts.op.owner != nullptr) return facts.op.owner;
  return facts.backward.sized != nullptr ? facts.backward.sized : facts.op.reported;
}

OpAttribution attribute(const Facts& facts, const KernelTypes& kernel, const ops::OpCatalog& ops) {
  OpAttribution made;
  describe_layer(facts, made);
  if (facts.op.reported != nullptr) {
    describe_op(facts, made);
    describe_shapes(facts, made);
    describe_cost(facts, kernel, ops, made);
    describe_group(facts, made);
  } else {
    if (facts.module_call != nullptr) describe_module_call(*facts.module_call, made);
    if (facts.compiled.graph != nullptr) {
      made.direction = facts.direction;
      made.direction_from = direction_provenance(facts);
    }
    describe_plain_op(facts, made);
  }
  describe_direction_by_names(facts, made);
  take_type_from_kernel(facts, kernel, made);
  if (facts.compiled.site != nullptr) describe_site(*facts.compiled.site, made);
  return made;
}

OpAttribution attribute_whole_graph(const Facts& facts) {
  OpAttribution made;
  describe_layer(facts, made);
  // A direction guessed from the op that launched it says nothing about the graph's kernels.
  if (facts.direction_from == Provenance::kEstimated) return made;
  made.direction = facts.direction;
  made.direction_from = direction_provenance(facts);
  return made;
}

}  // namespace prof
