// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/dialects/torch_call.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "analyzers/dialects/framework_op.hpp"
#include "analyzers/dialects/torch_comms.hpp"
#include "analyzers/dialects/torch_compile.hpp"
#include "analyzers/dialects/words.hpp"
#include "analyzers/ops/aten_signatures.hpp"
#include "analyzers/ops/triton_kernels.hpp"
#include "libprof/base/ascii.hpp"
#include "libprof/model/step_text.hpp"

namespace prof::dialects {
namespace {

constexpr std::string_view kEvaluate = "autograd::engine::evaluate_function: ";
constexpr std::string_view kCopySlices = "CopySlices";
constexpr std::string_view kAccumulate = "AccumulateGrad";
/// torch.utils.checkpoint with use_reentrant=True reruns what it wraps inside its node.
constexpr std::string_view kCheckpoint = "CheckpointFunction";
/// TorchScript's, of the compiled code that it differentiated.
constexpr std::string_view kScriptGraph = "DifferentiableGraph";
/// TorchScript's ranges around the code of one of its graphs.
constexpr std::string_view kScriptRanges[] = {"<forward op>", "<backward op>"};
constexpr std::string_view kOptimizer = "Optimizer.";
constexpr std::string_view kFsdp = "FSDP::";
/// DistributedDataParallel's work on gradients; partly in a callback after all nodes.
constexpr std::string_view kReducers[] = {"torch.distributed.ddp.reducer::",
                                          "torch::distributed::reducer::"};
/// The prefix with which torch.profiler(with_modules, with_stack) names a module's forward().
constexpr std::string_view kModule = "nn.Module: ";

/// "mylib::Permute<&mylib::permute_gpu>" gives "Permute": names of C++ classes, which may be cut.
std::string_view class_of(std::string_view name) {
  name = name.substr(0, name.find('<'));
  const std::size_t colons = name.rfind("::");
  return colons == std::string_view::npos ? name : name.substr(colons + 2);
}

/// The facts in a node's name: the op whose backward it is.
struct NodeName {
  std::string_view forward;    ///< "AddmmBackward0" gives "Addmm"; empty: no backward node's name.
  bool is_numbered = false;    ///< As PyTorch's own nodes are, and no function of a program.
  bool is_of_program = false;  ///< In C++.
};

/// "ChunkBackwardAutogradNestedTensor" gives "ChunkBackward": an op with gradients of its own for
/// one of the dispatcher's keys.
std::string_view without_dispatch_key(std::string_view name, std::string_view backward) {
  const std::size_t at = name.rfind("Autograd");
  const std::string_view node = name.substr(0, at);
  return at != std::string_view::npos && node.ends_with(backward) ? node : name;
}

/// "GeneratedBackwardFor_torch_attn__varlen_attn_default" gives "torch_attn::_varlen_attn": the
/// function that torch.library makes of a custom op's gradients (torch/_library/autograd.py).
std::string custom_op_of(std::string_view function) {
  constexpr std::string_view kGenerated = "GeneratedBackwardFor_";
  if (!function.starts_with(kGenerated)) return {};
  const std::string_view name =
      function.substr(kGenerated.size(), function.rfind('_') - kGenerated.size());
  for (std::size_t at = name.find('_'); at < name.size(); at = name.find('_', at + 1)) {
    std::string op = std::string(name.substr(0, at)) + "::" + std::string(name.substr(at + 1));
    if (ops::is_library_op(op)) return op;
  }
  return {};
}

NodeName node_of(std::string_view name) {
  constexpr std::string_view kTorch = "torch::";
  constexpr std::string_view kOfProgram = "torch::autograd::CppNode<";
  if (name.starts_with(kOfProgram)) {
    name.remove_prefix(kOfProgram.size());
    while (name.ends_with('>') || name.ends_with(' ')) name.remove_suffix(1);
    return {class_of(name), false, true};
  }
  if (name.starts_with(kTorch)) {
    name = class_of(name);
    // The node of an op that modifies a view in place.
    if (name == kCopySlices) return {name};
    if (name == "CopyBackwards") return {"Copy"};
  }
  NodeName made;
  while (!name.empty() && is_digit(name.back())) {
    name.remove_suffix(1);
    made.is_numbered = true;
  }
  constexpr std::string_view kBackward = "Backward";
  if (made.is_numbered) name = without_dispatch_key(name, kBackward);
  if (!name.ends_with(kBackward) || name.find("::") != std::string_view::npos) return {};
  name.remove_suffix(kBackward.size());
  made.forward = name;
  return made;
}

/// "aten::_to_copy" and "ToCopy" give the same.
std::uint64_t kinship(std::string_view name) {
  const std::size_t colons = name.rfind("::");
  if (colons != std::string_view::npos) name.remove_prefix(colons + 2);
  constexpr std::string_view kForward = "_forward";
  if (name.size() > kForward.size() && name.ends_with(kForward)) {
    name.remove_suffix(kForward.size());
  }
  std::string plain;
  for (const char c : name) {
    if (c != '_') plain += lower(c);
  }
  return std::hash<std::string>{}(plain) | 1;
}

/// "NativeLayerNorm" gives "native_layer_norm".
std::string snake_case(std::string_view name) {
  std::string made;
  for (const char c : name) {
    if (is_upper(c) && !made.empty()) made += '_';
    made += lower(c);
  }
  return made;
}

/// "Optimizer.step#AdamW.step" gives "AdamW".
std::string_view optimizer_class(std::string_view name) {
  const std::string_view type = name.substr(std::min(name.find('#') + 1, name.size()));
  return type.substr(0, type.rfind('.'));
}

bool is_reducer(std::string_view name) {
  return std::ranges::any_of(
      kReducers, [name](std::string_view reducer) { return name.starts_with(reducer); });
}

bool is_script_range(std::string_view name) {
  return std::ranges::find(kScriptRanges, name) != std::end(kScriptRanges);
}

bool is_node(const TorchCall& call) {
  return call.is_backward || call.name.ends_with(kAccumulate) ||
         !node_of(call.name).forward.empty();
}

/// The forward op of PyTorch's own nodes; empty: the node is that of a function of the program.
/// Until torch 1.9 only the name of the op says so.
std::string aten_word_of(const NodeName& node) {
  if (std::string custom = custom_op_of(node.forward); !custom.empty()) return custom;
  std::string word = snake_case(node.forward);
  const auto is_known = [](std::string_view op) { return !ops::aten_arguments(op).empty(); };
  if (node.is_of_program) return {};
  const bool is_torchs = node.is_numbered || node.forward == kCopySlices || is_known(word) ||
                         is_known(word + "_forward") || is_known("_" + word);
  return is_torchs ? word : std::string();
}

/// The backward node of that name.
BackwardNode node(std::string_view name) {
  const NodeName read = node_of(name);
  BackwardNode made;
  made.accumulates = name.ends_with(kAccumulate);
  made.reruns_forward = read.forward == kCheckpoint;
  made.is_compiled = is_compiled_function(read.forward);
  made.has_own_ops = made.reruns_forward || made.is_compiled || read.forward == kScriptGraph;
  OpDesc forward;
  forward.module = "torch";
  forward.op = made.accumulates ? "accumulate_grad" : aten_word_of(read);
  if (forward.op.empty()) forward.op = read.forward.empty() ? class_of(name) : read.forward;
  made.forward = std::make_shared<const OpDesc>(std::move(forward));
  return made;
}

/// How a node is tied to its forward op.
void tie_node(std::string_view name, GraphTies& ties) {
  const NodeName read = node_of(name);
  ties.kinship = kinship(read.forward);
  if (read.forward == kCopySlices) {
    ties.seq_ahead = 1;
    ties.unnamed = GraphTies::Unnamed::kAny;
  } else if (aten_word_of(read).empty() || !custom_op_of(read.forward).empty()) {
    ties.unnamed = GraphTies::Unnamed::kOfProgram;
  }
}

/// Where fully_shard gathers and reduces; the last part runs in a callback, outside of nodes.
Meaning fsdp(std::string_view name) {
  if (name.find("backward") == std::string_view::npos) return NoMeaning{};
  OpDesc all;
  all.direction = Direction::kBprop;
  return OpAttributes{std::make_shared<const OpDesc>(std::move(all))};
}

FrameworkOp optimizer(std::string_view name) {
  const std::string_view type = optimizer_class(name);
  OpDesc op;
  op.module = "Optimizer";
  op.op = name.starts_with("Optimizer.zero_grad#") ? "zero_grad" : lower(type);
  op.direction = Direction::kUpdate;
  if (op.op.empty()) op.op = name;
  FrameworkOp made = framework_op(std::move(op), false);
  made.is_builtin = true;  // what it calls is its own, whether a model knows its class or not
  made.optimizer = type.empty() ? name : type;
  made.is_step = name.starts_with("Optimizer.step#");
  return made;
}

/// A hand-written Triton kernel that compiled code launches: the source says so.
bool is_own_triton_kernel(const TorchCall& call) {
  const auto backend = call.facts.find("backend");
  if (backend == call.facts.end() || ops::is_triton_kernel(call.name)) return false;
  const auto* const word = std::get_if<std::string>(&backend->second);
  return word != nullptr && *word == "triton";
}

/// Inductor numbers the name of such a kernel's function.
std::string_view without_number(std::string_view name) {
  const std::size_t end = name.rfind('_');
  const bool is_numbered = end != std::string_view::npos && end != 0 && end + 1 < name.size() &&
                           std::ranges::all_of(name.substr(end + 1), is_digit);
  return is_numbered ? name.substr(0, end) : name;
}

/// A library states what it is asked for beside the tensors: transposes, how it computes.
void add_facts(const TorchCall& call, OpDesc& op) {
  op.attrs.insert(call.facts.begin(), call.facts.end());
  if (const auto part = call.facts.find("part"); part != call.facts.end()) {
    const auto* const word = std::get_if<std::string>(&part->second);
    if (word != nullptr) op.part = parse_part(*word).value_or(Part::kNone);
  }
  if (!call.facts.contains("accumulates")) return;
  for (Tensor& tensor : op.tensors) {
    if (tensor.role == Tensor::Role::kOut) tensor.role = Tensor::Role::kInOut;
  }
}

/// A gradient by the function that is called. That of a convolution's data is also what a
/// transposed convolution computes forward.
bool computes_gradient(std::string_view name) {
  return ops::is_library_call(name) && !ops::forward_word(name).empty() &&
         !name.starts_with("cudnn::conv_dgrad");
}

OpDesc describe(const TorchCall& call) {
  OpDesc op;
  const std::string_view name = call.name;
  const std::size_t colons = name.rfind("::");
  op.module = colons == std::string_view::npos ? "torch" : name.substr(0, colons);
  op.op = name;
  const bool is_bare = name.find(':') == std::string_view::npos;  // unlike "nccl:all_reduce"
  if (is_bare && !ops::is_library_op(name) && !ops::aten_arguments(name).empty()) {
    op.module = "aten";
    op.op = "aten::" + op.op;
  } else if (is_own_triton_kernel(call)) {
    op.op = std::string(ops::kTritonNamespace).append(without_number(name));
  }
  if (ops::is_triton_kernel(op.op)) op.module = "triton";
  op.direction = call.direction;
  ops::AtenTensors arguments =
      ops::aten_tensors(name, call.sizes, call.types, call.values, call.lists, call.distinct);
  op.tensors = std::move(arguments.tensors);
  op.attrs = std::move(arguments.values);
  if (ops::is_library_call(name)) add_facts(call, op);
  return op;
}

}  // namespace

bool is_torch_name(std::string_view name) {
  // "nccl:coalesced" has neither number nor sizes.
  return name.starts_with("aten::") || name.starts_with(kEvaluate) ||
         name.starts_with("torch::autograd::") || name.starts_with("nccl:") ||
         name.starts_with(kFsdp) || name.starts_with(kModule) || is_compiler_range(name) ||
         (name.starts_with(kOptimizer) && name.find('#') != std::string_view::npos);
}

RangeMeaning torch_meaning(const TorchCall& call) {
  const std::string_view name = call.name;
  RangeMeaning meaning;
  if (name.starts_with(kEvaluate)) {
    meaning.what = NodeEvaluation{node(name.substr(kEvaluate.size()))};
  } else if (is_node(call)) {
    meaning.what = node(name);
    tie_node(name, meaning.ties);
  } else if (name.starts_with(kOptimizer)) {
    meaning.what = optimizer(name);
  } else if (name.starts_with(kFsdp)) {
    meaning.what = fsdp(name);
  } else if (auto communication = communication_of(call)) {
    meaning.what = *std::move(communication);
  } else if (runs_compiled_code(name)) {
    meaning.what = CompiledCode{};
  } else if (is_compiler_range(name) || is_compiler_phase(name) || is_script_range(name)) {
    meaning.what = NoMeaning{};
  } else if (name.starts_with(kModule)) {
    meaning.what = LayerName{std::string(name.substr(kModule.size()))};
  } else if (const auto step = step_number(name)) {
    meaning.what = StepNumber{*step};
  } else if (is_engine_iteration(name)) {
    meaning.what = EngineIteration{};
  } else if (!is_torch_name(name) && !ops::is_library_call(name) && !call.has_seq &&
             !call.has_sizes && !call.is_op) {
    // The program's record_function().
    if (!is_turn_text(name)) meaning.what = PlainName{std::string(name)};
  } else {
    FrameworkOp op = framework_op(describe(call), call.has_seq);
    op.has_own_ops = is_compiled_function(name);
    op.layer = call.layer;
    op.source_line = call.source_line;
    op.is_launch = is_launch_of_communication(name);
    op.join_calls = join_of_collected(name);
    op.is_library_call = ops::is_library_call(name);
    op.is_backward = is_reducer(name) || ops::is_fused_backward(name) || computes_gradient(name);
    meaning.what = std::move(op);
    meaning.ties.kinship = kinship(name);
  }
  return meaning;
}

}  // namespace prof::dialects
