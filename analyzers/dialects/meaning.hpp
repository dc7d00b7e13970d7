// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Meaning: what a range means, as a dialect reads it from the range's text. Each alternative is a
// small type of its own; the fact rules (analyzers/facts) decide what it does to the work under the
// range. Immutable values; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <variant>

#include "libprof/model/tensor.hpp"

namespace prof {
namespace dialects {

// An op that states more is damaged.
inline constexpr std::size_t kMaxRank = 64;
inline constexpr std::size_t kMaxArguments = 65'536;  // foreach ops have hundreds

}  // namespace dialects

/// Ops are described once and shared. Never null in a Meaning.
using OpRef = std::shared_ptr<const OpDesc>;

/// Not a layer, a step or an op: says nothing about the work under it.
struct NoMeaning {};

/// A name; serves as the layer if the stack has no better one.
struct PlainName {
  std::string name;
};

struct LayerName {
  std::string name;
};

struct StepNumber {
  std::int64_t number = 0;
};

/// An iteration of an engine that serves models: a step where none is stated.
struct EngineIteration {};

/// A call of a model by the program: a step where there are no others.
struct ModelCall {};

/// A step whose modules and ops are not marked.
struct Unmarked {};

/// The source line from which the ops under it are called.
struct SourceLine {
  std::string place;
};

/// Code that a compiler made runs under it: no op itself, and what it calls is no part of one.
struct CompiledCode {};

/// An op that the program states. It owns the work under it, regardless of what encloses it.
struct StatedOp {
  OpRef op;
  bool is_whole = false;  ///< Ops inside it are parts of it.
};

struct LibraryCall;
/// Joins calls, at least two, into one.
using JoinCalls = LibraryCall (*)(std::span<const LibraryCall* const> calls);

/// An op of a framework whose ops call each other. The op the user called is the outermost known
/// one, not the innermost.
struct FrameworkOp {
  OpRef op;
  bool is_builtin = false;         ///< The framework's own, not one added by a library or program.
  bool looks_like_update = false;  ///< An optimizer's, unless an enclosing range says otherwise.
  bool is_backward = false;        ///< Part of the backward pass, though in no node.
  bool is_kernel = false;          ///< No range: a kernel that is an op by its own name.
  bool has_own_ops = false;        ///< Ops that it calls count, known or not: compiled code.
  bool is_composite = false;       ///< Autograd's node is that of an op that it calls.
  bool is_recorded = false;        ///< Autograd records it: it may make a node of the graph.
  bool is_launch = false;          ///< The range around the launch of a library's call.
  /// A launch of the calls of the thread since the one before it, if there are any; else null.
  JoinCalls join_calls = nullptr;
  bool is_library_call = false;  ///< A call of a library, of which no framework says why.
  bool is_of_model = false;      ///< A model calls it, and an optimizer does not.
  std::string layer{};           ///< The path of the modules around it, if the source states it.
  std::string source_line{};     ///< Where it is called, likewise.
  std::string optimizer{};       ///< For a method of an optimizer: its class.
  bool is_step = false;          ///< That method is its step.
};

/// A library call made for the enclosing op. It owns work only if no op encloses it; otherwise it
/// is the inner op and adds what the enclosing op leaves out.
struct LibraryCall {
  OpRef op;
  std::string function;
};

/// The closure that the program passed to an optimizer's step, which calls it: the work under it is
/// not the optimizer's.
struct OptimizerClosure {
  std::string
      optimizer;  ///< The layer of the step: its class, in that of another one after that's.
};

/// Attributes that the texts of a framework's ops leave out. `about->op` lists the ops concerned,
/// separated by spaces; its attributes apply to them. Its direction applies to all ops under the
/// range.
struct OpAttributes {
  OpRef about;
};

/// A call of a framework's module: its class and its tensors. Not an op: the module may call many
/// ops or none, and compute what its arguments do not show.
struct ModuleCall {
  OpRef call;  ///< `call->op` is the class.
};

/// A node of an autograd graph: the backward of one forward op.
struct BackwardNode {
  OpRef forward;             ///< The forward op according to the node's name, without tensors.
  bool accumulates = false;  ///< Accumulates a gradient; belongs to its producer, no forward op.
  /// Ops that it calls count as ops of their own: forward ops that run again, compiled code.
  bool has_own_ops = false;
  bool reruns_forward = false;  ///< They are the former.
  bool is_compiled = false;     ///< It runs the latter.
};

/// The autograd engine's range around a node, and what its text says about the node.
struct NodeEvaluation {
  BackwardNode node;
};

/// A call of a graph that a compiler has generated code for: what each kernel computes is known
/// from that code (analyzers/compiled).
struct CompiledGraph {
  std::string key;     ///< Key of the graph's documents.
  std::string source;  ///< Key of the table of the nodes that it was made from; empty: unknown.
  Direction direction = Direction::kNone;
  /// Sizes of this call's inputs, by symbol.
  std::map<std::string, std::int64_t, std::less<>> sizes;
};

/// Facts in the names of traced functions about code that a compiler made of them (XLA, for JAX).
struct TracedNames {
  std::string layer;      ///< The scopes of the program, joined with ':'.
  bool is_whole = false;  ///< `layer` has all scopes; if not, those inside the ones of the program.
  Direction direction = Direction::kNone;
  bool is_recomputed = false;
  std::string source_line;

  [[nodiscard]] bool is_empty() const {
    return layer.empty() && direction == Direction::kNone && !is_recomputed && source_line.empty();
  }
};

/// A program that such a compiler made runs: what its ops have in common.
struct TracedProgram {
  std::string name;  ///< The layer of work whose own names have none.
  TracedNames names;
};

/// One op of such a program. It owns the work under it, unless it runs others of them.
struct TracedOp {
  OpRef op;
  OpRef instruction;  ///< The compiler's own name for it.
  TracedNames names;
};

/// From here on, library calls are deferred until a BatchLaunch. Batches nest.
struct BatchBegin {};

/// Launches the calls of the thread since the matching BatchBegin.
struct BatchLaunch {
  JoinCalls join = nullptr;
};

using Meaning =
    std::variant<NoMeaning, PlainName, LayerName, StepNumber, EngineIteration, ModelCall, Unmarked,
                 SourceLine, CompiledCode, StatedOp, FrameworkOp, LibraryCall, OpAttributes,
                 ModuleCall, BackwardNode, NodeEvaluation, OptimizerClosure, CompiledGraph,
                 TracedProgram, TracedOp, BatchBegin, BatchLaunch>;

}  // namespace prof
